//! Tests of assembling streamed answers.

use super::*;

/// Returns the assembled message of these deltas, and the text shown on the way.
fn assembled(deltas: &[Value]) -> (Value, String) {
    let mut assembly = Assembly::default();
    let mut told = String::new();
    for delta in deltas {
        told += &assembly.add(&json!({ "choices": [{ "delta": delta, "finish_reason": null }] })).unwrap();
    }
    let last = json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }], "usage": { "prompt_tokens": 5 } });
    told += &assembly.add(&last).unwrap();
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
fn text_and_arguments_have_a_bound() {
    let long = "a".repeat(300 << 10);
    let (message, told) = assembled(&[json!({ "content": long, "reasoning": long }), json!({ "content": "b" })]);
    assert_eq!((message["content"].as_str().unwrap().len(), told.len()), (written::LONGEST, written::LONGEST));
    assert!(message["reasoning"].is_null());
    let piece = json!({ "tool_calls": [{ "index": 0, "function": { "name": "add_task", "arguments": long } }] });
    let chunk = json!({ "choices": [{ "delta": piece, "finish_reason": null }] });
    let mut assembly = Assembly::default();
    assert!(assembly.add(&chunk).is_ok() && assembly.add(&chunk).is_err());
}

#[test]
fn calls_without_index_or_id_stay_separate() {
    let call =
        |arguments: Value| json!({ "tool_calls": [{ "function": { "name": "add_task", "arguments": arguments } }] });
    let (message, _) = assembled(&[call(json!({ "title": "a" })), call(json!({ "title": "b" }))]);
    let expected =
        [("add_task".to_owned(), "{\"title\":\"a\"}".to_owned()), ("add_task".into(), "{\"title\":\"b\"}".into())];
    assert_eq!(names(&message), expected);
    // All calls under index 0, as Gemini sent them.
    let call = |id: &str| json!({ "tool_calls": [{ "index": 0, "id": id, "function": { "name": "list_tasks", "arguments": "{}" } }] });
    assert_eq!(names(&assembled(&[call("x"), call("y")]).0).len(), 2);
}

#[test]
fn call_deltas_that_repeat_name_or_id_form_one_call() {
    let named =
        |more: &str| json!({ "tool_calls": [{ "index": 0, "function": { "name": "add_task", "arguments": more } }] });
    let whole = [("add_task".to_owned(), "{\"title\":\"milk\"}".to_owned())];
    assert_eq!(names(&assembled(&[named(""), named("{\"title\":"), named("\"milk\"}")]).0), whole);
    let (message, _) = assembled(&[
        json!({ "tool_calls": [{ "index": 0, "id": "a", "function": { "name": "add_task", "arguments": "" } }] }),
        json!({ "tool_calls": [{ "index": 0, "id": "b", "function": { "arguments": "{\"title\":" } }] }),
        json!({ "tool_calls": [{ "index": 0, "id": "c", "function": { "name": "", "arguments": "\"milk\"}" } }] }),
    ]);
    assert_eq!(names(&message), whole);
    assert_eq!(message["tool_calls"][0]["id"], "a");
    // The name may also come again at the end, or each piece may carry both.
    assert_eq!(names(&assembled(&[named("{\"title\":\"milk\"}"), named("")]).0), whole);
    let both = |more: &str| json!({ "tool_calls": [{ "index": 0, "id": "a", "function": { "name": "add_task", "arguments": more } }] });
    assert_eq!(names(&assembled(&[both(""), both("{\"title\":"), both("\"milk\"}")]).0), whole);
    // Duplicates are removed when the whole answer is read.
    let again = both("{\"title\":\"milk\"}");
    assert_eq!(names(&assembled(&[again.clone(), again]).0), [whole[0].clone(), whole[0].clone()]);
}

#[test]
fn a_whole_message_is_taken_as_it_is() {
    let call = |id: &str, name: &str, more: &str| json!({ "id": id, "function": { "name": name, "arguments": more } });
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
fn stream_with_function_call_and_content_parts_is_assembled() {
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
fn stream_with_done_marker_needs_no_finish_reason() {
    let mut assembly = Assembly::default();
    let mut told = assembly.add(&json!({ "choices": [{ "delta": { "content": "Hello. Yes [" } }] })).unwrap();
    assert_eq!(told, "Hello. Yes ", "more could make a call of it");
    told += &assembly.add(&json!({ events::DONE: true })).unwrap();
    let whole = assembly.whole().unwrap();
    assert_eq!((told.as_str(), &whole["choices"][0]["finish_reason"]), ("Hello. Yes [", &json!("stop")));
    let mut assembly = Assembly::default();
    let call = json!({ "index": 0, "id": "a", "function": { "name": "list_tasks", "arguments": "{}" } });
    assembly.add(&json!({ "choices": [{ "delta": { "tool_calls": [call] } }] })).unwrap();
    assembly.add(&json!({ events::DONE: true })).unwrap();
    assert_eq!(names(&assembly.whole().unwrap()["choices"][0]["message"]).len(), 1);
}

#[test]
fn machine_text_is_told_to_nobody() {
    for (pieces, shown) in [
        (["Sure. <tool", "_call>{\"name\": \"add_task\"}</tool_call>"], "Sure. "),
        (["<|channel|>anal", "ysis<|message|>Hm."], ""),
        (["{\"name\":", " \"add_task\"}"], ""),
    ] {
        let deltas = pieces.map(|piece| json!({ "content": piece }));
        assert_eq!(assembled(&deltas).1, shown);
    }
}

#[test]
fn name_in_pieces_old_words_and_ollamas_answers_are_read() {
    let piece = |name: &str, more: &str| json!({ "tool_calls": [{ "index": 0, "id": "a", "function": { "name": name, "arguments": more } }] });
    for pieces in [["add_", "task"], ["functions.add", "_task"]] {
        let (message, _) = assembled(&[piece(pieces[0], ""), piece(pieces[1], ""), piece("", "{\"title\":\"milk\"}")]);
        let found = names(&message);
        assert_eq!((found.len(), found[0].1.as_str()), (1, "{\"title\":\"milk\"}"), "{found:?}");
    }
    let mut assembly = Assembly::default();
    for text in ["Hel", "lo."] {
        assembly.add(&json!({ "choices": [{ "text": text, "finish_reason": null }] })).unwrap();
    }
    assert_eq!(assembly.whole().unwrap()["choices"][0]["message"]["content"], "Hello.", "its sentence ends");
    let mut assembly = Assembly::default();
    assembly.add(&json!({ "model": "m", "message": { "content": "Hello" }, "done": false })).unwrap();
    assembly
        .add(&json!({ "message": { "content": "" }, "done": true, "prompt_eval_count": 5, "eval_count": 2 }))
        .unwrap();
    let whole = assembly.whole().unwrap();
    assert_eq!(whole["choices"][0]["message"]["content"], "Hello");
    assert_eq!(whole["usage"], json!({ "prompt_tokens": 5, "completion_tokens": 2 }));
}

#[test]
fn stream_without_end_or_with_an_error_fails() {
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
