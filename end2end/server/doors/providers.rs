//! Model replies with calls or markers as text, and provider streams with unusual beginnings or ends.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::http::header;
use axum::routing::post;
use serde_json::{Value, json};

use super::{table, task, text, titled};
use crate::app::{Client, Db, TestApp};
use crate::events::Stream;
use crate::mock::Mock;
use crate::stand_in;

/// Pieces of machine text, none of which a person may see.
const SIGNS: [&str; 12] = [
    "<tool",
    "<|",
    "<｜",
    "[TOOL_CALLS]",
    "functions.",
    "\"name\"",
    "\"arguments\"",
    "add_task",
    "complete_task",
    "analysis",
    "\"title\"",
    "to=",
];

/// Returns everything that a person sees of the turn: its reply, and each streamed text.
async fn shown(ada: &Client, stream: &mut Stream, turn: &Value) -> Vec<String> {
    let mut shown = vec![text(turn, "reply").to_owned()];
    let mut said = String::new();
    for event in stream.until("turn.finished").await {
        match event.kind.as_str() {
            "text.delta" => said += text(&event.data, "text"),
            "text.reset" => shown.push(std::mem::take(&mut said)),
            _ => {}
        }
    }
    shown.push(said);
    let conversation = text(turn, "conversation_id");
    let messages = ada.get("/api/v1/conversations/messages", &[("conversation_id", conversation)]).await.ok();
    for message in messages["items"].as_array().or(messages["messages"].as_array()).into_iter().flatten() {
        if message["speaker"] == "assistant" {
            shown.push(text(message, "text").to_owned());
        }
    }
    shown
}

#[track_caller]
fn is_plain(shown: &[String], why: &str) {
    for text in shown {
        assert!(SIGNS.iter().all(|sign| !text.contains(sign)), "{why}: {text}");
    }
}

#[tokio::test]
async fn calls_as_text_are_carried_out_whole_or_hidden() {
    let mock = Mock::start();
    for db in [Db::Sqlite, Db::Postgres] {
        let Some(app) = mock.app(db, &[("DOCKET_LLM_TIMEOUT_MS", "20000")]).await else { continue };
        let ada = app.user("ada");
        for (place, row) in table("providers").iter().enumerate() {
            let (why, title) = (text(row, "why"), format!("parcel {place}"));
            let reply = titled(&row["reply"], &title);
            let message = format!("note the parcel of row {place}");
            let mut script = vec![json!({ "match": message, "round": 0, "text": reply })];
            let later = if row["hidden"] == true { reply.clone() } else { json!("That is it.") };
            script.extend((1..4).map(|round| json!({ "match": message, "round": round, "text": later })));
            mock.script(script.into()).await;
            let mut stream = Stream::open(&ada, &[], None).await;
            let turn = ada.say(&message).await;
            is_plain(&shown(&ada, &mut stream, &turn).await, why);
            let added = ada.titles().await.contains(&title);
            assert_eq!(added, row["adds"] == true, "{why}: {turn}");
            if row["hidden"] == true {
                assert_eq!(turn["decision"]["outcome"], "ERROR:INVALID_OUTPUT", "{why}: {turn}");
                assert!(text(&turn, "reply").contains("could not work out"), "{why}: {turn}");
                assert_eq!(turn["tool_calls"].as_array().map(Vec::len), Some(3), "{why}: a row for each try");
            } else if let Some(says) = row["says"].as_str() {
                assert_eq!((text(&turn, "reply"), &turn["tool_calls"]), (says, &json!([])), "{why}");
            } else {
                assert_eq!(turn["tool_calls"][0]["tool"], "add_task", "{why}: {turn}");
            }
        }
    }
}

#[tokio::test]
async fn call_copied_from_existing_text_is_not_run() {
    let mock = Mock::start();
    let app = mock.sqlite(&[("DOCKET_LLM_TIMEOUT_MS", "20000")]).await;
    for (place, row) in table("providers-echoes").iter().enumerate() {
        for carrier in ["title", "description", "message"] {
            let why = format!("{} in a {carrier}", text(row, "why"));
            let ada = app.user(&format!("ada{place}{carrier}"));
            let planted = text(row, "planted");
            ada.post("/api/v1/tasks/add", &[("title", "milk")]).await.ok();
            let message = match carrier {
                "message" => format!("look at list {place}: {planted}"),
                _ => {
                    let title = if carrier == "title" { planted } else { "bread" };
                    ada.post("/api/v1/tasks/add", &[("title", title), ("description", planted)]).await.ok();
                    format!("look at list {place}")
                }
            };
            let look = format!("look at list {place}");
            let mut script =
                vec![json!({ "match": look, "round": 0, "tool_calls": [{ "name": "list_tasks", "arguments": {} }] })];
            script.extend((1..5).map(|round| json!({ "match": look, "round": round, "text": row["reply"] })));
            mock.script(script.into()).await;
            let turn = ada.say(&message).await;
            assert_eq!(task(&ada, 1).await["status"], "pending", "{why}: {turn}");
            assert_eq!(turn["decision"]["outcome"], "ERROR:INVALID_OUTPUT", "{why}: {turn}");
            is_plain(&[text(&turn, "reply").to_owned()], &why);
        }
        // The call runs if no text contains it.
        let bob = app.user(&format!("bob{place}"));
        bob.post("/api/v1/tasks/add", &[("title", "milk")]).await.ok();
        let message = format!("finish the milk of row {place}");
        mock.script(json!([
            { "match": message, "round": 0, "text": row["reply"] }, { "match": message, "round": 1, "text": "That is it." },
        ]))
        .await;
        let turn = bob.say(&message).await;
        assert_eq!(task(&bob, 1).await["status"], "completed", "{}: {turn}", text(row, "why"));
    }
}

/// Starts a provider that answers the first round of a message with one body, and later rounds with text.
fn provider(bodies: Vec<Value>) -> (String, Arc<Mutex<Vec<String>>>) {
    let asked = Arc::<Mutex<Vec<String>>>::default();
    let seen = asked.clone();
    let answer = move |uri: axum::http::Uri, body: String| async move {
        seen.lock().expect("no request panics").push(uri.to_string());
        let request: Value = serde_json::from_str(&body).unwrap_or_default();
        let messages = request["messages"].as_array().cloned().unwrap_or_default();
        let last = messages.iter().rev().find(|message| message["role"] == "user");
        let place = last.and_then(|message| text(message, "content").rsplit(' ').next()?.parse::<usize>().ok());
        let over = messages.last().is_some_and(|message| message["role"] == "tool");
        let said = "data: {\"choices\":[{\"delta\":{\"content\":\"That is it.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
        let body = place.filter(|_| !over).and_then(|place| bodies.get(place)).map_or(said, |row| text(row, "body"));
        ([(header::CONTENT_TYPE, "text/event-stream")], body.to_owned())
    };
    let address = stand_in::serve(Router::new().route("/v1/chat/completions", post(answer)));
    (format!("http://{address}/v1"), asked)
}

#[tokio::test]
async fn streams_that_begin_or_end_oddly_are_read() {
    let rows: Vec<Value> = table("providers-streams");
    let bodies = rows.iter().enumerate().map(|(place, row)| titled(row, &format!("parcel {place}"))).collect();
    let (url, _) = provider(bodies);
    let environment = [
        ("DOCKET_ENGINE", "compatible"),
        ("DOCKET_LLM_BASE_URL", url.as_str()),
        ("DOCKET_LLM_MODEL", "m"),
        ("DOCKET_LLM_RETRIES", "0"),
    ];
    let app = TestApp::start_with(Db::Sqlite, &environment).await.expect("SQLite is always there");
    let ada = app.user("ada");
    for (place, row) in rows.iter().enumerate() {
        let why = text(row, "why");
        let turn = ada.say(&format!("a word about row {place}")).await;
        if let Some(says) = row["says"].as_str() {
            assert_eq!((text(&turn, "reply"), &turn["engine"]), (says, &json!("compatible")), "{why}: {turn}");
        }
        if row["fails"] == true {
            assert_eq!(turn["engine"], "rules", "{why}: {turn}");
            assert!(!text(&turn, "reply").contains("Half"), "{why}: {turn}");
        }
        let added = ada.titles().await.contains(&format!("parcel {place}"));
        assert_eq!(added, row["adds"] == true, "{why}: {turn}");
    }
}

#[tokio::test]
async fn base_url_with_a_query_or_full_path_is_resolved() {
    for (end, asked_for) in [
        ("", "/v1/chat/completions"),
        ("/", "/v1/chat/completions"),
        ("/chat/completions", "/v1/chat/completions"),
        ("?api-version=2024-10-21", "/v1/chat/completions?api-version=2024-10-21"),
        ("/chat/completions?api-version=preview", "/v1/chat/completions?api-version=preview"),
    ] {
        let (url, asked) = provider(vec![]);
        let url = format!("\"{url}{end}\"");
        let environment = [
            ("DOCKET_ENGINE", "compatible"),
            ("DOCKET_LLM_BASE_URL", url.as_str()),
            ("DOCKET_LLM_API_KEY", "'Bearer sk-test'"),
            ("DOCKET_LLM_MODEL", "m"),
        ];
        let app = TestApp::start_with(Db::Sqlite, &environment).await.expect("SQLite is always there");
        assert_eq!(app.user("ada").say("a word").await["reply"], "That is it.", "{end}");
        assert_eq!(asked.lock().unwrap().last().map(String::as_str), Some(asked_for));
    }
}
