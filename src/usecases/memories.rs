//! A user's control of memories: list, forget, switch off.

use std::collections::HashSet;

use serde_json::json;

use super::{Ctx, Error, require};
use crate::domain::id::MemoryId;
use crate::domain::memory::{Memory, Source};
use crate::domain::user::{Caller, Scope};
use crate::store::erasures;
use crate::store::records::{self, Kind};
use crate::store::{self, Tx};

/// Memories per page.
pub const PAGE: i64 = 50;
/// Maximum number of source messages shown per memory, and characters of each.
const SOURCES: i64 = 40;
const SHOWN: usize = 300;

/// True if memories are created for the caller.
pub async fn is_on(ctx: &Ctx, caller: &Caller) -> Result<bool, Error> {
    require(caller, Scope::Chat)?;
    Ok(store::memories::is_on(&mut ctx.peek().await?, caller.id()).await?)
}

/// Returns a page of the caller's memories before that id, newest first, and true if there are more.
pub async fn list(ctx: &Ctx, caller: &Caller, before: Option<MemoryId>) -> Result<(Vec<Memory>, bool), Error> {
    require(caller, Scope::Chat)?;
    let mut found = store::memories::list(&mut ctx.peek().await?, caller.id(), before, PAGE + 1).await?;
    let more = found.len() > usize::try_from(PAGE).unwrap_or(usize::MAX);
    found.truncate(usize::try_from(PAGE).unwrap_or(usize::MAX));
    Ok((found, more))
}

/// Pairs each memory with its source messages; empty if an earlier memory of the list has the same ones.
pub async fn with_sources(
    ctx: &Ctx,
    caller: &Caller,
    memories: Vec<Memory>,
) -> Result<Vec<(Memory, Vec<Source>)>, Error> {
    require(caller, Scope::Chat)?;
    let mut tx = ctx.read().await?;
    let (mut all, mut seen) = (vec![], HashSet::new());
    for memory in memories {
        // A model may create several memories from the same messages.
        let new = seen.insert((memory.conversation_id, memory.first_record, memory.last_record));
        let sources = if new { sources(&mut tx, caller, &memory).await? } else { vec![] };
        all.push((memory, sources));
    }
    Ok(all)
}

/// Returns distinct source messages, oldest first: the last [`SOURCES`], each shortened.
async fn sources(tx: &mut Tx, caller: &Caller, memory: &Memory) -> Result<Vec<Source>, Error> {
    let (before, talk) = (memory.last_record.checked_add(1), memory.conversation_id);
    let said = store::conversations::messages(tx, caller.id(), talk, before, SOURCES).await?;
    let mut sources = vec![];
    for said in said.into_iter().rev().filter(|said| said.seq >= memory.first_record) {
        let source = Source { speaker: said.speaker, text: said.text.as_deref().map(beginning) };
        if !sources.contains(&source) {
            sources.push(source);
        }
    }
    Ok(sources)
}

/// Shortens a text to [`SHOWN`] characters, with an ellipsis.
fn beginning(text: &str) -> String {
    if text.chars().count() <= SHOWN {
        return text.to_owned();
    }
    let cut: String = text.chars().take(SHOWN - 1).collect();
    format!("{}…", cut.trim_end())
}

/// Forgets one of the caller's memories; its source messages stay. A later vacuum removes the text from the database's files.
pub async fn forget(ctx: &Ctx, caller: &Caller, id: MemoryId) -> Result<(), Error> {
    require(caller, Scope::Chat)?;
    let (mut tx, at) = (ctx.write().await?, ctx.now());
    // Locks the head first, as every erasure does.
    store::tasks::lock(&mut tx, caller.id()).await?;
    if !store::memories::forget(&mut tx, caller.id(), id).await? {
        return Err(Error::NotFound("There is no such memory. It may already have been forgotten.".into()));
    }
    // The record contains the id, not the text.
    let body = json!({ "event": "memory_forgotten", "memory_id": id, "at": at });
    records::append(&mut tx, caller.id(), Kind::Account, &at, &body).await?;
    erasures::leave_traces(&mut tx, &at).await?;
    ctx.commit(tx).await
}

/// Forgets all of the caller's memories; returns their number.
pub async fn forget_all(ctx: &Ctx, caller: &Caller) -> Result<u64, Error> {
    require(caller, Scope::Chat)?;
    let (mut tx, at) = (ctx.write().await?, ctx.now());
    store::tasks::lock(&mut tx, caller.id()).await?;
    let forgotten = store::memories::forget_all(&mut tx, caller.id()).await?;
    let body = json!({ "event": "memories_forgotten", "count": forgotten, "at": at });
    records::append(&mut tx, caller.id(), Kind::Account, &at, &body).await?;
    if forgotten > 0 {
        erasures::leave_traces(&mut tx, &at).await?;
    }
    ctx.commit(tx).await?;
    Ok(forgotten)
}

/// Switches memory on or off for the caller. Existing memories stay until forgotten; messages sent while off are never used.
pub async fn switch(ctx: &Ctx, caller: &Caller, on: bool) -> Result<(), Error> {
    require(caller, Scope::Chat)?;
    let (mut tx, at) = (ctx.write().await?, ctx.now());
    // Locks first: a message accepted in the meantime counts under the old setting.
    store::tasks::lock(&mut tx, caller.id()).await?;
    let before = store::memories::is_on(&mut tx, caller.id()).await?;
    if before == on {
        return ctx.commit(tx).await;
    }
    if on {
        store::memories::switch_on(&mut tx, caller.id(), &at).await?;
    } else {
        store::memories::switch_off(&mut tx, caller.id(), &at).await?;
    }
    let body = json!({ "event": "memory_choice_changed", "before": before, "after": on, "at": at });
    records::append(&mut tx, caller.id(), Kind::Account, &at, &body).await?;
    ctx.commit(tx).await
}
