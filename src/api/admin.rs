//! Account administration and the tool policy for everyone; admins only.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use super::ApiError;
use super::repeated_field::RepeatedField;
use super::settings::{ErasedView, PolicyView};
#[cfg(feature = "ssr")]
use super::{context, reauthentication, views};
#[cfg(feature = "ssr")]
use crate::domain::user::Role;
#[cfg(feature = "ssr")]
use crate::usecases::accounts::{self, Manager, Protected};
#[cfg(feature = "ssr")]
use crate::usecases::erasure;
#[cfg(feature = "ssr")]
use crate::usecases::policy::{self, Whose};
#[cfg(feature = "ssr")]
use crate::workflow::disable_account;

/// An account as an admin sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct AccountView {
    pub name: String,
    /// `user` or `admin`.
    pub role: String,
    /// `invited` until a password was chosen, `active` or `disabled`.
    pub state: String,
    pub zone: String,
    /// Time of the last visit as text, accurate to a few minutes; `Never` if there was none.
    pub seen: String,
    pub made: String,
    /// True if the account is the reader's own.
    pub own: bool,
}

/// A password link, shown once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct LinkMade {
    pub name: String,
    pub role: String,
    /// The URL where the account's owner chooses a password.
    pub link: String,
    /// Expiry time as text.
    pub expires: String,
}

/// Lists every account, by name.
#[server(prefix = "/api/v1", endpoint = "admin/users/list", input = GetUrl)]
pub async fn users() -> Result<Vec<AccountView>, ApiError> {
    let (state, admin) = context::admin()?;
    let (now, me) = (state.ctx.now(), &admin.caller().user);
    let all = accounts::list_users(&state.ctx).await?;
    Ok(all.into_iter().map(|account| views::account(account, me, &now)).collect())
}

/// Creates an account and the link by which its owner chooses a password. Every function here with a `password` field requires
/// the admin's password if it was last entered more than ten minutes ago.
#[server(prefix = "/api/v1", endpoint = "admin/users/invite")]
pub async fn invite(name: String, role: Option<String>, password: Option<String>) -> Result<LinkMade, ApiError> {
    let (state, admin) = reauthentication::admin(Protected::CreateLink, password.as_deref()).await?;
    let role = Role::parse(role.as_deref().unwrap_or("user")).map_err(ApiError::malformed)?;
    let link = accounts::invite(&state.ctx, &Manager::Admin(&admin), &name, role).await?;
    let (now, url) = (state.ctx.now(), &state.config.public_url);
    Ok(views::link(&link, url, &now, &admin.caller().user))
}

/// Creates a link by which the account's owner chooses a new password, and voids earlier links.
#[server(prefix = "/api/v1", endpoint = "admin/users/reset")]
pub async fn reset(name: String, password: Option<String>) -> Result<LinkMade, ApiError> {
    let (state, admin) = reauthentication::admin(Protected::CreateLink, password.as_deref()).await?;
    let link = accounts::link(&state.ctx, &Manager::Admin(&admin), &name).await?;
    let (now, url) = (state.ctx.now(), &state.config.public_url);
    Ok(views::link(&link, url, &now, &admin.caller().user))
}

/// Disables an account and ends everything it has running; its data stays.
#[server(prefix = "/api/v1", endpoint = "admin/users/disable")]
pub async fn disable(name: String) -> Result<AccountView, ApiError> {
    let (state, admin) = context::admin()?;
    disable_account::disable(&state, &Manager::Admin(&admin), &name).await?;
    context::account(&state, &admin, &name).await
}

#[server(prefix = "/api/v1", endpoint = "admin/users/enable")]
pub async fn enable(name: String) -> Result<AccountView, ApiError> {
    let (state, admin) = context::admin()?;
    accounts::enable(&state.ctx, &Manager::Admin(&admin), &name).await?;
    context::account(&state, &admin, &name).await
}

/// Permanently erases another user's texts: all, or those older than `before`, a date in the admin's zone. Tasks stay. `sure`
/// repeats the account's name as confirmation.
#[server(name = Erase, prefix = "/api/v1", endpoint = "admin/users/erase")]
pub async fn erase(
    name: String,
    sure: String,
    before: Option<String>,
    password: Option<String>,
) -> Result<ErasedView, ApiError> {
    let (state, admin) = reauthentication::admin(Protected::Erase, password.as_deref()).await?;
    let before = views::spans::moment_of(before.as_deref(), &admin.caller().user.zone)?;
    let erased = erasure::anothers(&state.ctx, &admin, &name, &sure, before.as_ref()).await?;
    Ok(ErasedView { texts: erased.texts, told: erased.sentence() })
}

/// Sets an account's role. The last admin stays an admin.
#[server(name = SetRole, prefix = "/api/v1", endpoint = "admin/users/role")]
pub async fn role(name: String, role: String, password: Option<String>) -> Result<AccountView, ApiError> {
    let (state, admin) = reauthentication::admin(Protected::ChangeRole, password.as_deref()).await?;
    let role = Role::parse(&role).map_err(ApiError::malformed)?;
    accounts::set_role(&state.ctx, &Manager::Admin(&admin), &name, role).await?;
    context::account(&state, &admin, &name).await
}

/// Returns the tool policy for everyone.
#[server(name = ListPolicy, prefix = "/api/v1", endpoint = "admin/policy/list", input = GetUrl)]
pub async fn list_policy() -> Result<Vec<PolicyView>, ApiError> {
    let (state, admin) = context::admin()?;
    let matrix = policy::matrix(&state.ctx, Whose::Everyones(&admin)).await?;
    Ok(matrix.into_iter().map(PolicyView::from).collect())
}

/// Changes fields of the tool policy for everyone; each `rule` looks like `mcp.delete_task.deny`.
#[server(name = SetPolicy, prefix = "/api/v1", endpoint = "admin/policy/set")]
pub async fn set_policy(rule: RepeatedField) -> Result<Vec<PolicyView>, ApiError> {
    let (state, admin) = context::admin()?;
    context::set_policy(&state, Whose::Everyones(&admin), rule).await
}
