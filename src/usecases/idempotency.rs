//! Idempotent adding of tasks: a retry with the client's key adds nothing.

use super::changes::Changed;
use super::tasks::add;
use super::{By, Ctx, Error, require};
use crate::domain::task::NewTask;
use crate::domain::text::ClientKey;
use crate::domain::user::{Caller, Scope};
use crate::store::changes::Entry;
use crate::store::{self, Tx};

/// Adds a task once per key. A retry returns the task as the first request added it.
pub async fn add_idempotent(
    ctx: &Ctx,
    tx: &mut Tx,
    by: By<'_>,
    key: &ClientKey,
    new: NewTask,
) -> Result<Changed, Error> {
    require(by.caller, Scope::TasksWrite)?;
    store::tasks::lock(tx, by.caller.id()).await?;
    match added_before(tx, by.caller, key).await? {
        Some(changed) => Ok(changed),
        None => add_under(ctx, tx, by, key, new).await,
    }
}

/// Adds several tasks once per key. A retry returns the first request's tasks and ignores its own body.
pub async fn add_all_idempotent(
    ctx: &Ctx,
    tx: &mut Tx,
    by: By<'_>,
    key: &ClientKey,
    new: Vec<NewTask>,
) -> Result<Vec<Changed>, Error> {
    require(by.caller, Scope::TasksWrite)?;
    store::tasks::lock(tx, by.caller.id()).await?;
    let mut made = vec![];
    while let Some(changed) = added_before(tx, by.caller, &key.of_line(made.len())).await? {
        made.push(changed);
    }
    if made.is_empty() {
        for (line, new) in new.into_iter().enumerate() {
            made.push(add_under(ctx, tx, by, &key.of_line(line), new).await?);
        }
    }
    Ok(made)
}

/// Returns the task that an earlier request with this key added. The caller has locked the list.
async fn added_before(tx: &mut Tx, caller: &Caller, key: &ClientKey) -> Result<Option<Changed>, Error> {
    let user = caller.id();
    if let Some(Entry { change, .. }) = store::changes::by_client_key(tx, user, key).await? {
        return Ok(Some(Changed { change_id: Some(change.change_id), before: None, after: change.after, next: None }));
    }
    match store::erasures::added_by_key(tx, user, key).await? {
        Some(number) => Err(Error::Conflict(format!(
            "This was already added as task #{number}, and its audit record has been erased."
        ))),
        None => Ok(None),
    }
}

/// Adds a task and stores its key.
async fn add_under(ctx: &Ctx, tx: &mut Tx, by: By<'_>, key: &ClientKey, new: NewTask) -> Result<Changed, Error> {
    let changed = add(ctx, tx, by, new).await?;
    if let Some(change) = changed.change_id {
        store::changes::keep_client_key(tx, by.caller.id(), key, change).await?;
    }
    Ok(changed)
}
