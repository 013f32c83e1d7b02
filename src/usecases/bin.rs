//! The end of what lies in the bin: after 30 days a task goes for good, by nobody's hand.

use super::{Ctx, Error, changes};
use crate::domain::id::{ChangeId, UserId};
use crate::domain::task::{Actor, Change, Operation, Task};
use crate::domain::time::Timestamp;
use crate::store::changes::Entry;
use crate::store::{self, Tx};

/// How long a task rests in the bin, in seconds.
const REST_S: i64 = 30 * 86_400;
/// Most tasks that go in one transaction.
pub const AT_ONCE: i64 = 100;

/// Whose bin holds something that has lain there long enough: work for a worker, shown to nobody.
pub async fn owners(ctx: &Ctx) -> Result<Vec<UserId>, Error> {
    Ok(store::bin::owners(&mut ctx.peek().await?, &until(&ctx.now())).await?)
}

/// Purges what has lain in the user's bin long enough, [`AT_ONCE`] tasks at most; returns how many went. An account that is shut
/// out is no exception: its tasks were deleted just the same.
pub async fn empty(ctx: &Ctx, tx: &mut Tx, user: UserId) -> Result<i64, Error> {
    let now = ctx.now();
    // What lies there is only known while nobody can take it out.
    store::tasks::lock(tx, user).await?;
    let mut gone = 0;
    for number in store::bin::overdue(tx, user, &until(&now), AT_ONCE).await? {
        let stored = changes::existing(tx, user, number).await?;
        purge(tx, user, &stored.task, &now).await?;
        gone += 1;
    }
    Ok(gone)
}

/// What came into the bin then or before has lain there long enough by `now`.
fn until(now: &Timestamp) -> Timestamp {
    now.plus_seconds(-REST_S)
}

async fn purge(tx: &mut Tx, user: UserId, task: &Task, at: &Timestamp) -> Result<(), Error> {
    // The texts are in neither state: the record of their removal must not keep them.
    let before = task.emptied();
    let (number, version) = (before.task_id, before.version + 1);
    if !store::bin::purge(tx, user, number, version, at).await? {
        return Err(Error::Conflict(format!("Task #{number} was changed this very moment.")));
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
    changes::keep(tx, user, &Entry { change, zone_before: None, zone_after: None, brought: vec![], action: None }).await
}
