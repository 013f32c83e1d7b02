//! What follows when a recurring task is completed, and when that is taken back.

use super::changes::{self, Step};
use super::{By, Error, tasks};
use crate::domain::id::{ChangeId, TaskNumber};
use crate::domain::task::NewTask;
use crate::domain::time::Timestamp;
use crate::domain::when;
use crate::store::tasks::Stored;
use crate::store::{self, Tx};

/// The addition of the occurrence that follows a completed recurring task; `None` where there is no further one.
pub(super) async fn next(tx: &mut Tx, by: By<'_>, at: &Timestamp, done: &Stored) -> Result<Option<Step>, Error> {
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

/// Bins the untouched occurrence that completing the task had left; returns the changes that did.
pub(super) async fn bin_next(
    tx: &mut Tx,
    by: By<'_>,
    at: &Timestamp,
    number: TaskNumber,
) -> Result<Vec<ChangeId>, Error> {
    let user = by.caller.id();
    let past = store::changes::since(tx, user, number, 0).await?;
    let completion = past.into_iter().find(|entry| changes::completed(&entry.change));
    let mut binned = vec![];
    for id in completion.into_iter().flat_map(|entry| entry.brought) {
        let Some(addition) = store::changes::get(tx, user, id).await? else { continue };
        let touched = store::changes::since(tx, user, addition.change.task_id, addition.change.after.version).await?;
        if touched.is_empty() {
            let undone = changes::take_back(tx, by, at, &addition).await?;
            binned.extend(undone.into_iter().filter_map(|changed| changed.change_id));
        }
    }
    Ok(binned)
}
