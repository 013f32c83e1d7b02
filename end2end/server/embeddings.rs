//! A provider's embedding model over a real socket: its requests, and recall without it.

use serde_json::{Value, json};

use crate::app::{Client, Db, TestApp, until};
use crate::mock::Mock;

const FACT: &str = "My sister Maya is allergic to peanuts.";

/// Starts a server with a conversation summarised by the fake's models; returns it with the user.
async fn remembering(db: Db, mock: &Mock) -> Option<(TestApp, Client)> {
    let mut app = TestApp::start(db).await?;
    let ada = app.user("ada");
    let turn = ada.say(FACT).await;
    for _ in 0..29 {
        ada.say_after(&turn, "hello").await;
    }
    mock.script(json!([{ "match": "<conversation>", "text": format!("- {FACT}") }])).await;
    app.server.terminate();
    let more = [
        ("DOCKET_EMBEDDING_MODEL", "mock-embed"),
        ("DOCKET_EMBEDDING_DIMENSIONS", "64"),
        ("DOCKET_RATE_LIMIT_PER_MINUTE", "0"),
    ];
    app.server = mock.server(&app.database.url, &more);
    let ada = ada.at(&app.server);
    until("a memory", || async { found(&ada, "Maya").await.then_some(()) }).await;
    Some((app, ada))
}

/// Returns true if the query finds the fact.
async fn found(ada: &Client, query: &str) -> bool {
    let found = ada.get("/api/v1/memories/search", &[("query", query)]).await.ok();
    found["memories"].as_array().expect("a list").iter().any(|memory| memory["text"] == FACT)
}

/// Returns the embedding requests with user data so far.
async fn embedded(mock: &Mock) -> Vec<Value> {
    let requests = mock.requests().await.into_iter().filter(|request| request["path"] == "/v1/embeddings");
    // The breaker's probe sends a fixed text.
    requests.filter(|request| request["body"]["input"] != json!(["hello"])).collect()
}

#[tokio::test]
async fn memories_and_messages_are_embedded_by_the_configured_model() {
    for db in [Db::Sqlite, Db::Postgres] {
        let mock = Mock::start();
        let Some((app, ada)) = remembering(db, &mock).await else { continue };
        let first = embedded(&mock).await.remove(0);
        assert_eq!(first["authorization"], "Bearer sk-test");
        assert_eq!(first["body"], json!({ "model": "mock-embed", "input": [FACT], "dimensions": 64 }));

        let question = "what must Maya not eat?";
        ada.say(question).await;
        let requests = mock.requests().await;
        let asked = |path: &str| requests.iter().rev().find(|request| request["path"] == path).unwrap();
        assert_eq!(asked("/v1/embeddings")["body"]["input"], json!([question]));
        assert!(asked("/v1/chat/completions")["body"]["messages"][0].to_string().contains(FACT));

        let browser = app.browser("ada").await;
        let told = "your messages and memories are also sent there, to the model mock-embed";
        assert!(browser.get("/settings", &[]).await.text.contains(told));
        // A user without the model sees no notice of it, and nothing is sent.
        browser.post("/api/v1/settings/model", &[("uses", "false")]).await.ok();
        assert!(!browser.get("/settings", &[]).await.text.contains("mock-embed"));
        let before = embedded(&mock).await.len();
        assert!(found(&ada, "Maya").await);
        ada.say("what must Maya not drink?").await;
        assert_eq!(embedded(&mock).await.len(), before);
    }
}

#[tokio::test]
async fn embedding_failures_use_word_search_and_open_the_breaker() {
    let mock = Mock::start();
    let (_app, ada) = remembering(Db::Sqlite, &mock).await.expect("SQLite is always there");
    let before = embedded(&mock).await.len();
    for fault in ["timeout", "garbage", "500"] {
        mock.fail_embeddings(fault).await;
        assert!(found(&ada, "Maya").await, "{fault}");
    }
    assert_eq!(embedded(&mock).await.len(), before + 3);
    let turn = ada.say("what is Maya allergic to").await;
    assert_eq!(turn["engine"], "compatible", "the other model is well: {turn}");
    let requests = mock.requests().await;
    let asked = requests.iter().rev().find(|request| request["path"] == "/v1/chat/completions").unwrap();
    assert!(asked["body"]["messages"][0].to_string().contains(FACT), "found by its words: {asked}");
    assert!(found(&ada, "Maya").await);
    assert_eq!(embedded(&mock).await.len(), before + 3, "three failures in a row were enough");
    mock.fail_embeddings("").await;
    until("another try", || async {
        assert!(found(&ada, "Maya").await);
        (embedded(&mock).await.len() > before + 3).then_some(())
    })
    .await;
}
