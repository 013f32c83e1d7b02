//! SIGTERM while turns run and wait: started turns are finished and answered, others are left to other processes (R-1004).

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::app::{Client, Db, TestApp, until};
use crate::events::Stream;
use crate::mock::Mock;
use crate::on_both;

/// Continues the conversation of `turn` without waiting for the answer here.
fn say_after(client: &Client, turn: &Value, message: &'static str) -> JoinHandle<Value> {
    let (client, turn) = (client.clone(), turn.clone());
    tokio::spawn(async move { client.say_after(&turn, message).await })
}

/// Returns the messages in the conversation of `turn`.
async fn said(client: &Client, turn: &Value) -> Vec<Value> {
    let conversation = turn["conversation_id"].as_str().expect("a conversation");
    let page = client.get("/api/v1/conversations/messages", &[("conversation_id", conversation)]).await.ok();
    page["items"].as_array().expect("messages").iter().map(|item| item["text"].clone()).collect()
}

async fn done(client: &Client, turn: &Value) -> Value {
    let id = turn["turn_id"].as_str().expect("a turn");
    until("the turn", || async {
        let turn = client.get("/api/v1/turns/get", &[("turn_id", id)]).await.ok();
        (turn["status"] == "done").then_some(turn)
    })
    .await
}

on_both! {
    async fn running_turn_finishes_before_shutdown(app) {
        let (mut app, mock) = (app, Mock::start());
        app.server.kill();
        app.server = mock.server(&app.database.url, &[]);
        let ada = app.user("ada");
        let hello = ada.say("hello").await;
        mock.drip(300).await;
        let mut stream = Stream::open(&ada, &[], None).await;
        let begun = say_after(&ada, &hello, "add milk");
        stream.until("turn.started").await;
        let waits = say_after(&ada, &hello, "add bread");
        stream.until("turn.started").await;
        let alone = [("message", "MOCK:slow=300 add eggs"), ("wait", "false")];
        let unheard = ada.post("/api/v1/chat", &alone).await.ok();
        assert_eq!(app.server.terminate().code(), Some(0));
        let (begun, waits) = (begun.await.expect("an answer"), waits.await.expect("an answer"));
        assert_eq!((&begun["engine"], &begun["reply"]), (&json!("compatible"), &json!("Created task: milk")), "{begun}");
        assert_eq!((&waits["status"], &waits["reply"]), (&json!("queued"), &json!(null)), "{waits}");
        app.server = app.another();
        let ada = ada.at(&app.server);
        assert_eq!(done(&ada, &unheard).await["engine"], "compatible", "finished with nobody waiting for it");
        assert_eq!(done(&ada, &waits).await["reply"], "Created task: bread (#3)");
        assert_eq!(said(&ada, &hello).await[2..], ["add milk", "add bread", "Created task: milk", "Created task: bread (#3)"]);
        assert_eq!(ada.titles().await.len(), 3);
    }
}

#[tokio::test]
async fn queued_turn_moves_to_another_replica_within_its_lease() {
    let lease = [("DOCKET_LEASE_MS", "2000")];
    // It uses the rules only, so that a turn shows which of the two ran it.
    let Some(app) = TestApp::start_with(Db::Postgres, &lease).await else { return };
    let mock = Mock::start();
    mock.drip(300).await;
    let mut ends = mock.server(&app.database.url, &lease);
    let ada = app.user("ada");
    let there = ada.at(&ends);
    let mut stream = Stream::open(&ada, &[], None).await;
    let begun = there.post("/api/v1/chat", &[("message", "add milk"), ("wait", "false")]).await.ok();
    let waits = say_after(&there, &begun, "add bread");
    stream.until("turn.started").await;
    stream.until("turn.started").await;
    let ended = tokio::task::spawn_blocking(move || ends.terminate());
    let waits = waits.await.expect("an answer");
    assert_eq!(waits["status"], "queued", "{waits}");
    assert_eq!(done(&ada, &begun).await["engine"], "compatible");
    let free = Instant::now();
    assert_eq!(done(&ada, &waits).await["engine"], "rules");
    let took = free.elapsed();
    assert!(took <= Duration::from_secs(3), "{took:?}");
    assert_eq!(ended.await.expect("an end").code(), Some(0));
    assert_eq!(ada.titles().await.len(), 2);
}
