//! Tool calls in words: made from what was called and what came of it, never from what a model says.

use serde_json::Value;

use crate::api::chat::{Receipt, ReceiptState};
use crate::domain::id::TaskNumber;
use crate::domain::task::{Status, Task};
use crate::domain::time::Timestamp;
use crate::domain::tool::{CallStatus, ToolName};
use crate::domain::turn::{Effect, ToolCall};
use crate::words::receipts as words;

/// One call as a line of the ledger.
pub fn receipt(call: &ToolCall, now: &Timestamp, zone: &str) -> Receipt {
    let tool = ToolName::parse(&call.tool);
    let reads = tool.is_none_or(ToolName::reads);
    let state = match call.status {
        CallStatus::Ok if reads => ReceiptState::Read,
        CallStatus::Ok if call.effect == Effect::Undone => ReceiptState::Undone,
        CallStatus::Ok => ReceiptState::Done,
        CallStatus::Error => ReceiptState::Failed,
        CallStatus::AwaitingApproval => ReceiptState::Waiting,
        CallStatus::Rejected | CallStatus::Expired | CallStatus::Void | CallStatus::Skipped | CallStatus::Stopped => {
            ReceiptState::Unchanged
        }
    };
    let results = results(call);
    let task = match results.as_slice() {
        [one] => number(one),
        _ => number(&call.arguments),
    };
    let text = match state {
        ReceiptState::Failed => call.error.as_ref().map(|error| error.message.clone()).unwrap_or_default(),
        ReceiptState::Read => read(call),
        ReceiptState::Done | ReceiptState::Undone => titles(&results),
        ReceiptState::Waiting | ReceiptState::Unchanged => String::new(),
    };
    let details = match (tool, results.as_slice()) {
        (Some(ToolName::UpdateTask), [one]) => changes(one, now, zone),
        _ => vec![],
    };
    Receipt {
        invocation_id: call.invocation_id,
        verb: verb(tool, call.status, reopened(&results)).to_owned(),
        task: task.filter(|_| !reads || state == ReceiptState::Failed),
        text,
        details,
        can_undo: call.effect == Effect::Stands,
        state,
    }
}

fn verb(tool: Option<ToolName>, status: CallStatus, reopened: bool) -> &'static str {
    let Some(tool) = tool else { return words::UNKNOWN_TOOL };
    match status {
        CallStatus::Ok => match tool {
            ToolName::AddTask => words::ADDED,
            ToolName::CompleteTask => words::COMPLETED,
            ToolName::DeleteTask => words::MOVED_TO_THE_BIN,
            ToolName::UpdateTask if reopened => words::REOPENED,
            ToolName::UpdateTask => words::CHANGED,
            ToolName::ListTasks | ToolName::GetTask => words::READ,
        },
        CallStatus::Error => match tool {
            ToolName::AddTask => words::COULD_NOT_ADD,
            ToolName::CompleteTask => words::COULD_NOT_COMPLETE,
            ToolName::DeleteTask => words::COULD_NOT_DELETE,
            ToolName::UpdateTask => words::COULD_NOT_CHANGE,
            ToolName::ListTasks | ToolName::GetTask => words::COULD_NOT_READ,
        },
        CallStatus::AwaitingApproval => words::WAITING_FOR_YOUR_YES,
        CallStatus::Rejected => words::NOT_DONE_YOU_DECLINED,
        CallStatus::Expired => words::NOT_DONE_EXPIRED,
        CallStatus::Void => words::NOT_DONE_CHANGED,
        CallStatus::Skipped => words::NOT_DONE_SKIPPED,
        CallStatus::Stopped => words::NOT_DONE_STOPPED,
    }
}

/// The results of a call about one task, or about several.
fn results(call: &ToolCall) -> Vec<Value> {
    match &call.result {
        Some(Value::Array(results)) => results.clone(),
        Some(Value::Object(fields)) => match fields.get("results").or_else(|| fields.get("tasks")) {
            Some(Value::Array(results)) => results.clone(),
            _ => vec![Value::Object(fields.clone())],
        },
        _ => vec![],
    }
}

fn number(value: &Value) -> Option<TaskNumber> {
    value.get("task_id").and_then(Value::as_i64).map(TaskNumber)
}

fn title(value: &Value) -> Option<&str> {
    let whole = value.get("title").or_else(|| value.get("after").and_then(|after| after.get("title")));
    whole.and_then(Value::as_str)
}

fn titles(results: &[Value]) -> String {
    match results {
        [one] => title(one).unwrap_or_default().to_owned(),
        several => {
            let named = several.iter().filter_map(title).map(|title| format!("“{title}”")).collect::<Vec<_>>();
            words::tasks(several.len(), &named.join(", "))
        }
    }
}

fn read(call: &ToolCall) -> String {
    let result = call.result.as_ref();
    match result.and_then(|result| result.get("total")).and_then(Value::as_i64) {
        Some(total) => words::your_list_of(total),
        None => result.and_then(title).map_or_else(|| words::YOUR_LIST.to_owned(), |title| format!("“{title}”")),
    }
}

fn both(result: &Value) -> Option<(Task, Task)> {
    let task = |name: &str| serde_json::from_value::<Task>(result.get(name)?.clone()).ok();
    Some((task("before")?, task("after")?))
}

fn reopened(results: &[Value]) -> bool {
    let pairs = results.iter().filter_map(both);
    let mut states = pairs.map(|(before, after)| before.status == Status::Completed && after.status == Status::Pending);
    !results.is_empty() && states.all(|reopened| reopened) && results.iter().all(|result| both(result).is_some())
}

fn changes(result: &Value, now: &Timestamp, zone: &str) -> Vec<String> {
    let Some((before, after)) = both(result) else { return vec![] };
    let lines = super::differences(&before, &after, now, zone).into_iter();
    lines.map(|change| format!("{}: {} → {}", change.field, change.before, change.after)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::id::{InvocationId, TurnId};
    use crate::domain::tool::Risk;

    fn call(tool: &str, status: CallStatus, result: Value) -> ToolCall {
        let mut call = ToolCall {
            invocation_id: InvocationId { turn: TurnId::new(), step: 0, index: 0 },
            tool: tool.into(),
            risk: Risk::Medium,
            arguments: json!({"task_id": 3}),
            status,
            result: Some(result),
            error: None,
            duration_ms: 1,
            effect: Effect::None,
        };
        if status == CallStatus::Ok && call.writes() {
            call.effect = Effect::Stands;
        }
        call
    }

    #[test]
    fn a_receipt_says_what_was_done_and_offers_undo_only_for_that() {
        let now = Timestamp::parse("2026-03-11T09:30:00Z").unwrap();
        for (call, words, undo) in [
            (call("add_task", CallStatus::Ok, json!({"task_id": 7, "title": "Buy milk"})), "Added Buy milk", true),
            (call("list_tasks", CallStatus::Ok, json!({"tasks": [], "total": 4})), "Read your list: 4 tasks", false),
            (call("delete_task", CallStatus::AwaitingApproval, json!({})), "Waiting for your yes ", false),
            (
                call(
                    "complete_task",
                    CallStatus::Ok,
                    json!([{"task_id": 1, "title": "a"}, {"task_id": 2, "title": "b"}]),
                ),
                "Completed 2 tasks: “a”, “b”",
                true,
            ),
        ] {
            let receipt = receipt(&call, &now, "UTC");
            assert_eq!(format!("{} {}", receipt.verb, receipt.text), words);
            assert_eq!(receipt.can_undo, undo, "{words}");
        }
    }
}
