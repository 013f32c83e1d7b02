//! A message that is not answered yet.

use serde_json::Value;

use crate::api::ApiError;
use crate::api::error::Code;

/// In the place of the id that a new conversation does not have yet.
pub const NEW: &str = "new";

/// How far a letter is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    Sending,
    Failed(ApiError),
    /// It waits for the turn before it.
    Queued,
}

/// A message that is not answered yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    /// Counts the letters since the page was loaded: a letter that is sent again is the same one for the server.
    pub number: u32,
    /// The conversation that it is for: an id, or [`NEW`].
    pub talk: String,
    pub text: String,
    pub state: State,
}

/// A message that came too fast was not taken, although a turn says so.
pub fn in_time(turn: Value) -> Result<Value, ApiError> {
    if turn["decision"]["outcome"] == "REFUSAL:RATE_LIMITED" {
        return Err(ApiError::new(Code::RateLimited, turn["reply"].as_str().unwrap_or_default()));
    }
    Ok(turn)
}
