//! Decision inputs besides the turn's steps, as references: enough to replay the decision.

use serde::{Deserialize, Serialize};

use super::id::{ApprovalId, MessageId};
use super::user::Scope;

/// Reason why a turn ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// The state machine ended it.
    #[default]
    Machine,
    /// The person pressed Stop.
    Stopped,
    /// No engine answered.
    Unavailable,
    /// The person opted out of the model meanwhile.
    OptedOut,
    /// The account was disabled meanwhile.
    ShutOut,
    /// No worker could finish it.
    GivenUp,
    /// The turn reported a rejection.
    Rejected,
    /// The turn reported that an approval expired.
    Expired,
    /// The turn reported that an approval was decided before.
    TooLate,
    /// The message answered a request that its sender could not have seen.
    Unseen,
    /// The message asked to remember a fact.
    Noted,
    /// The message exceeded the rate limit.
    TooFast,
    /// The turn's token did not allow it, or no longer does.
    Refused,
}

impl EndReason {
    /// Returns the reason as the end of "It ended because …".
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Machine => "the turn was complete",
            Self::Stopped => "the user stopped it",
            Self::Unavailable => "no engine answered",
            Self::OptedOut => "the user switched the model off",
            Self::ShutOut => "the account was disabled",
            Self::GivenUp => "the server could not finish it",
            Self::Rejected => "the approval was declined",
            Self::Expired => "the approval expired",
            Self::TooLate => "the approval had already been decided",
            Self::Unseen => "the answer was sent before the approval was shown",
            Self::Noted => "the message asked to remember something",
            Self::TooFast => "the rate limit was exceeded",
            Self::Refused => "its token did not allow it",
        }
    }
}

/// Inputs of a turn's decision.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct DecisionInputs {
    pub course: EndReason,
    /// Maximum rounds of tool calls.
    pub max_steps: usize,
    /// Maximum tool calls in all rounds together.
    pub max_calls: usize,
    /// The user's IANA zone.
    pub zone: String,
    /// The conversation as given to the engine, oldest first, ending with the turn's own message.
    pub messages: Vec<MessageId>,
    /// Pending approvals, oldest first.
    pub pending: Vec<ApprovalId>,
    /// The approval among them that was asked about last.
    pub asked_last: Option<ApprovalId>,
    /// The approvals that the message rejected in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub declined: Vec<ApprovalId>,
    /// True if no reminder channel existed for a due time that the turn set.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unheard: bool,
    /// The scopes that restricted the engine; `None` without a token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<Scope>>,
    /// Version of the texts that code adds to replies: 0 before questions listed the fields that they are about.
    #[serde(default, skip_serializing_if = "is_first")]
    pub wording: u8,
    /// URL of the server in the links of the reply's question, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
}

impl DecisionInputs {
    /// Current version of the texts that code adds to replies.
    pub const WORDING: u8 = 1;

    /// Returns the approval whose question a reply repeats: the one asked about last, if pending, or the newest one.
    pub fn asked_again(&self) -> Option<ApprovalId> {
        let last = self.asked_last.filter(|last| self.pending.contains(last));
        last.or(self.pending.last().copied()).or(self.asked_last)
    }

    /// Returns true if the reply may show tasks: no token restricts the turn, or its token has `tasks:read`.
    pub fn may_read(&self) -> bool {
        self.scopes.as_ref().is_none_or(|scopes| scopes.contains(&Scope::TasksRead))
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_first(wording: &u8) -> bool {
    *wording == 0
}

/// Request to an engine for one reply. Digests are SHA-256 in hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// Digest of the rendered prompt.
    pub prompt: String,
    /// Digest of the whole request: the conversation, the clock, and the digests of the prompt and of the tools' schemas.
    pub request: String,
    /// True if it allowed tool calls.
    pub tools: bool,
    /// Duration until the reply in milliseconds, including retries.
    pub took_ms: i64,
}
