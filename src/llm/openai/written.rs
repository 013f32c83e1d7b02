//! Tool calls that models write as text, in known notations: Hermes and Qwen (`<tool_call>`), Mistral (`[TOOL_CALLS]`),
//! DeepSeek (`<｜tool▁calls▁begin｜>`), Kimi, GLM, Llama, Gemma (`tool_code`), gpt-oss (`<|channel|>`), and bare or
//! fenced JSON.

use serde_json::{Map, Value};

use super::markup::{self, Beginning};

mod channels;
mod notation;

use notation::Cursor;
pub use notation::object;

/// A name and unparsed arguments.
pub type WrittenCall = (String, Value);

/// The kind of a reply.
#[derive(Debug, PartialEq)]
pub enum Written {
    /// Words for a person.
    Words(String),
    /// Only calls in a known envelope.
    Calls(Vec<WrittenCall>),
    /// Other machine text, or words mixed with machine text.
    Machine,
}

/// Keys that hold a tool's name, and keys that hold its arguments.
const NAMES: [&str; 7] = ["name", "tool", "tool_name", "function", "function_name", "action", "recipient_name"];
const ARGUMENTS: [&str; 9] =
    ["arguments", "parameters", "args", "input", "action_input", "params", "tool_input", "kwargs", "function_args"];
/// Keys of call lists.
const LISTS: [&str; 3] = ["tool_calls", "tool_uses", "calls"];

/// Keys of an object's reply text, and keys that may accompany it.
const REPLIES: [&str; 8] = ["reply", "response", "answer", "content", "message", "text", "output", "final_answer"];
const BESIDE_REPLIES: [&str; 4] = ["role", "type", "finish_reason", "status"];

/// Maximum bytes of a text that are read; well above the limits of replies and arguments.
pub const LONGEST: usize = 128 * 1024;

/// Classifies a whole reply.
pub fn read(text: &str) -> Written {
    let text = markup::without_controls(&text[..text.floor_char_boundary(LONGEST)]);
    let read = read_bare(&text);
    if read != Written::Machine {
        return read;
    }
    // An object around the reply: {"role": "assistant", "content": "…"}
    words_of_object(&markup::bare(&text)).map_or(read, |words| read_bare(&words))
}

fn words_of_object(text: &str) -> Option<String> {
    let Ok(Value::Object(fields)) = serde_json::from_str(text.trim()) else { return None };
    let is_reply = |key: &str| REPLIES.contains(&key);
    let mut words = fields.iter().filter(|(key, _)| is_reply(key)).filter_map(|(_, words)| words.as_str());
    let known =
        fields.iter().all(|(key, value)| is_reply(key) && value.is_string() || BESIDE_REPLIES.contains(&key.as_str()));
    let one = words.next().filter(|_| words.next().is_none() && known)?;
    Some(one.to_owned())
}

fn read_bare(text: &str) -> Written {
    let (text, mut calls) = match channels::read(text) {
        Some(channels) if channels.is_odd => return Written::Machine,
        Some(channels) => (channels.text, channels.calls),
        None => (text.to_owned(), vec![]),
    };
    let text = markup::bare(&text);
    if !calls.is_empty() {
        return if text.trim().is_empty() { Written::Calls(calls) } else { Written::Machine };
    }
    if let Some(found) = all(&text) {
        calls.extend(found);
        return Written::Calls(calls);
    }
    if markup::is_musing(&text) || is_machine(&text) { Written::Machine } else { Written::Words(text) }
}

/// Returns true if the text contains an unfinished call; a model that completes it requests nothing.
pub fn is_unfinished(text: &str) -> bool {
    let last = |word: &str| text.rfind(word);
    let named = markup::names().filter_map(last).max();
    let keyed = NAMES.iter().filter_map(|key| last(&format!("\"{key}\""))).max();
    let (mut open, mut from) = (Open::default(), 0);
    let all = Open::of(text);
    markup::places(text).any(|(at, found)| {
        open.add(&text[from..at]);
        from = at;
        let (names, keys) = (named.is_some_and(|last| last >= at), keyed.is_some_and(|last| last >= at));
        let braces = all.braces > open.braces;
        match found {
            Beginning::Machine => braces || names && (all.brackets > open.brackets || all.elements > open.elements),
            _ => braces && keys,
        }
    })
}

/// Counts of unclosed delimiters of calls.
#[derive(Default)]
struct Open {
    braces: i64,
    brackets: i64,
    elements: i64,
}

impl Open {
    fn of(text: &str) -> Self {
        let mut open = Self::default();
        open.add(text);
        open
    }

    fn add(&mut self, text: &str) {
        let bytes = text.as_bytes();
        for (at, byte) in bytes.iter().enumerate() {
            match byte {
                b'{' => self.braces += 1,
                b'}' => self.braces -= 1,
                b'(' => self.brackets += 1,
                b')' => self.brackets -= 1,
                b'<' if bytes.get(at + 1) == Some(&b'/') => self.elements -= 1,
                b'<' => self.elements += 1,
                _ => {}
            }
        }
    }
}

/// Returns the calls if the text consists of calls only.
fn all(text: &str) -> Option<Vec<WrittenCall>> {
    let mut cursor = Cursor::new(text.trim());
    let mut calls = vec![];
    // An object is an envelope, a bare name is not.
    let mut enveloped = false;
    while !cursor.is_over() {
        if cursor.envelope() {
            enveloped = true;
        } else if let Some(fenced) = cursor.fence() {
            calls.extend(all_in(fenced)?);
            enveloped = true;
        } else if let Some(value) = cursor.json() {
            calls.extend(of_json(&value)?);
            enveloped = true;
        } else {
            let (call, spaced) = cursor.call()?;
            enveloped |= spaced;
            calls.push(call);
        }
    }
    (enveloped && !calls.is_empty()).then_some(calls)
}

/// Returns the calls of a fenced block, which is an envelope.
fn all_in(fenced: &str) -> Option<Vec<WrittenCall>> {
    all(&format!("<tool_call>{fenced}</tool_call>"))
}

/// Returns the calls of a JSON value; `None` if any part is not a call.
fn of_json(value: &Value) -> Option<Vec<WrittenCall>> {
    match value {
        Value::Array(items) => {
            let each = items.iter().map(of_json).collect::<Option<Vec<_>>>()?;
            Some(each.concat()).filter(|calls| !calls.is_empty())
        }
        Value::Object(fields) => {
            if let Some(list) = LISTS.iter().find_map(|key| fields.get(*key)).filter(|list| list.is_array()) {
                return of_json(list);
            }
            let inner = ["function", "function_call", "tool_call"].iter().find_map(|key| fields.get(*key));
            if let Some(inner) = inner.filter(|inner| inner.is_object()) {
                return of_json(inner);
            }
            of_object(fields).map(|call| vec![call])
        }
        _ => None,
    }
}

fn of_object(fields: &Map<String, Value>) -> Option<WrittenCall> {
    let name = NAMES.iter().find_map(|key| fields.get(*key)?.as_str());
    let arguments = ARGUMENTS.iter().find_map(|key| fields.get(*key));
    match (name, arguments) {
        (Some(name), Some(arguments)) => Some((name.to_owned(), arguments.clone())),
        (Some(name), None) if is_known(name) && fields.keys().all(|key| is_beside(key)) => {
            Some((name.to_owned(), Value::Null))
        }
        // {"add_task": {"title": "milk"}}
        _ => {
            let [(name, arguments)] = fields.iter().collect::<Vec<_>>()[..] else { return None };
            (is_known(name) && arguments.is_object()).then(|| (name.clone(), arguments.clone()))
        }
    }
}

/// Returns true if the key of a call is no argument.
fn is_beside(key: &str) -> bool {
    NAMES.contains(&key) || ["id", "type", "call_id", "index"].contains(&key)
}

/// Returns true if the name, without its namespace, is a tool's.
pub fn is_known(name: &str) -> bool {
    let bare = bare_name(name);
    markup::names().any(|known| known == bare)
}

/// Returns a tool's name without decoration, such as in `functions.add_task:0` or `add_task<|channel|>commentary`.
pub fn bare_name(name: &str) -> &str {
    let name = name.trim();
    let name = ["<|", "<｜"].iter().filter_map(|mark| name.find(mark)).min().map_or(name, |at| &name[..at]).trim();
    let name = markup::NAMESPACES.iter().find_map(|namespace| name.strip_prefix(namespace)).unwrap_or(name);
    let name = name.strip_suffix(".call").unwrap_or(name);
    match name.split_once(':') {
        Some((bare, count)) if count.bytes().all(|byte| byte.is_ascii_digit()) => bare,
        _ => name,
    }
}

/// Returns true if the text must not be shown: it contains a protocol marker or a call, or is JSON altogether.
fn is_machine(text: &str) -> bool {
    let whole = text.trim();
    let holds_objects = |value: Value| value.as_array().is_some_and(|items| items.iter().any(Value::is_object));
    if serde_json::from_str(whole).is_ok_and(|value: Value| value.is_object() || holds_objects(value)) {
        return true;
    }
    let mut cursor = Cursor::new(whole);
    let fenced = cursor.fence().filter(|_| cursor.is_over());
    if fenced.and_then(|fenced| serde_json::from_str::<Value>(fenced).ok()).is_some_and(|value| value.is_object()) {
        return true;
    }
    // If the text from one place names no tool, the text from a later place names none either.
    let mut may_name = true;
    markup::places(text).any(|(at, found)| {
        found == Beginning::Machine
            || is_call(&text[at..]).unwrap_or_else(|| {
                may_name = may_name && names_a_tool(&text[at..]);
                may_name
            })
    })
}

/// Returns true if the data at the beginning of the text is a call; `None` for unfinished data.
fn is_call(text: &str) -> Option<bool> {
    let mut cursor = Cursor::new(text);
    if let Some(fenced) = cursor.fence() {
        return Some(all_in(fenced).is_some() || names_a_tool(fenced));
    }
    let value = cursor.json()?;
    Some(of_json(&value).is_some() || names_a_tool(&value.to_string()))
}

/// Returns true if the text of an object names a tool under a name key.
fn names_a_tool(text: &str) -> bool {
    let quoted = |name: &str| [format!("\"{name}\""), format!("'{name}'")];
    let has = |name: &str| quoted(name).iter().any(|quoted| text.contains(quoted));
    NAMES.iter().any(|key| has(key)) && markup::names().any(has)
}

#[cfg(test)]
mod tests;
