//! Consumption of a user's token quota, regardless of the provider's reports and the user's actions.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::app::{Client, Db, TestApp};
use crate::events::Stream;
use crate::mock::Mock;
use crate::models::{outcome, recorded, say};

#[tokio::test]
async fn exhausted_daily_quota_falls_back_to_rules_with_a_notice() {
    for db in [Db::Sqlite, Db::Postgres] {
        let mock = Mock::start();
        let Some(app) = mock.app(db, &[("DOCKET_DAILY_TOKENS", "100")]).await else { continue };
        let (ada, bob) = (app.user("ada"), app.user("bob"));
        assert_eq!(say(&ada, "hello").await["engine"], "compatible");
        let asked = mock.requests().await.len();
        let turn = say(&ada, "add milk").await;
        assert_eq!((&turn["engine"], outcome(&turn)), (&json!("rules"), "SUCCESS:TASK_COMPLETED"));
        assert!(turn["reply"].as_str().unwrap().contains("used up today’s AI quota"), "{turn}");
        assert_eq!(recorded(&ada, &turn).await, ["rules", "DAILY_TOKENS"]);
        assert_eq!(mock.requests().await.len(), asked, "nobody was asked");
        assert_eq!(say(&bob, "hello").await["engine"], "compatible", "each has a share of their own");
    }
}

/// Returns today's tokens from the settings page.
async fn today(app: &TestApp) -> i64 {
    let ada = app.browser("ada").await;
    let page = ada.get("/settings", &[]).await.text;
    let (_, rest) = page.split_once("Today: ").expect("what today took");
    let number: String = rest.chars().take_while(|c| !c.is_ascii_alphabetic()).filter(char::is_ascii_digit).collect();
    number.parse().expect("a number")
}

#[tokio::test]
async fn provider_without_usage_counts_consumes_an_estimated_quota() {
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
            // The fake also counts four bytes per token, and only the text of an answer.
            let (counted, estimated) = (took[0], took[1]);
            assert!((counted..=counted * 11 / 10).contains(&estimated), "{counted} and {estimated}");
        }
    }
}

#[tokio::test]
async fn stopped_reply_is_charged_for_its_partial_tokens() {
    let mock = Mock::start();
    mock.drip(200).await;
    let more = [("DOCKET_LLM_TIMEOUT_MS", "20000"), ("DOCKET_DAILY_TOKENS", "1000")];
    let app = mock.sqlite(&more).await;
    let ada = app.user("ada");
    let mut stream = Stream::open(&ada, &[], None).await;
    let turn = ada.post("/api/v1/chat", &[("message", "what can you do"), ("wait", "false")]).await.ok();
    stream.until("text.delta").await;
    let begun = Instant::now();
    ada.post("/api/v1/turns/stop", &[("turn_id", turn["turn_id"].as_str().unwrap())]).await.ok();
    assert_eq!(stream.until("turn.finished").await.pop().unwrap().data["outcome"], "ERROR:CANCELLED");
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    let sent: Vec<Value> = mock.requests().await.into_iter().map(|request| request["body"].clone()).collect();
    let (bytes, took) = (sent[0].to_string().len() as i64, today(&app).await);
    assert!((bytes / 4..bytes / 4 + 60).contains(&took), "{took} tokens for {bytes} bytes and some words");
    assert_eq!(recorded(&ada, &say(&ada, "add milk").await).await, ["rules", "DAILY_TOKENS"]);
}

#[tokio::test]
async fn empty_reply_is_charged_but_failed_connection_is_not() {
    for (message, free) in [("MOCK:503 hello", true), ("say nothing", false)] {
        let mock = Mock::start();
        mock.script(json!([{ "match": "say nothing", "text": " " }])).await;
        let app = mock.sqlite(&[]).await;
        assert_eq!(say(&app.user("ada"), message).await["engine"], "rules");
        assert_eq!(today(&app).await == 0, free, "{message}");
    }
}

/// Returns the cost of a turn in millionths at 0.15 (input) and 0.6 (output) per million tokens, rounded like the log.
fn price(story: &Value) -> i64 {
    let tokens = |name: &str| story[name].as_i64().expect("tokens");
    (tokens("tokens_in") * 150_000 + tokens("tokens_out") * 600_000 + 500_000) / 1_000_000
}

#[tokio::test]
async fn turn_cost_is_recorded_at_the_price_of_its_time() {
    for db in [Db::Sqlite, Db::Postgres] {
        let mock = Mock::start();
        let Some(mut app) = mock.app(db, &[]).await else { continue };
        let ada = app.user("ada");
        let story = async |ada: &Client, turn: &Value| {
            ada.get("/api/v1/audit/turn", &[("turn_id", turn["turn_id"].as_str().unwrap())]).await.ok()
        };
        let page = async |app: &TestApp, path: &str| {
            let ada = app.browser("ada").await;
            ada.get(path, &[]).await.text
        };
        let cost_of_today = async |app: &TestApp| {
            let page = page(app, "/settings").await;
            let (_, rest) = page.split_once("Cost:\u{a0}").expect("what today cost");
            rest.split_once(". Missing").expect("the end of the sentence").0.to_owned()
        };
        let unknown = "– (unknown price)";
        assert_eq!(cost_of_today(&app).await, unknown, "nothing at an unknown price");
        app.server.terminate();
        let priced = [("DOCKET_PRICE_INPUT", "0.15"), ("DOCKET_PRICE_OUTPUT", "0.6")];
        app.server = mock.server(&app.database.url, &priced);
        let ada = ada.at(&app.server);
        assert_eq!(cost_of_today(&app).await, "0.000000");
        let first = story(&ada, &say(&ada, "add milk").await).await;
        let second = story(&ada, &say(&ada, "hello").await).await;
        for story in [&first, &second] {
            assert!(story["cost_micros"].as_i64().unwrap() > 0, "{story}");
            assert_eq!(story["cost_micros"], price(story), "{story}");
        }
        let both = price(&first) + price(&second);
        assert_eq!(ada.get("/api/v1/audit/figures", &[]).await.ok()["whole"]["cost_micros"], both);
        assert_eq!(cost_of_today(&app).await, format!("0.{both:06}"));
        let record = page(&app, "/audit").await;
        let (caption, chart) = record.split_once("aria-label=\"Cost\"").expect("a chart of what it cost");
        let cost = format!("0.{both:06}");
        assert!(caption.contains(&format!("{cost}</span>")), "the most of a day: {record}");
        assert!(chart.contains(&format!("<td>{cost}</td>")), "{chart}");
        assert!(app.command(&["audit", "verify"], "").contains("verified"));

        // From here on the cost is unknown; known costs remain.
        app.server.terminate();
        app.server = mock.server(&app.database.url, &[]);
        let ada = ada.at(&app.server);
        assert_eq!(cost_of_today(&app).await, format!("0.{both:06}"));
        let third = story(&ada, &say(&ada, "hello").await).await;
        assert_eq!(third["cost_micros"], Value::Null, "{third}");
        assert_eq!(cost_of_today(&app).await, unknown, "a part of it is no answer");
        assert_eq!(ada.get("/api/v1/audit/figures", &[]).await.ok()["whole"]["cost_micros"], both);
    }
}
