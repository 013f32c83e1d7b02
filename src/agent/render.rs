//! Replies that code writes from results: one line for each call that changed something or failed.

use serde_json::{Value, json};

use super::machine::{Origin, Step};
use crate::domain::receipt::{changed_lines, listed, tasks};
use crate::domain::time::Timestamp;
use crate::domain::tool::{Call, CallResult, CallStatus, ErrorCode, ToolName};

/// Returns one line per change or failure, in order. A call with invalid arguments counts only in the last round; the
/// engine has already handled earlier ones.
pub fn lines(steps: &[Step]) -> Vec<String> {
    let last = steps.iter().rposition(|step| step.origin == Origin::Engine && !step.calls().is_empty());
    let calls = |(at, step): (usize, &Step)| -> Vec<String> {
        let calls = step.calls().iter().zip(&step.results);
        let told = calls.filter(|(_, result)| fits(result) || last.is_none_or(|last| at >= last));
        told.flat_map(|(call, result)| line(call, result)).collect()
    };
    steps.iter().enumerate().flat_map(calls).collect()
}

/// Like [`lines`], without calls that had invalid arguments.
pub fn fitting_lines(steps: &[Step]) -> Vec<String> {
    let calls = answered(steps);
    calls.filter(|(_, result)| fits(result)).flat_map(|(call, result)| line(call, result)).collect()
}

/// Returns the calls that have a result, in order.
fn answered(steps: &[Step]) -> impl DoubleEndedIterator<Item = (&Call, &CallResult)> {
    steps.iter().flat_map(|step| step.calls().iter().zip(&step.results))
}

fn fits(result: &CallResult) -> bool {
    result.value["error"] != json!(ErrorCode::Invalid)
}

/// Returns true if the call's tool changes tasks.
pub fn writes(call: &Call) -> bool {
    ToolName::parse(&call.tool).is_some_and(|tool| !tool.reads())
}

/// Returns true if the call changed a task. Setting a value that was already set succeeds without a change.
pub fn changed(call: &Call, result: &CallResult) -> bool {
    let differs = |told: &Value| told["before"].is_null() || told["before"] != told["after"];
    result.status == CallStatus::Ok && writes(call) && tasks(&result.value).iter().any(differs)
}

/// Returns true if a call gave an open task a time after `now`.
pub fn sets_a_time(steps: &[Step], now: &Timestamp) -> bool {
    let calls = answered(steps);
    let done = calls.filter(|(call, result)| result.status == CallStatus::Ok && writes(call));
    done.flat_map(|(_, result)| tasks(&result.value)).any(|told| {
        // A change has `before` and `after`; a new task is the value itself.
        let (before, task) = (&told["before"]["due"], if told["after"].is_object() { &told["after"] } else { told });
        // A date without a time does not parse as a timestamp.
        let due = task["due"].as_str().filter(|due| before.as_str() != Some(due));
        let due = due.and_then(|due| Timestamp::parse(due).ok());
        task["status"] != "completed" && due.is_some_and(|due| due.ms_since(now) > 0)
    })
}

/// Returns the results of all steps, reads included, for an engine that says nothing about them.
pub fn all(steps: &[Step]) -> String {
    let calls = answered(steps);
    let mut lines: Vec<_> = calls.flat_map(|(call, result)| line(call, result)).collect();
    let read = answered(steps);
    let mut shown = read.filter(|(call, result)| result.status == CallStatus::Ok && !writes(call));
    if lines.is_empty() {
        lines.extend(shown.next_back().map(|(_, result)| listed(&result.value)));
    }
    lines.join("\n")
}

/// Returns one line per part of the request if there were several and one failed, since an engine may omit that. A
/// failed read counts if its step also changes tasks. Other reads serve to understand the request or are in the reply.
pub fn parts(steps: &[Step]) -> Option<String> {
    let failed = |result: &CallResult| result.status == CallStatus::Error && fits(result);
    let of_step = |step: &Step| -> Vec<String> {
        let changes = step.calls().iter().any(writes);
        let calls = step.calls().iter().zip(&step.results).filter(|(_, result)| fits(result));
        let parts = calls.filter(|(call, result)| writes(call) || changes && failed(result));
        parts.flat_map(|(call, result)| line(call, result)).collect()
    };
    let lines: Vec<_> = steps.iter().flat_map(of_step).collect();
    let several = lines.len() > 1 && steps.iter().flat_map(|step| &step.results).any(failed);
    several.then(|| lines.join("\n"))
}

/// Returns the refusals for missing scopes without duplicates, since an engine may paraphrase them.
pub fn refusals(steps: &[Step]) -> Vec<String> {
    let mut lines: Vec<String> = vec![];
    for (_, result) in answered(steps).filter(|(_, result)| is_refusal(result)) {
        let line = result.value["message"].as_str().unwrap_or_default();
        if !lines.iter().any(|known| known == line) {
            lines.push(line.to_owned());
        }
    }
    lines
}

/// Returns true if the call was refused for a missing scope.
fn is_refusal(result: &CallResult) -> bool {
    result.value["error"] == json!(ErrorCode::Forbidden) && result.value["scope"].is_string()
}

fn line(call: &Call, result: &CallResult) -> Vec<String> {
    match (ToolName::parse(&call.tool), result.status) {
        (Some(tool), CallStatus::Ok) if !tool.reads() => changed_lines(tool, &result.value),
        (_, CallStatus::Error | CallStatus::Void | CallStatus::Skipped) => {
            result.value["message"].as_str().map(str::to_owned).into_iter().collect()
        }
        _ => vec![],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::machine::Origin;
    use crate::llm::{Act, Reply};

    fn step(results: &[(&str, CallStatus, Value)]) -> Step {
        let call = |(tool, ..): &(&str, CallStatus, Value)| Call {
            tool: (*tool).into(),
            arguments: json!({}),
            provider_id: None,
        };
        let calls = results.iter().map(call).collect();
        let results = results.iter().map(|(_, status, value)| CallResult { status: *status, value: value.clone() });
        let reply = Reply::plain(Act::Calls { text: String::new(), calls }, "");
        Step { origin: Origin::Engine, reply, results: results.collect() }
    }

    #[test]
    fn call_sets_a_time_if_due_becomes_a_future_instant() {
        let now = Timestamp::parse("2026-03-11T09:30:00Z").unwrap();
        let (later, past, day) = ("2026-03-12T17:00:00+01:00", "2026-03-11T09:30:00+00:00", "2026-03-12");
        let added = |due: &str| json!({ "task_id": 1, "status": "created", "title": "milk", "due": due });
        let moved = |from: Value, to: Value| json!({ "task_id": 1, "status": "updated", "before": from, "after": to });
        let open = |due: &str| json!({ "status": "pending", "due": due });
        for (tool, status, value, sets) in [
            ("add_task", CallStatus::Ok, added(later), true),
            ("add_task", CallStatus::Ok, added(past), false),
            ("add_task", CallStatus::Ok, added(day), false),
            ("add_task", CallStatus::Ok, json!({ "task_id": 1, "title": "milk" }), false),
            ("add_task", CallStatus::Error, added(later), false),
            ("get_task", CallStatus::Ok, added(later), false),
            ("update_task", CallStatus::Ok, moved(open(day), open(later)), true),
            ("update_task", CallStatus::Ok, moved(open(later), open(later)), false),
            ("update_task", CallStatus::Ok, moved(open(day), json!({ "status": "completed", "due": later })), false),
            ("update_task", CallStatus::Ok, json!({ "tasks": [moved(json!({}), open(later))] }), true),
        ] {
            assert_eq!(sets_a_time(&[step(&[(tool, status, value.clone())])], &now), sets, "{tool} {value}");
        }
    }

    #[test]
    fn what_was_so_already_is_no_change() {
        let call = |tool: &str| Call { tool: tool.into(), arguments: json!({}), provider_id: None };
        let (low, high) = (json!({ "priority": "low" }), json!({ "priority": "high" }));
        let updated = |before: &Value, after: &Value| json!({ "task_id": 1, "before": before, "after": after });
        for (tool, status, value, expected) in [
            ("add_task", CallStatus::Ok, json!({ "task_id": 1, "title": "milk" }), true),
            ("complete_task", CallStatus::Ok, json!({ "task_id": 1, "status": "completed" }), true),
            ("update_task", CallStatus::Ok, updated(&low, &high), true),
            ("update_task", CallStatus::Ok, updated(&high, &high), false),
            ("update_task", CallStatus::Ok, json!({ "tasks": [updated(&high, &high), updated(&low, &high)] }), true),
            ("update_task", CallStatus::Ok, json!({ "tasks": [updated(&high, &high)] }), false),
            ("update_task", CallStatus::Error, updated(&low, &high), false),
            ("list_tasks", CallStatus::Ok, json!({ "tasks": [low], "total": 1 }), false),
        ] {
            let result = CallResult { status, value: value.clone() };
            assert_eq!(changed(&call(tool), &result), expected, "{tool} {value}");
        }
    }

    #[test]
    fn each_part_gets_its_line_where_one_of_several_failed() {
        let added = ("add_task", CallStatus::Ok, json!({ "task_id": 1, "title": "milk" }));
        let missing =
            ("complete_task", CallStatus::Error, json!({ "error": "not_found", "message": "There is no task #9." }));
        let invalid = ("add_task", CallStatus::Error, json!({ "error": "invalid", "message": "title: missing." }));
        let listed = ("list_tasks", CallStatus::Ok, json!({ "tasks": [], "total": 0 }));
        let unread = ("get_task", CallStatus::Error, missing.2.clone());
        type Told<'a> = &'a (&'a str, CallStatus, Value);
        let one =
            |calls: &&[Told<'_>]| step(&calls.iter().map(|call| (call.0, call.1, call.2.clone())).collect::<Vec<_>>());
        let turn = |steps: &[&[Told<'_>]]| steps.iter().map(one).collect::<Vec<_>>();
        for (steps, expected, why) in [
            (turn(&[&[&added], &[&listed], &[&missing]]), Some("Created task: milk (#1)\nThere is no task #9."), ""),
            (turn(&[&[&added, &added]]), None, "receipts show what was done"),
            (turn(&[&[&listed], &[&missing]]), None, "the only part is what the reply is about"),
            (turn(&[&[&missing, &listed]]), None, "the list is in the reply, or nowhere"),
            (turn(&[&[&invalid], &[&added]]), None, "corrected before anything came of it"),
            (turn(&[&[&unread, &added]]), Some("There is no task #9.\nCreated task: milk (#1)"), "asked for at once"),
            (turn(&[&[&unread], &[&added]]), None, "read to find out what is meant"),
        ] {
            assert_eq!(parts(&steps).as_deref(), expected, "{why}");
        }
        assert_eq!(lines(&turn(&[&[&invalid], &[&added]])), ["Created task: milk (#1)"]);
        let lost = turn(&[&[&invalid, &added]]);
        assert_eq!(lines(&lost), ["title: missing.", "Created task: milk (#1)"], "nothing came of it");
        assert_eq!(fitting_lines(&lost), ["Created task: milk (#1)"]);
    }
}
