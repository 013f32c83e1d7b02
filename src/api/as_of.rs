//! The list as it was at any moment: read only, but for bringing one task back from there.

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

/// The list at a moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Then {
    pub at: Timestamp,
    /// By number, without those that were in the bin.
    pub tasks: Vec<Task>,
    /// How many more there were, of which the record no longer says what they were then: that was erased.
    #[serde(default)]
    pub erased: i64,
}

/// The tasks as they were `at` an instant, or at a date and time in the caller's zone.
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

/// The same as a piece of the page at `/tasks/as-of`; without a moment, the way to choose one.
#[server(prefix = "/api/v1", endpoint = "tasks/as_of/page", input = GetUrl)]
pub async fn as_of_page(at: Option<String>) -> Result<String, ApiError> {
    let (state, caller) = context::caller(Scope::TasksRead)?;
    let found = match at.filter(|at| !at.is_empty()) {
        Some(at) => Some(as_of(at).await),
        None => None,
    };
    Ok(rendered::as_of(found.as_ref(), &state.ctx.now(), &caller.user.zone))
}
