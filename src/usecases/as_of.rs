//! The list at a point in time, computed from the changes. Reading changes nothing; restoring a task is a new recorded change.

use super::changes::{self, Changed, Step};
use super::{By, Ctx, Error, cursors, recurrence, require};
use crate::domain::Invalid;
use crate::domain::id::{TaskNumber, UserId};
use crate::domain::rank::Order;
use crate::domain::task::{Operation, Task};
use crate::domain::time::Timestamp;
use crate::domain::user::{Caller, Scope};
use crate::store::task_order::{Cursor, SortKey};
use crate::store::{self, Tx};

/// Maximum number of tasks on a page.
pub const MAX_PAGE: usize = 200;

/// A page of the list at a point in time, as far as it is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Then {
    /// Ordered by number.
    pub tasks: Vec<Task>,
    /// Cursor of the next page; `None` on the last.
    pub next: Option<String>,
    /// Number of tasks of all pages whose state at that time has been erased from the audit log.
    pub erased: i64,
}

/// Returns a page of at most `limit` (1–200) of the caller's tasks at that time, without those in the bin. Tasks purged since are
/// missing.
pub async fn list(
    ctx: &Ctx,
    caller: &Caller,
    at: &Timestamp,
    cursor: Option<&str>,
    limit: usize,
) -> Result<Then, Error> {
    require(caller, Scope::TasksRead)?;
    past(ctx, at)?;
    let after = cursor.map(|cursor| cursors::place(cursor, &Order::Number)).transpose()?;
    let after = after.map_or(TaskNumber(0), |place| place.number);
    let limit = limit.clamp(1, MAX_PAGE);
    let mut tx = ctx.read().await?;
    let mut tasks = known(&mut tx, caller.id(), at, after, limit + 1).await?;
    let more = tasks.len() > limit;
    tasks.truncate(limit);
    let last = tasks.last().filter(|_| more).map(|task| Cursor { key: SortKey::Number, number: task.task_id });
    tasks.retain(|task| task.deleted_at.is_none());
    let erased = store::changes::unknown_as_of(&mut tx, caller.id(), at).await?;
    Ok(Then { tasks, next: last.as_ref().map(cursors::after), erased })
}

/// Returns the state at that time of the next `limit` tasks after number `after`, by number.
async fn known(tx: &mut Tx, user: UserId, at: &Timestamp, after: TaskNumber, limit: usize) -> Result<Vec<Task>, Error> {
    let most = i64::try_from(limit).unwrap_or(i64::MAX);
    let entries = store::changes::as_of(tx, user, at, after, most).await?;
    let mut tasks: Vec<_> = entries.into_iter().map(|entry| entry.change.after).collect();
    // If the last change is erased and none followed, the task's present state applies.
    let untouched = store::changes::untouched_since(tx, user, at, after, most).await?;
    tasks.extend(store::tasks::of_numbers(tx, user, &untouched).await?.into_iter().map(|stored| stored.task));
    tasks.sort_by_key(|task| task.task_id);
    tasks.truncate(limit);
    Ok(tasks)
}

/// Restores a task to its state at that time, whatever its state is now.
pub async fn restore(ctx: &Ctx, tx: &mut Tx, by: By<'_>, number: TaskNumber, at: &Timestamp) -> Result<Changed, Error> {
    require(by.caller, Scope::TasksWrite)?;
    past(ctx, at)?;
    let user = by.caller.id();
    store::tasks::lock(tx, user).await?;
    let before = changes::existing(tx, user, number).await?;
    if store::changes::is_unknown_as_of(tx, user, number, at).await? {
        let previous = TaskNumber(number.0 - 1);
        if store::changes::untouched_since(tx, user, at, previous, 1).await? == [number] {
            let task = before.task;
            return Ok(Changed { change_id: None, before: Some(task.clone()), after: task, next: None });
        }
        return Err(Error::Conflict(format!(
            "The data of task #{number} at that time has been erased from the audit log."
        )));
    }
    let Some(then) = store::changes::last_until(tx, user, number, at).await? else {
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
