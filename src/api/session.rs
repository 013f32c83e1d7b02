//! Signing in and out, the first account, and what every page needs to know.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use super::flash::Flash;
use super::{ApiError, settings::Theme};
#[cfg(feature = "ssr")]
use super::{context, wording};
#[cfg(feature = "ssr")]
use crate::domain::user::LinkPurpose;
use crate::domain::user::User;
#[cfg(feature = "ssr")]
use crate::usecases::accounts::{self, AlsoEnd};
#[cfg(feature = "ssr")]
use crate::usecases::events;

/// The signed-in account and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Me {
    #[serde(flatten)]
    pub user: User,
    /// Today in the account's zone, in words: `Friday, 13 March`.
    pub today: String,
    /// What answers, what is sent where, and what that took today, in words.
    pub engine: String,
    /// Whether there is a model that could answer.
    pub has_model: bool,
    /// The account's last event: listening from here misses nothing.
    pub head: i64,
}

impl Me {
    /// Whether a model answers, and not the built-in rules.
    pub fn asks_model(&self) -> bool {
        self.has_model && self.user.uses_model
    }
}

read_flat!(Me { user: User, today: String, engine: String, has_model: bool, head: i64 });

/// What one rendering of a page knows besides its own data.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Visit {
    /// `None` where nobody is signed in.
    pub me: Option<Me>,
    pub flash: Option<Flash>,
    pub theme: Theme,
    /// Whether single keys act on the page.
    pub shortcuts: bool,
    /// A fresh key for the next message, so that a form sent twice counts once.
    pub form_key: String,
    /// The page was opened with a set-up link that makes no account.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub void_link: bool,
}

/// Who is signed in.
#[server(name = GetMe, prefix = "/api/v1", endpoint = "session/me", input = GetUrl)]
pub async fn me() -> Result<Me, ApiError> {
    let (state, caller) = context::anyone()?;
    let head = events::head(&state.ctx, &caller).await?;
    let today = wording::today(&state.ctx.now(), &caller.user.zone);
    let engine = context::engine(&state, &caller).await? + &context::embedding(&state, &caller).await?;
    Ok(Me { today, engine, has_model: state.config.endpoint().is_some(), head, user: caller.user })
}

/// What the page being rendered needs: the account, the flash, the look. A page that needs an account sends others to sign in.
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

/// Opens a session and sets its cookie.
#[server(prefix = "/api/v1", endpoint = "session/sign-in")]
pub async fn sign_in(name: String, password: String) -> Result<User, ApiError> {
    let state = context::state()?;
    let old = context::session_token(&state);
    let session = accounts::sign_in(&state.ctx, &name, &password, &context::visitor(), old.as_deref()).await?;
    context::set_session(&state, &session.token);
    Ok(session.user)
}

/// Ends this browser's session.
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

/// What an invitation or a link to a new password is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct LinkView {
    /// The account's.
    pub name: String,
    /// Whether it is the account's first password.
    pub invites: bool,
}

/// What the link of that token is about; `null` once it was used or has ended.
#[server(name = LookAtLink, prefix = "/api/v1", endpoint = "session/link", input = GetUrl)]
pub async fn look_at_link(token: String) -> Result<Option<LinkView>, ApiError> {
    let state = context::state()?;
    let found = accounts::look(&state.ctx, &token).await?;
    Ok(found.map(|(user, purpose)| LinkView { name: user.name.to_string(), invites: purpose == LinkPurpose::Invite }))
}

/// Chooses the password of the account that the link is for, and signs it in. An invited one also says its time zone. On request
/// every token ends, and the link with Telegram.
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
    // Whoever used this browser until now is signed out of it, and not left with a session that nothing shows.
    if let Some(old) = context::session_token(&state) {
        accounts::sign_out(&state.ctx, &old).await?;
    }
    context::set_session(&state, &session.token);
    Ok(session.user)
}

/// The id of the account that a page is made for.
#[cfg(feature = "ssr")]
pub fn page_account() -> Option<String> {
    context::anyone().ok().map(|(_, caller)| caller.id().to_string())
}
