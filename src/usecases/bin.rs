//! Automatic purge: tasks in the bin are purged after 30 days, by the system.

use super::{Ctx, Error, changes};
use crate::domain::id::{ChangeId, UserId};
use crate::domain::task::{Actor, Change, Operation, Task};
use crate::domain::time::Timestamp;
use crate::store::changes::Entry;
use crate::store::{self, Tx};

/// Retention time in the bin, in seconds.
const REST_S: i64 = 30 * 86_400;
/// Maximum number of tasks purged in one transaction.
pub const AT_ONCE: i64 = 100;

/// Returns the users with overdue tasks in the bin, for a worker.
pub async fn owners(ctx: &Ctx) -> Result<Vec<UserId>, Error> {
    Ok(store::bin::owners(&mut ctx.peek().await?, &until(&ctx.now())).await?)
}

/// Purges up to [`AT_ONCE`] overdue tasks of the user, disabled or not; returns their number.
pub async fn empty(ctx: &Ctx, tx: &mut Tx, user: UserId) -> Result<i64, Error> {
    let now = ctx.now();
    // The lock prevents a restore of these tasks in the meantime.
    store::tasks::lock(tx, user).await?;
    let mut gone = 0;
    for number in store::bin::overdue(tx, user, &until(&now), AT_ONCE).await? {
        let stored = changes::existing(tx, user, number).await?;
        purge(tx, user, &stored.task, &now).await?;
        gone += 1;
    }
    Ok(gone)
}

/// Returns the latest deletion time that is overdue at `now`.
fn until(now: &Timestamp) -> Timestamp {
    now.plus_seconds(-REST_S)
}

async fn purge(tx: &mut Tx, user: UserId, task: &Task, at: &Timestamp) -> Result<(), Error> {
    // Both states are emptied: the record of the purge must not keep the texts.
    let before = task.emptied();
    let (number, version) = (before.task_id, before.version + 1);
    if !store::bin::purge(tx, user, number, version, at).await? {
        return Err(Error::Conflict(format!("Task #{number} was changed at the same moment. Try again.")));
    }
    let after = Task { version, updated_at: at.clone(), ..before.clone() };
    let change = Change {
        change_id: ChangeId::new(),
        task_id: number,
        operation: Operation::Purge,
        actor: Actor::System,
        agent: None,
        program: None,
        by: None,
        invocation_id: None,
        undoes: None,
        before: Some(before),
        after,
        at: at.clone(),
    };
    let entry = Entry { change, zone_before: None, zone_after: None, brought: vec![], put_off: None, action: None };
    changes::keep(tx, user, &entry).await
}
