//! Request sequences of known protocol clients, each with a token from its settings.

use serde_json::{Value, json};

use super::{table, text};
use crate::app::{Client, Db, Reply, TestApp};

/// Returns a request of the protocol by its method.
fn body(row: &Value) -> Value {
    let method = text(row, "rpc");
    let protocol = row["protocol"].as_str().unwrap_or("2025-06-18");
    let params = match method {
        "initialize" => {
            json!({ "protocolVersion": protocol, "capabilities": {}, "clientInfo": { "name": "replay", "version": "1" } })
        }
        _ => json!({}),
    };
    let mut body = json!({ "jsonrpc": "2.0", "method": method, "params": params });
    if !method.starts_with("notifications/") {
        body["id"] = json!(1);
    }
    body
}

async fn ask(app: &TestApp, token: &str, row: &Value) -> Reply {
    let token = match &row["token"] {
        Value::Bool(true) => Some(token.to_owned()),
        Value::String(other) => Some(other.clone()),
        _ => None,
    };
    let client = Client { token, ..Client::anonymous(&app.server.base) };
    let mut request = client.request(text(row, "method"), text(row, "path"));
    for (header, field) in [("accept", "accept"), ("mcp-protocol-version", "protocol")] {
        if let Some(value) = row[field].as_str() {
            request = request.header(header, value);
        }
    }
    let request = if row["rpc"].is_string() { request.json(&body(row)) } else { request };
    Reply::of(request.send().await.expect("an answer")).await
}

#[tokio::test]
async fn known_clients_get_in_with_the_token_from_their_settings() {
    for db in [Db::Sqlite, Db::Postgres] {
        let Some(app) = TestApp::start(db).await else { continue };
        app.user("ada");
        let token = app.token("ada", "tasks:read,tasks:write").token.expect("a token");
        for client in table("discovery") {
            for row in client["requests"].as_array().expect("requests") {
                let reply = ask(&app, &token, row).await;
                let asked = format!("{}: {row}", text(&client, "client"));
                assert_eq!(
                    i64::from(reply.status),
                    row["status"].as_i64().expect("a status"),
                    "{asked}: {}",
                    reply.text
                );
                assert_eq!(reply.header("www-authenticate"), text(row, "challenge"), "{asked}");
                assert!(!reply.text.contains("resource_metadata") && !reply.text.contains("authorization_servers"));
                if text(row, "rpc") == "tools/list" && reply.status == 200 {
                    assert!(
                        reply.json()["result"]["tools"].as_array().is_some_and(|tools| tools.len() >= 6),
                        "{asked}"
                    );
                }
            }
        }
    }
}
