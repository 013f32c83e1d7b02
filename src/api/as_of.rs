//! The task list at a past moment: read-only, except that a single task can be restored from there.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use super::ApiError;
#[cfg(feature = "ssr")]
use super::{context, fragments, views};
use crate::domain::task::Task;
use crate::domain::time::Timestamp;
#[cfg(feature = "ssr")]
use crate::domain::user::Scope;
#[cfg(feature = "ssr")]
use crate::usecases::as_of as usecases;

/// A page of the task list at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Then {
    pub at: Timestamp,
    /// Tasks by number, without those that were in the bin.
    pub tasks: Vec<Task>,
    /// Cursor of the next page; absent on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Number of tasks of all pages whose state at that moment was erased from the audit log.
    #[serde(default)]
    pub erased: i64,
}

/// Returns up to 200 tasks as of `at`, an instant or a date and time in the caller's zone, after `cursor`.
#[server(prefix = "/api/v1", endpoint = "tasks/as_of", input = GetUrl)]
pub async fn as_of(at: String, cursor: Option<String>) -> Result<Then, ApiError> {
    page(&at, cursor, usecases::MAX_PAGE).await
}

/// Renders a page of the list as HTML for `/tasks/as-of`; without `at`, the form that chooses a moment.
#[server(prefix = "/api/v1", endpoint = "tasks/as_of/page", input = GetUrl)]
pub async fn as_of_page(at: Option<String>, cursor: Option<String>) -> Result<String, ApiError> {
    let (state, caller) = context::caller(Scope::TasksRead)?;
    let from = cursor.clone();
    let found = match at.filter(|at| !at.is_empty()) {
        Some(at) => Some(page(&at, cursor, ON_PAGE).await),
        None => None,
    };
    Ok(fragments::as_of(found.as_ref(), from.as_deref(), &state.ctx.now(), &caller.user.zone))
}

/// Tasks on a page for the browser.
#[cfg(feature = "ssr")]
const ON_PAGE: usize = 50;

#[cfg(feature = "ssr")]
async fn page(at: &str, cursor: Option<String>, limit: usize) -> Result<Then, ApiError> {
    let (state, caller) = context::caller(Scope::TasksRead)?;
    let at = views::spans::moment(at, &caller.user.zone)?;
    let (bulk, account) = (state.ctx.bulk.clone(), caller.id());
    let look = move || async move {
        let found = usecases::list(&state.ctx, &caller, &at, cursor.as_deref(), limit).await?;
        Ok(Then { tasks: found.tasks, next: found.next, erased: found.erased, at })
    };
    context::long_read(&bulk, account, look).await
}
