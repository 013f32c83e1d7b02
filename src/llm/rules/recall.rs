//! What the conversation so far tells: the task that "it" is, the list that "the second one" counts in, the question
//! that was asked.

use serde_json::Value;

use super::carry::changes;
use super::ending::lookup;
use crate::domain::decision::DecisionKind;
use crate::domain::task::Task;
use crate::domain::tool::{Call, CallResult, CallStatus, ToolName};
use crate::llm::{Entry, Request};

/// One earlier turn.
#[derive(Debug, Default)]
pub(super) struct Past<'a> {
    /// The person's words; empty for a verdict by button.
    pub said: &'a str,
    pub calls: Vec<(&'a Call, &'a CallResult)>,
    pub reply: &'a str,
    pub kind: Option<DecisionKind>,
}

/// The turns before the current one, oldest first.
pub(super) fn turns(request: &Request) -> Vec<Past<'_>> {
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

/// The steps of a turn so far, with what each call came to.
pub(super) type Steps<'a> = Vec<(&'a [Call], Vec<CallResult>)>;

/// The steps of a turn. What the person's message has itself confirmed ran in the step behind the one that asked: that step's
/// results take the place of those that waited.
pub(super) fn steps(turn: &[Entry]) -> Steps<'_> {
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

/// The tasks of a call's result: a list's, one task, or a batch.
pub(super) fn tasks_in(value: &Value) -> Vec<Task> {
    let many = value.get("tasks").and_then(Value::as_array);
    let one = std::slice::from_ref(value);
    many.map_or(one, Vec::as_slice).iter().filter_map(|task| serde_json::from_value(task.clone()).ok()).collect()
}

/// The task numbers that a call was about, from its result or, while it waits for a yes, its arguments.
pub(super) fn numbers_of(call: &Call, result: &CallResult) -> Vec<i64> {
    let number = |value: &Value| value.get("task_id").and_then(Value::as_i64);
    let results: Vec<i64> = match result.value.get("tasks").and_then(Value::as_array) {
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

/// What "it" (one number) and "them" (all) are: the tasks of the last turn that touched any. Of a list that was
/// shown all are. Empty if nothing tells.
pub(super) fn focus(turns: &[Past]) -> Vec<i64> {
    let acts = |turn: &&Past| turn.calls.iter().any(|(call, _)| !exemplifies(call));
    let Some(turn) = turns.iter().rev().take(4).find(acts) else { return vec![] };
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

/// The tasks that the last turn showed and did nothing with.
pub(super) fn looked_at(turns: &[Past]) -> Vec<i64> {
    let last = turns.len().saturating_sub(1);
    match turns.last() {
        Some(turn) if turn.calls.iter().all(|(call, _)| !changes(&call.tool)) => focus(&turns[last..]),
        Some(_) | None => vec![],
    }
}

/// The numbers of the list that was shown last, in its order.
pub(super) fn shown(turns: &[Past]) -> Vec<i64> {
    turns.iter().rev().map(shown_in).find(|list| !list.is_empty()).unwrap_or_default()
}

/// Whether a call only looked for examples, which nobody asked for.
fn exemplifies(call: &Call) -> bool {
    *call == lookup()
}

/// Whether a call looks for the task that a description names; what a person asks to see has no limit.
fn looks_up(call: &Call) -> bool {
    call.arguments.get("query").is_some() && call.arguments.get("limit").is_some()
}

/// A list counts as shown if the reply names most of its tasks: lookups on the way to something else do not.
fn shown_in(turn: &Past) -> Vec<i64> {
    let acted = turn.calls.iter().any(|(call, _)| changes(&call.tool));
    let listed = |call: &Call| {
        let list = ToolName::parse(&call.tool) == Some(ToolName::ListTasks) && !exemplifies(call);
        list && !(acted && looks_up(call))
    };
    let lists = turn.calls.iter().rev().filter(|(call, _)| listed(call));
    for (_, result) in lists {
        let tasks = tasks_in(&result.value);
        let named: Vec<&Task> = tasks.iter().filter(|task| turn.reply.contains(task.title.as_str())).collect();
        if !named.is_empty() && named.len() * 2 >= tasks.len() {
            return named.iter().map(|task| task.task_id.0).collect();
        }
    }
    vec![]
}
