//! Receipts: tool calls in words, built from the call and its result, never from a model's text.

use crate::api::chat::{Receipt, ReceiptState};
use crate::domain::receipt::{changes, named, number, read, reopened, results, verb};
use crate::domain::time::Timestamp;
use crate::domain::tool::{CallStatus, ToolName};
use crate::domain::turn::{Effect, ToolCall};

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
        ReceiptState::Done | ReceiptState::Undone => named(tool, &results, now, zone),
        ReceiptState::Waiting | ReceiptState::Unchanged => String::new(),
    };
    let details = match (tool, results.as_slice()) {
        (Some(ToolName::UpdateTask | ToolName::Undo), [one]) => changes(one, now, zone),
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

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
    fn receipt_describes_the_call_and_offers_undo_only_for_changes() {
        let now = Timestamp::parse("2026-03-11T09:30:00Z").unwrap();
        for (call, words, undo) in [
            (call("add_task", CallStatus::Ok, json!({"task_id": 7, "title": "Buy milk"})), "Added Buy milk", true),
            (
                call(
                    "add_task",
                    CallStatus::Ok,
                    json!({"task_id": 7, "title": "call Bo", "due": "2026-03-12T14:30:00Z", "recurrence": "FREQ=WEEKLY", "project": "Work",
                        "tags": [], "priority": "high"}),
                ),
                "Added call Bo · tomorrow 14:30 · every week · #Work · high",
                true,
            ),
            (call("list_tasks", CallStatus::Ok, json!({"tasks": [], "total": 4})), "Read your list: 4 tasks", false),
            (call("delete_task", CallStatus::AwaitingApproval, json!({})), "Waiting for your approval ", false),
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
