//! What is remembered of a person, in their own hands: to see, to forget, to switch off.

use serde_json::json;

use super::{Ctx, Error, require};
use crate::domain::id::MemoryId;
use crate::domain::memory::{Memory, Source};
use crate::domain::user::{Caller, Scope};
use crate::store::records::{self, Kind};
use crate::store::{self, Tx};

/// Memories of one page.
pub const PAGE: i64 = 50;
/// Messages that are shown as a memory's source.
const SOURCES: i64 = 40;

/// Whether things are remembered of the caller.
pub async fn is_on(ctx: &Ctx, caller: &Caller) -> Result<bool, Error> {
    require(caller, Scope::Chat)?;
    Ok(store::memories::is_on(&mut ctx.peek().await?, caller.id()).await?)
}

/// The caller's memories before the one of that id, newest first, and whether there are more.
pub async fn list(ctx: &Ctx, caller: &Caller, before: Option<MemoryId>) -> Result<(Vec<Memory>, bool), Error> {
    require(caller, Scope::Chat)?;
    let mut found = store::memories::list(&mut ctx.peek().await?, caller.id(), before, PAGE + 1).await?;
    let more = found.len() > usize::try_from(PAGE).unwrap_or(usize::MAX);
    found.truncate(usize::try_from(PAGE).unwrap_or(usize::MAX));
    Ok((found, more))
}

/// The memories, each with the messages that it was made from.
pub async fn with_sources(
    ctx: &Ctx,
    caller: &Caller,
    memories: Vec<Memory>,
) -> Result<Vec<(Memory, Vec<Source>)>, Error> {
    require(caller, Scope::Chat)?;
    let mut tx = ctx.read().await?;
    let mut all = vec![];
    for memory in memories {
        let sources = sources(&mut tx, caller, &memory).await?;
        all.push((memory, sources));
    }
    Ok(all)
}

/// Oldest first; of very many the last.
async fn sources(tx: &mut Tx, caller: &Caller, memory: &Memory) -> Result<Vec<Source>, Error> {
    let (before, talk) = (memory.last_record.checked_add(1), memory.conversation_id);
    let said = store::conversations::messages(tx, caller.id(), talk, before, SOURCES).await?;
    let said = said.into_iter().rev().filter(|said| said.seq >= memory.first_record);
    Ok(said.map(|said| Source { speaker: said.speaker, text: said.text }).collect())
}

/// Forgets one of the caller's memories; the messages that it came from stay.
pub async fn forget(ctx: &Ctx, caller: &Caller, id: MemoryId) -> Result<(), Error> {
    require(caller, Scope::Chat)?;
    let (mut tx, at) = (ctx.write().await?, ctx.now());
    if !store::memories::forget(&mut tx, caller.id(), id).await? {
        return Err(Error::NotFound("You have no such memory. It may be forgotten already.".into()));
    }
    // The record names it and never says what it was.
    let body = json!({ "event": "memory_forgotten", "memory_id": id, "at": at });
    records::append(&mut tx, caller.id(), Kind::Account, &at, &body).await?;
    ctx.commit(tx).await
}

/// Forgets all that is remembered of the caller; returns how many memories that were.
pub async fn forget_all(ctx: &Ctx, caller: &Caller) -> Result<u64, Error> {
    require(caller, Scope::Chat)?;
    let (mut tx, at) = (ctx.write().await?, ctx.now());
    let forgotten = store::memories::forget_all(&mut tx, caller.id()).await?;
    let body = json!({ "event": "memories_forgotten", "count": forgotten, "at": at });
    records::append(&mut tx, caller.id(), Kind::Account, &at, &body).await?;
    ctx.commit(tx).await?;
    Ok(forgotten)
}

/// Chooses whether things are remembered of the caller. What is remembered already stays until it is forgotten; what is said
/// while that is off is never remembered.
pub async fn switch(ctx: &Ctx, caller: &Caller, on: bool) -> Result<(), Error> {
    require(caller, Scope::Chat)?;
    let (mut tx, at) = (ctx.write().await?, ctx.now());
    let before = store::memories::is_on(&mut tx, caller.id()).await?;
    if before == on {
        return Ok(());
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
