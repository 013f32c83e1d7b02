//! Snoozed reminders.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::ApiError;
#[cfg(feature = "ssr")]
use super::context;
#[cfg(feature = "ssr")]
use crate::domain::{id::TaskNumber, user::Scope, when};
#[cfg(feature = "ssr")]
use crate::workflow::reminders;

/// Time of a snoozed reminder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Snoozed {
    /// RFC 3339.
    pub remind_at: String,
    /// The time in words.
    pub label: String,
}

/// Repeats the reminder of an open task in an hour; the due time stays.
#[server(prefix = "/api/v1", endpoint = "tasks/snooze")]
pub async fn snooze(task_id: String) -> Result<Snoozed, ApiError> {
    let (state, caller) = context::caller(Scope::TasksWrite)?;
    let number = TaskNumber::parse(&task_id).map_err(ApiError::malformed)?;
    let at = reminders::snooze(&state, &caller, number).await?;
    let label = when::instant(&at, &state.ctx.now(), &caller.user.zone);
    Ok(Snoozed { remind_at: at.to_string(), label })
}
