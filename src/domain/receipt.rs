//! Tool calls as text, generated from calls and results, never from what a model says.

use serde_json::Value;

use super::decision::Engine;
use super::id::TaskNumber;
use super::proposal::{self, Dates, fields_of};
use super::task::{Status, Task};
use super::task_line::TaskLine;
use super::time::Timestamp;
use super::tool::{CallStatus, ErrorCode, ToolName};
use super::turn::{Effect, ToolCall, Turn};
use crate::messages::{receipts as messages, tasks as task_messages};

/// Returns a line per change and unresolved failure of a model that its reply does not report in code's own wording.
pub fn unsaid(turn: &Turn, now: &Timestamp, zone: &str) -> Vec<String> {
    if turn.engine.is_none_or(|engine| matches!(engine, Engine::Rules | Engine::External)) {
        return vec![];
    }
    let reply = turn.reply.as_deref().unwrap_or_default();
    let calls = turn.tool_calls.iter().enumerate();
    let lines = calls.filter_map(|(at, call)| match call.status {
        CallStatus::Ok if call.writes() => done(call, reply, now, zone),
        // Invalid calls concern only the model and the tools.
        CallStatus::Error if !call.error.as_ref().is_some_and(|error| matches!(error.error, ErrorCode::Invalid)) => {
            let made_up = turn.tool_calls[at..].iter().any(|call| call.writes() && call.status == CallStatus::Ok);
            failed(call, reply).filter(|_| !made_up)
        }
        _ => None,
    });
    lines.collect()
}

fn done(call: &ToolCall, reply: &str, now: &Timestamp, zone: &str) -> Option<String> {
    let (tool, results) = (ToolName::parse(&call.tool)?, results(call));
    let own = |title: &str| reply.contains(&format!("{}{title}", by_code(tool)));
    if results.iter().filter_map(title).all(own) {
        return None;
    }
    let undone = if call.effect == Effect::Undone { messages::UNDONE } else { "" };
    let (number, details) = match results.as_slice() {
        [one] => (number(one), changes(one, now, zone)),
        _ => (None, vec![]),
    };
    let verb = verb(Some(tool), call.status, reopened(&results));
    Some(messages::line(
        &format!("{undone}{verb} {}", named(Some(tool), &results, now, zone)),
        number.map(|number| number.0),
        &details,
    ))
}

/// Returns the beginning of the line in which code reports a change.
pub fn by_code(tool: ToolName) -> &'static str {
    match tool {
        ToolName::AddTask => messages::CREATED_TASK,
        ToolName::CompleteTask => messages::COMPLETED_TASK,
        ToolName::DeleteTask => messages::DELETED_TASK,
        ToolName::UpdateTask => messages::UPDATED_TASK,
        ToolName::Undo => messages::UNDONE_FOR_TASK,
        ToolName::GetTask | ToolName::ListTasks => "",
    }
}

/// Returns the tasks of a result.
pub fn tasks(value: &Value) -> &[Value] {
    let many = value["tasks"].as_array().or_else(|| value["undone"].as_array());
    many.map_or(std::slice::from_ref(value), Vec::as_slice)
}

/// Returns the lines in which code reports a change.
pub fn changed_lines(tool: ToolName, value: &Value) -> Vec<String> {
    let said = by_code(tool);
    let done = tasks(value).iter().map(|one| format!("{said}{} (#{})", title(one).unwrap_or_default(), one["task_id"]));
    let left = value["left"].as_array().into_iter().flatten().filter_map(|left| left["why"].as_str());
    done.chain(left.map(str::to_owned)).collect()
}

/// Returns the tasks of a read, one per line.
pub fn listed(value: &Value) -> String {
    let tasks = tasks(value);
    if tasks.is_empty() {
        return "You have no such tasks.".to_owned();
    }
    let line = |task: &Value| {
        let mark = if task["status"] == "completed" { "x" } else { " " };
        let due = task["due"].as_str().map(|due| format!(", due {due}")).unwrap_or_default();
        format!("#{} [{mark}] {}{due}", task["task_id"], task["title"].as_str().unwrap_or_default())
    };
    tasks.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns the lines in which code reports a call in a reply: its changes, the tasks that it read, or its error.
pub fn lines_by_code(call: &ToolCall) -> Vec<String> {
    let all = match (ToolName::parse(&call.tool), &call.result, &call.error) {
        (Some(tool), Some(value), _) if tool.reads() => vec![listed(value)],
        (Some(tool), Some(value), _) => changed_lines(tool, value),
        (_, _, Some(error)) => vec![error.message.clone()],
        _ => vec![],
    };
    all.iter().flat_map(|text| text.lines()).map(str::to_owned).collect()
}

fn failed(call: &ToolCall, reply: &str) -> Option<String> {
    let tool = ToolName::parse(&call.tool);
    let why = call.error.as_ref().map(|error| error.message.clone()).unwrap_or_default();
    let reads = tool.is_some_and(ToolName::reads);
    (!reads && !reply.contains(&why)).then(|| format!("{} {why}", verb(tool, call.status, false)))
}

/// Returns the fields that a change made different: `due: today → Friday`.
pub fn changes(result: &Value, now: &Timestamp, zone: &str) -> Vec<String> {
    let Some((before, after)) = both(result) else { return vec![] };
    let dates = Dates { zone, now: Some(now) };
    let found = proposal::differences(Some(&fields_of(&before)), Some(&fields_of(&after)), &dates);
    let shown = |value: Option<String>| {
        value.map_or_else(|| task_messages::NOTHING.to_owned(), |value| proposal::isolated(&value).into_owned())
    };
    found.into_iter().map(|it| format!("{}: {} → {}", it.field, shown(it.before), shown(it.after))).collect()
}

/// Returns the tasks that a call changed, asks about or showed alone.
pub fn numbers(call: &ToolCall) -> Vec<TaskNumber> {
    let of_results: Vec<_> = results(call).iter().filter_map(number).collect();
    let several = call.arguments["task_ids"].as_array().into_iter().flatten().filter_map(Value::as_i64).map(TaskNumber);
    if of_results.is_empty() { number(&call.arguments).into_iter().chain(several).collect() } else { of_results }
}

pub fn verb(tool: Option<ToolName>, status: CallStatus, reopened: bool) -> &'static str {
    let Some(tool) = tool else { return messages::UNKNOWN_TOOL };
    match status {
        CallStatus::Ok => match tool {
            ToolName::AddTask => messages::ADDED,
            ToolName::CompleteTask => messages::COMPLETED,
            ToolName::DeleteTask => messages::MOVED_TO_THE_BIN,
            ToolName::UpdateTask if reopened => messages::REOPENED,
            ToolName::UpdateTask => messages::CHANGED,
            ToolName::Undo => messages::UNDID,
            ToolName::ListTasks | ToolName::GetTask => messages::READ,
        },
        CallStatus::Error => match tool {
            ToolName::AddTask => messages::COULD_NOT_ADD,
            ToolName::CompleteTask => messages::COULD_NOT_COMPLETE,
            ToolName::DeleteTask => messages::COULD_NOT_DELETE,
            ToolName::UpdateTask => messages::COULD_NOT_CHANGE,
            ToolName::Undo => messages::COULD_NOT_UNDO,
            ToolName::ListTasks | ToolName::GetTask => messages::COULD_NOT_READ,
        },
        CallStatus::AwaitingApproval => messages::WAITING_FOR_YOUR_YES,
        CallStatus::Rejected => messages::NOT_DONE_YOU_DECLINED,
        CallStatus::Expired => messages::NOT_DONE_EXPIRED,
        CallStatus::Void => messages::NOT_DONE_CHANGED,
        CallStatus::Skipped => messages::NOT_DONE_SKIPPED,
        CallStatus::Stopped => messages::NOT_DONE_STOPPED,
    }
}

/// Returns the results of a call about one task or several.
pub fn results(call: &ToolCall) -> Vec<Value> {
    match &call.result {
        Some(Value::Array(results)) => results.clone(),
        Some(Value::Object(fields)) => match ["results", "tasks", "undone"].iter().find_map(|name| fields.get(*name)) {
            Some(Value::Array(results)) => results.clone(),
            _ => vec![Value::Object(fields.clone())],
        },
        _ => vec![],
    }
}

pub fn number(value: &Value) -> Option<TaskNumber> {
    value.get("task_id").and_then(Value::as_i64).map(TaskNumber)
}

pub fn title(value: &Value) -> Option<&str> {
    let whole = value.get("title").or_else(|| value.get("after").and_then(|after| after.get("title")));
    whole.and_then(Value::as_str)
}

/// Returns the tasks of a call; a new task with all its fields.
pub fn named(tool: Option<ToolName>, results: &[Value], now: &Timestamp, zone: &str) -> String {
    match (tool, results) {
        (Some(ToolName::AddTask), [one]) => TaskLine::of_value(one).text(now, zone),
        _ => titles(results),
    }
}

fn titles(results: &[Value]) -> String {
    match results {
        [one] => title(one).unwrap_or_default().to_owned(),
        several => {
            let named = several.iter().filter_map(title).map(|title| format!("“{title}”")).collect::<Vec<_>>();
            messages::tasks(several.len(), &named.join(", "))
        }
    }
}

pub fn read(call: &ToolCall) -> String {
    let result = call.result.as_ref();
    match result.and_then(|result| result.get("total")).and_then(Value::as_i64) {
        Some(total) => messages::your_list_of(total),
        None => result.and_then(title).map_or_else(|| messages::YOUR_LIST.to_owned(), |title| format!("“{title}”")),
    }
}

pub fn both(result: &Value) -> Option<(Task, Task)> {
    let task = |name: &str| serde_json::from_value::<Task>(result.get(name)?.clone()).ok();
    Some((task("before")?, task("after")?))
}

pub fn reopened(results: &[Value]) -> bool {
    let pairs = results.iter().filter_map(both);
    let mut states = pairs.map(|(before, after)| before.status == Status::Completed && after.status == Status::Pending);
    !results.is_empty() && states.all(|reopened| reopened) && results.iter().all(|result| both(result).is_some())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::id::{ConversationId, InvocationId, TurnId};

    fn turn(engine: &str, reply: &str, calls: &[(&str, &str, Value)]) -> Turn {
        let id = TurnId::new();
        let call = |(tool, status, result): &(&str, &str, Value)| {
            let code = if result == "title: missing." { "invalid" } else { "conflict" };
            json!({
                "invocation_id": InvocationId { turn: id, step: 0, index: 0 }, "tool": tool, "risk": "medium", "arguments": {},
                "status": status, "result": if *status == "ok" { result.clone() } else { Value::Null }, "duration_ms": 1,
                "error": if *status == "error" { json!({ "error": code, "message": result }) } else { Value::Null },
            })
        };
        serde_json::from_value(json!({
            "turn_id": id, "conversation_id": ConversationId::random(), "cause": "message", "status": "done", "engine": engine, "reply": reply,
            "decision": null, "tool_calls": calls.iter().map(call).collect::<Vec<_>>(), "approval": null,
        }))
        .unwrap()
    }

    #[test]
    fn reply_without_receipts_says_what_a_model_did() {
        let shirts = || json!({ "task_id": 3, "title": "iron shirts" });
        let done = ("complete_task", "ok", shirts());
        let many = ("complete_task", "ok", json!({ "tasks": [shirts(), { "task_id": 4, "title": "tea" }] }));
        let invalid = ("add_task", "error", json!("title: missing."));
        let broken = ("add_task", "error", json!("The list is full."));
        let read = ("list_tasks", "ok", json!({ "tasks": [], "total": 0 }));
        let now = Timestamp::parse("2026-03-11T09:30:00Z").unwrap();
        for (engine, reply, calls, expected) in [
            ("compatible", "That is the note.", vec![done.clone()], vec!["Completed iron shirts (#3)"]),
            ("compatible", "So.", vec![many], vec!["Completed 2 tasks: “iron shirts”, “tea”"]),
            ("compatible", "Completed task: iron shirts (#3)", vec![done.clone()], vec![]),
            ("compatible", "Right.", vec![broken.clone()], vec!["Could not add: The list is full."]),
            ("compatible", "Right.", vec![invalid], vec![]),
            ("compatible", "Right.", vec![broken, done.clone()], vec!["Completed iron shirts (#3)"]),
            ("compatible", "Nothing is due.", vec![read], vec![]),
            ("rules", "Done.", vec![done], vec![]),
        ] {
            assert_eq!(unsaid(&turn(engine, reply, &calls), &now, "UTC"), expected, "{reply}");
        }
    }
}
