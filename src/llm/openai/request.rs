//! Construction of the request body. Its beginning is stable between calls, so that providers can cache the prefix.

use std::collections::HashSet;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use super::super::{Entry, LlmError, Request};
use super::{Settings, control, refusal, reply, schema};
use crate::domain::decision::Engine;
use crate::domain::tool::{Call, CallResult};

/// Characters per token, a conservative estimate.
const TOKEN: usize = 3;
/// Maximum characters of a tool's name.
const NAME: usize = 64;
/// Maximum characters of a provider's id that are echoed.
const ID: usize = 64;

/// The request body. Serialised before sending, since the schemas as values would take about 200 kB while the answer is awaited.
#[derive(Serialize)]
struct Body<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    messages: Vec<Value>,
    model: &'a str,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Box<RawValue>>,
}

/// A request variant. Providers differ, and only their errors show which variant they accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Manner {
    /// True if a temperature is sent. Some models accept only their default.
    pub temperature: bool,
    /// True if a message with only calls has null content, as in OpenAI's API; else it has an empty text.
    pub null: bool,
}

impl Manner {
    /// The most widely accepted variant.
    pub const USUAL: Self = Self { temperature: true, null: true };

    /// Returns the next variant to try after `error`, each difference from `known` once; `None` if none is left.
    pub fn after(self, known: Self, error: &LlmError, request: &Request) -> Option<Self> {
        if self.temperature && refusal::is_about_temperature(error) {
            return Some(Self { temperature: false, ..self });
        }
        let only_calls = |entry: &Entry| matches!(entry, Entry::Calls { text, .. } if text.is_empty());
        let differs = self.null == known.null && request.entries.iter().any(only_calls);
        (differs && refusal::is_about_content(error)).then_some(Self { null: !self.null, ..self })
    }
}

pub fn body(settings: &Settings, manner: Manner, request: &Request) -> Box<RawValue> {
    let tools = tools(settings.engine, request);
    let spent = request.prompt.len() + tools.iter().map(|tool| tool.get().len()).sum::<usize>();
    let room = (settings.context_tokens.saturating_sub(settings.max_tokens) as usize * TOKEN).saturating_sub(spent);
    let mut messages = vec![json!({ "role": "system", "content": request.prompt })];
    let mut ids = Ids::default();
    for entry in fit(settings, request, room) {
        push(&mut messages, (settings, manner), &mut ids, entry);
    }
    // OpenAI's models accept only the newer field, other servers only the older one.
    let newer = settings.engine == Engine::Openai;
    let body = Body {
        max_completion_tokens: newer.then_some(settings.max_tokens),
        max_tokens: (!newer).then_some(settings.max_tokens),
        messages,
        model: &settings.model,
        stream: settings.stream,
        stream_options: settings.stream.then(|| json!({ "include_usage": true })),
        temperature: manner.temperature.then_some(settings.temperature),
        tools,
    };
    to_raw_value(&body).expect("a request has a text")
}

/// Returns the tools, sorted, followed by the control functions; empty if no tool may be called.
fn tools(engine: Engine, request: &Request) -> Vec<Box<RawValue>> {
    if request.tools.is_empty() {
        return vec![];
    }
    let own = request.tools.iter().map(|tool| match engine {
        Engine::Gemini => control::function(&tool.name, &tool.description, &schema::for_gemini(tool.schema.value())),
        _ => control::function(&tool.name, &tool.description, &tool.schema),
    });
    own.chain(control::functions()).collect()
}

/// Returns the entries that fit into `room` characters. Drops the oldest steps first, then the oldest messages; of the
/// current turn, only its oldest steps. Replies whose message was dropped go too, since Gemini and some chat templates
/// require a user message first.
fn fit<'a>(settings: &Settings, request: &'a Request, room: usize) -> Vec<&'a Entry> {
    let mut kept: Vec<(usize, &Entry, usize)> =
        request.entries.iter().enumerate().map(|(at, entry)| (at, entry, cost(settings, entry))).collect();
    let is_group = |entry: &Entry| matches!(entry, Entry::Calls { .. });
    let newest = request.entries.len().saturating_sub(1);
    let mut total: usize = kept.iter().map(|(_, _, cost)| cost).sum();
    while total > room {
        let earlier = |at: usize| at < request.turn_start;
        let first = kept
            .iter()
            .position(|(at, entry, _)| earlier(*at) && is_group(entry))
            .or_else(|| kept.iter().position(|(at, _, _)| earlier(*at)))
            .or_else(|| kept.iter().position(|(at, entry, _)| *at < newest && is_group(entry)));
        let Some(first) = first else { break };
        total -= kept.remove(first).2;
    }
    let begins = |at: usize, entry: &Entry| {
        at >= request.turn_start || matches!(entry, Entry::User { .. } | Entry::Verdict { .. })
    };
    let begin = kept.iter().position(|(at, entry, _)| begins(*at, entry)).unwrap_or_default();
    kept.into_iter().skip(begin).map(|(_, entry, _)| entry).collect()
}

fn cost(settings: &Settings, entry: &Entry) -> usize {
    let own = match entry {
        Entry::User { text } | Entry::Assistant { text, .. } => text.len(),
        Entry::Verdict { question, reason, .. } => question.len() + reason.as_ref().map_or(0, String::len),
        Entry::Calls { text, calls, results, raw } => {
            let calls = calls.iter().map(|call| call.tool.len() + call.arguments.to_string().len() + 60);
            let results = results.iter().map(|result| result.value.to_string().len() + 60);
            let own = own(settings, raw.as_ref());
            let more = own.into_iter().flat_map(|own| echoed(own).chain(own_calls(own).into_iter().flat_map(beside)));
            let more = more.map(|(field, value)| field.len() + value.to_string().len() + 4);
            text.len() + calls.sum::<usize>() + results.sum::<usize>() + more.sum::<usize>()
        }
    };
    own + 40
}

/// Returns the raw message of a reply if this provider and model produced it.
fn own<'a>(settings: &Settings, raw: Option<&'a Value>) -> Option<&'a Value> {
    let raw = raw.filter(|raw| raw["engine"] == json!(settings.engine))?;
    // Older stored replies have no source.
    let ours = raw["source"].as_str().is_none_or(|source| source == settings.source());
    ours.then(|| &raw["reply"]["choices"][0]["message"])
}

/// Returns the message fields that a provider needs sent back.
fn echoed(own: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let fields = ["extra_content", "reasoning_content", "reasoning_details"].into_iter();
    fields.filter_map(|field| Some((field, own.get(field).filter(|value| !value.is_null())?)))
}

/// Returns the tool calls of a raw message.
fn own_calls(own: &Value) -> Vec<&Value> {
    // Control functions were dropped when the reply was read, so positions count tools only.
    let is_tool = |call: &&Value| !control::is_one(call["function"]["name"].as_str().unwrap_or_default());
    reply::each_once(own).into_iter().filter(is_tool).collect()
}

/// Returns the call fields that a provider needs sent back.
fn beside(call: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let fields = call.as_object().into_iter().flatten().map(|(field, value)| (field.as_str(), value));
    fields.filter(|(field, _)| !["index", "id", "type", "function"].contains(field))
}

fn push(messages: &mut Vec<Value>, (settings, manner): (&Settings, Manner), ids: &mut Ids, entry: &Entry) {
    match entry {
        Entry::User { text } => messages.push(json!({ "role": "user", "content": text })),
        Entry::Assistant { text, .. } => messages.push(json!({ "role": "assistant", "content": text })),
        Entry::Verdict { question, approved, reason } => {
            let answer = if *approved { "yes" } else { "no" };
            let why = reason.as_ref().map(|reason| format!(" They wrote: {reason}")).unwrap_or_default();
            // Quoting as JSON prevents a title from ending the question and posing as the person's words.
            let question = json!(question);
            let text = format!(
                "(The person pressed the {answer} button under this question, quoted as JSON: {question}.{why})"
            );
            messages.push(json!({ "role": "user", "content": text }));
        }
        Entry::Calls { text, calls, results, raw } => {
            let said = if text.is_empty() && manner.null { Value::Null } else { json!(text) };
            group(messages, settings.engine, ids, (said, calls, results), own(settings, raw.as_ref()));
        }
    }
}

/// Placeholder that Gemini accepts for a thought signature (Gemini API, thought signatures).
const UNSIGNED: &str = "skip_thought_signature_validator";

/// Adds a step: the message with its calls, and one message per result, since providers reject calls without results.
fn group(
    messages: &mut Vec<Value>,
    engine: Engine,
    ids: &mut Ids,
    (said, calls, results): (Value, &[Call], &[CallResult]),
    own: Option<&Value>,
) {
    let mut message = Map::new();
    message.insert("role".into(), json!("assistant"));
    message.insert("content".into(), said);
    for (field, value) in own.into_iter().flat_map(echoed) {
        message.insert(field.into(), value.clone());
    }
    let own = own.map(own_calls).unwrap_or_default();
    let mut told = vec![];
    let mut answers = vec![];
    for (index, call) in calls.iter().enumerate() {
        let id = ids.of(call);
        let mut one = Map::new();
        for (field, value) in own.get(index).into_iter().flat_map(|own| beside(own)) {
            one.insert(field.into(), value.clone());
        }
        one.insert("id".into(), json!(id));
        one.insert("type".into(), json!("function"));
        one.insert("function".into(), json!({ "name": name(&call.tool), "arguments": call.arguments.to_string() }));
        told.push(Value::Object(one));
        let result = results.get(index).map_or_else(|| json!({ "status": "not_run" }), |result| shown(&result.value));
        answers.push(json!({ "role": "tool", "tool_call_id": id, "content": result.to_string() }));
    }
    if let (Engine::Gemini, Some(first)) = (engine, told.first_mut())
        && first["extra_content"].is_null()
        && message.get("extra_content").is_none()
    {
        // A call that the model did not make, such as an approved one, has no signature.
        first["extra_content"] = json!({ "google": { "thought_signature": UNSIGNED } });
    }
    message.insert("tool_calls".into(), json!(told));
    messages.push(Value::Object(message));
    messages.extend(answers);
}

/// Returns a tool's name in the characters that providers accept (OpenAI, Chat Completions). An invented name would
/// otherwise fail all further requests.
fn name(tool: &str) -> String {
    let takes = |sign: char| sign.is_ascii_alphanumeric() || "_-".contains(sign);
    tool.chars().map(|sign| if takes(sign) { sign } else { '_' }).take(NAME).collect()
}

/// Returns a result without internal ids.
fn shown(value: &Value) -> Value {
    let mut shown = value.clone();
    if let Some(fields) = shown.as_object_mut() {
        fields.remove("approval_id");
    }
    shown
}

/// Call ids, unique within a request; the provider's own id is used if it is valid.
#[derive(Default)]
struct Ids {
    used: HashSet<String>,
}

impl Ids {
    fn of(&mut self, call: &Call) -> String {
        let own = call.provider_id.clone().filter(|id| !id.is_empty() && id.len() <= ID && !self.used.contains(id));
        // Nine letters and digits satisfy the strictest provider.
        let mut made = (self.used.len()..).map(|number| format!("call{number:05}"));
        let id = own.or_else(|| made.find(|id| !self.used.contains(id))).unwrap_or_default();
        self.used.insert(id.clone());
        id
    }
}

#[cfg(test)]
mod tests;
