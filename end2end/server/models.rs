//! Models over real sockets: their requests and their limits (R-205, R-206, R-210).

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::app::{Client, Db, TestApp, until};
use crate::events::Stream;
use crate::mock::Mock;

/// Sends a message and checks the invariants of a turn: one decision, a reply, the message stored.
pub async fn say(client: &Client, message: &str) -> Value {
    let turn = client.say(message).await;
    check(client, &turn, message).await;
    turn
}

async fn check(client: &Client, turn: &Value, message: &str) {
    assert_eq!(turn["status"], "done", "{turn}");
    assert!(turn["decision"]["outcome"].is_string(), "{turn}");
    let reply = turn["reply"].as_str().expect("a reply");
    assert!(!reply.trim().is_empty(), "{turn}");
    for jargon in ["HTTP", "JSON", "500", "401", "timeout", "engine"] {
        assert!(!reply.contains(jargon), "plain words: {reply}");
    }
    let conversation = turn["conversation_id"].as_str().expect("a conversation");
    let page = client.get("/api/v1/conversations/messages", &[("conversation_id", conversation)]).await.ok();
    let spoken: Vec<_> = page["items"].as_array().expect("messages").iter().map(|item| item["text"].clone()).collect();
    assert_eq!(spoken, [json!(message), json!(reply)], "one message, one reply");
}

/// Returns the recorded engine and the reason for its use.
pub async fn recorded(client: &Client, turn: &Value) -> [Value; 2] {
    let id = turn["turn_id"].as_str().expect("a turn");
    let entry = client.get("/api/v1/audit/turn", &[("turn_id", id)]).await.ok();
    [entry["engine"].clone(), entry["engine_cause"].clone()]
}

pub fn outcome(turn: &Value) -> &str {
    turn["decision"]["outcome"].as_str().expect("an outcome")
}

/// Makes a model add a task, and checks its requests.
async fn adds(mock: &Mock, app: &TestApp, [engine, model, key]: [&str; 3], stream: &str) {
    let ada = app.user("ada");
    let turn = say(&ada, "add buy milk").await;
    assert_eq!((&turn["engine"], outcome(&turn)), (&json!(engine), "SUCCESS:TASK_COMPLETED"));
    assert_eq!(turn["reply"], "Created task: buy milk");
    assert_eq!(ada.titles().await, ["buy milk"]);
    let requests = mock.requests().await;
    assert_eq!(requests.len(), 2, "one call for the tool, one for the reply");
    let body = &requests[0]["body"];
    assert_eq!(requests[0]["authorization"], format!("Bearer {key}"));
    let limit = if engine == "openai" { "max_completion_tokens" } else { "max_tokens" };
    assert_eq!(
        (&body["model"], &body["temperature"], &body[limit]),
        (&json!(model), &json!(0.7), &json!(1024)),
        "{engine}"
    );
    assert_eq!(body["stream"], stream == "on");
    assert!(!body.to_string().contains("user_id"), "whose tasks they are is no argument");
    let tools = body["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 9, "seven tools, and asking and declining");
    let (first, second) = (&requests[0]["body"]["messages"], &requests[1]["body"]["messages"]);
    assert_eq!(first.as_array().unwrap()[..], second.as_array().unwrap()[..2], "it begins alike");
}

#[tokio::test]
async fn a_model_adds_a_task_through_the_same_tools() {
    for db in [Db::Sqlite, Db::Postgres] {
        for stream in ["on", "off"] {
            let mock = Mock::start();
            let Some(app) = mock.app(db, &[("DOCKET_LLM_STREAM", stream)]).await else { continue };
            adds(&mock, &app, ["compatible", "mock-1", "sk-test"], stream).await;
        }
    }
}

#[tokio::test]
async fn each_provider_uses_its_own_address_and_key() {
    for (engine, name) in [("openai", "OPENAI"), ("gemini", "GEMINI")] {
        for stream in ["on", "off"] {
            let mock = Mock::start();
            let [address, model, key] = ["BASE_URL", "MODEL", "API_KEY"].map(|part| format!("{name}_{part}"));
            let more = [
                ("DOCKET_ENGINE", engine),
                ("DOCKET_LLM_STREAM", stream),
                // No server listens at the other address.
                ("DOCKET_LLM_BASE_URL", "http://127.0.0.1:1/v1"),
                (&address, &mock.url),
                (&model, "own-1"),
                (&key, "sk-own"),
            ];
            let app = mock.sqlite(&more).await;
            adds(&mock, &app, [engine, "own-1", "sk-own"], stream).await;
        }
    }
}

#[tokio::test]
async fn missing_certificates_cause_fallback_for_https_models_only() {
    let nowhere = [("SSL_CERT_FILE", "/nowhere"), ("SSL_CERT_DIR", "/nowhere")];
    let mock = Mock::start();
    let app = mock.sqlite(&nowhere).await;
    adds(&mock, &app, ["compatible", "mock-1", "sk-test"], "on").await;
    let far = mock.url.replace("http://", "https://");
    let app = mock.sqlite(&[nowhere[0], nowhere[1], ("DOCKET_LLM_BASE_URL", &far)]).await;
    let turn = say(&app.user("ada"), "add buy milk").await;
    assert_eq!(outcome(&turn), "SUCCESS:TASK_COMPLETED", "{turn}");
    assert!(turn["reply"].as_str().unwrap().contains("used the built-in rules"), "{turn}");
}

#[tokio::test]
async fn reply_reports_each_part_of_a_partially_failed_message() {
    let mock = Mock::start();
    let calls = json!([
        { "name": "add_task", "arguments": { "title": "milk" } },
        { "name": "complete_task", "arguments": { "task_id": 9 } },
    ]);
    mock.script(json!([
        { "match": "milk", "round": 0, "tool_calls": calls },
        { "match": "milk", "round": 1, "text": "All of it is done." },
    ]))
    .await;
    let app = mock.sqlite(&[]).await;
    let ada = app.user("ada");
    let turn = say(&ada, "add milk and complete task 9").await;
    assert_eq!(turn["reply"], "Created task: milk (#1)\nThere is no task #9.\n\nAll of it is done.");
    let states: Vec<_> = turn["tool_calls"].as_array().unwrap().iter().map(|call| call["status"].clone()).collect();
    assert_eq!(states, ["ok", "error"]);
    assert_eq!(ada.titles().await, ["milk"]);
}

#[tokio::test]
async fn high_risk_model_call_waits_for_approval() {
    let mock = Mock::start();
    let app = mock.sqlite(&[]).await;
    let ada = app.user("ada");
    ada.post("/api/v1/tasks/add", &[("title", "old")]).await.ok();
    let asked = say(&ada, "delete task 1").await;
    assert_eq!(outcome(&asked), "SUCCESS:APPROVAL_REQUESTED");
    assert_eq!(ada.tasks().await.len(), 1);
    let done = ada.say_after(&asked, "yes").await;
    assert_eq!(done["tool_calls"][0]["status"], "ok", "{done}");
    assert_eq!(ada.tasks().await.len(), 0);
}

#[tokio::test]
async fn invalid_tool_call_is_recorded_as_a_failed_call() {
    for fault in ["badjson", "badargs", "unknown_tool"] {
        let mock = Mock::start();
        let app = mock.sqlite(&[]).await;
        let ada = app.user("ada");
        let turn = say(&ada, &format!("MOCK:{fault} add milk")).await;
        assert_eq!((&turn["engine"], outcome(&turn)), (&json!("compatible"), "ERROR:TOOL_FAILED"), "{fault}: {turn}");
        assert_eq!(turn["tool_calls"].as_array().unwrap().len(), 1, "{turn}");
        assert_eq!(turn["tool_calls"][0]["error"]["error"], "invalid", "{turn}");
        assert!(ada.tasks().await.is_empty());
    }
}

#[tokio::test]
async fn endless_tool_loop_ends_after_five_rounds_and_offers_continue() {
    let mock = Mock::start();
    let app = mock.sqlite(&[]).await;
    let ada = app.user("ada");
    let turn = say(&ada, "MOCK:loop show my tasks").await;
    assert_eq!(outcome(&turn), "ERROR:STEP_LIMIT");
    assert_eq!(turn["tool_calls"].as_array().unwrap().len(), 5);
    assert_eq!(turn["options"], json!(["Continue"]));
    let requests = mock.requests().await;
    assert_eq!(requests.len(), 7, "five rounds, the refused one and the closing call");
    assert!(requests[6]["body"]["tools"].is_null(), "the closing call has no tools");
}

#[tokio::test]
async fn three_bad_outputs_end_a_turn_with_a_clear_reply() {
    let mock = Mock::start();
    let bad = |round: u32| json!({ "match": "please", "round": round, "tool_calls": [{ "name": "add_task", "arguments": { "title": "", "n": round } }] });
    mock.script(json!([bad(0), bad(1), bad(2), bad(3)])).await;
    let app = mock.sqlite(&[]).await;
    let ada = app.user("ada");
    let turn = say(&ada, "please").await;
    assert_eq!((outcome(&turn), turn["tool_calls"].as_array().unwrap().len()), ("ERROR:INVALID_OUTPUT", 3));
    assert!(turn["reply"].as_str().unwrap().contains("Nothing was changed"), "{turn}");
}

#[tokio::test]
async fn a_reply_comes_as_it_is_written() {
    for db in [Db::Sqlite, Db::Postgres] {
        let mock = Mock::start();
        mock.drip(40).await;
        let Some(app) = mock.app(db, &[("DOCKET_LLM_TIMEOUT_MS", "20000")]).await else { continue };
        let ada = app.user("ada");
        let mut stream = Stream::open(&ada, &[("after", "0")], None).await;
        let turn = say(&ada, "what can you do").await;
        let seen = stream.until("turn.finished").await;
        let ids: Vec<i64> = seen.iter().map(|event| event.id).collect();
        assert_eq!(ids, (1..=seen.len() as i64).collect::<Vec<_>>(), "without a gap");
        let deltas: Vec<_> = seen.iter().filter(|event| event.kind == "text.delta").collect();
        let text: String = deltas.iter().map(|event| event.data["text"].as_str().unwrap()).collect();
        assert_eq!(text.trim(), turn["reply"].as_str().unwrap());
        assert!((2..=10).contains(&deltas.len()), "several together: {}", deltas.len());
        assert!(deltas.iter().all(|event| event.data["turn_id"] == turn["turn_id"]));
        assert!(seen.iter().all(|event| event.kind != "text.reset"));
    }
}

#[tokio::test]
async fn stop_cancels_a_reply_that_is_not_streamed() {
    let mock = Mock::start();
    mock.fail("timeout").await;
    let app = mock.sqlite(&[("DOCKET_LLM_TIMEOUT_MS", "25000"), ("DOCKET_LLM_STREAM", "off")]).await;
    let ada = app.user("ada");
    let mut stream = Stream::open(&ada, &[], None).await;
    let turn = ada.post("/api/v1/chat", &[("message", "what can you do"), ("wait", "false")]).await.ok();
    until("the request", || async { (!mock.requests().await.is_empty()).then_some(()) }).await;
    let begun = Instant::now();
    ada.post("/api/v1/turns/stop", &[("turn_id", turn["turn_id"].as_str().unwrap())]).await.ok();
    let ended = stream.until("turn.finished").await.pop().unwrap();
    assert_eq!(ended.data["outcome"], "ERROR:CANCELLED");
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    mock.fail("").await;
    assert_eq!(say(&ada, "hello").await["engine"], "compatible", "a Stop is no failure of the model");
}

#[tokio::test]
async fn a_thought_is_given_back_with_its_signature() {
    let signed = json!({ "google": { "thought_signature": "c2lnbmVk" } });
    let call = json!({ "name": "add_task", "arguments": { "title": "milk" }, "extra_content": signed });
    for stream in ["on", "off"] {
        let mock = Mock::start();
        mock.script(json!([{ "match": "milk", "round": 0, "tool_calls": [call] }])).await;
        let more = [
            ("DOCKET_ENGINE", "gemini"),
            ("DOCKET_LLM_STREAM", stream),
            ("GEMINI_BASE_URL", mock.url.as_str()),
            ("GEMINI_MODEL", "own-1"),
            ("GEMINI_API_KEY", "sk-own"),
        ];
        let app = mock.sqlite(&more).await;
        let ada = app.user("ada");
        assert_eq!(outcome(&say(&ada, "add milk").await), "SUCCESS:TASK_COMPLETED");
        let requests = mock.requests().await;
        let messages = requests[1]["body"]["messages"].as_array().unwrap();
        let made = messages.iter().find(|message| message["tool_calls"].is_array()).expect("the call that was made");
        assert_eq!(made["tool_calls"][0]["extra_content"], signed, "{stream}: {made}");
    }
}

#[tokio::test]
async fn reply_claiming_a_change_without_a_call_is_corrected() {
    let mock = Mock::start();
    mock.script(json!([{ "match": "milk", "text": "I have added milk to your list!" }])).await;
    let app = mock.sqlite(&[]).await;
    let ada = app.user("ada");
    let turn = say(&ada, "add milk").await;
    assert_eq!(outcome(&turn), "SUCCESS:RESPONSE_GIVEN");
    assert_eq!(turn["reply"], "I have added milk to your list!\n\nNothing was changed.");
    assert!(ada.tasks().await.is_empty());
}

#[tokio::test]
async fn asking_and_declining_come_structured() {
    let mock = Mock::start();
    let ask = json!({ "question": "Add it, or find it?", "options": ["add groceries", "find groceries"], "about": "request" });
    mock.script(json!([
        { "match": "groceries", "tool_calls": [{ "name": "ask_person", "arguments": ask }] },
        { "match": "weather", "tool_calls": [{ "name": "decline_request", "arguments": { "reason": "I only know your tasks." } }] },
    ]))
    .await;
    let app = mock.sqlite(&[]).await;
    let ada = app.user("ada");
    let turn = say(&ada, "groceries").await;
    assert_eq!(turn["decision"], json!({ "kind": "REQUEST_CLARIFICATION", "outcome": "AMBIGUITY:UNCLEAR_INTENT" }));
    assert_eq!(
        (&turn["reply"], &turn["options"]),
        (&json!("Add it, or find it?"), &json!(["add groceries", "find groceries"]))
    );
    let turn = say(&ada, "the weather").await;
    assert_eq!(turn["decision"], json!({ "kind": "REFUSE", "outcome": "REFUSAL:OUT_OF_SCOPE" }));
    assert!(turn["tool_calls"].as_array().unwrap().is_empty());
}

#[tokio::test]
async fn settings_page_shows_data_sent_and_tests_the_model() {
    let mock = Mock::start();
    let app = mock.sqlite(&[]).await;
    app.user("ada");
    let ada = Client::browser(&app.server.base);
    ada.post("/api/v1/session/sign-in", &[("name", "ada"), ("password", crate::app::PASSWORD)]).await.ok();
    let page = ada.get("/settings", &[]).await.text;
    assert!(page.contains("mock-1") && page.contains("The model receives") && page.contains("127.0.0.1"), "{page}");
    let notes = "Relevant memories are sent too";
    assert!(page.contains(notes), "what comes to mind is sent as well: {page}");
    assert_eq!(ada.post("/api/v1/memories/switch", &[("on", "false")]).await.status, 200);
    let page = ada.get("/settings", &[]).await.text;
    assert!(page.contains("The model receives") && !page.contains(notes), "{page}");
    let tried = async || ada.post("/api/v1/settings/model/test", &[]).await.ok()["text"].as_str().unwrap().to_owned();
    assert!(tried().await.starts_with("The model answered in "));
    let page = ada.get("/settings", &[]).await.text;
    assert!(
        !page.contains("Today: 0 tokens") && page.contains(" tokens. Cost:"),
        "trying it is counted as well: {page}"
    );
    for (fault, why) in [
        ("401", "does not accept the API key (status 401, invalid_api_key"),
        ("404", "does not know the model, or the address is wrong (status 404, model_not_found"),
    ] {
        mock.fail(fault).await;
        let text = tried().await;
        assert!(text.starts_with("The model did not answer: the provider") && text.contains(why), "{text}");
    }
    assert!(mock.requests().await.last().unwrap()["body"]["tools"].as_array().is_some_and(|tools| tools.len() > 5));
    // A form shows the result as well, including the rate limit.
    let form = [("return_to", "/settings")];
    until("too many", || async {
        let answer = ada.form("/api/v1/settings/model/test", &form).await;
        let page = ada.get("/settings", &[]).await.text;
        let refused =
            page.split(r#"id="model""#).nth(1)?.split("</section>").next()?.contains("Too many requests. Wait ");
        assert!(refused || page.contains("The model did not answer"), "{answer:?}");
        refused.then_some(())
    })
    .await;
}

#[tokio::test]
async fn whoever_would_rather_not_is_answered_without_the_model() {
    for db in [Db::Sqlite, Db::Postgres] {
        let mock = Mock::start();
        let Some(app) = mock.app(db, &[]).await else { continue };
        let (token, bob) = (app.user("ada"), app.user("bob"));
        let ada = Client::browser(&app.server.base);
        ada.post("/api/v1/session/sign-in", &[("name", "ada"), ("password", crate::app::PASSWORD)]).await.ok();
        let sent = ada.get("/settings", &[]).await.text;
        assert!(sent.contains("Today: 0 tokens. Cost:\u{a0}–"), "{sent}");
        ada.post("/api/v1/settings/model", &[("uses", "false")]).await.ok();
        let kept = ada.get("/settings", &[]).await.text;
        assert!(kept.contains("Your messages stay on this machine") && kept.contains("Use the model"), "{kept}");
        let turn = say(&token, "add milk").await;
        assert_eq!((&turn["engine"], &turn["reply"]), (&json!("rules"), &json!("Created task: milk (#1)")), "{turn}");
        let turn = say(&token, "what is the meaning of life").await;
        assert_eq!(outcome(&turn), "REFUSAL:OUT_OF_SCOPE", "nothing is said of a model that is away: {turn}");
        assert!(mock.requests().await.is_empty(), "nobody was asked");
        assert_eq!(say(&bob, "hello").await["engine"], "compatible", "each chooses for themselves");
        ada.post("/api/v1/settings/model", &[("uses", "true")]).await.ok();
        assert_eq!(say(&token, "hello").await["engine"], "compatible");
        let used = ada.get("/settings", &[]).await.text;
        assert!(!used.contains("Today: 0 tokens") && used.contains(" tokens. Cost:\u{a0}–"), "{used}");
    }
}
