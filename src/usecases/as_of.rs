//! The list at a point in time, computed from the changes. Reading changes nothing; restoring a task is a new recorded change.

use super::changes::{self, Changed, Step};
use super::{By, Ctx, Error, recurrence, require};
use crate::domain::Invalid;
use crate::domain::id::{TaskNumber, UserId};
use crate::domain::task::{Operation, Task};
use crate::domain::time::Timestamp;
use crate::domain::user::{Caller, Scope};
use crate::store::{self, Tx};

/// Tasks per query.
const AT_ONCE: usize = 500;

/// The list at a point in time, as far as it is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Then {
    /// Ordered by number.
    pub tasks: Vec<Task>,
    /// Number of further tasks whose state at that time has been erased from the audit log.
    pub erased: i64,
}

/// Lists the caller's tasks at that time, without those in the bin. Tasks purged since are missing.
pub async fn list(ctx: &Ctx, caller: &Caller, at: &Timestamp) -> Result<Then, Error> {
    require(caller, Scope::TasksRead)?;
    past(ctx, at)?;
    let mut tx = ctx.read().await?;
    let entries = store::changes::as_of(&mut tx, caller.id(), at).await?;
    let tasks = entries.into_iter().map(|entry| entry.change).filter(|change| change.operation != Operation::Purge);
    // If the last change is erased and none followed, the task's present state applies.
    let untouched = untouched(&mut tx, caller.id(), at).await?;
    let tasks = tasks.map(|change| change.after).chain(untouched);
    let mut tasks: Vec<_> = tasks.filter(|task| task.deleted_at.is_none()).collect();
    tasks.sort_by_key(|task| task.task_id);
    let erased = store::erasures::unknown_as_of(&mut tx, caller.id(), at).await?;
    Ok(Then { tasks, erased })
}

async fn untouched(tx: &mut Tx, user: UserId, at: &Timestamp) -> Result<Vec<Task>, Error> {
    let numbers = store::erasures::untouched_since(tx, user, at).await?;
    let mut tasks = vec![];
    for numbers in numbers.chunks(AT_ONCE) {
        tasks.extend(store::tasks::of_numbers(tx, user, numbers).await?.into_iter().map(|stored| stored.task));
    }
    Ok(tasks)
}

/// Restores a task to its state at that time, whatever its state is now.
pub async fn restore(ctx: &Ctx, tx: &mut Tx, by: By<'_>, number: TaskNumber, at: &Timestamp) -> Result<Changed, Error> {
    require(by.caller, Scope::TasksWrite)?;
    past(ctx, at)?;
    let user = by.caller.id();
    store::tasks::lock(tx, user).await?;
    let before = changes::existing(tx, user, number).await?;
    if store::erasures::is_unknown_as_of(tx, user, number, at).await? {
        let untouched = store::erasures::untouched_since(tx, user, at).await?.contains(&number);
        if untouched && before.task.deleted_at.is_none() {
            let task = before.task;
            return Ok(Changed { change_id: None, before: Some(task.clone()), after: task, next: None });
        }
        return Err(Error::Conflict(format!(
            "The data of task #{number} at that time has been erased from the audit log."
        )));
    }
    let history = store::changes::since(tx, user, number, 0).await?;
    let then = history.into_iter().find(|entry| entry.change.at <= *at);
    let Some(then) = then else {
        return Err(Error::Conflict(format!("Task #{number} did not exist at that time.")));
    };
    if then.change.after.deleted_at.is_some() {
        return Err(Error::Conflict(format!("Task #{number} was in the bin at that time.")));
    }
    let mut after = before.clone();
    after.due = then.due_after()?;
    let (version, updated_at) = (before.task.version, before.task.updated_at.clone());
    after.task = Task { version, updated_at, ..then.change.after };
    if after == before {
        let task = after.task;
        return Ok(Changed { change_id: None, before: Some(before.task), after: task, next: None });
    }
    let operation = if before.task.deleted_at.is_some() { Operation::Restore } else { Operation::Update };
    recurrence::make(tx, by, &ctx.now(), Step::new(operation, Some(before), after)).await
}

fn past(ctx: &Ctx, at: &Timestamp) -> Result<(), Error> {
    if *at > ctx.now() {
        return Err(Invalid::because("That time is in the future. Choose a time in the past.").into());
    }
    Ok(())
}
