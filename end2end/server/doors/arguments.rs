//! Arguments as models and programs write them: over `/mcp`, as calls of a model in a chat, and in forms of the API.

use serde_json::{Value, json};

use super::{filled, holds, table, task, text};
use crate::app::{Client, Db, TestApp};
use crate::mock::Mock;

/// Creates a task with a value in each field.
async fn whole_task(ada: &Client) -> i64 {
    let fields = [
        ("title", "milk"),
        ("description", "semi-skimmed"),
        ("due", "2027-03-12"),
        ("priority", "high"),
        ("project", "Errands"),
        ("tags", "shop"),
    ];
    ada.post("/api/v1/tasks/add", &fields).await.ok()["task_id"].as_i64().expect("a number")
}

/// Fills a row's placeholders with the task's number.
fn about(value: &Value, number: i64) -> Value {
    filled(value, &|text| {
        Some(match text {
            "$int" => json!(number),
            "$float" => serde_json::from_str(&format!("{number}.0")).expect("a number"),
            "$text" => json!(number.to_string()),
            "$textfloat" => json!(format!("{number}.0")),
            "$hash" => json!(format!("#{number}")),
            "$listtext" => json!(format!("[\"{number}\"]")),
            _ => return None,
        })
    })
}

async fn check(ada: &Client, row: &Value, number: i64, result: &Value) {
    let why = text(row, "why");
    match row["error"].as_str() {
        Some(part) => {
            assert_eq!(result["error"], "invalid", "{why}: {result}");
            assert!(text(result, "message").contains(part), "{why}: {result}");
        }
        None => assert!(result["error"].is_null(), "{why}: {result}"),
    }
    holds(&task(ada, number).await, &row["task"], why);
    if row["added"].is_object() {
        holds(result, &row["added"], why);
    }
}

#[tokio::test]
async fn arguments_of_outside_agents_mean_what_they_say() {
    for db in [Db::Sqlite, Db::Postgres] {
        let Some(app) = TestApp::start(db).await else { continue };
        let ada = app.user("ada");
        let agent = app.token("ada", "tasks:read,tasks:write,tasks:delete");
        for row in table("arguments") {
            let number = whole_task(&ada).await;
            let result = agent.tool(text(&row, "tool"), about(&row["arguments"], number)).await;
            check(&ada, &row, number, &result).await;
        }
    }
}

#[tokio::test]
async fn arguments_of_models_mean_what_they_say() {
    let mock = Mock::start();
    let app = mock.sqlite(&[("DOCKET_LLM_TIMEOUT_MS", "20000")]).await;
    let ada = app.user("ada");
    for (place, row) in table("arguments").iter().enumerate() {
        let number = whole_task(&ada).await;
        let message = format!("do case {place} now");
        let call = json!({ "name": row["tool"], "arguments": about(&row["arguments"], number) });
        mock.script(json!([
            { "match": message, "round": 0, "tool_calls": [call] },
            { "match": message, "round": 1, "text": "That is it." },
        ]))
        .await;
        let turn = ada.say(&message).await;
        let called = &turn["tool_calls"][0];
        let result = if called["error"].is_object() { &called["error"] } else { &called["result"] };
        check(&ada, row, number, result).await;
    }
}

#[tokio::test]
async fn what_is_recorded_is_what_is_carried_out() {
    let app = TestApp::start(Db::Sqlite).await.expect("SQLite is always there");
    let ada = app.user("ada");
    let agent = app.token("ada", "tasks:read,tasks:write,tasks:delete");
    let number = whole_task(&ada).await;
    let arguments =
        json!({ "task_id": format!("{number}.0"), "title": "oat milk", "due": null, "clear": ["notes"], "tags": "" });
    let asked = agent.tool("update_task", arguments.clone()).await;
    assert_eq!(asked["error"], "needs_approval", "{asked}");
    let approvals = ada.get("/api/v1/approvals/list", &[("status", "pending")]).await.ok();
    let canonical = json!({ "task_id": number, "title": "oat milk", "clear": ["description"] });
    assert_eq!(approvals[0]["calls"], json!([{ "tool": "update_task", "arguments": canonical }]));
    // Another form of the call creates no new approval.
    let again = json!({ "task_id": about(&json!("$float"), number), "title": "oat milk", "clear": ["description"], "project": null });
    assert_eq!(agent.tool("update_task", again).await["error"], "needs_approval");
    let approvals = ada.get("/api/v1/approvals/list", &[("status", "pending")]).await.ok();
    assert_eq!(approvals.as_array().map(Vec::len), Some(1), "{approvals}");
    let id = text(&approvals[0], "approval_id").to_owned();
    ada.post("/api/v1/approvals/decide", &[("approval_id", &id), ("verdict", "approve")]).await.ok();
    let done = agent.tool("update_task", arguments).await;
    assert_eq!((&done["after"]["title"], &done["after"]["description"]), (&json!("oat milk"), &Value::Null), "{done}");
    let expected = json!({ "title": "oat milk", "description": null, "due": "2027-03-12", "tags": ["shop"], "project": "Errands" });
    holds(&task(&ada, number).await, &expected, "carried out");
}

#[tokio::test]
async fn forms_of_the_api_mean_what_they_say() {
    for db in [Db::Sqlite, Db::Postgres] {
        let Some(app) = TestApp::start(db).await else { continue };
        let ada = app.user("ada");
        for row in table("arguments-api") {
            let number = whole_task(&ada).await;
            let fields: Vec<(String, String)> =
                serde_json::from_value(about(&row["fields"], number)).expect("pairs of texts");
            let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            let reply = ada.post(&format!("/api/v1/tasks/{}", text(&row, "path")), &fields).await;
            let why = text(&row, "why");
            assert_eq!(i64::from(reply.status), row["status"].as_i64().unwrap_or(200), "{why}: {}", reply.text);
            let message = reply.json()["error"]["message"].as_str().unwrap_or_default().to_lowercase();
            assert!(message.contains(text(&row, "error")), "{why}: {}", reply.text);
            holds(&task(&ada, number).await, &row["task"], why);
        }
    }
}
