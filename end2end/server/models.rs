//! Models over real sockets: what they are sent, what they may, and what becomes of a turn where they fail (R-205, R-206, R-209,
//!

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::app::{Client, Db, Server, until};
use crate::events::Stream;
use crate::mock::Mock;

/// Says it, and checks what holds of every turn: one decision, a reply, the message kept.
async fn say(client: &Client, message: &str) -> Value {
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

fn outcome(turn: &Value) -> &str {
    turn["decision"]["outcome"].as_str().expect("an outcome")
}

#[tokio::test]
async fn a_model_adds_a_task_through_the_same_tools() {
    for db in [Db::Sqlite, Db::Postgres] {
        for stream in ["on", "off"] {
            let mock = Mock::start();
            let Some(app) = mock.app(db, &[("DOCKET_LLM_STREAM", stream)]).await else { continue };
            let ada = app.user("ada");
            let turn = say(&ada, "add buy milk").await;
            assert_eq!((&turn["engine"], outcome(&turn)), (&json!("compatible"), "SUCCESS:TASK_COMPLETED"));
            assert_eq!(turn["reply"], "Created task: buy milk");
            assert_eq!(ada.titles().await, ["buy milk"]);
            let requests = mock.requests().await;
            assert_eq!(requests.len(), 2, "one call for the tool, one for the reply");
            let body = &requests[0]["body"];
            assert_eq!(requests[0]["authorization"], "Bearer sk-test");
            assert_eq!(
                (&body["model"], &body["temperature"], &body["max_tokens"]),
                (&json!("mock-1"), &json!(0.7), &json!(1024))
            );
            assert_eq!(body["stream"], stream == "on");
            assert!(!body.to_string().contains("user_id"), "whose tasks they are is no argument");
            let tools = body["tools"].as_array().unwrap();
            assert_eq!(tools.len(), 8, "six tools, and asking and declining");
            let (first, second) = (&requests[0]["body"]["messages"], &requests[1]["body"]["messages"]);
            assert_eq!(first.as_array().unwrap()[..], second.as_array().unwrap()[..2], "it begins alike");
        }
    }
}

#[tokio::test]
async fn a_high_risk_call_of_a_model_waits_for_a_yes() {
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
async fn whatever_fails_the_rules_do_what_they_understand() {
    for fault in ["401", "404", "429", "500", "503", "reset", "garbage", "empty", "cut", "timeout", "drip", "large"] {
        let mock = Mock::start();
        let lost = mock.url.replace("/v1", "/nowhere");
        let more = [("DOCKET_LLM_BASE_URL", lost.as_str())];
        let app = mock.sqlite(&more[..usize::from(fault == "404")]).await;
        match fault {
            "404" => {}
            "drip" => mock.drip(400).await,
            "large" => mock.script(json!([{ "match": "", "text": "x".repeat(10 << 20) }])).await,
            _ => mock.fail(fault).await,
        }
        let ada = app.user("ada");
        let turn = say(&ada, "add buy milk").await;
        assert_eq!((&turn["engine"], outcome(&turn)), (&json!("rules"), "SUCCESS:TASK_COMPLETED"), "{fault}");
        let reply = turn["reply"].as_str().unwrap();
        assert!(
            reply.starts_with("Created task: buy milk (#1)") && reply.contains("AI is unavailable"),
            "{fault}: {reply}"
        );
        assert_eq!(ada.titles().await, ["buy milk"], "{fault}");
        let turn = say(&ada, "what is the meaning of life").await;
        assert_eq!(outcome(&turn), "ERROR:LLM_UNAVAILABLE", "{fault}: {turn}");
        assert!(turn["reply"].as_str().unwrap().contains("nothing was changed"), "{turn}");
    }
}

#[tokio::test]
async fn a_call_that_fits_no_tool_is_a_result_like_any_other() {
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
async fn an_endless_loop_ends_after_five_rounds_and_offers_to_go_on() {
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
async fn a_death_after_a_change_leaves_it_done_once_and_says_so() {
    for db in [Db::Sqlite, Db::Postgres] {
        let mock = Mock::start();
        mock.script(json!([
            { "match": "milk", "round": 0, "tool_calls": [{ "name": "add_task", "arguments": { "title": "milk" } }] },
            { "match": "milk", "round": 1, "fault": "500" },
        ]))
        .await;
        let Some(app) = mock.app(db, &[("DOCKET_LLM_RETRIES", "2")]).await else { continue };
        let ada = app.user("ada");
        let turn = say(&ada, "add milk").await;
        assert_eq!((&turn["engine"], outcome(&turn)), (&json!("compatible"), "ERROR:LLM_UNAVAILABLE"));
        let reply = turn["reply"].as_str().unwrap();
        assert!(reply.starts_with("Created task: milk (#1)\n") && reply.contains("is done"), "{reply}");
        assert_eq!(ada.titles().await, ["milk"]);
        assert_eq!(mock.requests().await.len(), 4, "the step that changed something was not asked for again");
    }
}

#[tokio::test]
async fn what_a_model_began_is_not_taken_for_the_rules_own_after_a_restart_without_it() {
    let mock = Mock::start();
    let mut app = mock.sqlite(&[("DOCKET_CRASH", "after step")]).await;
    let ada = app.user("ada");
    ada.post("/api/v1/tasks/add", &[("title", "milk")]).await.ok();
    let message = [("message", "mark the milk task as done"), ("client_key", "milk")];
    assert!(ada.request("POST", "/api/v1/chat").form(&message).send().await.is_err(), "the server dies");
    app.server = Server::start(&app.database.url, &[("DOCKET_ENGINE", "rules")]).expect("another starts");
    let turn = ada.at(&app.server).post("/api/v1/chat", &message).await.ok();
    assert_eq!(outcome(&turn), "ERROR:LLM_UNAVAILABLE", "{turn}");
    assert_eq!(turn["tool_calls"].as_array().unwrap().len(), 1, "the list that the model asked for: {turn}");
    assert_eq!(ada.at(&app.server).tasks().await[0]["status"], "pending", "nothing was completed");
}

#[tokio::test]
async fn a_failure_that_passes_is_not_noticed() {
    let mock = Mock::start();
    let app = mock.sqlite(&[("DOCKET_LLM_RETRIES", "2")]).await;
    let ada = app.user("ada");
    for message in ["MOCK:500x2 hello", "MOCK:429x1 hello"] {
        let turn = say(&ada, message).await;
        assert_eq!((&turn["engine"], outcome(&turn)), (&json!("compatible"), "SUCCESS:RESPONSE_GIVEN"), "{turn}");
    }
}

#[tokio::test]
async fn a_provider_that_is_down_costs_later_turns_no_time_until_it_is_back() {
    let mock = Mock::start();
    mock.fail("timeout").await;
    let app = mock.sqlite(&[]).await;
    let ada = app.user("ada");
    for _ in 0..3 {
        assert_eq!(say(&ada, "hello").await["engine"], "rules");
    }
    let mut fastest = Duration::MAX;
    for _ in 0..5 {
        let begun = Instant::now();
        assert_eq!(ada.say("add milk").await["engine"], "rules");
        // However busy the machine is: none of them waits for the provider.
        assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
        fastest = fastest.min(begun.elapsed());
    }
    assert!(fastest <= Duration::from_millis(300), "{fastest:?}");
    mock.fail("").await;
    until("the model", || async { (ada.say("hello").await["engine"] == "compatible").then_some(()) }).await;
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
async fn what_a_failed_attempt_has_said_is_taken_back() {
    let mock = Mock::start();
    mock.drip(150).await;
    let app = mock.sqlite(&[]).await;
    let ada = app.user("ada");
    let mut stream = Stream::open(&ada, &[("after", "0")], None).await;
    let turn = say(&ada, "thanks what can you do").await;
    let kinds: Vec<_> = stream.until("turn.finished").await.into_iter().map(|event| event.kind).collect();
    let last = |kind: &str| kinds.iter().rposition(|other| other == kind);
    assert!(last("text.delta").is_some() && last("text.reset") > last("text.delta"), "{kinds:?} {turn}");
}

#[tokio::test]
async fn stop_gives_up_a_reply_that_is_being_written() {
    let mock = Mock::start();
    mock.drip(400).await;
    let app = mock.sqlite(&[("DOCKET_LLM_TIMEOUT_MS", "25000")]).await;
    let ada = app.user("ada");
    let mut stream = Stream::open(&ada, &[("after", "0")], None).await;
    let turn = ada.post("/api/v1/chat", &[("message", "what can you do"), ("wait", "false")]).await.ok();
    stream.until("text.delta").await;
    let begun = Instant::now();
    ada.post("/api/v1/turns/stop", &[("turn_id", turn["turn_id"].as_str().unwrap())]).await.ok();
    let ended = stream.until("turn.finished").await.pop().unwrap();
    assert_eq!(ended.data["outcome"], "ERROR:CANCELLED");
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_reply_that_claims_a_change_which_no_call_made_is_set_right() {
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
async fn whoever_used_up_the_tokens_of_the_day_gets_the_rules_and_is_told() {
    for db in [Db::Sqlite, Db::Postgres] {
        let mock = Mock::start();
        let Some(app) = mock.app(db, &[("DOCKET_DAILY_TOKENS", "100")]).await else { continue };
        let (ada, bob) = (app.user("ada"), app.user("bob"));
        assert_eq!(say(&ada, "hello").await["engine"], "compatible");
        let asked = mock.requests().await.len();
        let turn = say(&ada, "add milk").await;
        assert_eq!((&turn["engine"], outcome(&turn)), (&json!("rules"), "SUCCESS:TASK_COMPLETED"));
        assert!(turn["reply"].as_str().unwrap().contains("for today is used up"), "{turn}");
        assert_eq!(mock.requests().await.len(), asked, "nobody was asked");
        assert_eq!(say(&bob, "hello").await["engine"], "compatible", "each has a share of their own");
    }
}

#[tokio::test]
async fn the_settings_page_says_what_is_sent_where_and_tries_the_model() {
    let mock = Mock::start();
    let app = mock.sqlite(&[]).await;
    app.user("ada");
    let ada = Client::browser(&app.server.base);
    ada.post("/api/v1/session/sign-in", &[("name", "ada"), ("password", crate::app::PASSWORD)]).await.ok();
    let page = ada.get("/settings", &[]).await.text;
    assert!(page.contains("mock-1") && page.contains("are sent there") && page.contains("127.0.0.1"), "{page}");
    let tried = async || ada.post("/api/v1/settings/model/test", &[]).await.ok()["text"].as_str().unwrap().to_owned();
    assert!(tried().await.starts_with("The model answered in "));
    mock.fail("401").await;
    let text = tried().await;
    assert!(text.contains("does not accept the API key"), "{text}");
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
        assert!(
            kept.contains("Nothing that you write leaves this machine") && kept.contains("Answer me with the model"),
            "{kept}"
        );
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
