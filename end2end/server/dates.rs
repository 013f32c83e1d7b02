//! Dates and recurrences as people write them: tables of `end2end/field`, through quick add, the chat, the API and `/mcp`.

use serde_json::{Value, json};

use crate::app::{Client, TestApp};
use crate::database::Db;

/// A Wednesday morning in London, in winter time.
const NOW: &str = "2026-03-11T09:30:00.000Z";

/// Returns the rows of a table.
fn table(name: &str) -> Vec<Value> {
    let path = format!("{}/end2end/field/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn text<'a>(row: &'a Value, field: &str) -> &'a str {
    row[field].as_str().unwrap_or_default()
}

/// Starts a server whose clock begins at [`NOW`].
async fn app() -> TestApp {
    let clocks = [("DOCKET_CLOCK", NOW), ("DOCKET_DATABASE_CLOCK", NOW), ("DOCKET_RATE_LIMIT_PER_MINUTE", "0")];
    TestApp::start_with(Db::Sqlite, &clocks).await.expect("SQLite is always there")
}

/// Compares a task with its row. A row without a phrase may have any due date if it names none and has lost its phrase.
#[track_caller]
fn check(task: &Value, row: &Value, door: &str) {
    let line = text(row, "line");
    assert_eq!(task["title"], row["title"], "{door}: {line}");
    assert_eq!(task["recurrence"], row["rule"], "{door}: {line}");
    let unread = row["title"] == row["line"];
    if row["due"].is_string() || unread {
        assert_eq!(task["due"], row["due"], "{door}: {line}");
    }
}

async fn newest(client: &Client) -> Value {
    client.tasks().await.into_iter().max_by_key(|task| task["task_id"].as_i64()).expect("a task")
}

#[tokio::test]
async fn quick_add_reads_a_phrase_whole_or_leaves_it() {
    let app = app().await;
    let ada = app.user("ada");
    for row in table("dates").iter().chain(&table("repetitions")).filter(|row| row["only"].is_null()) {
        let task = ada.post("/api/v1/tasks/add", &[("text", text(row, "line"))]).await.ok();
        check(&task, row, "quick add");
        for field in ["project", "tags"].into_iter().filter(|field| !row[*field].is_null()) {
            assert_eq!(task[field], row[field], "{task}");
        }
    }
}

#[tokio::test]
async fn chat_reads_a_phrase_whole_or_leaves_it() {
    let app = app().await;
    let ada = app.user("ada");
    let rows = table("dates").into_iter().chain(table("repetitions"));
    for row in rows.filter(|row| row["phrase"].is_string() && row["only"].is_null()) {
        ada.say(&format!("add {}", text(&row, "line"))).await;
        check(&newest(&ada).await, &row, "chat");
    }
}

#[tokio::test]
async fn api_and_tool_fields_parse_the_same_phrases() {
    let app = app().await;
    let ada = app.user("ada");
    let agent = app.token("ada", "tasks:read,tasks:write");
    let rows: Vec<Value> = table("dates").into_iter().chain(table("repetitions")).collect();
    for row in rows.iter().filter(|row| row["phrase"].is_string()) {
        let field = if row["rule"].is_string() { "recurrence" } else { "due" };
        let (title, phrase) = (text(row, "title"), text(row, "phrase"));
        let task = ada.post("/api/v1/tasks/add", &[("title", title), (field, phrase)]).await.ok();
        check(&task, row, "API");
        let added = agent.tool("add_task", json!({ "title": title, field: phrase })).await;
        assert_eq!(added["status"], "created", "{phrase}: {added}");
        check(&newest(&ada).await, row, "MCP");
    }
}

#[tokio::test]
async fn several_times_a_day_are_refused_in_words() {
    let app = app().await;
    let ada = app.user("ada");
    let agent = app.token("ada", "tasks:read,tasks:write");
    for row in table("repetitions").iter().filter(|row| row["refused"].is_string()) {
        let phrase = text(row, "refused");
        let refused = ada.post("/api/v1/tasks/add", &[("title", "pill"), ("recurrence", phrase)]).await;
        assert!(refused.status == 422 && refused.text.contains("several times a day"), "{phrase}: {}", refused.text);
        let refused = agent.tool("add_task", json!({ "title": "pill", "recurrence": phrase })).await;
        assert!(refused["message"].as_str().is_some_and(|text| text.contains("several times a day")), "{refused}");
    }
}

#[tokio::test]
async fn recurrence_in_the_due_field_is_refused_with_a_hint() {
    let app = app().await;
    let ada = app.user("ada");
    let agent = app.token("ada", "tasks:read,tasks:write");
    for phrase in ["every monday", "daily at 9", "weekdays", "every 1st and 15th", "alternate wednesdays"] {
        let refused = ada.post("/api/v1/tasks/add", &[("title", "gym"), ("due", phrase)]).await;
        assert!(refused.status == 422 && refused.text.contains("recurrence"), "{phrase}: {}", refused.text);
        let refused = agent.tool("add_task", json!({ "title": "gym", "due": phrase })).await;
        assert!(refused["message"].as_str().is_some_and(|text| text.contains("recurrence")), "{refused}");
    }
    assert_eq!(ada.titles().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_time_alone_keeps_the_day_of_the_task() {
    let app = app().await;
    let ada = app.user("ada");
    ada.post("/api/v1/tasks/add", &[("title", "knit gloves"), ("due", "2026-03-16T16:00")]).await.ok();
    for (message, due) in [
        ("move knit gloves to 3-4pm", "2026-03-16T15:00:00+00:00"),
        ("move knit gloves to lunchtime", "2026-03-16T12:00:00+00:00"),
        ("move knit gloves to 5pm sharp", "2026-03-16T17:00:00+00:00"),
        ("move knit gloves to between 3 and 4pm", "2026-03-16T15:00:00+00:00"),
        ("move knit gloves to 6 in the evening", "2026-03-16T18:00:00+00:00"),
        ("remove the time from knit gloves", "2026-03-16"),
    ] {
        ada.say(message).await;
        assert_eq!(newest(&ada).await["due"], due, "{message}");
    }
}
