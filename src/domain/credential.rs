//! Credentials: the channel, and the token or session, through which something was caused (R-1103).

use serde::{Deserialize, Serialize};

use super::id::{SessionId, TokenId};
use super::user::Door;

/// The credential behind a message, a verdict, a tool call or a change. Contains public ids only: never a secret, nor the digest
/// of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Credential {
    pub door: Door,
    /// The token of a program or an agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_id: Option<TokenId>,
    /// The token's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The session of a browser.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The browser and its system, e.g. `Firefox on Linux`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
}

impl Credential {
    /// Returns a credential without a token or a session.
    pub fn of(door: Door) -> Self {
        Self { door, token_id: None, token: None, session_id: None, device: None }
    }

    /// Returns the credential without names, as stored in a turn's row.
    pub fn ids(&self) -> Self {
        Self { token: None, device: None, ..self.clone() }
    }
}
