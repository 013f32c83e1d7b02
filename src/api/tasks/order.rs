//! Manual order of tasks.

use leptos::prelude::*;
use serde::Serialize;

use super::TaskRow;
use crate::api::ApiError;
#[cfg(feature = "ssr")]
use crate::api::{context, views};
#[cfg(feature = "ssr")]
use crate::domain::Invalid;
#[cfg(feature = "ssr")]
use crate::domain::id::TaskNumber;
#[cfg(feature = "ssr")]
use crate::domain::user::Scope;
#[cfg(feature = "ssr")]
use crate::messages::{tasks as messages, toasts};
#[cfg(feature = "ssr")]
use crate::usecases::order::{self, Beside};
#[cfg(feature = "ssr")]
use crate::usecases::{By, Commit};

/// The result of a move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Moved {
    #[serde(flatten)]
    pub task: TaskRow,
    /// `Moved “buy milk” above “call mum”`.
    pub done: String,
}

read_flat!(Moved { task: TaskRow, done: String });

/// Moves an open task directly before or after another one. Both have the same day, or both are overdue. Exactly one of `before`
/// and `after` names the other task.
#[server(name = MoveTask, prefix = "/api/v1", endpoint = "tasks/move")]
pub async fn move_task(task_id: String, before: Option<String>, after: Option<String>) -> Result<Moved, ApiError> {
    let (state, caller) = context::caller(Scope::TasksWrite)?;
    let number = TaskNumber::parse(&task_id).map_err(ApiError::malformed)?;
    let (beside, above) = beside(before, after)?;
    let mut tx = state.ctx.write().await?;
    let moved = order::place(&state.ctx, &mut tx, By::person(&caller), number, beside).await?;
    state.ctx.commit_at(tx, Commit::Edit).await?;
    let task = views::changed(moved.changed, &state.ctx.now(), &caller.user.zone);
    Ok(Moved { done: toasts::moved(task.task.title.as_str(), above, moved.other.as_str()), task })
}

/// Parses the position; the flag is true if it is above the other task.
#[cfg(feature = "ssr")]
fn beside(before: Option<String>, after: Option<String>) -> Result<(Beside, bool), ApiError> {
    let number = |text: &str| TaskNumber::parse(text).map_err(ApiError::malformed);
    match (before.as_deref(), after.as_deref()) {
        (Some(other), None) => Ok((Beside::Before(number(other)?), true)),
        (None, Some(other)) => Ok((Beside::After(number(other)?), false)),
        _ => Err(ApiError::malformed(Invalid::because(messages::GIVE_BEFORE_OR_AFTER))),
    }
}
