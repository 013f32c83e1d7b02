//! A user's share of the model: what uses it up, whatever the provider says and the user does.

use serde_json::{Value, json};

use crate::app::{Client, Db, PASSWORD, TestApp};
use crate::events::Stream;
use crate::mock::Mock;
use crate::models::{outcome, recorded, say};

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
        assert_eq!(recorded(&ada, &turn).await, ["rules", "DAILY_TOKENS"]);
        assert_eq!(mock.requests().await.len(), asked, "nobody was asked");
        assert_eq!(say(&bob, "hello").await["engine"], "compatible", "each has a share of their own");
    }
}

/// Tokens of today, as the settings page tells them.
async fn today(app: &TestApp) -> i64 {
    let ada = Client::browser(&app.server.base);
    ada.post("/api/v1/session/sign-in", &[("name", "ada"), ("password", PASSWORD)]).await.ok();
    let page = ada.get("/settings", &[]).await.text;
    let (_, rest) = page.split_once("Today: ").expect("what today took");
    let number: String = rest.chars().take_while(|c| !c.is_ascii_alphabetic()).filter(char::is_ascii_digit).collect();
    number.parse().expect("a number")
}

#[tokio::test]
async fn a_provider_that_counts_nothing_uses_the_share_up_like_one_that_counts() {
    for db in [Db::Sqlite, Db::Postgres] {
        for stream in ["on", "off"] {
            let (counting, silent) = (Mock::start(), Mock::start());
            silent.count_nothing().await;
            let mut took = vec![];
            for mock in [&counting, &silent] {
                let more = [("DOCKET_LLM_STREAM", stream), ("DOCKET_DAILY_TOKENS", "1000")];
                let Some(app) = mock.app(db, &more).await else { return };
                let ada = app.user("ada");
                assert_eq!(say(&ada, "add milk").await["engine"], "compatible");
                took.push(today(&app).await);
                let turn = say(&ada, "add eggs").await;
                assert_eq!(recorded(&ada, &turn).await, ["rules", "DAILY_TOKENS"]);
            }
            // The stand-in counts four bytes a token as well, and only the words of an answer.
            let (counted, estimated) = (took[0], took[1]);
            assert!((counted..=counted * 11 / 10).contains(&estimated), "{counted} and {estimated}");
        }
    }
}

#[tokio::test]
async fn a_reply_that_is_stopped_is_paid_for_as_far_as_it_came() {
    let mock = Mock::start();
    mock.drip(200).await;
    let more = [("DOCKET_LLM_TIMEOUT_MS", "20000"), ("DOCKET_DAILY_TOKENS", "1000")];
    let app = mock.sqlite(&more).await;
    let ada = app.user("ada");
    let mut stream = Stream::open(&ada, &[], None).await;
    let turn = ada.post("/api/v1/chat", &[("message", "what can you do"), ("wait", "false")]).await.ok();
    stream.until("text.delta").await;
    ada.post("/api/v1/turns/stop", &[("turn_id", turn["turn_id"].as_str().unwrap())]).await.ok();
    assert_eq!(stream.until("turn.finished").await.pop().unwrap().data["outcome"], "ERROR:CANCELLED");
    let sent: Vec<Value> = mock.requests().await.into_iter().map(|request| request["body"].clone()).collect();
    let (bytes, took) = (sent[0].to_string().len() as i64, today(&app).await);
    assert!((bytes / 4..bytes / 4 + 60).contains(&took), "{took} tokens for {bytes} bytes and some words");
    assert_eq!(recorded(&ada, &say(&ada, "add milk").await).await, ["rules", "DAILY_TOKENS"]);
}

#[tokio::test]
async fn an_attempt_that_never_began_is_not_paid_for_and_one_without_words_is() {
    for (message, free) in [("MOCK:503 hello", true), ("say nothing", false)] {
        let mock = Mock::start();
        mock.script(json!([{ "match": "say nothing", "text": " " }])).await;
        let app = mock.sqlite(&[]).await;
        assert_eq!(say(&app.user("ada"), message).await["engine"], "rules");
        assert_eq!(today(&app).await == 0, free, "{message}");
    }
}
