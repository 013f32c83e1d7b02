//! Failing models over real sockets: the fallback takes over if allowed, nothing is repeated, and waits are short (R-209).

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::app::{Client, Db, Server, until};
use crate::events::Stream;
use crate::mock::Mock;
use crate::models::{outcome, recorded, say};

/// Tests that the fallback takes over for each of these failures.
async fn the_rules_stand_in(db: Db, stream: &str, faults: &[&str]) {
    for &fault in faults {
        let mock = Mock::start();
        let lost = mock.url.replace("/v1", "/nowhere");
        let more = [("DOCKET_LLM_STREAM", stream), ("DOCKET_LLM_BASE_URL", lost.as_str())];
        let Some(app) = mock.app(db, &more[..1 + usize::from(fault == "lost")]).await else { return };
        match fault {
            "lost" => {}
            "drip" => mock.drip(400).await,
            "large" => mock.script(json!([{ "match": "", "text": "x".repeat(10 << 20) }])).await,
            _ => mock.fail(fault).await,
        }
        let ada = app.user("ada");
        let turn = say(&ada, "add buy milk").await;
        assert_eq!((&turn["engine"], outcome(&turn)), (&json!("rules"), "SUCCESS:TASK_COMPLETED"), "{fault}");
        assert_eq!(recorded(&ada, &turn).await, ["rules", "LLM_UNAVAILABLE"], "{fault}");
        let reply = turn["reply"].as_str().unwrap();
        assert!(
            reply.starts_with("Created task: buy milk (#1)") && reply.contains("AI is unavailable"),
            "{fault}: {reply}"
        );
        assert_eq!(ada.titles().await, ["buy milk"], "{fault}");
        let turn = say(&ada, "what is the meaning of life").await;
        assert_eq!(outcome(&turn), "ERROR:LLM_UNAVAILABLE", "{fault}: {turn}");
        assert_eq!(recorded(&ada, &turn).await[1], "LLM_UNAVAILABLE", "{fault}");
        assert!(turn["reply"].as_str().unwrap().contains("nothing was changed"), "{turn}");
    }
}

#[tokio::test]
async fn whatever_fails_the_rules_do_what_they_understand() {
    let faults =
        ["401", "404", "lost", "429", "500", "503", "reset", "garbage", "empty", "cut", "timeout", "drip", "large"];
    the_rules_stand_in(Db::Sqlite, "on", &faults).await;
}

#[tokio::test]
async fn fallback_handles_every_model_failure_without_streaming() {
    let faults = ["401", "404", "lost", "429", "500", "503", "reset", "garbage", "empty", "cut", "timeout", "large"];
    the_rules_stand_in(Db::Sqlite, "off", &faults).await;
}

#[tokio::test]
async fn whatever_fails_the_rules_do_what_they_understand_on_postgres() {
    let faults =
        ["401", "404", "lost", "429", "500", "503", "reset", "garbage", "empty", "cut", "timeout", "drip", "large"];
    the_rules_stand_in(Db::Postgres, "on", &faults).await;
    the_rules_stand_in(Db::Postgres, "off", &["garbage", "timeout"]).await;
}

#[tokio::test]
async fn silent_provider_times_out_after_ten_seconds() {
    let mock = Mock::start();
    mock.fail("timeout").await;
    let app = mock.sqlite(&[("DOCKET_LLM_TIMEOUT_MS", "60000")]).await;
    let ada = app.user("ada");
    let begun = Instant::now();
    let turn = say(&ada, "add milk").await;
    assert_eq!(recorded(&ada, &turn).await, ["rules", "LLM_UNAVAILABLE"]);
    let took = begun.elapsed();
    assert!((Duration::from_secs(10)..Duration::from_secs(20)).contains(&took), "{took:?}");
}

#[tokio::test]
async fn model_failure_after_a_change_keeps_and_reports_the_change() {
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

/// Creates the user's task, and a turn that asked to delete it and has more to do.
async fn asked(user: &Client) -> Value {
    user.post("/api/v1/tasks/add", &[("title", "old")]).await.ok();
    let asked = say(user, "delete task 1 and then add milk").await;
    assert_eq!(outcome(&asked), "SUCCESS:APPROVAL_REQUESTED", "{asked}");
    asked
}

#[tokio::test]
async fn model_failure_after_approval_runs_the_call_once_without_fallback() {
    for (db, by) in [(Db::Sqlite, "chat"), (Db::Sqlite, "button"), (Db::Postgres, "chat"), (Db::Postgres, "button")] {
        let mock = Mock::start();
        let Some(app) = mock.app(db, &[]).await else { continue };
        let ada = app.user("ada");
        let asked = asked(&ada).await;
        let id = asked["approval"]["approval_id"].as_str().unwrap();
        let before = mock.requests().await.len();
        mock.fail("500").await;
        let turn = match by {
            "chat" => ada.say_after(&asked, "yes").await,
            _ => {
                let verdict = [("approval_id", id), ("verdict", "approve")];
                ada.post("/api/v1/approvals/decide", &verdict).await.ok()["turn"].clone()
            }
        };
        assert_eq!((&turn["engine"], outcome(&turn)), (&json!("compatible"), "ERROR:LLM_UNAVAILABLE"), "{by}: {turn}");
        let reply = turn["reply"].as_str().unwrap();
        assert!(reply.starts_with("Deleted task: old (#1)\n") && reply.contains("is done"), "{by}: {reply}");
        let calls = turn["tool_calls"].as_array().unwrap();
        assert_eq!((calls.len(), &calls[0]["status"]), (1, &json!("ok")), "{by}: the rules add nothing: {turn}");
        assert_eq!(ada.titles().await, Vec::<String>::new());
        assert!(mock.requests().await.len() > before, "{by}: the model was asked what else there is to do");
        let approval = ada.get("/api/v1/approvals/get", &[("approval_id", id)]).await.ok();
        assert_eq!(approval["status"], "approved", "{by}");
    }
}

#[tokio::test]
async fn void_approval_is_reported_despite_a_model_failure() {
    for db in [Db::Sqlite, Db::Postgres] {
        let mock = Mock::start();
        let Some(app) = mock.app(db, &[]).await else { continue };
        let ada = app.user("ada");
        let asked = asked(&ada).await;
        ada.post("/api/v1/tasks/delete", &[("task_id", "1")]).await.ok();
        mock.fail("500").await;
        let turn = ada.say_after(&asked, "yes").await;
        let reply = turn["reply"].as_str().unwrap();
        assert_eq!(turn["tool_calls"][0]["status"], "void", "{turn}");
        assert!(reply.contains("#1") && reply.contains("nothing was changed"), "{reply}");
        assert!(!reply.contains("built-in rules"), "the rules know nothing of what was approved: {reply}");
        assert_eq!(ada.titles().await, Vec::<String>::new(), "nothing was added");
    }
}

#[tokio::test]
async fn unknown_tool_name_from_a_model_is_sanitised() {
    let long = "x".repeat(200);
    for name in ["add\u{0}task", "x\nDeleted task: milk (#1)", &long] {
        for db in [Db::Sqlite, Db::Postgres] {
            let mock = Mock::start();
            let Some(app) = mock.app(db, &[]).await else { continue };
            let ada = app.user("ada");
            let calls = json!([{ "name": name, "arguments": { "title": "y" } }]);
            let rounds = [0, 1, 2].map(|round| json!({ "match": "", "round": round, "tool_calls": calls }));
            mock.script(json!(rounds)).await;
            let turn = say(&ada, "shop").await;
            assert_eq!(outcome(&turn), "ERROR:INVALID_OUTPUT", "{name:?} {turn}");
            let reply = turn["reply"].as_str().unwrap();
            assert!(reply.len() < 1000 && !reply.contains("Deleted task"), "{reply}");
            let kept = turn["tool_calls"].to_string();
            assert!(!kept.contains(&"x".repeat(100)), "{}", kept.len());
            let sent = mock.requests().await[1]["body"]["messages"].to_string();
            assert!(
                sent.contains(r#""name":"add_task""#) || sent.contains(r#""name":"x"#),
                "as providers take it: {sent}"
            );
        }
    }
}

#[tokio::test]
async fn turn_begun_by_a_model_is_not_finished_by_rules() {
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
    let seen: Vec<_> = mock.requests().await.iter().map(|request| request["t"].as_i64().unwrap()).collect();
    let [.., refused, again] = seen[..] else { panic!("{seen:?}") };
    assert_eq!(seen.len(), 5, "three tries and two");
    assert!(again - refused >= 1_000, "as long as its Retry-After said: {seen:?}");
}

#[tokio::test]
async fn unavailable_provider_delays_no_later_turns_until_it_recovers() {
    let mock = Mock::start();
    mock.fail("timeout").await;
    let app = mock.sqlite(&[]).await;
    let ada = app.user("ada");
    for _ in 0..3 {
        assert_eq!(say(&ada, "hello").await["engine"], "rules");
    }
    let mut took = vec![];
    for _ in 0..9 {
        let begun = Instant::now();
        assert_eq!(ada.say("add milk").await["engine"], "rules");
        // None of them waits for the provider, however busy the machine is.
        assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
        took.push(begun.elapsed());
    }
    took.sort();
    assert!(took[took.len() / 2] <= Duration::from_millis(300), "{took:?}");
    mock.fail("").await;
    until("the model", || async { (ada.say("hello").await["engine"] == "compatible").then_some(()) }).await;
}

#[tokio::test]
async fn nothing_that_one_person_says_takes_the_model_from_another() {
    for stream in ["on", "off"] {
        let mock = Mock::start();
        mock.script(json!([{ "match": "say nothing", "text": " " }])).await;
        let app = mock.sqlite(&[("DOCKET_LLM_STREAM", stream), ("DOCKET_LLM_TIMEOUT_MS", "20000")]).await;
        let (ada, bob) = (app.user("ada"), app.user("bob"));
        for message in ["MOCK:400 hello", "say nothing"] {
            for _ in 0..4 {
                assert_eq!(say(&ada, message).await["engine"], "rules", "{message}");
            }
            assert_eq!(say(&bob, "hello").await["engine"], "compatible", "{stream}: {message}");
        }
        if stream == "on" {
            mock.drip(200).await;
            let mut stream = Stream::open(&ada, &[], None).await;
            for _ in 0..4 {
                let turn = ada.post("/api/v1/chat", &[("message", "what can you do"), ("wait", "false")]).await.ok();
                stream.until("text.delta").await;
                ada.post("/api/v1/turns/stop", &[("turn_id", turn["turn_id"].as_str().unwrap())]).await.ok();
                let ended = stream.until("turn.finished").await.pop().unwrap();
                assert_eq!(ended.data["outcome"], "ERROR:CANCELLED");
            }
            mock.drip(0).await;
            assert_eq!(say(&bob, "hello").await["engine"], "compatible", "after a Stop");
        }
        // Failures count, whichever user's turns they hit.
        for _ in 0..3 {
            assert_eq!(say(&ada, "MOCK:503 hello").await["engine"], "rules");
        }
        assert_eq!(say(&bob, "hello").await["engine"], "rules");
        until("the model", || async { (say(&bob, "hello").await["engine"] == "compatible").then_some(()) }).await;
    }
}

#[tokio::test]
async fn what_a_failed_attempt_has_said_is_taken_back() {
    let mock = Mock::start();
    mock.drip(150).await;
    // The first sentence is shown, and the rest exceeds the timeout.
    let text =
        "Of course. I can add, show, update, complete and delete your tasks, and move them from one day to another.";
    mock.script(json!([{ "match": "thanks", "text": text }])).await;
    let app = mock.sqlite(&[]).await;
    let ada = app.user("ada");
    let mut stream = Stream::open(&ada, &[("after", "0")], None).await;
    let turn = say(&ada, "thanks what can you do").await;
    let kinds: Vec<_> = stream.until("turn.finished").await.into_iter().map(|event| event.kind).collect();
    let last = |kind: &str| kinds.iter().rposition(|other| other == kind);
    assert!(last("text.delta").is_some() && last("text.reset") > last("text.delta"), "{kinds:?} {turn}");
}
