//! The list as it was: what the changes so far had come to at any moment. Looking changes nothing; what is brought back from
//! there is one more logged change.

use super::changes::{self, Changed, Step};
use super::{By, Ctx, Error, require};
use crate::domain::Invalid;
use crate::domain::id::TaskNumber;
use crate::domain::task::{Operation, Task};
use crate::domain::time::Timestamp;
use crate::domain::user::{Caller, Scope};
use crate::store::{self, Tx};

/// The caller's tasks as they were at that moment, without those that were in the bin. What was purged or erased since is gone
/// from then as well.
pub async fn list(ctx: &Ctx, caller: &Caller, at: &Timestamp) -> Result<Vec<Task>, Error> {
    require(caller, Scope::TasksRead)?;
    past(ctx, at)?;
    let mut tx = ctx.peek().await?;
    let entries = store::changes::as_of(&mut tx, caller.id(), at).await?;
    Ok(entries.into_iter().map(|entry| entry.change.after).filter(|task| task.deleted_at.is_none()).collect())
}

/// Makes a task again what it was at that moment, in whatever state it is now.
pub async fn restore(ctx: &Ctx, tx: &mut Tx, by: By<'_>, number: TaskNumber, at: &Timestamp) -> Result<Changed, Error> {
    require(by.caller, Scope::TasksWrite)?;
    past(ctx, at)?;
    let user = by.caller.id();
    store::tasks::lock(tx, user).await?;
    let before = changes::existing(tx, user, number).await?;
    let history = store::changes::since(tx, user, number, 0).await?;
    let then = history.into_iter().find(|entry| entry.change.at <= *at);
    let Some(then) = then else {
        return Err(Error::Conflict(format!("There was no task #{number} then.")));
    };
    if then.change.after.deleted_at.is_some() {
        return Err(Error::Conflict(format!("Task #{number} was in the bin then.")));
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
    changes::make(tx, by, &ctx.now(), Step::new(operation, Some(before), after)).await
}

fn past(ctx: &Ctx, at: &Timestamp) -> Result<(), Error> {
    if *at > ctx.now() {
        return Err(Invalid::because("That moment is still to come; choose one that is over.").into());
    }
    Ok(())
}
