//! What an answer says: its calls, its question, its refusal or its words. Nothing of it is believed; calls are checked by the
//! tools before any runs.

use serde_json::{Value, json};

use super::super::{Act, Entry, LlmError, Reply, Request, Usage};
use super::{control, refusal};
use crate::domain::decision::Engine;
use crate::domain::text::{shortened, unix_lines};
use crate::domain::tool::Call;

/// Characters of a tool's name that are kept.
const LONGEST_NAME: usize = 64;
/// Characters of a reply that are kept.
const LONGEST: usize = 20_000;
/// Calls of a reply that are looked at: one more than the most that a turn may be allowed, so that too many are seen to be.
const MOST_CALLS: usize = 1_001;
/// Tokens of one answer that are believed.
pub(super) const MOST_TOKENS: i64 = 10_000_000;

/// Reads a whole answer to a request of so many bytes.
pub fn read(engine: Engine, answer: Value, request: &Request, sent: usize) -> Result<Reply, LlmError> {
    let Some(choice) = answer["choices"].get(0) else {
        let unusable = || LlmError::Unavailable("the answer holds no choice".into());
        return Err(refusal::inside(&answer).unwrap_or_else(unusable));
    };
    // What came before an error is half of something.
    let ended = || LlmError::Unavailable("the answer ended in an error".into());
    let error = refusal::inside(&answer).or_else(|| refusal::inside(choice));
    if let Some(error) = error.or_else(|| (choice["finish_reason"] == "error").then(ended)) {
        return Err(error);
    }
    let message = &choice["message"];
    let text = cut(Thoughts::default().feed(spoken(&words(&message["content"]))));
    let refusal = message["refusal"].as_str().filter(|refusal| !refusal.trim().is_empty());
    let asked = calls(message);
    let controls = asked.iter().find_map(|call| control::act(&call.tool, &call.arguments));
    let tools: Vec<Call> = asked.into_iter().filter(|call| !control::is_one(&call.tool)).collect();
    let (act, intent) = if !tools.is_empty() {
        let intent = tools[0].tool.replace('_', " ");
        (Act::Calls { text, calls: tools }, intent)
    } else if let Some(act) = controls {
        let intent = if matches!(act, Act::Ask { .. }) { "ask back" } else { "decline" };
        (act, intent.to_owned())
    } else if let Some(refusal) = refusal {
        (Act::Refuse { text: cut(refusal.to_owned()) }, "decline".to_owned())
    } else if !text.trim().is_empty() {
        (Act::Say { text: text.trim().to_owned() }, "answer".to_owned())
    } else if choice["finish_reason"] == "content_filter" {
        (
            Act::Refuse { text: "I cannot help with that. I can add, show, change and complete your tasks.".into() },
            "decline".to_owned(),
        )
    } else if request.entries.iter().skip(request.turn_start).any(|entry| matches!(entry, Entry::Calls { .. })) {
        // There is something to tell; code tells it.
        (Act::Say { text: String::new() }, "answer".to_owned())
    } else {
        return Err(LlmError::Empty(usage(&answer["usage"], sent, message)));
    };
    let usage = Some(usage(&answer["usage"], sent, message));
    Ok(Reply { act, intent, usage, raw: Some(json!({ "engine": engine, "reply": answer })), stood_in: false })
}

/// What follows the thoughts where they have no beginning: some servers write that into the prompt.
fn spoken(text: &str) -> &str {
    match text.split_once("</think>") {
        Some((thoughts, rest)) if !thoughts.contains("<think>") => rest.trim_start(),
        _ => text,
    }
}

/// Text, or the text of its parts.
pub(super) fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

pub(super) fn cut(text: String) -> String {
    shortened(unix_lines(&text).into_owned(), LONGEST)
}

/// The calls of a message, each once: some servers send one again under its own id.
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
    // The oldest servers know a single call, by another name.
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

/// A tool's name on one line and no longer than providers let one be: whatever it says is shown to people and kept.
fn tool_name(given: &str) -> String {
    let plain = |sign: char| if sign.is_control() { char::REPLACEMENT_CHARACTER } else { sign };
    shortened(given.trim().chars().map(plain).collect(), LONGEST_NAME)
}

/// Arguments as an object: written out as text, as most do, or as they are. What is neither fits no tool's schema and is shown
/// to the model again.
fn arguments(given: &Value) -> Value {
    let read = match given {
        Value::String(text) if text.trim().is_empty() => json!({}),
        Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| given.clone()),
        Value::Null => json!({}),
        other => other.clone(),
    };
    if read.is_object() {
        read
    } else {
        json!({ "not_an_object": cut(read.as_str().map_or_else(|| read.to_string(), str::to_owned)) })
    }
}

/// What the provider counted; what it left out, or cannot have counted, is estimated, so that nobody's share lasts for ever
///
fn usage(counted: &Value, sent: usize, message: &Value) -> Usage {
    let count = |field: &str| counted[field].as_i64().filter(|tokens| *tokens > 0);
    let answered = message.get("content").filter(|content| !content.is_null() && *content != "").is_some()
        || ["tool_calls", "function_call", "refusal", "reasoning_content", "reasoning"]
            .iter()
            .any(|field| message.get(field).is_some_and(|value| !value.is_null()));
    let estimate = Usage::estimated(sent, if answered { message.to_string().len() } else { 0 });
    let tokens_in = count("prompt_tokens");
    // Gemini leaves its thoughts out of the answer's tokens, and nowhere else.
    let rest = tokens_in.and_then(|tokens_in| Some(count("total_tokens")?.saturating_sub(tokens_in)));
    let tokens_out = count("completion_tokens").max(rest.filter(|tokens| *tokens > 0));
    let tokens_out = tokens_out.or((!answered).then_some(0));
    Usage {
        tokens_in: tokens_in.unwrap_or(estimate.tokens_in).min(MOST_TOKENS),
        tokens_out: tokens_out.unwrap_or(estimate.tokens_out).min(MOST_TOKENS),
        estimated: tokens_in.is_none() || tokens_out.is_none(),
    }
}

/// Takes the thoughts out of a text that some models begin with: `<think>…</think>`. It may come in pieces.
#[derive(Debug, Default)]
pub struct Thoughts {
    held: String,
    over: bool,
}

impl Thoughts {
    /// What of the text so far may be shown and was not yet.
    pub fn feed(&mut self, more: &str) -> String {
        const BEGIN: &str = "<think>";
        if self.over {
            return more.to_owned();
        }
        self.held.push_str(more);
        let held = self.held.trim_start();
        if let Some(thoughts) = held.strip_prefix(BEGIN) {
            let Some((_, rest)) = thoughts.split_once("</think>") else { return String::new() };
            self.over = true;
            return rest.trim_start().to_owned();
        }
        if BEGIN.starts_with(held) {
            return String::new();
        }
        self.over = true;
        std::mem::take(&mut self.held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::Timestamp;

    fn request(entries: Vec<Entry>) -> Request {
        let now = Timestamp::parse("2026-03-11T09:30:00Z").unwrap();
        let (zone, prompt) = ("UTC".into(), String::new());
        Request {
            now,
            zone,
            prompt,
            entries,
            turn_start: 0,
            tools: [].into(),
            pending: vec![],
            carries_out: false,
            barred: vec![],
            stood_in: false,
        }
    }

    fn message(message: Value) -> Result<Act, LlmError> {
        let answer = json!({ "choices": [{ "message": message, "finish_reason": "stop" }] });
        read(Engine::Compatible, answer, &request(vec![Entry::User { text: "hi".into() }]), 8).map(|reply| reply.act)
    }

    #[track_caller]
    fn calls_of(given: Value) -> Vec<Call> {
        match message(given).unwrap() {
            Act::Calls { calls, .. } => calls,
            act => panic!("{act:?}"),
        }
    }

    #[test]
    fn arguments_come_as_text_or_as_they_are_and_ids_may_be_missing() {
        let asked = calls_of(json!({ "content": null, "tool_calls": [
            { "id": "a", "function": { "name": "get_task", "arguments": "{\"task_id\": 3}" } },
            { "function": { "name": "get_task", "arguments": { "task_id": 4 } } },
            { "id": "", "function": { "name": "list_tasks", "arguments": "" } },
        ] }));
        let arguments: Vec<_> = asked.iter().map(|call| call.arguments.clone()).collect();
        assert_eq!(arguments, [json!({ "task_id": 3 }), json!({ "task_id": 4 }), json!({})]);
        assert_eq!(asked.iter().map(|call| call.provider_id.as_deref()).collect::<Vec<_>>(), [Some("a"), None, None]);
    }

    #[test]
    fn a_call_that_is_sent_again_under_its_id_counts_once() {
        let call = |id: &str, title: &str| json!({ "id": id, "function": { "name": "add_task", "arguments": { "title": title } } });
        for (calls, expected) in [
            (json!([call("a", "milk"), call("a", "milk")]), 1),
            (json!([call("a", "milk"), call("a", "eggs")]), 2),
            (json!([call("a", "milk"), call("b", "milk")]), 2),
            (json!([call("", "milk"), call("", "milk")]), 2),
        ] {
            assert_eq!(calls_of(json!({ "tool_calls": calls })).len(), expected, "{calls}");
        }
    }

    #[test]
    fn what_came_before_an_error_is_no_reply() {
        let half = json!({ "content": "Half of", "tool_calls": [{ "id": "a", "function": { "name": "list_tasks" } }] });
        let answer = |choice: Value, error: Value| json!({ "choices": [choice], "error": error });
        let ended = json!({ "message": half, "finish_reason": "error" });
        let failed = json!({ "message": half, "finish_reason": "error", "error": { "code": 401, "message": "who?" } });
        let whole = json!({ "message": half, "finish_reason": "stop", "error": null });
        let read = |answer: Value| read(Engine::Compatible, answer, &request(vec![]), 8);
        assert!(matches!(read(answer(ended, Value::Null)), Err(LlmError::Unavailable(_))));
        assert!(matches!(read(answer(failed, Value::Null)), Err(LlmError::Refused(_))));
        let beside = json!({ "message": "overloaded" });
        assert!(matches!(read(answer(whole.clone(), beside)), Err(LlmError::Unavailable(_))));
        assert!(read(answer(whole, Value::Null)).is_ok());
    }

    #[test]
    fn arguments_that_are_no_json_fit_no_tool() {
        for broken in ["{\"title\":\"x\",,\"oops", "[1]", "3"] {
            let asked = calls_of(
                json!({ "tool_calls": [{ "id": "a", "function": { "name": "list_tasks", "arguments": broken } }] }),
            );
            assert!(asked[0].arguments["not_an_object"].is_string(), "{broken}");
        }
    }

    #[test]
    fn the_four_kinds_come_structured_and_plain_text_is_an_answer() {
        let control = |name: &str, arguments: Value| json!({ "tool_calls": [{ "id": "a", "function": { "name": name, "arguments": arguments.to_string() } }] });
        assert!(matches!(message(control("ask_person", json!({ "question": "Which?" }))), Ok(Act::Ask { .. })));
        assert!(matches!(message(control("decline_request", json!({ "reason": "No." }))), Ok(Act::Refuse { .. })));
        assert!(matches!(message(control("add_task", json!({ "title": "x" }))), Ok(Act::Calls { .. })));
        assert_eq!(message(json!({ "content": "Hello. " })), Ok(Act::Say { text: "Hello.".into() }));
        assert_eq!(
            message(json!({ "content": "", "refusal": "I can't." })),
            Ok(Act::Refuse { text: "I can't.".into() })
        );
        let parts = json!({ "content": [{ "type": "text", "text": "Hel" }, { "type": "text", "text": "lo." }] });
        assert_eq!(message(parts), Ok(Act::Say { text: "Hello.".into() }));
    }

    #[test]
    fn tools_go_before_a_question_in_the_same_answer() {
        let both = json!({ "tool_calls": [
            { "id": "a", "function": { "name": "ask_person", "arguments": "{\"question\":\"Which?\"}" } },
            { "id": "b", "function": { "name": "list_tasks", "arguments": "{}" } },
        ] });
        assert_eq!(calls_of(both).iter().map(|call| call.tool.as_str()).collect::<Vec<_>>(), ["list_tasks"]);
    }

    #[test]
    fn an_empty_answer_is_a_failure_unless_something_was_done() {
        for content in [" ", "<think>Hm."] {
            let took = Usage::estimated(8, json!({ "content": content }).to_string().len());
            assert_eq!(message(json!({ "content": content })), Err(LlmError::Empty(took)));
        }
        let done = Entry::Calls { text: String::new(), calls: vec![], results: vec![], raw: None };
        let answer = json!({ "choices": [{ "message": { "content": null }, "finish_reason": "stop" }] });
        let reply =
            read(Engine::Compatible, answer, &request(vec![Entry::User { text: "hi".into() }, done]), 8).unwrap();
        assert_eq!((reply.act, reply.usage), (Act::Say { text: String::new() }, Some(Usage::estimated(8, 0))));
        let unread = |answer: Value| read(Engine::Compatible, answer, &request(vec![]), 8).unwrap_err();
        assert!(matches!(unread(json!({ "choices": [] })), LlmError::Unavailable(_)));
        assert!(matches!(unread(json!({ "error": { "message": "too long", "code": 400 } })), LlmError::Unfit(_)));
    }

    #[test]
    fn what_a_provider_does_not_count_is_estimated_at_four_bytes_a_token() {
        let said = json!({ "content": "Hello, it is nice." });
        assert_eq!(said.to_string().len(), 32);
        for (counted, tokens, estimated) in [
            (json!({ "prompt_tokens": 12, "completion_tokens": 5 }), (12, 5), false),
            (json!({ "prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 17 }), (12, 5), false),
            (json!({ "prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 40 }), (12, 28), false),
            (json!({ "prompt_tokens": 12, "total_tokens": 40 }), (12, 28), false),
            (json!(null), (25, 8), true),
            (json!({}), (25, 8), true),
            (json!({ "total_tokens": 40 }), (25, 8), true),
            (json!({ "prompt_tokens": 12 }), (12, 8), true),
            (json!({ "prompt_tokens": 0, "completion_tokens": 0 }), (25, 8), true),
            (json!({ "prompt_tokens": -5, "completion_tokens": -5 }), (25, 8), true),
            (json!({ "prompt_tokens": "many", "completion_tokens": 5 }), (25, 5), true),
            (json!({ "prompt_tokens": i64::MAX, "completion_tokens": i64::MAX }), (MOST_TOKENS, MOST_TOKENS), false),
        ] {
            let expected = Usage { tokens_in: tokens.0, tokens_out: tokens.1, estimated };
            assert_eq!(usage(&counted, 100, &said), expected, "{counted}");
        }
        let nothing = json!({ "role": "assistant", "content": null });
        let counted = json!({ "prompt_tokens": 12, "completion_tokens": 0 });
        assert_eq!(usage(&counted, 100, &nothing), Usage { tokens_in: 12, tokens_out: 0, estimated: false });
        let called = json!({ "content": null, "tool_calls": [{ "function": { "name": "list_tasks" } }] });
        assert!(usage(&Value::Null, 100, &called).tokens_out > 10, "calls are words as well");
    }

    #[test]
    fn thoughts_are_taken_out_however_they_are_cut() {
        let text = " <think>\nThey want <b>milk</b>.</think>\n\nAdded.";
        for size in 1..8 {
            let mut thoughts = Thoughts::default();
            let pieces: Vec<char> = text.chars().collect();
            let shown: String =
                pieces.chunks(size).map(|piece| thoughts.feed(&piece.iter().collect::<String>())).collect();
            assert_eq!(shown.trim_start(), "Added.");
        }
        assert_eq!(Thoughts::default().feed("<thin ice>"), "<thin ice>");
        let unopened = message(json!({ "content": "They want milk.\n</think>\n\nAdded." })).unwrap();
        assert_eq!(unopened, Act::Say { text: "Added.".into() });
    }
}
