//! Sign-in, sign-out, set-up of the first account, and the data that every page needs.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use super::flash::Flash;
use super::{ApiError, settings::Theme};
#[cfg(feature = "ssr")]
use super::{context, views};
#[cfg(feature = "ssr")]
use crate::domain::user::LinkPurpose;
use crate::domain::user::User;
#[cfg(feature = "ssr")]
use crate::usecases::accounts::{self, AlsoEnd};
#[cfg(feature = "ssr")]
use crate::usecases::events;

/// The signed-in account and its current state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Me {
    #[serde(flatten)]
    pub user: User,
    /// Today in the account's zone, as text: `Friday, 13 March`.
    pub today: String,
    /// Description of the engine, the data sent to it, and today's usage.
    pub engine: String,
    /// True if a model is configured.
    pub has_model: bool,
    /// Sequence of the account's last event: a subscription from here misses nothing.
    pub head: i64,
}

impl Me {
    /// Returns true if a model answers rather than the built-in rules.
    pub fn asks_model(&self) -> bool {
        self.has_model && self.user.uses_model
    }
}

read_flat!(Me { user: User, today: String, engine: String, has_model: bool, head: i64 });

/// Data of a page besides its own content.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Visit {
    /// `None` if nobody is signed in.
    pub me: Option<Me>,
    pub flash: Option<Flash>,
    pub theme: Theme,
    /// True if single-key shortcuts are on.
    pub shortcuts: bool,
    /// A new idempotency key for the next message, so that a form sent twice counts once.
    pub form_key: String,
    /// True if the page was opened with a set-up link that creates no account.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub void_link: bool,
}

#[server(name = GetMe, prefix = "/api/v1", endpoint = "session/me", input = GetUrl)]
pub async fn me() -> Result<Me, ApiError> {
    let (state, caller) = context::anyone()?;
    let head = events::head(&state.ctx, &caller).await?;
    let today = views::today(&state.ctx.now(), &caller.user.zone);
    let engine = context::engine(&state, &caller).await? + &context::embedding(&state, &caller).await?;
    Ok(Me { today, engine, has_model: state.config.endpoint().is_some(), head, user: caller.user })
}

/// Returns the account, flash and appearance for the page being rendered. Redirects signed-out visitors of guarded pages.
#[server(name = GetVisit, prefix = "/api/v1", endpoint = "session/visit", input = GetUrl)]
pub async fn visit() -> Result<Visit, ApiError> {
    let me = me().await.ok();
    context::direct(me.is_some());
    let void_link = match context::set_up_token() {
        Some(token) => !accounts::is_good_link(&context::state()?.ctx, &token).await?,
        None => false,
    };
    let flash = context::take_flash().map(Flash::without_file);
    let flash = match me.is_some() && flash.is_none() {
        true => context::notice().await?,
        false => flash,
    };
    let (theme, shortcuts) = (context::theme(), context::shortcuts());
    Ok(Visit { me, flash, theme, shortcuts, form_key: context::form_key(), void_link })
}

/// Signs in and sets the session cookie.
#[server(prefix = "/api/v1", endpoint = "session/sign-in")]
pub async fn sign_in(name: String, password: String) -> Result<User, ApiError> {
    let state = context::state()?;
    let old = context::session_token(&state);
    let session = accounts::sign_in(&state.ctx, &name, &password, &context::visitor(), old.as_deref()).await?;
    context::set_session(&state, &session.token);
    Ok(session.user)
}

#[server(prefix = "/api/v1", endpoint = "session/sign-out")]
pub async fn sign_out() -> Result<(), ApiError> {
    let state = context::state()?;
    if let Some(token) = context::session_token(&state) {
        accounts::sign_out(&state.ctx, &token).await?;
    }
    context::clear_session(&state);
    Ok(())
}

/// Creates the first account, an admin, with the one-time link that the server printed, and signs it in.
#[server(prefix = "/api/v1", endpoint = "session/set-up")]
pub async fn set_up(token: String, name: String, password: String, zone: String) -> Result<User, ApiError> {
    let state = context::state()?;
    let session = accounts::set_up(&state.ctx, &token, &name, &password, &zone, &context::visitor()).await?;
    context::set_session(&state, &session.token);
    Ok(session.user)
}

/// An invitation, or a link for a new password.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct LinkView {
    /// Name of the account.
    pub name: String,
    /// True if the link sets the account's first password.
    pub invites: bool,
}

/// Describes the link of a token; `null` once it was used or has expired.
#[server(name = LookAtLink, prefix = "/api/v1", endpoint = "session/link", input = GetUrl)]
pub async fn look_at_link(token: String) -> Result<Option<LinkView>, ApiError> {
    let state = context::state()?;
    let found = accounts::look(&state.ctx, &token).await?;
    Ok(found.map(|(user, purpose)| LinkView { name: user.name.to_string(), invites: purpose == LinkPurpose::Invite }))
}

/// Sets the password of the link's account, and signs it in. An invited account also sets its time zone. On request, revokes
/// every token and unlinks the Telegram chat.
#[server(prefix = "/api/v1", endpoint = "session/join")]
pub async fn join(
    token: String,
    password: String,
    zone: Option<String>,
    revoke_tokens: Option<bool>,
    unlink_chats: Option<bool>,
) -> Result<User, ApiError> {
    let state = context::state()?;
    let zone = zone.filter(|zone| !zone.trim().is_empty());
    let also = AlsoEnd { tokens: revoke_tokens.unwrap_or(false), chats: unlink_chats.unwrap_or(false) };
    let session = accounts::join(&state.ctx, &token, &password, zone.as_deref(), also, &context::visitor()).await?;
    // End the browser's previous session, which nothing would show any more.
    if let Some(old) = context::session_token(&state) {
        accounts::sign_out(&state.ctx, &old).await?;
    }
    context::set_session(&state, &session.token);
    Ok(session.user)
}

/// Returns the id of the account that a page is rendered for.
#[cfg(feature = "ssr")]
pub fn page_account() -> Option<String> {
    context::anyone().ok().map(|(_, caller)| caller.id().to_string())
}
