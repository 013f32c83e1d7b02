//! Contract tests of the seven tools: listing, accepted arguments and canonical form.

use serde_json::{Value, json};

use super::arguments::Moment;
use super::registry::{Registry, TOOLS};
use super::update_task;
use crate::domain::time::Timestamp;
use crate::domain::tool::{self, Risk, ToolName};

fn moment() -> Moment {
    Moment { now: Timestamp::parse("2026-03-11T09:30:00Z").unwrap(), zone: "Europe/London".into() }
}

#[track_caller]
fn canonical(tool: ToolName, given: Value, expected: Value) {
    let operation = Registry::default().prepare(tool, given, &moment()).unwrap();
    assert_eq!(operation.arguments(), &expected);
}

#[track_caller]
fn refused(tool: ToolName, given: Value, because: &str) {
    let Err(error) = Registry::default().prepare(tool, given.clone(), &moment()) else {
        panic!("{given} was accepted")
    };
    assert!(error.to_string().contains(because), "{error}");
}

#[test]
fn the_table_has_every_tool_once_sorted_by_name() {
    assert_eq!(TOOLS.map(|tool| tool.name), ToolName::ALL);
    assert!(TOOLS.is_sorted_by_key(|tool| tool.name.as_str()));
}

#[test]
fn no_schema_knows_a_user_and_every_field_is_described() {
    for tool in &TOOLS {
        let schema = (tool.input)();
        assert_eq!(schema["additionalProperties"], json!(false), "{}", tool.name);
        for (field, described) in schema["properties"].as_object().unwrap() {
            assert!(!field.contains("user"), "{}: {field}", tool.name);
            assert!(described["description"].is_string(), "{}: {field} has no description", tool.name);
        }
    }
}

#[test]
fn hints_agree_with_the_risk() {
    for tool in &TOOLS {
        assert_eq!(tool.hints.read_only, tool.name.reads(), "{}", tool.name);
        assert_eq!(tool.hints.destructive, tool.risk == Risk::High, "{}", tool.name);
        assert!(!tool.hints.open_world);
    }
}

#[test]
fn phrases_are_recorded_as_what_they_meant() {
    canonical(
        ToolName::AddTask,
        json!({ "title": " buy milk ", "due": "tomorrow 5pm", "priority": "p1", "tags": ["@home"], "project": "#Errands" }),
        json!({
            "title": "buy milk", "due": "2026-03-12T17:00:00+00:00", "priority": "high", "tags": ["home"],
            "project": "Errands",
        }),
    );
    canonical(
        ToolName::UpdateTask,
        json!({ "task_id": 3, "due": "friday" }),
        json!({ "task_id": 3, "due": "2026-03-13" }),
    );
}

#[test]
fn a_repetition_without_a_date_begins_at_its_first_day() {
    canonical(
        ToolName::AddTask,
        json!({ "title": "bins out", "recurrence": "every monday" }),
        json!({ "title": "bins out", "due": "2026-03-16", "recurrence": "FREQ=WEEKLY;BYDAY=MO" }),
    );
}

#[test]
fn a_lone_description_is_the_title() {
    for given in [json!({ "description": "buy milk" }), json!({ "title": null, "description": "buy milk" })] {
        canonical(ToolName::AddTask, given, json!({ "title": "buy milk" }));
    }
}

#[test]
fn only_clear_takes_a_value_away() {
    let update = |given: Value, expected: Value| canonical(ToolName::UpdateTask, given, expected);
    update(json!({ "task_id": 3, "clear": ["due"] }), json!({ "task_id": 3, "clear": ["due"] }));
    update(
        json!({ "task_id": 3, "clear": ["recurrence", "notes", "project", "due", "description"] }),
        json!({ "task_id": 3, "clear": ["description", "due", "project", "recurrence"] }),
    );
    // Priority has an explicit value for "none".
    update(
        json!({ "task_id": 3, "clear": ["tags", "priority"] }),
        json!({ "task_id": 3, "clear": ["tags"], "priority": "none" }),
    );
    update(json!({ "task_id": 3, "clear": "due" }), json!({ "task_id": 3, "clear": ["due"] }));
    update(json!({ "task_id": 3, "title": "x", "clear": [] }), json!({ "task_id": 3, "title": "x" }));
    update(json!({ "task_id": 3, "due": null, "clear": ["due"] }), json!({ "task_id": 3, "clear": ["due"] }));
    let items = &(update_task::TOOL.input)()["properties"]["clear"]["items"];
    let fields = ["description", "notes", "due", "priority", "project", "tags", "recurrence"];
    assert_eq!((&items["type"], &items["enum"]), (&json!("string"), &json!(fields)), "as every provider takes it");
    for field in ["title", "status", "task_id", "user_id", "everything"] {
        refused(ToolName::UpdateTask, json!({ "task_id": 3, "clear": [field] }), "clear");
    }
    refused(ToolName::UpdateTask, json!({ "task_id": 3, "due": "friday", "clear": ["due"] }), "set and cleared");
    refused(ToolName::UpdateTask, json!({ "task_id": 3, "tags": ["a"], "clear": ["tags"] }), "set and cleared");
    refused(ToolName::UpdateTask, json!({ "task_id": 3, "tags": [] }), "at least one field");
    update(json!({ "task_id": 3, "tags": [], "clear": ["tags"] }), json!({ "task_id": 3, "clear": ["tags"] }));
    refused(
        ToolName::UpdateTask,
        json!({ "task_id": 3, "clear": ["x"] }),
        "description, notes, due, priority, project, tags or recurrence",
    );
}

#[test]
fn canonical_arguments_are_their_own_canonical_form() {
    for (tool, given) in [
        (ToolName::UpdateTask, json!({ "task_id": 3, "clear": ["due", "tags", "notes", "priority"], "title": "x" })),
        (ToolName::UpdateTask, json!({ "task_ids": ["3", 5.0], "recurrence": "every monday", "status": "pending" })),
        (ToolName::AddTask, json!({ "title": "milk", "due": "tomorrow 5pm", "tags": "home" })),
        (ToolName::ListTasks, json!({ "limit": "20", "due": "today", "query": "" })),
    ] {
        let once = Registry::default().prepare(tool, given, &moment()).unwrap().arguments().clone();
        canonical(tool, once.clone(), once);
    }
}

#[test]
fn calls_of_the_first_schema_keep_their_meaning() {
    for (stored, now) in [
        (json!({ "task_id": 3, "due": null }), json!({ "task_id": 3, "clear": ["due"] })),
        (
            json!({ "task_ids": [3, 4], "recurrence": null, "description": null, "title": "x" }),
            json!({ "task_ids": [3, 4], "clear": ["description", "recurrence"], "title": "x" }),
        ),
        (json!({ "task_id": 3, "project": null }), json!({ "task_id": 3, "clear": ["project"] })),
        (
            json!({ "task_id": 3, "tags": null, "priority": null }),
            json!({ "task_id": 3, "clear": ["tags"], "priority": "none" }),
        ),
        (json!({ "task_id": 3, "due": "2026-03-13" }), json!({ "task_id": 3, "due": "2026-03-13" })),
    ] {
        for name in [ToolName::UpdateTask.as_str(), ToolName::UpdateTask.alias()] {
            let mut upgraded = stored.clone();
            tool::upgrade(name, 0, &mut upgraded);
            assert_eq!(upgraded, now);
            canonical(ToolName::UpdateTask, upgraded, now.clone());
        }
        let mut cleared = json!({ "task_id": 3, "tags": [], "clear": ["due"] });
        tool::upgrade("update_task", 1, &mut cleared);
        assert_eq!(cleared, json!({ "task_id": 3, "clear": ["due", "tags"] }));
        let mut same = stored.clone();
        tool::upgrade("update_task", tool::SCHEMA, &mut same);
        assert_eq!(same, stored);
    }
}

#[test]
fn several_targets_are_named_once_each() {
    canonical(ToolName::DeleteTask, json!({ "task_ids": [3, 3, 5] }), json!({ "task_ids": [3, 5] }));
    canonical(ToolName::CompleteTask, json!({ "task_ids": [3] }), json!({ "task_id": 3 }));
    refused(ToolName::DeleteTask, json!({ "task_id": 1, "task_ids": [2] }), "either task_id or task_ids");
    refused(ToolName::DeleteTask, json!({}), "either task_id or task_ids");
    refused(ToolName::DeleteTask, json!({ "task_ids": [] }), "task_ids");
    refused(ToolName::UpdateTask, json!({ "task_id": 3, "due": "17:00" }), "has no day");
    let many: Vec<i64> = (1..=1_000).collect();
    refused(
        ToolName::UpdateTask,
        json!({ "task_ids": many, "description": "x".repeat(300) }),
        "too long for 1000 tasks",
    );
}

#[test]
fn whose_tasks_they_are_is_never_an_argument() {
    for tool in ToolName::ALL {
        refused(tool, json!({ "user_id": "someone" }), "user_id is not an argument");
    }
}

#[test]
fn schema_violation_is_refused_with_its_field() {
    refused(ToolName::GetTask, json!({ "task_id": "three" }), "task_id");
    refused(ToolName::GetTask, json!({ "task_id": 0 }), "task_id");
    refused(ToolName::AddTask, json!({ "title": " " }), "needs a title");
    refused(ToolName::AddTask, json!({ "title": "x".repeat(201) }), "title");
    refused(ToolName::AddTask, json!({ "title": "milk", "colour": "red" }), "colour");
    refused(ToolName::AddTask, json!({ "title": "milk", "due": "the day of days" }), "is not a supported date");
    refused(ToolName::ListTasks, json!({ "limit": 1001 }), "limit");
    refused(ToolName::ListTasks, json!({ "due": "sometime" }), "sometime");
}

#[test]
fn an_alias_is_accepted_and_not_listed() {
    for tool in ToolName::ALL {
        assert_eq!(ToolName::parse(tool.alias()), Some(tool));
        assert!(TOOLS.iter().all(|listed| listed.name.as_str() != tool.alias()));
    }
    assert_eq!(ToolName::parse("launch_rocket"), None);
}
