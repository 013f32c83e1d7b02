//! Assembly of a streamed answer into the equivalent unstreamed one, including provider-specific fields.

use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use super::super::LlmError;
use super::events;
use super::markup::{Screen, Thoughts, names};
use super::nesting::{self, Nesting};
use super::refusal;
use super::reply::words;
use super::written;

/// Maximum number of tool calls of an answer.
const MOST_CALLS: usize = 1_024;
/// Maximum bytes of the arguments of all calls.
const MOST_ARGUMENTS: usize = 512 << 10;
/// Maximum bytes of the provider's own text fields, such as reasoning; the rest is left out.
const MOST_OWN_TEXT: usize = 256 << 10;
/// Maximum number of values of the provider's own fields in an answer; the rest is left out.
const MOST_VALUES: usize = 20_000;

/// The partial answer.
#[derive(Default)]
pub struct Assembly {
    /// Fields of the answer itself: id, model, usage.
    head: Map<String, Value>,
    content: String,
    /// Fields of the message other than its content and calls.
    message: Map<String, Value>,
    calls: Vec<Piecewise>,
    finish: Option<Value>,
    thoughts: Thoughts,
    screen: Screen,
    /// True if the end of the stream was announced.
    is_done: bool,
    /// Bytes of text, reasoning and arguments so far.
    bytes: usize,
    /// Values of the provider's own fields so far.
    values: usize,
    /// Bytes of the provider's own text fields so far.
    own_text: usize,
    /// Bytes of the arguments of all calls so far.
    arguments: usize,
}

/// A tool call that arrives in pieces.
#[derive(Default)]
struct Piecewise {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    nesting: Nesting,
    /// Other fields of the call, such as thought signatures.
    rest: Map<String, Value>,
}

impl Piecewise {
    fn extend(&mut self, more: &str) {
        self.nesting.take(more.as_bytes());
        self.arguments.push_str(more);
    }

    /// Returns true if the arguments are complete.
    fn is_whole(&self) -> bool {
        serde_json::from_str::<IgnoredAny>(&self.arguments).is_ok()
    }
}

impl Assembly {
    /// Creates an answer; `unopened` says that reasoning may begin without an opening tag.
    pub fn of(unopened: bool) -> Self {
        Self { thoughts: Thoughts::of(unopened), ..Self::default() }
    }

    /// Adds a chunk and returns the text that the person may see.
    pub fn add(&mut self, chunk: &Value) -> Result<String, LlmError> {
        if let Some(error) = refusal::inside(chunk).or_else(|| refusal::inside(&chunk["choices"][0])) {
            return Err(error);
        }
        for field in ["id", "model", "usage"] {
            if let Some(value) = chunk.get(field).filter(|value| !value.is_null()) {
                self.head.insert(field.into(), value.clone());
            }
        }
        if chunk.get(events::DONE).is_some() {
            self.is_done = true;
            return Ok(self.rest());
        }
        let ollama = events::of_ollama(chunk);
        let choice = ollama.as_ref().unwrap_or(&chunk["choices"][0]);
        if let Some(usage) = choice.get("usage").filter(|usage| !usage.is_null()) {
            self.head.insert("usage".into(), usage.clone());
        }
        if !choice["finish_reason"].is_null() {
            self.finish = Some(choice["finish_reason"].clone());
        }
        // Some providers send the last piece, or all of it, as a whole message, even after deltas.
        let whole = !choice["delta"].is_object();
        let delta = if whole { &choice["message"] } else { &choice["delta"] };
        if whole && delta.is_object() && self.finish.is_none() && chunk["object"] != "chat.completion.chunk" {
            self.finish = Some(json!("stop"));
        }
        // Some providers send reasoning in both fields.
        self.bytes +=
            ["reasoning_content", "reasoning"].iter().map(|field| words(&delta[*field]).len()).max().unwrap_or(0);
        for (key, value) in delta.as_object().into_iter().flatten() {
            match (key.as_str(), value) {
                ("role" | "content" | "tool_calls" | "function_call", _) | (_, Value::Null) => {}
                _ if !self.has_room(value) => {}
                _ if whole => drop(self.message.insert(key.clone(), value.clone())),
                (_, Value::String(more)) => match self.message.entry(key.clone()).or_insert_with(|| json!("")) {
                    Value::String(text) => text.push_str(more),
                    other => *other = value.clone(),
                },
                (_, Value::Array(more)) => match self.message.entry(key.clone()).or_insert_with(|| json!([])) {
                    Value::Array(list) => list.extend(more.iter().cloned()),
                    other => *other = value.clone(),
                },
                _ => drop(self.message.insert(key.clone(), value.clone())),
            }
        }
        let calls = delta["tool_calls"].as_array().map_or(&[][..], Vec::as_slice);
        if whole && calls.len() >= self.calls.len() {
            self.calls.clear();
        }
        for (call, place) in calls.iter().zip(0..) {
            self.add_call(call, whole.then_some(place))?;
        }
        // The oldest servers send a single call as `function_call`, in pieces as well.
        if delta["function_call"].is_object() {
            self.add_call(&json!({ "function": delta["function_call"] }), Some(0))?;
        }
        // The oldest completion API has a text instead of a message.
        let beside = if delta.is_object() { &Value::Null } else { &choice["text"] };
        let text = words(&delta["content"]) + &words(beside);
        let whole = whole && delta.is_object();
        let more = text.strip_prefix(&self.content).filter(|_| whole).unwrap_or(&text);
        self.bytes += more.len();
        // Nothing reads more of the text.
        let more = &more[..more.floor_char_boundary(written::LONGEST.saturating_sub(self.content.len()))];
        self.content.push_str(more);
        let mut shown = self.screen.feed(&self.thoughts.feed(more));
        if self.finish.is_some() {
            shown += &self.rest();
        }
        Ok(shown)
    }

    /// Returns the text held back, at the end of the stream.
    fn rest(&mut self) -> String {
        let thoughts = self.thoughts.rest();
        self.screen.feed(&thoughts) + &self.screen.rest()
    }

    /// Adds a piece of a call or a whole call; `place` is its position within a whole message.
    fn add_call(&mut self, piece: &Value, place: Option<u64>) -> Result<(), LlmError> {
        let index = piece["index"].as_u64().or(place);
        // A whole message may repeat earlier pieces; one event bounds it.
        if place.is_none() {
            self.arguments += piece["function"]["arguments"].as_str().map_or(0, str::len);
        }
        if self.arguments > MOST_ARGUMENTS {
            return Err(LlmError::Unavailable("the answer's calls are too long".into()));
        }
        let id = piece["id"].as_str().unwrap_or_default();
        let name = piece["function"]["name"].as_str().unwrap_or_default();
        let at = self.calls.iter().rposition(|call| index.is_none() || call.index == index);
        let more = match &piece["function"]["arguments"] {
            Value::String(more) => !more.trim().is_empty(),
            whole => !whole.is_null(),
        };
        // Some providers split the name itself.
        if let Some(call) =
            at.map(|at| &mut self.calls[at]).filter(|call| call.arguments.is_empty() && !name.is_empty())
            && (id.is_empty() || id == call.id)
            && !written::is_known(&call.name)
            && !written::is_known(name)
            && begins_a_name(&format!("{}{name}", call.name))
        {
            call.name.push_str(name);
            if let Value::String(more) = &piece["function"]["arguments"] {
                call.extend(more);
            }
            return Ok(());
        }
        // A new id or name begins a call, whatever the index: some providers number all calls 0 or omit the index. Some repeat
        // the name, or change the id, with each piece. Such pieces then extend the call until its arguments are complete.
        let begins = at.is_none_or(|at| {
            let call = &self.calls[at];
            let known = !id.is_empty() && !call.id.is_empty();
            let other = if known { call.id != id } else { !call.name.is_empty() && call.name != name };
            !name.is_empty() && (other || more && call.nesting.is_closed())
        });
        if begins && self.calls.len() >= MOST_CALLS {
            return Err(LlmError::Unavailable("the answer has too many calls".into()));
        }
        if begins {
            self.calls.push(Piecewise { index, ..Piecewise::default() });
        }
        let own = |field: &&String| !["index", "id", "type", "function"].contains(&field.as_str());
        let fields = piece.as_object().into_iter().flatten().filter(|(field, _)| own(field));
        let fields: Vec<_> = fields.filter(|(_, value)| self.has_room(value)).collect();
        let last = self.calls.len() - 1;
        let call = &mut self.calls[if begins { last } else { at.unwrap_or(last) }];
        if call.id.is_empty() {
            id.clone_into(&mut call.id);
        }
        if call.name.is_empty() {
            name.clone_into(&mut call.name);
        }
        match &piece["function"]["arguments"] {
            Value::String(more) => {
                self.bytes += more.len();
                call.extend(more);
            }
            Value::Null => {}
            whole => {
                (call.arguments, call.nesting) = Default::default();
                call.extend(&whole.to_string());
            }
        }
        call.rest.extend(fields.into_iter().map(|(field, value)| (field.clone(), value.clone())));
        Ok(())
    }

    /// Counts the values or the text of a provider's own field, and returns true if they are kept.
    fn has_room(&mut self, value: &Value) -> bool {
        if let Value::String(text) = value {
            self.own_text = self.own_text.saturating_add(text.len());
            return self.own_text <= MOST_OWN_TEXT;
        }
        let more = nesting::values(value);
        let fits = more.is_some_and(|more| self.values + more <= MOST_VALUES);
        self.values += more.filter(|_| fits).unwrap_or_default();
        fits
    }

    /// Returns the bytes of text, reasoning and arguments so far, including those not shown.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the answer if it is complete.
    pub fn whole(self) -> Result<Value, LlmError> {
        // Without a finish reason, an end marker, complete calls or a complete sentence show that the stream is complete.
        let calls_end = !self.calls.is_empty() && self.calls.iter().all(Piecewise::is_whole);
        let ends = self.is_done || calls_end || self.calls.is_empty() && ends_a_sentence(&self.content);
        let Some(finish) = self.finish.or_else(|| ends.then(|| json!("stop"))) else {
            return Err(LlmError::Unavailable("the answer was cut off".into()));
        };
        let calls = self.calls.into_iter().map(|call| {
            let mut whole = call.rest;
            whole.insert("id".into(), json!(call.id));
            whole.insert("type".into(), json!("function"));
            whole.insert("function".into(), json!({ "name": call.name, "arguments": call.arguments }));
            Value::Object(whole)
        });
        let calls: Vec<_> = calls.collect();
        let mut message = self.message;
        message.insert("role".into(), json!("assistant"));
        message.insert("content".into(), json!(self.content));
        if !calls.is_empty() {
            message.insert("tool_calls".into(), json!(calls));
        }
        let mut answer = self.head;
        answer.insert("choices".into(), json!([{ "index": 0, "message": message, "finish_reason": finish }]));
        Ok(Value::Object(answer))
    }
}

/// Returns true if a tool's name begins with `text`.
fn begins_a_name(text: &str) -> bool {
    let bare = written::bare_name(text);
    names().any(|name| name.starts_with(bare))
}

fn ends_a_sentence(text: &str) -> bool {
    text.trim_end().ends_with(['.', '!', '?', '…', '。', '！', '？', '”', '"', ')', '`', ':'])
}

#[cfg(test)]
mod tests;
