//! An account's own preferences and tokens.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use super::ApiError;
#[cfg(feature = "ssr")]
use super::{context, error::Code, wording};
#[cfg(feature = "ssr")]
use crate::domain::id::TokenId;
#[cfg(feature = "ssr")]
use crate::usecases::accounts;
#[cfg(feature = "ssr")]
use crate::workflow::trial;

/// Light or dark, kept in a cookie so that the server renders it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// As the device says.
    #[default]
    System,
    Light,
    Dark,
}

impl Theme {
    /// Every look.
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// Reads a cookie's value; anything unknown follows the device.
    pub fn parse(text: &str) -> Self {
        Self::ALL.into_iter().find(|theme| theme.as_str() == text).unwrap_or_default()
    }
}

/// A personal token as its owner sees it; the secret is shown once, when it is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenView {
    pub token_id: String,
    pub name: String,
    pub scopes: String,
    /// When it was made, in words.
    pub made: String,
    pub revoked: bool,
}

/// Changes the caller's password; other sessions end.
#[server(prefix = "/api/v1", endpoint = "settings/password")]
pub async fn change_password(current: String, new: String) -> Result<(), ApiError> {
    let (state, caller) = context::session_only()?;
    let session = accounts::change_password(&state.ctx, &caller, &current, &new).await?;
    context::set_session(&state, &session.token);
    Ok(())
}

/// Sets the caller's time zone, an IANA name such as `Europe/London`.
#[server(prefix = "/api/v1", endpoint = "settings/zone")]
pub async fn set_zone(zone: String) -> Result<(), ApiError> {
    let (state, caller) = context::session_only()?;
    accounts::set_zone(&state.ctx, &caller, &zone).await?;
    Ok(())
}

/// Keeps light, dark or the device's choice for this browser.
#[server(prefix = "/api/v1", endpoint = "settings/appearance")]
pub async fn set_appearance(theme: Theme) -> Result<(), ApiError> {
    let state = context::state()?;
    context::set_theme(&state, theme);
    Ok(())
}

/// Chooses whether the configured model may answer the caller; else the built-in rules do.
#[server(prefix = "/api/v1", endpoint = "settings/model")]
pub async fn set_model(uses: bool) -> Result<(), ApiError> {
    let (state, caller) = context::session_only()?;
    accounts::set_uses_model(&state.ctx, &caller, uses).await?;
    Ok(())
}

/// What came of trying the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tried {
    /// How long it took, or why it does not answer.
    pub text: String,
}

/// Asks the model for a greeting and says how long it took, or what is wrong.
#[server(prefix = "/api/v1", endpoint = "settings/model/test")]
pub async fn test_model() -> Result<Tried, ApiError> {
    let (state, _) = context::session_only()?;
    Ok(Tried { text: trial::run(&state).await })
}

/// The caller's personal tokens.
#[server(prefix = "/api/v1", endpoint = "settings/tokens", input = GetUrl)]
pub async fn tokens() -> Result<Vec<TokenView>, ApiError> {
    let (state, caller) = context::session_only()?;
    let now = state.ctx.now();
    let tokens = accounts::list_tokens(&state.ctx, caller.user.name.as_str()).await?;
    Ok(tokens.iter().map(|token| wording::token(token, &now, &caller.user.zone)).collect())
}

/// Makes one of the caller's tokens useless.
#[server(prefix = "/api/v1", endpoint = "settings/tokens/revoke")]
pub async fn revoke_token(token_id: String) -> Result<(), ApiError> {
    let (state, caller) = context::session_only()?;
    let id = TokenId::parse(&token_id).map_err(ApiError::malformed)?;
    let own = accounts::list_tokens(&state.ctx, caller.user.name.as_str()).await?;
    if !own.iter().any(|token| token.token_id == id) {
        return Err(ApiError::new(Code::NotFound, "You have no such token."));
    }
    accounts::revoke_token(&state.ctx, id).await?;
    Ok(())
}
