//! Undo: a change is undone by a compensating change; the original stays recorded.

use std::collections::{HashMap, HashSet};

use super::changes::{self, Changed, Standing};
use super::{By, Ctx, Error, require};
use crate::domain::id::{ChangeId, ImportId, InvocationId, TaskNumber, TurnId, UserId};
use crate::domain::task::Operation;
use crate::domain::tool::CallStatus;
use crate::domain::turn::{Effect, ToolCall};
use crate::domain::user::Scope;
use crate::store::changes::Entry;
use crate::store::erasures::Changes as Which;
use crate::store::{self, Tx};

mod recent;
pub use recent::{Recent, Span, find, is_asked, last, recent};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// One change and its consequences.
    Change(ChangeId),
    /// All changes of one tool call.
    Invocation(InvocationId),
    /// All changes of one turn.
    Turn(TurnId),
    /// All additions of one import.
    Import(ImportId),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Undone {
    pub done: Vec<Changed>,
    /// Changes that were not undone, with reasons.
    pub left: Vec<Left>,
}

/// A task with a change that was not undone, and the reason as a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    pub task_id: TaskNumber,
    pub why: String,
}

impl Undone {
    fn reasons(&self) -> String {
        self.left.iter().map(|left| left.why.as_str()).collect::<Vec<_>>().join(" ")
    }
}

/// Undoes one change and its consequences; refused if a later change of the same task is in effect.
///
/// After an error the caller must drop the transaction.
pub async fn change(ctx: &Ctx, tx: &mut Tx, by: By<'_>, id: ChangeId) -> Result<Vec<Changed>, Error> {
    all(ctx, tx, by, Target::Change(id)).await
}

/// Undoes all changes of one tool call, newest first.
///
/// After an error the caller must drop the transaction.
pub async fn invocation(ctx: &Ctx, tx: &mut Tx, by: By<'_>, id: InvocationId) -> Result<Vec<Changed>, Error> {
    all(ctx, tx, by, Target::Invocation(id)).await
}

/// Undoes all changes of one turn, newest first.
///
/// After an error the caller must drop the transaction.
pub async fn turn(ctx: &Ctx, tx: &mut Tx, by: By<'_>, id: TurnId) -> Result<Vec<Changed>, Error> {
    all(ctx, tx, by, Target::Turn(id)).await
}

/// Undoes all changes of the target or returns an error: `Partly` if some of them could be undone alone.
pub async fn all(ctx: &Ctx, tx: &mut Tx, by: By<'_>, target: Target) -> Result<Vec<Changed>, Error> {
    whole(attempt(ctx, tx, by, target).await?)
}

/// Returns the undone changes, or an error if one is left.
fn whole(undone: Undone) -> Result<Vec<Changed>, Error> {
    if undone.left.is_empty() {
        return Ok(undone.done);
    }
    let why = undone.reasons();
    Err(if undone.done.is_empty() { Error::Conflict(why) } else { Error::Partly(why) })
}

/// Undoes those changes of the target that can be undone, newest first, and names the others; refused if there are none.
pub async fn rest(ctx: &Ctx, tx: &mut Tx, by: By<'_>, target: Target) -> Result<Undone, Error> {
    partly(attempt(ctx, tx, by, target).await?)
}

/// Returns the partial result; refused if nothing was undone.
fn partly(undone: Undone) -> Result<Undone, Error> {
    if undone.done.is_empty() { Err(Error::Conflict(undone.reasons())) } else { Ok(undone) }
}

async fn attempt(ctx: &Ctx, tx: &mut Tx, by: By<'_>, target: Target) -> Result<Undone, Error> {
    require(by.caller, Scope::TasksWrite)?;
    let user = by.caller.id();
    store::tasks::lock(tx, user).await?;
    let entries = entries(tx, user, target).await?;
    take_back(ctx, tx, by, entries).await
}

/// Undoes each of these changes that is still in effect.
///
/// # Errors
/// `Forbidden` if that bins a task and the caller may not delete; `Conflict` if no change is in effect.
async fn take_back(ctx: &Ctx, tx: &mut Tx, by: By<'_>, entries: Vec<Entry>) -> Result<Undone, Error> {
    let user = by.caller.id();
    let (at, mut undone, mut nothing) = (ctx.now(), Undone { done: vec![], left: vec![] }, true);
    let brought: HashSet<_> = entries.iter().flat_map(|entry| entry.brought.clone()).collect();
    for entry in entries {
        let alone = !brought.contains(&entry.change.change_id);
        let Standing::Through(entry) = changes::standing(tx, user, entry).await? else { continue };
        nothing = false;
        if alone && matches!(entry.change.operation, Operation::Add | Operation::Restore) {
            // Undoing an addition bins the task; consequences of another change are undone with that one.
            require(by.caller, Scope::TasksDelete)?;
        }
        tx.savepoint().await?;
        match changes::take_back(tx, by, &at, &entry).await {
            Ok(done) => {
                tx.keep_part().await?;
                undone.done.extend(done);
            }
            Err(Error::Conflict(why)) => {
                tx.rollback_to_savepoint().await?;
                let left = Left { task_id: entry.change.task_id, why };
                if !undone.left.contains(&left) {
                    undone.left.push(left);
                }
            }
            Err(error) => return Err(error),
        }
    }
    if nothing {
        return Err(Error::Conflict("This has already been undone.".into()));
    }
    Ok(undone)
}

/// Returns the target's changes, newest first.
async fn entries(tx: &mut Tx, user: UserId, target: Target) -> Result<Vec<Entry>, Error> {
    let (which, entries, nothing) = match target {
        Target::Change(id) => {
            let entry = store::changes::get(tx, user, id).await?;
            (Which::One(id), entry.into_iter().collect(), "There is no such change.")
        }
        Target::Invocation(id) => {
            let entries = store::changes::of_invocation(tx, user, id).await?;
            (Which::OfInvocation(id), entries, "This tool call made no changes that can be undone.")
        }
        Target::Import(id) => {
            (Which::OfImport(id), store::changes::of_import(tx, user, id).await?, "There is no such import.")
        }
        Target::Turn(id) => {
            let entries = store::changes::of_turn(tx, user, id).await?;
            (Which::OfTurn(id), entries, "This turn made no changes that can be undone.")
        }
    };
    // All or nothing: undoing the rest alone is not the intention.
    if store::erasures::taken(tx, user, which).await? > 0 {
        return Err(Error::Conflict(
            "The data of these changes has been erased from the audit log, so they cannot be undone.".into(),
        ));
    }
    if entries.is_empty() { Err(Error::NotFound(nothing.into())) } else { Ok(entries) }
}

/// Marks calls with the state of their changes, in one query. `owner` restricts the query to a user; `None` is for admins.
pub(super) async fn mark(
    tx: &mut Tx,
    owner: Option<UserId>,
    calls: impl Iterator<Item = &mut ToolCall>,
) -> Result<(), Error> {
    let calls: Vec<_> = calls.filter(|call| call.status == CallStatus::Ok && call.writes()).collect();
    let mut turns: Vec<_> = calls.iter().map(|call| call.invocation_id.turn).collect();
    turns.dedup();
    if turns.is_empty() {
        return Ok(());
    }
    let mut effects: HashMap<InvocationId, Effect> = HashMap::new();
    for (call, stands) in store::changes::standing(tx, owner, &turns).await? {
        let effect = effects.entry(call).or_insert(Effect::Undone);
        if stands {
            *effect = Effect::Stands;
        }
    }
    for call in calls {
        call.effect = effects.get(&call.invocation_id).copied().unwrap_or_default();
    }
    Ok(())
}
