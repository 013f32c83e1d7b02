//! What follows when a recurring task is completed, and when that is taken back.

use super::changes::{self, Changed, Step};
use super::{By, Error, tasks};
use crate::domain::id::TaskNumber;
use crate::domain::task::{NewTask, Status};
use crate::domain::time::Timestamp;
use crate::domain::when;
use crate::store::tasks::Stored;
use crate::store::{self, Tx};

/// Stores an edit of a task and what its new state brings: once it is done its next occurrence, once it is not any more the end of that.
pub(super) async fn make(tx: &mut Tx, by: By<'_>, at: &Timestamp, mut step: Step) -> Result<Changed, Error> {
    let was = step.before.as_ref().map(|before| before.task.status);
    let follows = match (was, step.after.task.status) {
        (Some(Status::Pending), Status::Completed) => next(tx, by, at, &step.after).await?,
        _ => None,
    };
    let binned = match (was, step.after.task.status) {
        (Some(Status::Completed), Status::Pending) => bin_next(tx, by, at, step.after.task.task_id).await?,
        _ => vec![],
    };
    let brought = binned.iter().filter_map(|changed| changed.change_id);
    step.brought = brought.chain(follows.iter().map(|next| next.id)).collect();
    let mut changed = changes::make(tx, by, at, step).await?;
    changed.next = binned.into_iter().next_back().map(|changed| changed.after);
    if let Some(next) = follows {
        changed.next = Some(changes::make(tx, by, at, next).await?.after);
    }
    Ok(changed)
}

/// The addition of the occurrence that follows a completed recurring task; `None` where there is no further one.
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

/// Bins the untouched occurrence that completing the task had left; returns the changes that did it.
async fn bin_next(tx: &mut Tx, by: By<'_>, at: &Timestamp, number: TaskNumber) -> Result<Vec<Changed>, Error> {
    let user = by.caller.id();
    let past = store::changes::since(tx, user, number, 0).await?;
    let completion = past.into_iter().find(|entry| changes::completed(&entry.change));
    let mut binned = vec![];
    for id in completion.into_iter().flat_map(|entry| entry.brought) {
        let Some(addition) = store::changes::get(tx, user, id).await? else { continue };
        let touched = store::changes::since(tx, user, addition.change.task_id, addition.change.after.version).await?;
        if touched.is_empty() {
            binned.extend(changes::take_back(tx, by, at, &addition).await?);
        }
    }
    Ok(binned)
}
