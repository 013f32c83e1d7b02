//! The sample tasks.

use leptos::prelude::*;

use super::Bulk;
#[cfg(feature = "ssr")]
use super::{Search, lines};
use crate::api::ApiError;
#[cfg(feature = "ssr")]
use crate::api::{context, views};
#[cfg(feature = "ssr")]
use crate::domain::user::{Caller, Scope};
#[cfg(feature = "ssr")]
use crate::messages::toasts as messages;
#[cfg(feature = "ssr")]
use crate::usecases::tasks::Changed;
#[cfg(feature = "ssr")]
use crate::usecases::{By, Commit, Ctx, samples};

/// Adds the missing tasks of the sample list; one undo reverts them together.
#[server(name = AddSamples, prefix = "/api/v1", endpoint = "tasks/samples/add")]
pub async fn add_samples() -> Result<Bulk, ApiError> {
    let (state, caller) = context::caller(Scope::TasksWrite)?;
    let lines = lines::of_lines(&samples::LINES.join("\n"), &state.ctx.now(), &caller.user.zone)?;
    let mut tx = state.ctx.write().await?;
    let added = samples::add(&state.ctx, &mut tx, By::person(&caller), lines).await?;
    state.ctx.commit_at(tx, Commit::Edit).await?;
    Ok(told(messages::added_samples(added.len()), added, &state.ctx, &caller))
}

/// Moves the unchanged sample tasks to the bin. An edited sample belongs to its user, and stays.
#[server(name = RemoveSamples, prefix = "/api/v1", endpoint = "tasks/samples/remove")]
pub async fn remove_samples() -> Result<Bulk, ApiError> {
    let (state, caller) = context::caller(Scope::TasksDelete)?;
    let mut tx = state.ctx.write().await?;
    let gone = samples::remove(&state.ctx, &mut tx, By::person(&caller)).await?;
    state.ctx.commit_at(tx, Commit::Edit).await?;
    Ok(told(messages::removed_samples(gone.len()), gone, &state.ctx, &caller))
}

#[cfg(feature = "ssr")]
fn told(done: String, changed: Vec<Changed>, ctx: &Ctx, caller: &Caller) -> Bulk {
    let tasks = changed.into_iter().map(|it| views::changed(it, &ctx.now(), &caller.user.zone)).collect();
    Bulk { done, tasks }
}

/// Returns the number of samples that a view reports; `None` outside views.
#[cfg(feature = "ssr")]
pub(super) async fn left(ctx: &Ctx, caller: &Caller, search: &Search, found: i64) -> Result<Option<usize>, ApiError> {
    if search.view.is_none() { Ok(None) } else { Ok(samples::left(ctx, caller, found == 0).await?) }
}
