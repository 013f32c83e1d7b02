//! Tables of `end2end/field`: real input of programs, models and chats, through every interface that accepts it.

use serde_json::{Value, json};

use crate::app::Client;

mod arguments;
/// Request sequences of protocol clients.
mod discovery;
/// Lines of `docket mcp`.
mod lines;
/// Replies of models and streams of providers.
mod providers;
mod telegram;

fn table(name: &str) -> Vec<Value> {
    let path = format!("{}/end2end/field/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let rows: Vec<Value> = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
    assert!(rows.len() >= 5, "{path} has fewer than five rows");
    rows
}

/// Returns a text of a row; empty if it has none.
fn text<'a>(row: &'a Value, field: &str) -> &'a str {
    row[field].as_str().unwrap_or_default()
}

/// Replaces texts of the value by `replace`, recursively.
fn filled(value: &Value, replace: &dyn Fn(&str) -> Option<Value>) -> Value {
    match value {
        Value::String(text) => replace(text).unwrap_or_else(|| value.clone()),
        Value::Array(items) => items.iter().map(|item| filled(item, replace)).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, field)| (name.clone(), filled(field, replace)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}

/// Replaces `$title` in the value by `word`.
fn titled(value: &Value, word: &str) -> Value {
    filled(value, &|text| text.contains("$title").then(|| json!(text.replace("$title", word))))
}

/// Returns the user's task with that number.
async fn task(client: &Client, number: i64) -> Value {
    client.get("/api/v1/tasks/get", &[("task_id", &number.to_string())]).await.ok()["task"].clone()
}

/// Asserts that the task has all expected fields.
#[track_caller]
fn holds(task: &Value, expected: &Value, why: &str) {
    for (field, value) in expected.as_object().into_iter().flatten() {
        assert_eq!(&task[field], value, "{why}: {field} of {task}");
    }
}
