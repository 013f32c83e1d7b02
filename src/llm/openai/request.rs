//! What is sent: the typed request in the words of chat completions. It begins alike from call to call, so that providers can
//! keep what they have read.

use std::collections::HashSet;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use super::super::{Entry, LlmError, Request};
use super::{Settings, control, refusal, reply, schema};
use crate::domain::decision::Engine;
use crate::domain::tool::{Call, CallResult};

/// Characters to a token, on the careful side.
const TOKEN: usize = 3;
/// Characters that a tool's name may have.
const NAME: usize = 64;
/// Characters of a provider's own id that are echoed.
const ID: usize = 64;

/// What a body says. It is kept as text while the answer is awaited: as values, the schemas alone are a fifth of a megabyte.
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

/// How a provider is asked, where they differ and only its answers tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Manner {
    /// Whether a temperature is set. Some models take none but their own.
    pub temperature: bool,
    /// Whether a message that only calls says nothing, as OpenAI has it, or the empty text: some servers read no null.
    pub null: bool,
}

impl Manner {
    /// As most take it.
    pub const USUAL: Self = Self { temperature: true, null: true };

    /// How else to ask `request` after such an error, each difference once beside what was `known`; `None` where nothing else is left.
    pub fn after(self, known: Self, error: &LlmError, request: &Request) -> Option<Self> {
        if self.temperature && refusal::is_about_temperature(error) {
            return Some(Self { temperature: false, ..self });
        }
        let only_calls = |entry: &Entry| matches!(entry, Entry::Calls { text, .. } if text.is_empty());
        let differs = self.null == known.null && request.entries.iter().any(only_calls);
        (differs && refusal::is_about_content(error)).then_some(Self { null: !self.null, ..self })
    }
}

/// The whole body.
pub fn body(settings: &Settings, manner: Manner, request: &Request) -> Box<RawValue> {
    let tools = tools(settings.engine, request);
    let spent = request.prompt.len() + tools.iter().map(|tool| tool.get().len()).sum::<usize>();
    let room = (settings.context_tokens.saturating_sub(settings.max_tokens) as usize * TOKEN).saturating_sub(spent);
    let mut messages = vec![json!({ "role": "system", "content": request.prompt })];
    let mut ids = Ids::default();
    for entry in fit(settings, request, room) {
        push(&mut messages, (settings, manner), &mut ids, entry);
    }
    // OpenAI's own models know the limit only by its newer name, others only by the older.
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

/// The tools as they stand, sorted, and after them the functions that end a turn; nothing where no tool may be called.
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

/// The entries that fit into `room` characters: the oldest groups of calls and their results go first, then the oldest words.
/// What belongs to the turn stays, save its oldest groups where even they are too much. What was answered to words that are not
/// there any more goes as well: Gemini and some templates take no conversation that the person does not begin.
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

/// The message of a reply as it came, where this provider and model gave it: another takes nothing of theirs.
fn own<'a>(settings: &Settings, raw: Option<&'a Value>) -> Option<&'a Value> {
    let raw = raw.filter(|raw| raw["engine"] == json!(settings.engine))?;
    // Those of before have no source.
    let ours = raw["source"].as_str().is_none_or(|source| source == settings.source());
    ours.then(|| &raw["reply"]["choices"][0]["message"])
}

/// What a provider wants back of its own message.
fn echoed(own: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let fields = ["extra_content", "reasoning_content", "reasoning_details"].into_iter();
    fields.filter_map(|field| Some((field, own.get(field).filter(|value| !value.is_null())?)))
}

/// The calls of its message that count as such.
fn own_calls(own: &Value) -> Vec<&Value> {
    // A control function beside tools was dropped when the reply was read, so places are counted among tools alone.
    let is_tool = |call: &&Value| !control::is_one(call["function"]["name"].as_str().unwrap_or_default());
    reply::each_once(own).into_iter().filter(is_tool).collect()
}

/// What a provider wants back of its own call.
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
            // Titles in the question are data: as a JSON string they cannot end it and go on as the person's words.
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

/// What Gemini takes in place of a thought signature (Gemini API, thought signatures).
const UNSIGNED: &str = "skip_thought_signature_validator";

/// A step: the message that called, and one message for each result, since providers refuse a call without its answer.
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
        // A call that it did not make itself, such as one that a person has approved, has no signature of its own.
        first["extra_content"] = json!({ "google": { "thought_signature": UNSIGNED } });
    }
    message.insert("tool_calls".into(), json!(told));
    messages.push(Value::Object(message));
    messages.extend(answers);
}

/// A tool's name as providers take it (OpenAI, Chat Completions): one that a model made up would else have all of its requests refused.
fn name(tool: &str) -> String {
    let takes = |sign: char| sign.is_ascii_alphanumeric() || "_-".contains(sign);
    tool.chars().map(|sign| if takes(sign) { sign } else { '_' }).take(NAME).collect()
}

/// A result without the ids that are none of a model's business.
fn shown(value: &Value) -> Value {
    let mut shown = value.clone();
    if let Some(fields) = shown.as_object_mut() {
        fields.remove("approval_id");
    }
    shown
}

/// Ids of calls, each once in a request: the provider's own where it gave one that can be used.
#[derive(Default)]
struct Ids {
    used: HashSet<String>,
}

impl Ids {
    fn of(&mut self, call: &Call) -> String {
        let own = call.provider_id.clone().filter(|id| !id.is_empty() && id.len() <= ID && !self.used.contains(id));
        // Nine letters and digits: what the strictest provider takes.
        let mut made = (self.used.len()..).map(|number| format!("call{number:05}"));
        let id = own.or_else(|| made.find(|id| !self.used.contains(id))).unwrap_or_default();
        self.used.insert(id.clone());
        id
    }
}

#[cfg(test)]
mod tests;
