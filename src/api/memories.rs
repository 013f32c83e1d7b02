//! Memories of the caller: list, search, forget, switch off.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use super::ApiError;
#[cfg(feature = "ssr")]
use super::{context, views};
use crate::domain::memory::Memory;
#[cfg(feature = "ssr")]
use crate::domain::{comparison::is_blank, id::MemoryId, user::Scope};
#[cfg(feature = "ssr")]
use crate::usecases::memories;
#[cfg(feature = "ssr")]
use crate::workflow::memories as recall;

/// Memories, newest first; in a search, best match first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Memories {
    pub memories: Vec<Memory>,
    /// Cursor of the next page, sent as `before`.
    pub next: Option<String>,
    /// True if new memories are kept.
    pub on: bool,
}

/// The number of memories that were forgotten.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Forgotten {
    pub forgotten: u64,
}

/// A page that the server renders whole, since nothing on it is interactive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct MemoryPage {
    pub html: String,
}

/// Lists the caller's memories, newest first.
#[server(prefix = "/api/v1", endpoint = "memories/list", input = GetUrl)]
pub async fn list(#[server(default)] before: Option<String>) -> Result<Memories, ApiError> {
    let (state, caller) = context::caller(Scope::Chat)?;
    let (memories, more) = memories::list(&state.ctx, &caller, context::id(before, MemoryId::parse)?).await?;
    let next = memories.last().filter(|_| more).map(|memory| memory.memory_id.to_string());
    Ok(Memories { memories, next, on: memories::is_on(&state.ctx, &caller).await? })
}

/// Searches the caller's memories; returns the best match first.
#[server(prefix = "/api/v1", endpoint = "memories/search", input = GetUrl)]
pub async fn search(query: String) -> Result<Memories, ApiError> {
    let (state, caller) = context::caller(Scope::Chat)?;
    let memories = recall::search(&state, &caller, &query).await?;
    Ok(Memories { memories, next: None, on: memories::is_on(&state.ctx, &caller).await? })
}

/// Forgets one memory. Its source messages stay.
#[server(prefix = "/api/v1", endpoint = "memories/forget")]
pub async fn forget(memory_id: String) -> Result<Forgotten, ApiError> {
    let (state, caller) = context::caller(Scope::Chat)?;
    let id = MemoryId::parse(&memory_id).map_err(ApiError::malformed)?;
    memories::forget(&state.ctx, &caller, id).await?;
    Ok(Forgotten { forgotten: 1 })
}

#[server(prefix = "/api/v1", endpoint = "memories/forget_all")]
pub async fn forget_all() -> Result<Forgotten, ApiError> {
    let (state, caller) = context::caller(Scope::Chat)?;
    Ok(Forgotten { forgotten: memories::forget_all(&state.ctx, &caller).await? })
}

#[server(prefix = "/api/v1", endpoint = "memories/switch")]
pub async fn switch(on: bool) -> Result<(), ApiError> {
    let (state, caller) = context::caller(Scope::Chat)?;
    Ok(memories::switch(&state.ctx, &caller, on).await?)
}

/// Renders the page of memories: the matches of `query`, or all of them, newest first, from `before` on.
#[server(prefix = "/api/v1", endpoint = "memories/page", input = GetUrl)]
pub async fn page(
    #[server(default)] query: Option<String>,
    #[server(default)] before: Option<String>,
) -> Result<MemoryPage, ApiError> {
    let (state, caller) = context::caller(Scope::Chat)?;
    let query = query.filter(|query| !is_blank(query));
    let found = match &query {
        Some(query) => search(query.clone()).await?,
        None => list(before).await?,
    };
    let shown = memories::with_sources(&state.ctx, &caller, found.memories).await?;
    let (choice, now) = ((state.config.memory, found.on), state.ctx.now());
    let (query, next) = (query.as_deref(), found.next.as_deref());
    Ok(MemoryPage { html: views::memories::page(&shown, query, next, choice, &now, &caller.user.zone) })
}
