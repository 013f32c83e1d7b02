//! A streamed answer put together to what it would have been in one piece, with every field that a provider adds.

use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use super::super::LlmError;
use super::refusal;
use super::reply::{Thoughts, words};

/// An answer as far as it has come.
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
    /// Bytes of words, thoughts and arguments so far.
    bytes: usize,
}

/// A call that comes in pieces.
#[derive(Default)]
struct Piecewise {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    /// What else the provider put beside it: thought signatures.
    rest: Map<String, Value>,
}

impl Piecewise {
    /// Whether its arguments have come to their end.
    fn is_whole(&self) -> bool {
        serde_json::from_str::<IgnoredAny>(&self.arguments).is_ok()
    }
}

impl Assembly {
    /// Takes in a chunk; the text that it adds to what the person may read.
    pub fn add(&mut self, chunk: &Value) -> Result<String, LlmError> {
        if let Some(error) = refusal::inside(chunk).or_else(|| refusal::inside(&chunk["choices"][0])) {
            return Err(error);
        }
        for field in ["id", "model", "usage"] {
            if let Some(value) = chunk.get(field).filter(|value| !value.is_null()) {
                self.head.insert(field.into(), value.clone());
            }
        }
        let choice = &chunk["choices"][0];
        if !choice["finish_reason"].is_null() {
            self.finish = Some(choice["finish_reason"].clone());
        }
        // Some send the last piece as a whole message, some all of it, also after the pieces.
        let whole = !choice["delta"].is_object();
        let delta = if whole { &choice["message"] } else { &choice["delta"] };
        if whole && delta.is_object() && self.finish.is_none() && chunk["object"] != "chat.completion.chunk" {
            self.finish = Some(json!("stop"));
        }
        // Some send the same thought under both names.
        self.bytes +=
            ["reasoning_content", "reasoning"].iter().map(|field| words(&delta[*field]).len()).max().unwrap_or(0);
        for (key, value) in delta.as_object().into_iter().flatten() {
            match (key.as_str(), value) {
                ("role" | "content" | "tool_calls" | "function_call", _) | (_, Value::Null) => {}
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
            self.add_call(call, whole.then_some(place));
        }
        // The oldest servers know a single call, by another name, and send it in pieces as well.
        if delta["function_call"].is_object() {
            self.add_call(&json!({ "function": delta["function_call"] }), Some(0));
        }
        let text = words(&delta["content"]);
        let more = text.strip_prefix(&self.content).filter(|_| whole).unwrap_or(&text);
        self.content.push_str(more);
        self.bytes += more.len();
        Ok(self.thoughts.feed(more))
    }

    /// Takes in a piece of a call, or a whole one; at which `place` of a whole message, where it is a part of one.
    fn add_call(&mut self, piece: &Value, place: Option<u64>) {
        let index = piece["index"].as_u64().or(place);
        let id = piece["id"].as_str().unwrap_or_default();
        let name = piece["function"]["name"].as_str().unwrap_or_default();
        let at = self.calls.iter().rposition(|call| index.is_none() || call.index == index);
        let more = match &piece["function"]["arguments"] {
            Value::String(more) => !more.trim().is_empty(),
            whole => !whole.is_null(),
        };
        // A name under another id, or another name, begins a call whatever the index says: some number all calls 0, or none. Some say
        // the name with each piece, or give each piece an id: then it goes on until its arguments have come to their end.
        let begins = at.is_none_or(|at| {
            let call = &self.calls[at];
            let known = !id.is_empty() && !call.id.is_empty();
            let other = if known { call.id != id } else { !call.name.is_empty() && call.name != name };
            !name.is_empty() && (other || more && call.is_whole())
        });
        if begins {
            self.calls.push(Piecewise { index, ..Piecewise::default() });
        }
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
                call.arguments.push_str(more);
            }
            Value::Null => {}
            whole => call.arguments = whole.to_string(),
        }
        for (key, value) in piece.as_object().into_iter().flatten() {
            if !["index", "id", "type", "function"].contains(&key.as_str()) {
                call.rest.insert(key.clone(), value.clone());
            }
        }
    }

    /// Bytes of words, thoughts and arguments so far, also of those that nobody is shown.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The answer, if it came to its end.
    pub fn whole(self) -> Result<Value, LlmError> {
        let Some(finish) = self.finish else {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The whole of an answer whose deltas are these, and the text that was told on the way.
    fn assembled(deltas: &[Value]) -> (Value, String) {
        let mut assembly = Assembly::default();
        let mut told = String::new();
        for delta in deltas {
            told += &assembly.add(&json!({ "choices": [{ "delta": delta, "finish_reason": null }] })).unwrap();
        }
        let last = json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }], "usage": { "prompt_tokens": 5 } });
        assembly.add(&last).unwrap();
        (assembly.whole().unwrap()["choices"][0]["message"].clone(), told)
    }

    fn names(message: &Value) -> Vec<(String, String)> {
        let calls = message["tool_calls"].as_array().unwrap().iter().map(|call| &call["function"]);
        calls.map(|call| (call["name"].as_str().unwrap().into(), call["arguments"].as_str().unwrap().into())).collect()
    }

    #[test]
    fn calls_come_in_pieces_under_their_index() {
        let (message, _) = assembled(&[
            json!({ "tool_calls": [{ "index": 0, "id": "a", "function": { "name": "get_task", "arguments": "" } }] }),
            json!({ "tool_calls": [{ "index": 0, "function": { "arguments": "{\"task_" } }] }),
            json!({ "tool_calls": [{ "index": 1, "id": "b", "function": { "name": "list_tasks", "arguments": "{}" } }] }),
            json!({ "tool_calls": [{ "index": 0, "function": { "arguments": "id\":3}" } }] }),
        ]);
        let expected = [("get_task".to_owned(), "{\"task_id\":3}".to_owned()), ("list_tasks".into(), "{}".into())];
        assert_eq!(names(&message), expected);
    }

    #[test]
    fn calls_without_index_or_id_and_with_objects_are_told_apart() {
        let call = |arguments: Value| json!({ "tool_calls": [{ "function": { "name": "add_task", "arguments": arguments } }] });
        let (message, _) = assembled(&[call(json!({ "title": "a" })), call(json!({ "title": "b" }))]);
        let expected =
            [("add_task".to_owned(), "{\"title\":\"a\"}".to_owned()), ("add_task".into(), "{\"title\":\"b\"}".into())];
        assert_eq!(names(&message), expected);
        // All under index 0, as Gemini did.
        let call = |id: &str| json!({ "tool_calls": [{ "index": 0, "id": id, "function": { "name": "list_tasks", "arguments": "{}" } }] });
        assert_eq!(names(&assembled(&[call("x"), call("y")]).0).len(), 2);
    }

    #[test]
    fn a_call_whose_pieces_each_have_its_name_or_an_id_is_one() {
        let named = |more: &str| json!({ "tool_calls": [{ "index": 0, "function": { "name": "add_task", "arguments": more } }] });
        let whole = [("add_task".to_owned(), "{\"title\":\"milk\"}".to_owned())];
        assert_eq!(names(&assembled(&[named(""), named("{\"title\":"), named("\"milk\"}")]).0), whole);
        let (message, _) = assembled(&[
            json!({ "tool_calls": [{ "index": 0, "id": "a", "function": { "name": "add_task", "arguments": "" } }] }),
            json!({ "tool_calls": [{ "index": 0, "id": "b", "function": { "arguments": "{\"title\":" } }] }),
            json!({ "tool_calls": [{ "index": 0, "id": "c", "function": { "name": "", "arguments": "\"milk\"}" } }] }),
        ]);
        assert_eq!(names(&message), whole);
        assert_eq!(message["tool_calls"][0]["id"], "a");
        // Also with the name once more at the end, and where each piece has both.
        assert_eq!(names(&assembled(&[named("{\"title\":\"milk\"}"), named("")]).0), whole);
        let both = |more: &str| json!({ "tool_calls": [{ "index": 0, "id": "a", "function": { "name": "add_task", "arguments": more } }] });
        assert_eq!(names(&assembled(&[both(""), both("{\"title\":"), both("\"milk\"}")]).0), whole);
        // What is sent again is seen to be by who reads the whole.
        let again = both("{\"title\":\"milk\"}");
        assert_eq!(names(&assembled(&[again.clone(), again]).0), [whole[0].clone(), whole[0].clone()]);
    }

    #[test]
    fn a_whole_message_is_taken_as_it_is() {
        let call =
            |id: &str, name: &str, more: &str| json!({ "id": id, "function": { "name": name, "arguments": more } });
        for (one, other) in [
            (call("x", "add_task", "{\"title\":\"milk\"}"), call("x", "add_task", "{\"title\":\"eggs\"}")),
            (call("", "list_tasks", ""), call("", "list_tasks", "{\"status\":\"all\"}")),
            (call("x", "list_tasks", ""), call("x", "get_task", "{\"task_id\":3}")),
        ] {
            let mut assembly = Assembly::default();
            let message = json!({ "content": "So.", "tool_calls": [one, other] });
            assert_eq!(assembly.add(&json!({ "choices": [{ "message": message }] })).unwrap(), "So.");
            let whole = assembly.whole().unwrap();
            assert_eq!(whole["choices"][0]["finish_reason"], "stop", "it is all there");
            let own = names(&json!({ "tool_calls": [one, other] }));
            assert_eq!(names(&whole["choices"][0]["message"]), own);
        }
    }

    #[test]
    fn a_whole_message_behind_its_pieces_says_nothing_twice() {
        let call = json!({ "index": 0, "function": { "name": "list_tasks", "arguments": "{}" } });
        let pieces = [
            json!({ "content": "So" }),
            json!({ "reasoning_content": "Hm." }),
            json!({ "content": ".", "tool_calls": [call] }),
        ];
        let mut assembly = Assembly::default();
        let mut told = String::new();
        for delta in pieces {
            told += &assembly.add(&json!({ "choices": [{ "delta": delta }] })).unwrap();
        }
        let message = json!({ "content": "So. Well.", "reasoning_content": "Hm.", "tool_calls": [call] });
        told += &assembly.add(&json!({ "choices": [{ "message": message, "finish_reason": "stop" }] })).unwrap();
        let whole = &assembly.whole().unwrap()["choices"][0]["message"];
        assert_eq!((told.as_str(), &whole["content"]), ("So. Well.", &json!("So. Well.")));
        assert_eq!(whole["reasoning_content"], "Hm.");
        assert_eq!(names(whole).len(), 1);
    }

    #[test]
    fn the_oldest_kind_of_call_and_words_in_parts_come_in_pieces_as_well() {
        let (message, told) = assembled(&[
            json!({ "content": [{ "type": "text", "text": "Let me " }] }),
            json!({ "content": [{ "type": "text", "text": "see." }] }),
            json!({ "function_call": { "name": "get_task", "arguments": "{\"task_" } }),
            json!({ "function_call": { "arguments": "id\":3}" } }),
        ]);
        assert_eq!(names(&message), [("get_task".to_owned(), "{\"task_id\":3}".to_owned())]);
        assert_eq!((message["content"].as_str(), told.as_str()), (Some("Let me see."), "Let me see."));
    }

    #[test]
    fn what_a_provider_adds_is_kept() {
        let (message, told) = assembled(&[
            json!({ "reasoning_content": "Let me " }),
            json!({ "reasoning_content": "see." }),
            json!({ "content": "Wait.", "tool_calls": [{ "index": 0, "id": "a", "extra_content": { "google": { "thought_signature": "S" } },
                     "function": { "name": "list_tasks", "arguments": "{}" } }] }),
        ]);
        assert_eq!(message["reasoning_content"], "Let me see.");
        assert_eq!(message["tool_calls"][0]["extra_content"]["google"]["thought_signature"], "S");
        assert_eq!(told, "Wait.");
    }

    #[test]
    fn an_answer_without_an_end_and_one_that_breaks_off_are_failures() {
        let mut assembly = Assembly::default();
        assembly.add(&json!({ "choices": [{ "delta": { "content": "Half an " } }] })).unwrap();
        assert!(assembly.whole().is_err());
        let broken = Assembly::default().add(&json!({ "error": { "message": "overloaded" } }));
        assert!(matches!(broken, Err(LlmError::Unavailable(_))));
        let unfit = Assembly::default().add(&json!({ "error": { "message": "too long", "code": 400 } }));
        assert!(matches!(unfit, Err(LlmError::Unfit(_))));
        let mut assembly = Assembly::default();
        let half = json!({ "object": "chat.completion.chunk", "choices": [{ "message": { "content": "Half an " } }] });
        assembly.add(&half).unwrap();
        assert!(assembly.whole().is_err());
        let of_choice =
            json!({ "choices": [{ "delta": { "content": "" }, "finish_reason": "error", "error": { "code": 502 } }] });
        assert!(matches!(Assembly::default().add(&of_choice), Err(LlmError::Unavailable(_))));
    }
}
