//! Sample tasks, added and removed together. Samples that their owner has edited stay.

use sha2::{Digest as _, Sha256};

use super::{By, Ctx, Error, require, tasks};
use crate::domain::id::{ImportId, TaskNumber};
use crate::domain::task::{Filter, NewTask, Task};
use crate::domain::user::{Caller, Scope};
use crate::store::{self, Tx};

use super::changes::Changed;

/// The samples as quick-add lines. People recognise them by their tag, Docket by their idempotency keys.
pub const LINES: [&str; 5] = [
    "Water the plants today p2 #Home @sample",
    "Call the dentist tomorrow 10:00 @sample",
    "Pay the rent end of month p1 #Home @sample",
    "Plan a day out this weekend @sample",
    "Sort the old photos @sample",
];

/// Returns the number of unedited samples in the caller's list, completed ones included. `None` hides the offer: there are no samples, and
/// the list has other tasks. `empty` says that the list may be empty.
pub async fn left(ctx: &Ctx, caller: &Caller, empty: bool) -> Result<Option<usize>, Error> {
    require(caller, Scope::TasksRead)?;
    let mut tx = ctx.read().await?;
    let there = untouched(&mut tx, caller).await?.len();
    if there > 0 {
        return Ok(Some(there));
    }
    Ok((empty && store::tasks::count(&mut tx, caller.id(), &Filter::default()).await? == 0).then_some(0))
}

/// Adds the samples that are missing, parsed from [`LINES`].
///
/// After an error the caller must drop the transaction.
pub async fn add(ctx: &Ctx, tx: &mut Tx, by: By<'_>, lines: Vec<NewTask>) -> Result<Vec<Changed>, Error> {
    require(by.caller, Scope::TasksWrite)?;
    let (user, group) = (by.caller.id(), ImportId::new());
    store::tasks::lock(tx, user).await?;
    let mut added = vec![];
    for (at, new) in lines.into_iter().enumerate() {
        if store::imports::has(tx, user, &key(at)).await? {
            continue;
        }
        let changed = tasks::add(ctx, tx, by, new).await?;
        if let Some(change) = changed.change_id {
            store::imports::keep(tx, user, &key(at), group, change).await?;
        }
        added.push(changed);
    }
    if added.is_empty() {
        return Err(Error::Conflict("The sample tasks are already on your list.".into()));
    }
    Ok(added)
}

/// Moves the unedited samples to the bin.
///
/// After an error the caller must drop the transaction.
pub async fn remove(ctx: &Ctx, tx: &mut Tx, by: By<'_>) -> Result<Vec<Changed>, Error> {
    require(by.caller, Scope::TasksDelete)?;
    store::tasks::lock(tx, by.caller.id()).await?;
    let mut gone = vec![];
    for number in untouched(tx, by.caller).await? {
        gone.push(tasks::delete(ctx, tx, by, number, None).await?);
    }
    if gone.is_empty() {
        return Err(Error::Conflict("There are no sample tasks on your list.".into()));
    }
    Ok(gone)
}

async fn untouched(tx: &mut Tx, caller: &Caller) -> Result<Vec<TaskNumber>, Error> {
    let (user, mut found) = (caller.id(), vec![]);
    for at in 0..LINES.len() {
        let Some(change) = store::imports::change_of(tx, user, &key(at)).await? else { continue };
        // Without the record of its addition, the sample's original state is unknown.
        let Some(entry) = store::changes::get(tx, user, change).await? else { continue };
        let came = entry.change.after;
        let is = store::tasks::get(tx, user, came.task_id).await?.map(|stored| stored.task);
        if is.is_some_and(|is| is.deleted_at.is_none() && said(&is) == said(&came)) {
            found.push(came.task_id);
        }
    }
    Ok(found)
}

/// Returns a task's content, without its status and order.
fn said(task: &Task) -> impl PartialEq + '_ {
    (&task.title, &task.description, &task.due, task.priority, &task.project, &task.tags, &task.recurrence)
}

/// Returns the idempotency key of a sample.
fn key(at: usize) -> [u8; 32] {
    Sha256::digest(format!("docket sample list 1, line {at}")).into()
}
