//! What happened to tasks: who changed what and when, and what of it can still be taken back.

use std::collections::HashMap;

use super::changes::{in_the_way, no_task};
use super::{Ctx, Error, require};
use crate::domain::erasure::BareChange;
use crate::domain::id::{ChangeId, TaskNumber};
use crate::domain::task::{Actor, Change, Operation, Task};
use crate::domain::user::{Caller, Scope};
use crate::store;
use crate::store::changes::Entry;

/// How long a list shows that a task was changed by another hand, in hours (UX: the agent's mark).
const MARKED_H: i64 = 24;

/// One change of a task, as it stands now.
#[derive(Debug, Clone, PartialEq)]
pub struct Past {
    pub change: Change,
    /// It was taken back, and that was not.
    pub undone: bool,
    /// Nothing that came later is in the way of taking it back.
    pub can_undo: bool,
}

/// A task and its past.
#[derive(Debug, Clone, PartialEq)]
pub struct Life {
    /// As it is now, in the bin or not.
    pub task: Task,
    /// Newest first.
    pub past: Vec<Past>,
    /// Changes of which nothing is left but that they were made, newest first; they lie before the others.
    pub erased: Vec<BareChange>,
}

/// One of the caller's tasks with all that happened to it. One that was purged is not found.
pub async fn of_task(ctx: &Ctx, caller: &Caller, number: TaskNumber) -> Result<Life, Error> {
    require(caller, Scope::TasksRead)?;
    let mut tx = ctx.read().await?;
    let stored = super::changes::existing(&mut tx, caller.id(), number).await?;
    let entries = store::changes::since(&mut tx, caller.id(), number, 0).await?;
    let erased = store::erasures::of_task(&mut tx, caller.id(), number).await?;
    Ok(Life { task: stored.task, past: told(entries), erased })
}

/// The changes of one of the caller's tasks, in the bin, purged or not, newest first; of one that was purged without its words.
pub async fn changes(ctx: &Ctx, caller: &Caller, number: TaskNumber) -> Result<Vec<Change>, Error> {
    require(caller, Scope::TasksRead)?;
    let mut tx = ctx.read().await?;
    let entries = store::changes::since(&mut tx, caller.id(), number, 0).await?;
    if entries.is_empty() {
        return Err(no_task(number));
    }
    let purged = store::bin::was_purged(&mut tx, caller.id(), number).await?;
    Ok(entries.into_iter().map(|entry| if purged { entry.emptied().change } else { entry.change }).collect())
}

/// Whose hand touched each of these tasks last, of those that were touched within the last day.
pub async fn hands(ctx: &Ctx, caller: &Caller, tasks: &[Task]) -> Result<HashMap<TaskNumber, Actor>, Error> {
    require(caller, Scope::TasksRead)?;
    let since = ctx.now().plus_seconds(-MARKED_H * 3600);
    let recent: Vec<TaskNumber> =
        tasks.iter().filter(|task| task.updated_at >= since).map(|task| task.task_id).collect();
    let mut tx = ctx.read().await?;
    Ok(store::changes::last_hands(&mut tx, caller.id(), &recent).await?.into_iter().collect())
}

/// Entries, newest first, with what became of each. A change, its undo, the undo of that and so on are one chain: every second
/// one of them takes the first back.
fn told(entries: Vec<Entry>) -> Vec<Past> {
    let mut taken_back: HashMap<ChangeId, bool> = HashMap::new();
    let mut past = Vec::with_capacity(entries.len());
    for (at, entry) in entries.iter().enumerate() {
        let change = &entry.change;
        let undone = taken_back.get(&change.change_id).copied().unwrap_or_default();
        if let Some(target) = change.undoes {
            taken_back.insert(target, !undone);
        }
        let touched = entries[..at].iter().any(|later| later.change.undoes == Some(change.change_id));
        let can_undo = !touched && change.operation != Operation::Purge && in_the_way(&entries[..at]).is_none();
        past.push(Past { change: change.clone(), undone, can_undo });
    }
    past
}
