//! Context of earlier turns: the task that "it" means, the list that "the second one" counts in, the question that was
//! asked.

use serde_json::{Value, json};

use crate::domain::decision::DecisionKind;
use crate::domain::task::Task;
use crate::domain::tool::{Call, CallResult, CallStatus, MOST_TARGETS, ToolName};
use crate::llm::rules::plan::carry::changes;
use crate::llm::rules::plan::ending::lookup;
use crate::llm::rules::resolve::queries::MOST_TOPIC;
use crate::llm::{Entry, Request};

/// One earlier turn.
#[derive(Debug, Default)]
pub(in crate::llm::rules) struct Past<'a> {
    /// The person's message; empty for a verdict by button.
    pub said: &'a str,
    pub calls: Vec<(&'a Call, &'a CallResult)>,
    pub reply: &'a str,
    pub kind: Option<DecisionKind>,
}

/// Returns the turns before the current one, oldest first.
pub(in crate::llm::rules) fn turns(request: &Request) -> Vec<Past<'_>> {
    let mut turns: Vec<Past> = vec![];
    for entry in &request.entries[..request.turn_start.min(request.entries.len())] {
        match entry {
            Entry::User { text } => turns.push(Past { said: text, ..Past::default() }),
            Entry::Verdict { .. } => turns.push(Past::default()),
            Entry::Calls { calls, results, .. } => {
                if turns.is_empty() {
                    turns.push(Past::default());
                }
                if let Some(turn) = turns.last_mut() {
                    turn.calls.extend(calls.iter().zip(results));
                }
            }
            Entry::Assistant { text, kind } => {
                if let Some(turn) = turns.last_mut() {
                    (turn.reply, turn.kind) = (text, Some(*kind));
                }
            }
        }
    }
    turns
}

/// The steps of a turn so far: calls with their results.
pub(in crate::llm::rules) type Steps<'a> = Vec<(&'a [Call], Vec<CallResult>)>;

/// Returns the steps of a turn. Self-confirmed calls run in the step after the one that asked, so their results replace
/// the pending ones.
pub(in crate::llm::rules) fn steps(turn: &[Entry]) -> Steps<'_> {
    let mut steps: Steps = vec![];
    for entry in turn {
        let Entry::Calls { calls, results, .. } = entry else { continue };
        let waiting = |result: &&mut CallResult| result.status == CallStatus::AwaitingApproval;
        let waits: Vec<_> =
            steps.last_mut().into_iter().flat_map(|(_, made)| made.iter_mut().filter(waiting)).collect();
        if !waits.is_empty() && waits.len() == results.len() {
            waits.into_iter().zip(results).for_each(|(waits, ran)| waits.clone_from(ran));
        } else {
            steps.push((calls.as_slice(), results.clone()));
        }
    }
    steps
}

/// Returns the tasks of a result: a list, one task, or a batch.
pub(in crate::llm::rules) fn tasks_in(value: &Value) -> Vec<Task> {
    let many = value.get("tasks").and_then(Value::as_array);
    let one = std::slice::from_ref(value);
    many.map_or(one, Vec::as_slice).iter().filter_map(|task| serde_json::from_value(task.clone()).ok()).collect()
}

/// Returns true if a lookup of the whole list returned only a part of it.
pub(in crate::llm::rules) fn is_partial(call: &Call, result: &CallResult) -> bool {
    call.arguments["limit"] == MOST_TARGETS && result.value["next"].is_string()
}

/// Returns the tasks as earlier turns returned them, latest first.
pub(in crate::llm::rules) fn tasks(turns: &[Past]) -> Vec<Task> {
    let calls = turns.iter().rev().flat_map(|turn| turn.calls.iter().rev());
    let after = |value: &Value| value.get("after").map_or_else(|| tasks_in(value), tasks_in);
    let seen = |value: &Value| match value.get("undone").and_then(Value::as_array) {
        Some(undone) => undone.iter().flat_map(after).collect(),
        None => after(value),
    };
    let all = |(call, result): &(&Call, &CallResult)| match created(call, result) {
        Some(task) => vec![task],
        None => seen(&result.value),
    };
    calls.filter(|(_, result)| result.status == CallStatus::Ok).flat_map(all).collect()
}

/// Returns the task that a call created; its result has the number only.
fn created(call: &Call, result: &CallResult) -> Option<Task> {
    if ToolName::parse(&call.tool) != Some(ToolName::AddTask) {
        return None;
    }
    let mut task = json!({ "task_id": result.value["task_id"], "description": null, "status": "pending", "due": null, "priority": "none",
        "project": null, "tags": [], "recurrence": null, "version": 1, "created_at": EVER, "updated_at": EVER, "completed_at": null,
        "deleted_at": null });
    task.as_object_mut()?.extend(call.arguments.as_object()?.clone());
    serde_json::from_value(task).ok()
}

/// The time of a task whose creation is not known.
const EVER: &str = "2000-01-01T00:00:00.000Z";

/// Returns the task numbers of a call, from its result or, while approval is pending, its arguments.
pub(in crate::llm::rules) fn numbers_of(call: &Call, result: &CallResult) -> Vec<i64> {
    let number = |value: &Value| value.get("task_id").and_then(Value::as_i64);
    let many = result.value.get("tasks").or_else(|| result.value.get("undone"));
    let results: Vec<i64> = match many.and_then(Value::as_array) {
        Some(tasks) => tasks.iter().filter_map(number).collect(),
        None => number(&result.value).into_iter().collect(),
    };
    if !results.is_empty() && result.status == CallStatus::Ok {
        return results;
    }
    let listed = call.arguments.get("task_ids").and_then(Value::as_array);
    listed.map_or_else(
        || number(&call.arguments).into_iter().collect(),
        |ids| ids.iter().filter_map(Value::as_i64).collect(),
    )
}

/// Returns the tasks that "it" (if one) and "them" mean: those of the last turn that touched any, or a whole list
/// shown. Empty if unknown.
pub(in crate::llm::rules) fn focus(turns: &[Past]) -> Vec<i64> {
    let acts = |turn: &&Past| turn.calls.iter().any(|(call, _)| !exemplifies(call));
    let Some(turn) = turns.iter().rev().take(4).find(acts) else { return vec![] };
    // A question or a refusal shows no list, and what was meant before it is unsure.
    let silent = matches!(turn.kind, Some(DecisionKind::RequestClarification | DecisionKind::Refuse));
    if silent && turn.calls.iter().all(|(call, _)| ToolName::parse(&call.tool) == Some(ToolName::ListTasks)) {
        return vec![];
    }
    let mut numbers = vec![];
    for (call, result) in &turn.calls {
        match ToolName::parse(&call.tool) {
            Some(ToolName::ListTasks) | None => {}
            Some(ToolName::DeleteTask) if result.status == CallStatus::Ok => {}
            Some(
                ToolName::DeleteTask
                | ToolName::AddTask
                | ToolName::CompleteTask
                | ToolName::GetTask
                | ToolName::Undo
                | ToolName::UpdateTask,
            ) => {
                numbers.extend(
                    numbers_of(call, result).into_iter().filter(|number| !numbers.contains(number)).collect::<Vec<_>>(),
                );
            }
        }
    }
    if numbers.is_empty() {
        return shown_in(turn);
    }
    numbers
}

/// Returns true if a step has changed something, or is to.
pub(in crate::llm::rules) fn acted(steps: &Steps) -> bool {
    steps.iter().flat_map(|(calls, _)| calls.iter()).any(|call| changes(&call.tool))
}

/// Returns the tasks that the last turn showed without changing any.
pub(in crate::llm::rules) fn looked_at(turns: &[Past]) -> Vec<i64> {
    let last = turns.len().saturating_sub(1);
    match turns.last() {
        Some(turn) if turn.calls.iter().all(|(call, _)| !changes(&call.tool)) => focus(&turns[last..]),
        Some(_) | None => vec![],
    }
}

/// Returns the numbers of the last list shown, in its order, and of tasks added later or without a list.
pub(in crate::llm::rules) fn shown(turns: &[Past]) -> Vec<i64> {
    let at = turns.iter().rposition(|turn| !shown_in(turn).is_empty());
    let mut list = at.map_or_else(Vec::new, |at| shown_in(&turns[at]));
    let since = turns[at.map_or(0, |at| at + 1)..].iter().flat_map(|turn| &turn.calls);
    let added = since.filter(|(call, _)| ToolName::parse(&call.tool) == Some(ToolName::AddTask));
    list.extend(added.flat_map(|(call, result)| numbers_of(call, result)));
    list
}

/// Returns true if a call only looked for examples.
fn exemplifies(call: &Call) -> bool {
    *call == lookup()
}

/// Returns true if a call looks up a described task; a list requested by the person has no limit.
fn looks_up(call: &Call) -> bool {
    call.arguments.get("query").is_some() && call.arguments.get("limit").is_some()
}

/// Returns the list that a turn showed. A list counts as shown if the reply names most of its tasks, which excludes internal lookups.
pub(super) fn shown_in(turn: &Past) -> Vec<i64> {
    let acted = turn.calls.iter().any(|(call, _)| changes(&call.tool));
    let listed = |call: &Call| {
        let list = ToolName::parse(&call.tool) == Some(ToolName::ListTasks) && !exemplifies(call);
        list && !(acted && looks_up(call))
    };
    let lists = turn.calls.iter().rev().filter(|(call, _)| listed(call));
    for (call, result) in lists {
        let tasks = tasks_in(&result.value);
        let named: Vec<&Task> = tasks.iter().filter(|task| turn.reply.contains(task.title.as_str())).collect();
        let filtered = call.arguments["limit"] == MOST_TOPIC;
        if !named.is_empty() && (filtered || named.len() * 2 >= tasks.len()) {
            return named.iter().map(|task| task.task_id.0).collect();
        }
    }
    vec![]
}
