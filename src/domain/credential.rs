//! Credentials: the door, and the token or session behind it, by which something was caused (R-1103).

use serde::{Deserialize, Serialize};

use super::id::{SessionId, TokenId};
use super::user::Door;

/// The cause of a message, a verdict, a tool call or a change, as its record names it. Contains public ids only: never a secret, nor
/// the digest of one.
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
    /// A credential that is nothing but its door.
    pub fn of(door: Door) -> Self {
        Self { door, token_id: None, token: None, session_id: None, device: None }
    }

    /// The same without names: what a turn's row keeps of it.
    pub fn ids(&self) -> Self {
        Self { token: None, device: None, ..self.clone() }
    }
}
