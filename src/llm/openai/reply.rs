//! Parsing of answers: calls, question, refusal or text. Nothing is trusted; the tools check every call before it runs
//!

use serde_json::{Value, json};

use super::super::{Act, Entry, LlmError, Reply, Request, Usage};
use super::markup::without_controls;
use super::written::{self, Written};
use super::{control, echo, nesting, refusal};
use crate::domain::decision::Engine;
use crate::domain::text::{shortened, unix_lines};
use crate::domain::tool::{self, Call};

/// Maximum characters kept of a tool's name.
const LONGEST_NAME: usize = 64;
/// Maximum characters kept of a reply.
const LONGEST: usize = 20_000;
/// Maximum calls read from a reply: one more than any turn's limit, so that an excess is detected.
const MOST_CALLS: usize = 1_001;
/// Maximum calls that a text may consist of. Each is compared with all texts of the request.
const MOST_WRITTEN: usize = 20;
/// The last line of a truncated answer.
const CUT_OFF: &str = "(The model stopped here: its answer was longer than it may be.)";
/// Upper bound for the reported tokens of an answer.
pub(super) const MOST_TOKENS: i64 = 10_000_000;

/// Parses a complete answer to a request of `sent` bytes.
pub fn read(engine: Engine, answer: Value, request: &Request, sent: usize) -> Result<Reply, LlmError> {
    let Some(choice) = answer["choices"].get(0) else {
        let unusable = || LlmError::Unavailable("the answer holds no choice".into());
        return Err(refusal::inside(&answer).unwrap_or_else(unusable));
    };
    // Content before an error is incomplete.
    let ended = || LlmError::Unavailable("the answer ended in an error".into());
    let error = refusal::inside(&answer).or_else(|| refusal::inside(choice));
    if let Some(error) = error.or_else(|| (choice["finish_reason"] == "error").then(ended)) {
        return Err(error);
    }
    let message = &message_of(choice);
    let refusal = message["refusal"].as_str().filter(|refusal| !refusal.trim().is_empty());
    let (text, asked) = said(message, request);
    let controls = asked.iter().find_map(|call| control::act(&call.tool, &call.arguments)).map(for_person);
    let tools: Vec<Call> = asked.into_iter().filter(|call| !control::is_one(&call.tool)).collect();
    let (act, intent) = if !tools.is_empty() {
        let intent = tools[0].tool.replace('_', " ");
        (Act::Calls { text, calls: tools }, intent)
    } else if let Some(act) = controls {
        let intent = if matches!(act, Act::Ask { .. }) { "ask back" } else { "decline" };
        (act, intent.to_owned())
    } else if let Some(refusal) = refusal {
        (for_person(Act::Refuse { text: cut(refusal.to_owned()) }), "decline".to_owned())
    } else if !text.trim().is_empty() {
        let text = text.trim();
        let text =
            if choice["finish_reason"] == "length" { format!("{text}…\n\n{CUT_OFF}") } else { text.to_owned() };
        (Act::Say { text }, "answer".to_owned())
    } else if choice["finish_reason"] == "content_filter" {
        (
            Act::Refuse { text: "I cannot help with that. I can add, show, change and complete your tasks.".into() },
            "decline".to_owned(),
        )
    } else if request.entries.iter().skip(request.turn_start).any(|entry| matches!(entry, Entry::Calls { .. })) {
        // Code writes the answer.
        (Act::Say { text: String::new() }, "answer".to_owned())
    } else {
        return Err(LlmError::Empty(usage(&answer["usage"], sent, message)));
    };
    let usage = Some(usage(&answer["usage"], sent, message));
    Ok(Reply { act, intent, usage, raw: Some(json!({ "engine": engine, "reply": answer })), stood_in: false })
}

/// Returns the message of a choice. The oldest completion API has a text instead.
fn message_of(choice: &Value) -> Value {
    match (&choice["message"], &choice["text"]) {
        (Value::Null, Value::String(text)) => json!({ "content": text }),
        (message, _) => message.clone(),
    }
}

/// Returns the text and the calls of a message. A call written as text counts only if it is the whole text and no echo.
fn said(message: &Value, request: &Request) -> (String, Vec<Call>) {
    let asked = calls(message);
    match written::read(&words(&message["content"])) {
        Written::Words(text) => (cut(text), asked),
        // Text next to real calls is not shown.
        Written::Calls(_) | Written::Machine if !asked.is_empty() => (String::new(), asked),
        Written::Machine => (String::new(), vec![unreadable()]),
        Written::Calls(found) => {
            let own = |(name, arguments): (String, Value)| Call {
                tool: tool_name(&name),
                arguments: self::arguments(&arguments),
                provider_id: None,
            };
            if found.len() > MOST_WRITTEN {
                return (String::new(), vec![unreadable()]);
            }
            let found: Vec<Call> = found.into_iter().map(own).collect();
            let known = found.iter().all(|call| written::is_known(&call.tool));
            let texts = echo::Texts::of(request);
            let carried_out = known && !texts.begin_a_call() && !found.iter().any(|call| texts.may_hold(call));
            (String::new(), if carried_out { found } else { vec![unreadable()] })
        }
    }
}

/// Returns a placeholder call that the tools refuse with an explanation.
fn unreadable() -> Call {
    Call { tool: tool::AS_TEXT.into(), arguments: json!({}), provider_id: None }
}

/// Strips markup from a question or refusal; one that contains machine text becomes [`unreadable`].
fn for_person(act: Act) -> Act {
    let hidden = || Act::Calls { text: String::new(), calls: vec![unreadable()] };
    let plain = |text: &String| match written::read(text) {
        Written::Words(words) if !words.trim().is_empty() || text.trim().is_empty() => Some(words.trim().to_owned()),
        Written::Words(_) | Written::Calls(_) | Written::Machine => None,
    };
    match act {
        Act::Ask { question, options, why } => {
            let options = options.iter().map(plain).collect::<Option<Vec<_>>>();
            let asked = plain(&question).zip(options);
            asked.map_or_else(hidden, |(question, options)| Act::Ask { question, options, why })
        }
        Act::Refuse { text } => plain(&text).map_or_else(hidden, |text| Act::Refuse { text }),
        other @ (Act::Calls { .. } | Act::Say { .. } | Act::AskAgain { .. }) => other,
    }
}

/// Returns the text of a content field, or of its parts joined.
pub(super) fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

pub(super) fn cut(text: String) -> String {
    shortened(unix_lines(&without_controls(&text)).into_owned(), LONGEST)
}

/// Returns the calls of a message without duplicates: some servers repeat a call under its id.
pub(super) fn each_once(message: &Value) -> Vec<&Value> {
    let mut found: Vec<&Value> = vec![];
    for call in message["tool_calls"].as_array().into_iter().flatten().take(MOST_CALLS) {
        let named = call["id"].as_str().is_some_and(|id| !id.is_empty());
        if !(named && found.iter().any(|it| it["id"] == call["id"] && it["function"] == call["function"])) {
            found.push(call);
        }
    }
    found
}

fn calls(message: &Value) -> Vec<Call> {
    // The oldest servers send a single call as `function_call`.
    let old = message.get("function_call").filter(|call| call.is_object());
    let new = each_once(message).into_iter().map(|call| (&call["id"], &call["function"]));
    let each = new.chain(old.map(|call| (&Value::Null, call)));
    each.map(|(id, function)| Call {
        tool: tool_name(function["name"].as_str().unwrap_or_default()),
        arguments: arguments(&function["arguments"]),
        provider_id: id.as_str().filter(|id| !id.is_empty()).map(str::to_owned),
    })
    .take(MOST_CALLS)
    .collect()
}

/// Returns a tool's name on one line, shortened, since any name is shown to people and stored. Markers and namespaces
/// around known names are removed.
fn tool_name(given: &str) -> String {
    let plain = |sign: char| if sign.is_control() { char::REPLACEMENT_CHARACTER } else { sign };
    let given = if written::is_known(given) { written::bare_name(given) } else { given.trim() };
    let name = given.split(['<', '{']).next().unwrap_or_default();
    shortened(name.chars().map(plain).collect(), LONGEST_NAME)
}

/// Returns the arguments as an object, also if encoded as text once or several times. Anything else fails schema
/// validation and is shown to the model again.
fn arguments(given: &Value) -> Value {
    // Deeper ones could be stored, but not read again.
    let shallow = |value: &Value| nesting::values(value).is_some();
    written::object(given).filter(shallow).unwrap_or_else(
        || json!({ "not_an_object": cut(given.as_str().map_or_else(|| given.to_string(), str::to_owned)) }),
    )
}

/// Returns the reported usage. Missing or implausible counts are estimated, so that every call counts towards the quota
///
fn usage(counted: &Value, sent: usize, message: &Value) -> Usage {
    let count = |field: &str| counted[field].as_i64().filter(|tokens| *tokens > 0);
    let answered = message.get("content").filter(|content| !content.is_null() && *content != "").is_some()
        || ["tool_calls", "function_call", "refusal", "reasoning_content", "reasoning"]
            .iter()
            .any(|field| message.get(field).is_some_and(|value| !value.is_null()));
    let estimate = Usage::estimated(sent, if answered { message.to_string().len() } else { 0 });
    let tokens_in = count("prompt_tokens");
    // Gemini counts reasoning in `total_tokens` only.
    let rest = tokens_in.and_then(|tokens_in| Some(count("total_tokens")?.saturating_sub(tokens_in)));
    let tokens_out = count("completion_tokens").max(rest.filter(|tokens| *tokens > 0));
    let tokens_out = tokens_out.or((!answered).then_some(0));
    Usage {
        tokens_in: tokens_in.unwrap_or(estimate.tokens_in).min(MOST_TOKENS),
        tokens_out: tokens_out.unwrap_or(estimate.tokens_out).min(MOST_TOKENS),
        estimated: tokens_in.is_none() || tokens_out.is_none(),
    }
}

#[cfg(test)]
mod tests;
