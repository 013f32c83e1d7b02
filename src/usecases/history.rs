//! Task history: who changed what and when, and which changes can be undone.

use std::collections::HashMap;

use super::changes::{in_the_way, no_task};
use super::{Ctx, Error, require};
use crate::domain::erasure::BareChange;
use crate::domain::id::{ChangeId, TaskNumber};
use crate::domain::task::{Actor, Change, Operation, Task};
use crate::domain::user::{Caller, Scope};
use crate::store;
use crate::store::changes::Entry;

/// Time for which a list marks a task that somebody else changed, in hours.
const MARKED_H: i64 = 24;
/// Number of a task's newest changes that its history shows. The audit log has all.
const NEWEST: i64 = 200;

/// A change of a task and its present state.
#[derive(Debug, Clone, PartialEq)]
pub struct Past {
    pub change: Change,
    /// True if the change was undone and the undo was not.
    pub undone: bool,
    /// True if no later change prevents an undo.
    pub can_undo: bool,
}

/// A task and its history.
#[derive(Debug, Clone, PartialEq)]
pub struct Life {
    /// Present state, in the bin or not.
    pub task: Task,
    /// The newest changes, newest first.
    pub past: Vec<Past>,
    /// Erased changes, newest first; all precede `past`.
    pub erased: Vec<BareChange>,
}

/// Returns one of the caller's tasks with its history; `NotFound` if it was purged.
pub async fn of_task(ctx: &Ctx, caller: &Caller, number: TaskNumber) -> Result<Life, Error> {
    require(caller, Scope::TasksRead)?;
    let mut tx = ctx.read().await?;
    let stored = super::changes::existing(&mut tx, caller.id(), number).await?;
    let entries = store::changes::since(&mut tx, caller.id(), number, 0, NEWEST).await?;
    let erased = store::erasures::of_task(&mut tx, caller.id(), number).await?;
    Ok(Life { task: stored.task, past: told(entries), erased })
}

/// Returns the newest changes of one of the caller's tasks, newest first, in the bin or purged too; those of a purged one without texts.
pub async fn changes(ctx: &Ctx, caller: &Caller, number: TaskNumber) -> Result<Vec<Change>, Error> {
    require(caller, Scope::TasksRead)?;
    let mut tx = ctx.read().await?;
    let entries = store::changes::since(&mut tx, caller.id(), number, 0, NEWEST).await?;
    if entries.is_empty() {
        return Err(no_task(number));
    }
    let purged = store::bin::was_purged(&mut tx, caller.id(), number).await?;
    Ok(entries.into_iter().map(|entry| if purged { entry.emptied().change } else { entry.change }).collect())
}

/// Returns the last actor on each of these tasks that changed within `MARKED_H`.
pub async fn hands(ctx: &Ctx, caller: &Caller, tasks: &[Task]) -> Result<HashMap<TaskNumber, Actor>, Error> {
    require(caller, Scope::TasksRead)?;
    let since = ctx.now().plus_seconds(-MARKED_H * 3600);
    let recent: Vec<TaskNumber> =
        tasks.iter().filter(|task| task.updated_at >= since).map(|task| task.task_id).collect();
    let mut tx = ctx.read().await?;
    Ok(store::changes::last_hands(&mut tx, caller.id(), &recent).await?.into_iter().collect())
}

/// Returns changes, newest first, with their undo state. In a chain of undos, every second one undoes the first change.
fn told(entries: Vec<Entry>) -> Vec<Past> {
    let mut taken_back: HashMap<ChangeId, bool> = HashMap::new();
    let mut past = Vec::with_capacity(entries.len());
    let undoing: Vec<_> = entries.iter().map(|entry| (entry.change.change_id, entry.change.undoes)).collect();
    for (at, entry) in entries.iter().enumerate() {
        let change = &entry.change;
        let undone = taken_back.get(&change.change_id).copied().unwrap_or_default();
        if let Some(target) = change.undoes {
            taken_back.insert(target, !undone);
        }
        let touched = entries[..at].iter().any(|later| later.change.undoes == Some(change.change_id));
        let can_undo = !touched && change.operation != Operation::Purge && in_the_way(&undoing[..at]).is_none();
        past.push(Past { change: change.clone(), undone, can_undo });
    }
    past
}
