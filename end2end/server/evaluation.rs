//! `docket eval` uses the product: it and the running server decide rows identically (R-1003).

use serde_json::{Value, json};

use crate::app::{Client, Db, TestApp, complaint, docket, finish};
use crate::mock::Mock;

/// Time zone of every test user.
const ZONE: &str = "Europe/London";

/// Returns the rows of a file, with the current time in the `moment` fields.
fn rows(text: &str, moment: &[&str]) -> Vec<Value> {
    let now = jiff::Timestamp::now().to_string();
    let row = |line| {
        let mut row: Value = serde_json::from_str(line).expect("a row");
        moment.iter().for_each(|field| row[*field] = json!(now));
        row["tz"] = json!(ZONE);
        row
    };
    text.lines().map(row).collect()
}

/// Returns the predictions of `docket eval` for the rows, in order.
fn evaluated(app: &TestApp, rows: &[Value]) -> Vec<Value> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (file, out) = (folder.path().join("rows.jsonl"), folder.path().join("out.jsonl"));
    let lines: Vec<String> = rows.iter().map(Value::to_string).collect();
    std::fs::write(&file, lines.join("\n")).expect("rows are written");
    let path = |path: &std::path::Path| path.to_str().expect("a path is text").to_owned();
    app.command(&["eval", &path(&file), "--out", &path(&out), "--engine", "rules"], "");
    let predictions = std::fs::read_to_string(&out).expect("predictions are there");
    predictions.lines().map(|line| serde_json::from_str(line).expect("a prediction")).collect()
}

/// Creates a user with the list of a row.
async fn seeded(app: &TestApp, row: &Value) -> Client {
    let client = app.user(row["id"].as_str().expect("an id"));
    let seeds = row["seed_tasks"].as_array().expect("seeds");
    for task in seeds {
        let made = client.post("/api/v1/tasks/add", &[("title", task["title"].as_str().expect("a title"))]).await.ok();
        assert_eq!(made["task_id"], task["id"]);
    }
    // The evaluation completes all at one moment and sorts by number, so the first must be the newest here as well.
    for task in seeds.iter().rev().filter(|task| task["status"] == "completed") {
        client.post("/api/v1/tasks/complete", &[("task_id", &task["id"].to_string())]).await.ok();
    }
    client
}

/// Converts a turn to a prediction; tasks created during the turn have their numbers.
fn essence(turn: &Value) -> Value {
    let inline = turn["approval"]["decided_via"] == "inline";
    let calls = turn["tool_calls"].as_array().expect("calls").iter();
    let calls: Vec<Value> = calls
        .filter(|call| !(inline && call["status"] == "awaiting_approval"))
        .map(|call| {
            let confirm = call["status"] == "awaiting_approval";
            json!({ "tool": call["tool"], "args": call["arguments"], "confirm": confirm })
        })
        .collect();
    json!({ "decision": turn["decision"]["kind"], "calls": calls })
}

/// Converts a prediction, whose new tasks are `new1`, `new2`, … after `seeded` others.
fn predicted(prediction: &Value, seeded: usize) -> Value {
    let mut calls = prediction["calls"].clone();
    for call in calls.as_array_mut().expect("calls") {
        let made = call["args"]["task_id"].as_str().and_then(|name| name.strip_prefix("new")?.parse::<usize>().ok());
        if let Some(place) = made {
            call["args"]["task_id"] = json!(seeded + place);
        }
    }
    json!({ "decision": prediction["decision"], "calls": calls })
}

#[tokio::test]
async fn evaluation_and_http_decide_fifty_messages_identically() {
    let app = TestApp::start(Db::Sqlite).await.expect("SQLite is always there");
    let rows = rows(include_str!("evaluation/single_turn.jsonl"), &["now"]);
    assert_eq!(rows.len(), 50);
    for (row, prediction) in rows.iter().zip(evaluated(&app, &rows)) {
        let turn = seeded(&app, row).await.say(row["utterance"].as_str().expect("words")).await;
        assert_eq!(essence(&turn), predicted(&prediction, 0), "{row}");
    }
}

#[tokio::test]
async fn evaluation_and_http_decide_fifty_dialogues_identically() {
    let app = TestApp::start(Db::Sqlite).await.expect("SQLite is always there");
    let rows = rows(include_str!("evaluation/dialogues.jsonl"), &["now"]);
    assert_eq!(rows.len(), 50);
    for (row, prediction) in rows.iter().zip(evaluated(&app, &rows)) {
        let client = seeded(&app, row).await;
        let seeds = row["seed_tasks"].as_array().expect("seeds").len();
        let mut before: Option<Value> = None;
        let messages = row["turns"].as_array().expect("turns").iter();
        for (message, prediction) in messages.zip(prediction["turns"].as_array().expect("turns")) {
            let message = message["user"].as_str().expect("words");
            let turn = match &before {
                Some(before) => client.say_after(before, message).await,
                None => client.say(message).await,
            };
            assert_eq!(essence(&turn), predicted(prediction, seeds), "{message} in {row}");
            before = Some(turn);
        }
    }
}

#[tokio::test]
async fn evaluation_and_http_parse_fifty_dates_identically() {
    let app = TestApp::start(Db::Sqlite).await.expect("SQLite is always there");
    let client = app.user("ada");
    let rows = rows(include_str!("evaluation/dates.jsonl"), &["reference"]);
    assert_eq!(rows.len(), 50);
    for (row, prediction) in rows.iter().zip(evaluated(&app, &rows)) {
        let phrase = row["phrase"].as_str().expect("a phrase");
        // A recurrence is a separate field.
        let field = if prediction["rrule"].is_string() { "recurrence" } else { "due" };
        let task = client.post("/api/v1/tasks/add", &[("title", "something"), (field, phrase)]).await.ok();
        assert_eq!(task["due"], prediction["value"], "{phrase}");
    }
}

#[tokio::test]
async fn engines_are_compared_in_a_table() {
    let mock = Mock::start();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a path is text").to_owned();
    let row = |id: &str, utterance: &str| json!({ "id": id, "utterance": utterance, "now": "2026-03-02T09:00:00Z", "tz": ZONE, "seed_tasks": [] });
    let rows = [row("1", "add buy milk"), row("2", "MOCK:delay=300 hello")].map(|row| row.to_string());
    std::fs::write(path("rows.jsonl"), rows.join("\n")).expect("rows are written");
    // A shell script replaces the Python scorer, so that the test needs no Python.
    std::os::unix::fs::symlink("/bin/sh", path("python3")).expect("a link");
    let figures = r#"{"single_turn":{"clear_request_success":{"rate":0.5},"wrong_mutations":1}}"#;
    std::fs::write(path("score.py"), format!("echo '{figures}' > $4")).expect("a scorer");
    let compared = |engines: &str, more: &[(&str, &str)]| {
        let arguments = ["eval", &path("rows.jsonl"), "--out", &path("out.jsonl"), "--engine", engines];
        let mut command = docket("sqlite::memory:", &arguments);
        command.envs(mock.environment(more)).env("PATH", folder.path());
        let output = finish(command, "");
        assert!(output.status.success(), "{}", complaint(&output));
        let text = String::from_utf8(output.stdout).expect("output is UTF-8");
        let cells =
            |line: &str| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect();
        let table: Vec<Vec<String>> = text.lines().map(cells).collect();
        (table, text)
    };
    let (table, text) = compared("configured", &[]);
    assert_eq!(mock.requests().await.len(), 3, "two for the addition, one for the greeting");
    let [head, row] = &table[..] else { panic!("{text}") };
    assert_eq!(head[..6], ["engine", "model", "turns", "by rules", "success", "wrong mutations"]);
    assert_eq!(head[6..], ["tokens in", "tokens out", "cost", "p50", "p95"]);
    assert_eq!(row[..6], ["compatible", "mock-1", "2", "0", "50.0 %", "1"]);
    let number = |cell: &str| cell.trim_end_matches(" ms").parse::<u64>().expect("a number");
    let (tokens_in, tokens_out) = (number(&row[6]), number(&row[7]));
    assert!(tokens_in > 100 * tokens_out && tokens_out > 0, "{text}");
    assert!(row[8] == "–" && row[9].ends_with(" ms") && number(&row[9]) <= number(&row[10]), "{text}");
    assert!(number(&row[10]) >= 300, "the slower one: {text}");
    let (table, text) = compared("rules,configured", &[("DOCKET_PRICE_INPUT", "100"), ("DOCKET_PRICE_OUTPUT", "200")]);
    let engines: Vec<&str> = table[1..].iter().map(|row| row[0].as_str()).collect();
    assert_eq!(engines, ["rules", "compatible"], "{text}");
    for name in ["out.rules.jsonl", "out.configured.jsonl"] {
        let predictions = std::fs::read_to_string(path(name)).expect("each engine's predictions");
        assert_eq!(predictions.lines().count(), 2, "{name}");
    }
    let cost = tokens_in * 100 + tokens_out * 200;
    assert_eq!(table[2][8], format!("{}.{:06}", cost / 1_000_000, cost % 1_000_000), "{text}");
    mock.fail("401").await;
    let (table, text) = compared("configured", &[]);
    assert_eq!(table[1][..4], ["compatible", "mock-1", "2", "2"], "what the rules did is not the model's: {text}");
}
