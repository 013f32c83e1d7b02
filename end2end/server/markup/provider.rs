//! A provider whose text and calls a message chooses.

use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};

use super::words::{HOSTILE, Words};
use crate::stand_in;

/// Starts the server and returns its address.
pub fn start(words: Words) -> String {
    let route = post(move |Json(body): Json<Value>| async move { answer(words, &body) });
    format!("http://{}/v1", stand_in::serve(Router::new().route("/v1/chat/completions", route)))
}

fn answer(words: Words, body: &Value) -> (StatusCode, Json<Value>) {
    let messages = body["messages"].as_array().cloned().unwrap_or_default();
    let text = |message: &Value| message["content"].as_str().unwrap_or_default().to_owned();
    let said = messages.iter().rev().find(|it| it["role"] == "user").map(text).unwrap_or_default();
    let answered = messages.last().is_some_and(|it| it["role"] == "tool");
    if said.contains("<conversation>") {
        let notes: Vec<_> = (0..HOSTILE.len()).map(|at| format!("- {}", words.line(at, 200))).collect();
        return says(&json!({ "role": "assistant", "content": notes.join("\n") }));
    }
    let (act, rest) = said.split_once(' ').unwrap_or((&said, ""));
    let (act, rest) = (act.to_owned(), rest.trim().to_owned());
    let short = |most: usize| rest.chars().take(most).collect::<String>();
    let calls = match act.as_str() {
        "break" => {
            let error = json!({ "error": { "message": rest, "type": rest, "code": rest } });
            return (StatusCode::BAD_REQUEST, Json(error));
        }
        _ if answered => vec![],
        "ask" => vec![("ask_person".to_owned(), json!({ "question": rest, "options": [short(80), "yes"] }))],
        "decline" => vec![("decline_request".to_owned(), json!({ "reason": rest }))],
        "call" => vec![(short(60), json!({ (rest.clone()): rest }))],
        "add" => vec![("add_task".to_owned(), json!({ "title": rest, "description": rest, "tags": [short(40)] }))],
        "wrong" => vec![("add_task".to_owned(), json!({ "title": "x", "due": rest, "project": rest }))],
        "delete" => vec![("delete_task".to_owned(), json!({ "task_id": rest.parse::<i64>().unwrap_or_default() }))],
        "rename" => {
            let (number, title) = rest.split_once(' ').unwrap_or_default();
            let number = number.parse::<i64>().unwrap_or_default();
            vec![("update_task".to_owned(), json!({ "task_id": number, "title": title }))]
        }
        "show" => vec![("list_tasks".to_owned(), json!({}))],
        _ => vec![],
    };
    if calls.is_empty() {
        return says(&json!({ "role": "assistant", "content": rest }));
    }
    let calls = calls.into_iter().enumerate().map(|(at, (name, arguments))| {
        json!({ "id": format!("call_{at}"), "type": "function", "function": { "name": name, "arguments": arguments.to_string() } })
    });
    says(&json!({ "role": "assistant", "content": rest, "tool_calls": calls.collect::<Vec<_>>() }))
}

fn says(message: &Value) -> (StatusCode, Json<Value>) {
    (
        StatusCode::OK,
        Json(json!({ "id": "x", "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }] })),
    )
}
