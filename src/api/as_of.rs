//! The task list at a past moment: read-only, except that a single task can be restored from there.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use super::ApiError;
#[cfg(feature = "ssr")]
use super::{context, rendered, wording};
use crate::domain::task::Task;
use crate::domain::time::Timestamp;
#[cfg(feature = "ssr")]
use crate::domain::user::Scope;
#[cfg(feature = "ssr")]
use crate::usecases::as_of as usecases;

/// The task list at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Then {
    pub at: Timestamp,
    /// Tasks by number, without those that were in the bin.
    pub tasks: Vec<Task>,
    /// Number of further tasks whose state at that moment was erased from the record.
    #[serde(default)]
    pub erased: i64,
}

/// Returns the tasks as of `at`: an instant, or a date and time in the caller's zone.
#[server(prefix = "/api/v1", endpoint = "tasks/as_of", input = GetUrl)]
pub async fn as_of(at: String) -> Result<Then, ApiError> {
    let (state, caller) = context::caller(Scope::TasksRead)?;
    let at = wording::spans::moment(&at, &caller.user.zone)?;
    let (bulk, account) = (state.ctx.bulk.clone(), caller.id());
    let look = move || async move {
        let usecases::Then { tasks, erased } = usecases::list(&state.ctx, &caller, &at).await?;
        Ok(Then { tasks, erased, at })
    };
    bulk.run(account, look).await
}

/// Renders the list as HTML for `/tasks/as-of`; without `at`, the form that chooses a moment.
#[server(prefix = "/api/v1", endpoint = "tasks/as_of/page", input = GetUrl)]
pub async fn as_of_page(at: Option<String>) -> Result<String, ApiError> {
    let (state, caller) = context::caller(Scope::TasksRead)?;
    let found = match at.filter(|at| !at.is_empty()) {
        Some(at) => Some(as_of(at).await),
        None => None,
    };
    Ok(rendered::as_of(found.as_ref(), &state.ctx.now(), &caller.user.zone))
}
