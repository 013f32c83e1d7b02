//! Recurring tasks: the effects of completing and reopening one.

use super::changes::{self, Changed, Step};
use super::{By, Error, tasks};
use crate::domain::id::TaskNumber;
use crate::domain::task::{NewTask, Status};
use crate::domain::time::Timestamp;
use crate::domain::when;
use crate::store::changes::Entry;
use crate::store::tasks::Stored;
use crate::store::{self, Tx};

/// Number of a task's newest changes among which its completion is looked for.
const SEARCHED: i64 = 200;

/// Stores a change of a task and its consequence: completing adds the next occurrence, reopening bins it.
pub(super) async fn make(tx: &mut Tx, by: By<'_>, at: &Timestamp, mut step: Step) -> Result<Changed, Error> {
    let was = step.before.as_ref().map(|before| before.task.status);
    let follows = match (was, step.after.task.status) {
        (Some(Status::Pending), Status::Completed) => next(tx, by, at, &step.after).await?,
        _ => None,
    };
    let completion = match (was, step.after.task.status) {
        (Some(Status::Completed), Status::Pending) => completion(tx, by, step.after.task.task_id).await?,
        _ => None,
    };
    let binned = bin_next(tx, by, at, completion.as_ref()).await?;
    let brought = binned.iter().filter_map(|changed| changed.change_id);
    step.brought = brought.chain(follows.iter().map(|next| next.id)).collect();
    let mut changed = changes::make(tx, by, at, step).await?;
    if let Some(completion) = &completion {
        changes::put_off_again(tx, by.caller.id(), completion, &changed.after).await?;
    }
    changed.next = binned.into_iter().next_back().map(|changed| changed.after);
    if let Some(next) = follows {
        changed.next = Some(changes::make(tx, by, at, next).await?.after);
    }
    Ok(changed)
}

/// Returns the addition of the occurrence after a completed recurring task; `None` if there is none.
async fn next(tx: &mut Tx, by: By<'_>, at: &Timestamp, done: &Stored) -> Result<Option<Step>, Error> {
    let task = &done.task;
    let Some(rule) = &task.recurrence else { return Ok(None) };
    let following = when::next_occurrence(rule, done.due.as_ref(), at, &by.caller.user.zone);
    let Some((due, recurrence)) = following else { return Ok(None) };
    let next = NewTask {
        title: task.title.clone(),
        description: task.description.clone(),
        due: Some(due),
        priority: task.priority,
        project: task.project.clone(),
        tags: task.tags.clone(),
        recurrence: Some(recurrence),
    };
    Ok(Some(tasks::addition(tx, by, at, next).await?))
}

/// Returns the change that last completed the task.
async fn completion(tx: &mut Tx, by: By<'_>, number: TaskNumber) -> Result<Option<Entry>, Error> {
    let past = store::changes::since(tx, by.caller.id(), number, 0, SEARCHED).await?;
    Ok(past.into_iter().find(|entry| changes::completed(&entry.change)))
}

/// Returns true if reopening the task bins its next occurrence.
pub async fn reopening_bins(tx: &mut Tx, by: By<'_>, number: TaskNumber) -> Result<bool, Error> {
    let task = store::tasks::get(tx, by.caller.id(), number).await?;
    if task.is_none_or(|task| task.task.status != Status::Completed) {
        return Ok(false);
    }
    let completion = completion(tx, by, number).await?;
    Ok(!untouched(tx, by, completion.as_ref()).await?.is_empty())
}

/// Returns the additions of next occurrences that a completion brought and nobody has changed.
async fn untouched(tx: &mut Tx, by: By<'_>, completion: Option<&Entry>) -> Result<Vec<Entry>, Error> {
    let user = by.caller.id();
    let mut additions = vec![];
    for id in completion.into_iter().flat_map(|entry| &entry.brought) {
        let Some(addition) = store::changes::get(tx, user, *id).await? else { continue };
        let (task, version) = (addition.change.task_id, addition.change.after.version);
        let touched = store::changes::undos(tx, user, task, version, 1).await?;
        if touched.is_empty() {
            additions.push(addition);
        }
    }
    Ok(additions)
}

/// Bins the next occurrence that a completion had added, if it is untouched; returns the changes. It is a part of the completion, so this
/// needs no scope for deleting.
async fn bin_next(tx: &mut Tx, by: By<'_>, at: &Timestamp, completion: Option<&Entry>) -> Result<Vec<Changed>, Error> {
    let mut binned = vec![];
    for addition in untouched(tx, by, completion).await? {
        binned.extend(changes::take_back(tx, by, at, &addition).await?);
    }
    Ok(binned)
}
