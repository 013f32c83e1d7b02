//! Undo: a change is taken back by another change, never by forgetting it.

use super::changes::{self, Changed};
use super::{By, Ctx, Error, require};
use crate::domain::id::{ChangeId, InvocationId, TurnId};
use crate::domain::user::Scope;
use crate::store::changes::Entry;
use crate::store::{self, Tx};

/// Takes back one change and what came of it; refused where a later change of the same task stands.
pub async fn change(ctx: &Ctx, tx: &mut Tx, by: By<'_>, id: ChangeId) -> Result<Vec<Changed>, Error> {
    require(by.caller, Scope::TasksWrite)?;
    store::tasks::lock(tx, by.caller.id()).await?;
    let entry = store::changes::get(tx, by.caller.id(), id).await?;
    let entry = entry.ok_or_else(|| Error::NotFound("There is no such change.".into()))?;
    changes::take_back(tx, by, &ctx.now(), &entry).await
}

/// Takes back all that one tool call changed, newest first.
///
/// All or nothing: after an error the transaction must be dropped.
pub async fn invocation(ctx: &Ctx, tx: &mut Tx, by: By<'_>, id: InvocationId) -> Result<Vec<Changed>, Error> {
    require(by.caller, Scope::TasksWrite)?;
    store::tasks::lock(tx, by.caller.id()).await?;
    let entries = store::changes::of_invocation(tx, by.caller.id(), id).await?;
    all(ctx, tx, by, entries, "That call changed nothing that could be undone.").await
}

/// Takes back all that one turn changed, newest first.
///
/// All or nothing: after an error the transaction must be dropped.
pub async fn turn(ctx: &Ctx, tx: &mut Tx, by: By<'_>, id: TurnId) -> Result<Vec<Changed>, Error> {
    require(by.caller, Scope::TasksWrite)?;
    store::tasks::lock(tx, by.caller.id()).await?;
    let entries = store::changes::of_turn(tx, by.caller.id(), id).await?;
    all(ctx, tx, by, entries, "That turn changed nothing that could be undone.").await
}

/// Takes back those of the entries that nobody took back yet.
async fn all(ctx: &Ctx, tx: &mut Tx, by: By<'_>, entries: Vec<Entry>, nothing: &str) -> Result<Vec<Changed>, Error> {
    if entries.is_empty() {
        return Err(Error::NotFound(nothing.into()));
    }
    let (at, mut done) = (ctx.now(), vec![]);
    for entry in entries {
        if store::changes::undone_by(tx, by.caller.id(), entry.change.change_id).await?.is_none() {
            done.extend(changes::take_back(tx, by, &at, &entry).await?);
        }
    }
    if done.is_empty() {
        return Err(Error::Conflict("That was undone already.".into()));
    }
    Ok(done)
}
