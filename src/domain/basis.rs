//! What a decision rests on beside its turn's steps, as references: enough to make it again.

use serde::{Deserialize, Serialize};

use super::id::{ApprovalId, MessageId};
use super::user::Scope;

/// By which way a turn came to its end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Course {
    /// The state machine ended it.
    #[default]
    Machine,
    /// The person pressed Stop.
    Stopped,
    /// No engine answered.
    Unavailable,
    /// The person chose to be answered without a model meanwhile.
    OptedOut,
    /// The account was disabled meanwhile.
    ShutOut,
    /// No worker could finish it.
    GivenUp,
    /// A no was told.
    Rejected,
    /// That nobody had answered in time was told.
    Expired,
    /// Who had answered before was told.
    TooLate,
    /// The message answered a request that its sender could not have seen.
    Unseen,
    /// The message came too fast.
    TooFast,
    /// The token behind the turn did not allow it, or not any more.
    Refused,
}

impl Course {
    /// The course as the end of "It ended because …".
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Machine => "nothing was left to do",
            Self::Stopped => "somebody pressed Stop",
            Self::Unavailable => "no engine answered",
            Self::OptedOut => "the person chose to be answered without a model",
            Self::ShutOut => "the account was disabled",
            Self::GivenUp => "the server could not finish it",
            Self::Rejected => "the request was declined",
            Self::Expired => "nobody answered the request in time",
            Self::TooLate => "the request had been answered before",
            Self::Unseen => "the answer was sent before the request could be seen",
            Self::TooFast => "the message came too soon after others",
            Self::Refused => "its token did not allow it",
        }
    }
}

/// What was known when a turn was decided.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Basis {
    pub course: Course,
    /// Rounds of tool calls that the turn might use.
    pub max_steps: usize,
    /// Tool calls that it might use in all rounds together.
    pub max_calls: usize,
    /// The user's IANA zone.
    pub zone: String,
    /// The conversation as the engine was told it, oldest first, the turn's own message at the end.
    pub messages: Vec<MessageId>,
    /// Approvals that waited, oldest first.
    pub pending: Vec<ApprovalId>,
    /// The one of them that was asked about last.
    pub asked_last: Option<ApprovalId>,
    /// Whether nobody could have been told when the time of a task that the turn set comes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unheard: bool,
    /// The scopes that bounded the engine; `None` where no token did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<Scope>>,
    /// Version of the texts that code puts into replies: 0 before questions listed the fields that they are about.
    #[serde(default, skip_serializing_if = "is_first")]
    pub wording: u8,
    /// Address of the server in the links of the reply's question, where it asks one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
}

impl Basis {
    /// Version of the texts that code puts into replies now.
    pub const WORDING: u8 = 1;

    /// Returns true if the reply may show tasks: no token bounds the turn, or its token has `tasks:read`.
    pub fn may_read(&self) -> bool {
        self.scopes.as_ref().is_none_or(|scopes| scopes.contains(&Scope::TasksRead))
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_first(wording: &u8) -> bool {
    *wording == 0
}

/// How an engine was asked for one reply. Digests are SHA-256 in hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// Of the rendered prompt.
    pub prompt: String,
    /// Of the whole request: the conversation, the clock, and the digests of the prompt and of the tools' schemas.
    pub request: String,
    /// Whether it might call tools.
    pub tools: bool,
    /// How long the reply took, retries included.
    pub took_ms: i64,
}
