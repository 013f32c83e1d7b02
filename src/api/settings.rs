//! An account's preferences, tokens, sessions and tool policy.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use super::ApiError;
use super::repeated_field::RepeatedField;
#[cfg(feature = "ssr")]
use super::{context, reauthentication, views};
#[cfg(feature = "ssr")]
use crate::domain::id::{NoticeId, SessionId, TokenId};
use crate::domain::policy::{Asker, Rule};
use crate::domain::tool::ToolName;
use crate::domain::user::TokenKind;
#[cfg(feature = "ssr")]
use crate::domain::user::{Scope, TokenInfo};
#[cfg(feature = "ssr")]
use crate::usecases::accounts::{self, AlsoEnd, Proof, Protected};
#[cfg(feature = "ssr")]
use crate::usecases::{self, policy::Whose};
#[cfg(feature = "ssr")]
use crate::workflow::model_check;

/// Colour theme, kept in a cookie so that the server can render it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// Follows the device.
    #[default]
    System,
    Light,
    Dark,
}

impl Theme {
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// Parses a cookie's value; anything unknown follows the device.
    pub fn parse(text: &str) -> Self {
        Self::ALL.into_iter().find(|theme| theme.as_str() == text).unwrap_or_default()
    }
}

/// Chat layout on wide screens, kept in a cookie so that the server can render it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    Chat,
    /// The conversation next to the list.
    #[default]
    Both,
    Tasks,
}

impl Layout {
    pub const ALL: [Self; 3] = [Self::Chat, Self::Both, Self::Tasks];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Both => "both",
            Self::Tasks => "tasks",
        }
    }

    /// Parses a cookie's value; anything unknown shows both.
    pub fn parse(text: &str) -> Self {
        Self::ALL.into_iter().find(|layout| layout.as_str() == text).unwrap_or_default()
    }
}

/// A personal token as its owner sees it. The secret is shown once, when the token is created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct TokenView {
    pub token_id: String,
    pub name: String,
    pub kind: TokenKind,
    pub scopes: String,
    /// Number of changes that it may make per hour over MCP, in words.
    pub budget: String,
    /// Creation time in words.
    pub made: String,
    pub revoked: bool,
    /// Actions that a chat with the token lacks scopes for, and the remedy; `None` if it lacks none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// A token that was just created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct TokenMade {
    pub token_id: String,
    pub name: String,
    /// The secret, shown only once.
    pub token: String,
}

/// A signed-in browser, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct SessionView {
    pub session_id: String,
    /// `Firefox on Linux`.
    pub device: String,
    /// Times of the last request and of the sign-in.
    pub seen: String,
    /// True for the session that asks.
    pub current: bool,
}

/// The number of other sessions that were ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct SessionsEnded {
    pub ended: usize,
}

/// One field of the tool policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct PolicyView {
    pub asker: Asker,
    pub tool: ToolName,
    /// The account's own rule; in the policy for everyone, the rule that applies to all.
    pub own: Rule,
    pub everyones: Rule,
    /// Calls of the last 30 days that ran without approval.
    pub unasked: i64,
    /// Calls of the last 30 days that ran or required approval.
    pub all: i64,
}

/// Changes the caller's password and ends other sessions. On request, revokes every token and unlinks the Telegram chat.
#[server(prefix = "/api/v1", endpoint = "settings/password")]
pub async fn change_password(
    current: String,
    new: String,
    revoke_tokens: Option<bool>,
    unlink_chats: Option<bool>,
) -> Result<(), ApiError> {
    let (state, caller) = context::session_only()?;
    let also = AlsoEnd { tokens: revoke_tokens.unwrap_or(false), chats: unlink_chats.unwrap_or(false) };
    let session = accounts::change_password(&state.ctx, &caller, &current, &new, also, &context::visitor()).await?;
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

/// Stores the given appearance for this browser: colour theme, single-key shortcuts and chat layout.
#[server(prefix = "/api/v1", endpoint = "settings/appearance")]
pub async fn set_appearance(
    theme: Option<Theme>,
    shortcuts: Option<bool>,
    layout: Option<Layout>,
) -> Result<(), ApiError> {
    context::set_look(&context::state()?, theme, shortcuts, layout);
    Ok(())
}

/// Chooses whether the configured model may answer the caller; otherwise the built-in rules do.
#[server(prefix = "/api/v1", endpoint = "settings/model")]
pub async fn set_model(uses: bool) -> Result<(), ApiError> {
    let (state, caller) = context::session_only()?;
    accounts::set_uses_model(&state.ctx, &caller, uses).await?;
    Ok(())
}

/// The result of a model test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Tried {
    /// The time it took, or the reason why the model does not answer.
    pub text: String,
}

/// Asks the model for a greeting and reports the time it took, or the error.
#[server(prefix = "/api/v1", endpoint = "settings/model/test")]
pub async fn test_model() -> Result<Tried, ApiError> {
    let (state, caller) = context::session_only()?;
    Ok(Tried { text: model_check::run(&state, &caller).await? })
}

/// The result of erasing, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct ErasedView {
    /// Number of texts erased.
    pub texts: u64,
    /// A sentence without a full stop.
    pub told: String,
}

/// Permanently erases the caller's texts: all, or those older than `before`, a date in their zone. Tasks stay as they are.
#[server(name = EraseOwn, prefix = "/api/v1", endpoint = "settings/erase")]
pub async fn erase_own(password: String, before: Option<String>) -> Result<ErasedView, ApiError> {
    let (state, caller) = context::anyone()?;
    let before = views::spans::moment_of(before.as_deref(), &caller.user.zone)?;
    let (session, from) = (context::session_token(&state), context::visitor());
    let proof = Proof { session: session.as_deref(), password: Some(&password), from: &from };
    let erased = usecases::erasure::own(&state.ctx, &caller, before.as_ref(), &proof).await?;
    Ok(ErasedView { texts: erased.texts, told: erased.sentence() })
}

#[server(prefix = "/api/v1", endpoint = "settings/tokens", input = GetUrl)]
pub async fn tokens() -> Result<Vec<TokenView>, ApiError> {
    let (state, caller) = context::session_only()?;
    let now = state.ctx.now();
    let tokens = accounts::list_tokens(&state.ctx, caller.user.name.as_str()).await?;
    Ok(tokens.iter().map(|token| views::token(token, &now, &caller.user.zone)).collect())
}

/// Creates a token of the caller: personal unless `kind` is given, with the default budget unless one is given. Returns its
/// secret this once. Requires the password if it was last entered more than ten minutes ago.
#[server(name = CreateToken, prefix = "/api/v1", endpoint = "settings/tokens/create")]
pub async fn create_token(
    name: String,
    scopes: Option<RepeatedField>,
    kind: Option<String>,
    budget: Option<i64>,
    password: Option<String>,
) -> Result<TokenMade, ApiError> {
    let (state, caller) = reauthentication::caller(Protected::CreateToken, password.as_deref()).await?;
    let scopes = Scope::parse_list(&scopes.unwrap_or_default().0.join(",")).map_err(ApiError::malformed)?;
    let kind = context::id(kind, TokenKind::parse)?.unwrap_or(TokenKind::Personal);
    let (own, budget) = (caller.user.name.as_str(), budget.unwrap_or(TokenInfo::BUDGET));
    let (id, token) = accounts::create_token_for(&state.ctx, kind, own, &name, &scopes, budget).await?;
    Ok(TokenMade { token_id: id.to_string(), name: name.trim().to_owned(), token })
}

#[server(prefix = "/api/v1", endpoint = "settings/tokens/revoke")]
pub async fn revoke_token(token_id: String) -> Result<(), ApiError> {
    let (state, caller) = context::session_only()?;
    let id = TokenId::parse(&token_id).map_err(ApiError::malformed)?;
    accounts::revoke_own_token(&state.ctx, &caller, id).await?;
    Ok(())
}

#[server(prefix = "/api/v1", endpoint = "settings/notices/dismiss")]
pub async fn dismiss_notice(notice_id: String) -> Result<(), ApiError> {
    let (state, caller) = context::session_only()?;
    let id = NoticeId::parse(&notice_id).map_err(ApiError::malformed)?;
    accounts::dismiss_notice(&state.ctx, &caller, id).await?;
    Ok(())
}

/// Lists the caller's sessions, last seen first.
#[server(name = ListSessions, prefix = "/api/v1", endpoint = "settings/sessions", input = GetUrl)]
pub async fn sessions() -> Result<Vec<SessionView>, ApiError> {
    let (state, caller) = context::session_only()?;
    let all = accounts::list_sessions(&state.ctx, &caller, context::session_token(&state).as_deref()).await?;
    let now = state.ctx.now();
    Ok(all.into_iter().map(|it| views::session(it, &now, &caller.user.zone)).collect())
}

#[server(name = EndSession, prefix = "/api/v1", endpoint = "settings/sessions/end")]
pub async fn end_session(session_id: String) -> Result<(), ApiError> {
    let (state, caller) = context::session_only()?;
    let id = SessionId::parse(&session_id).map_err(ApiError::malformed)?;
    accounts::end_session(&state.ctx, &caller, id).await?;
    Ok(())
}

/// Ends every session of the caller except this one.
#[server(name = EndOthers, prefix = "/api/v1", endpoint = "settings/sessions/end-others")]
pub async fn end_others() -> Result<SessionsEnded, ApiError> {
    let (state, caller) = context::session_only()?;
    let own = context::session_token(&state);
    Ok(SessionsEnded { ended: accounts::end_others(&state.ctx, &caller, own.as_deref()).await? })
}

/// Returns the caller's tool policy, with the calls of the last 30 days that stricter rules would have affected.
#[server(name = ListOwnPolicy, prefix = "/api/v1", endpoint = "settings/policy/list", input = GetUrl)]
pub async fn policy() -> Result<Vec<PolicyView>, ApiError> {
    let (state, caller) = context::session_only()?;
    let matrix = usecases::policy::matrix(&state.ctx, Whose::Own(&caller)).await?;
    Ok(matrix.into_iter().map(PolicyView::from).collect())
}

/// Changes fields of the caller's tool policy; each `rule` looks like `mcp.delete_task.deny`.
#[server(name = SetPolicy, prefix = "/api/v1", endpoint = "settings/policy")]
pub async fn set_policy(rule: RepeatedField) -> Result<Vec<PolicyView>, ApiError> {
    let (state, caller) = context::session_only()?;
    context::set_policy(&state, Whose::Own(&caller), rule).await
}

#[cfg(feature = "ssr")]
impl From<usecases::policy::Field> for PolicyView {
    fn from(field: usecases::policy::Field) -> Self {
        let usecases::policy::Field { asker, tool, rules, unasked, all } = field;
        Self { asker, tool, own: rules.own, everyones: rules.everyones, unasked, all }
    }
}
