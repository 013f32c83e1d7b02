//! Engines: each turns a conversation into the next action. Models, the rules and a test script implement one trait.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

use crate::domain::decision::{DecisionKind, Engine};
use crate::domain::time::Timestamp;
use crate::domain::tool::{Call, CallResult, ToolName, ToolSpec};
use crate::domain::trace::Traceparent;

/// A circuit breaker for a provider.
mod breaker;
pub mod embeddings;
pub mod fallback;
/// A client for endpoints compatible with OpenAI's chat completions.
pub mod openai;
pub mod rules;
/// An engine for tests that replays prepared actions.
pub mod scripted;

/// An engine. Stateless: rules and scripts give equal replies to equal requests.
#[async_trait]
pub trait Llm: Send + Sync {
    /// Returns the engine's kind for the audit log.
    fn engine(&self) -> Engine;

    /// Returns the configured model name; `None` for engines without a model.
    fn model(&self) -> Option<&str>;

    /// Returns the next action for the conversation so far.
    async fn complete(&self, request: &Request) -> Result<Reply, LlmError>;

    /// Like [`complete`](Self::complete), but sends text to `told` as it arrives. Engines without streaming send nothing.
    async fn stream(&self, request: &Request, told: &Told) -> Result<Reply, LlmError> {
        let _ = told;
        self.complete(request).await
    }

    /// Returns true if the circuit breaker is open.
    fn rests(&self) -> bool {
        false
    }

    /// Like [`complete`](Self::complete), but ignores the circuit breaker. Used to test the model.
    async fn try_out(&self, request: &Request) -> Result<Reply, LlmError> {
        self.complete(request).await
    }

    /// Records that a request failed in all of its tries with errors about the provider.
    fn gave_nothing(&self) {}

    /// Returns the fallback's action after this engine gave up on the request; `None` if no fallback is allowed.
    async fn instead(&self, request: &Request) -> Option<Reply> {
        let _ = request;
        None
    }
}

tokio::task_local! {
    /// The parent span of the running call.
    static UNDER: Traceparent;
}

/// Runs `call` with `trace` as its parent span, which is passed on to the provider.
pub async fn under<C: Future>(trace: Option<Traceparent>, call: C) -> C::Output {
    match trace {
        Some(trace) => UNDER.scope(trace, call).await,
        None => call.await,
    }
}

/// Returns the parent span of the running call; `None` without tracing.
fn trace() -> Option<Traceparent> {
    UNDER.try_with(|trace| *trace).ok()
}

/// A channel for the events of a streamed reply.
pub type Told = UnboundedSender<Piece>;

/// An event of a streamed reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// A request of this many bytes is being sent; token counting starts here.
    Asked(usize),
    /// More text.
    Text(String),
    /// The number of further bytes that are not shown: reasoning and tool call arguments.
    Unseen(usize),
    /// Discards all text since `Asked`, which came from a failed attempt, and carries its token usage if known.
    Reset(Option<Usage>),
}

/// The input of an engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    pub now: Timestamp,
    /// The user's IANA time zone.
    pub zone: String,
    /// The rendered system prompt for models. The rules ignore it.
    pub prompt: String,
    /// The recalled memories in the prompt, as stored.
    #[serde(default)]
    pub memories: Vec<String>,
    /// The conversation, oldest first; entries from `turn_start` on belong to the current turn.
    pub entries: Vec<Entry>,
    /// Index into `entries` of the current turn's trigger: its `User` message or `Verdict`.
    pub turn_start: usize,
    /// The tools that may be called, sorted by name; empty if none may be.
    pub tools: Arc<[ToolSpec]>,
    /// Pending approvals of this conversation, oldest first.
    pub pending: Vec<Pending>,
    /// True if the turn runs calls that the user approved.
    #[serde(default)]
    pub carries_out: bool,
    /// Tools that the token's scope forbids. An engine may still call one; the call is refused.
    #[serde(default)]
    pub barred: Vec<ToolName>,
    /// True if the fallback has already acted in this turn. It then finishes the turn, and `entries` holds its own steps only.
    #[serde(default)]
    pub stood_in: bool,
}

/// An entry of the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "snake_case")]
pub enum Entry {
    /// A message of the user.
    User { text: String },
    /// A step: its text, its tool calls with their results in the same order, and the provider's raw reply. Some
    /// providers need parts of the raw reply sent back.
    Calls {
        text: String,
        calls: Vec<Call>,
        results: Vec<CallResult>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        raw: Option<Value>,
    },
    /// The reply that ended a turn, and that turn's decision.
    Assistant { text: String, kind: DecisionKind },
    /// The verdict that a user gave with a button: the question, whether it was approved, and the user's reason. The
    /// reason counts as the user's words, like a message.
    Verdict { question: String, approved: bool, reason: Option<String> },
}

/// A pending approval as engines see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pending {
    /// `Are you sure you want to delete task 3? (yes/no)`.
    pub question: String,
    /// True if it was the latest question in this conversation, so that a clear yes decides it.
    pub asked_last: bool,
    /// True if a newer pending approval asks for the same calls.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_repeated: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    pub act: Act,
    /// A short description for the audit log of what the engine understood, such as `delete task`.
    pub intent: String,
    /// Token usage; `None` without a provider.
    pub usage: Option<Usage>,
    /// The provider's raw reply; `None` without a provider.
    pub raw: Option<Value>,
    /// True if the fallback replied because the engine had failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stood_in: bool,
}

impl Reply {
    /// Returns a reply without provider data.
    pub fn plain(act: Act, intent: impl Into<String>) -> Self {
        Self { act, intent: intent.into(), usage: None, raw: None, stood_in: false }
    }
}

/// The next action of an engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case")]
pub enum Act {
    /// Runs these calls in order, then asks the engine again.
    Calls { text: String, calls: Vec<Call> },
    /// Ends the turn with an answer.
    Say { text: String },
    /// Ends the turn with a question. Each option is a complete message that can be sent unchanged.
    Ask { question: String, options: Vec<String>, why: Unclear },
    /// Ends the turn with `text` and repeats the question of the approval asked last, or else of the newest pending
    /// one. Code words the question, never the engine. Empty `options` mean yes and no.
    AskAgain {
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        options: Vec<String>,
    },
    /// Ends the turn by declining.
    Refuse { text: String },
}

/// The ambiguity that made a question necessary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unclear {
    Intent,
    /// Several tasks fit equally well, or none does.
    Target,
}

/// Tokens of one model call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    pub tokens_in: i64,
    pub tokens_out: i64,
    /// True if some counts are estimates because the provider did not report them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
}

impl Usage {
    /// Bytes per token, roughly true of English and JSON.
    const BYTES: usize = 4;

    /// Estimates the usage from the bytes sent and received, for providers that do not count tokens.
    pub fn estimated(sent: usize, answered: usize) -> Self {
        let tokens = |bytes: usize| i64::try_from(bytes.div_ceil(Self::BYTES)).unwrap_or(i64::MAX);
        Self { tokens_in: tokens(sent), tokens_out: tokens(answered), estimated: true }
    }

    /// Returns the sum of input and output tokens.
    pub fn all(self) -> i64 {
        self.tokens_in.saturating_add(self.tokens_out)
    }

    /// Returns the sum of both, estimated if either is.
    pub fn plus(self, other: Self) -> Self {
        Self {
            tokens_in: self.tokens_in.saturating_add(other.tokens_in),
            tokens_out: self.tokens_out.saturating_add(other.tokens_out),
            estimated: self.estimated || other.estimated,
        }
    }
}

/// The error of an engine. Messages are for users and contain nothing of the conversation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LlmError {
    /// The provider was unreachable, timed out or sent an unusable answer. Retrying may help.
    #[error("the engine is unavailable: {0}")]
    Unavailable(String),
    /// The provider asks to retry after a delay.
    #[error("the engine is busy: {why}")]
    Busy { why: String, after: Duration },
    /// The provider rejects all requests because of the key, the model or the account. Retrying does not help.
    #[error("the engine refuses: {0}")]
    Refused(String),
    /// The provider rejects this request as too long, disallowed or invalid. Retrying does not help.
    #[error("the engine does not take this: {0}")]
    Unfit(String),
    /// The provider sent a valid but empty answer, with this usage. Retrying may help.
    #[error("the engine had nothing to say")]
    Empty(Usage),
    /// The caller stopped waiting too early to blame the provider. Retrying may help.
    #[error("the engine is unavailable: {0}")]
    Late(String),
    /// The circuit breaker is open.
    #[error("the engine rests after too many failures")]
    Resting,
}

impl LlmError {
    /// Returns true if the provider itself has failed, so that other users' turns would fail too. Errors caused by one
    /// request do not count. Otherwise one user's bad requests could disable the model for everyone.
    pub fn says_unwell(&self) -> bool {
        match self {
            Self::Unavailable(_) | Self::Busy { .. } | Self::Refused(_) => true,
            Self::Unfit(_) | Self::Empty(_) | Self::Late(_) | Self::Resting => false,
        }
    }

    /// Returns the reason, for the person who configured the provider.
    pub fn why(&self) -> String {
        match self {
            Self::Unavailable(why)
            | Self::Busy { why, .. }
            | Self::Refused(why)
            | Self::Unfit(why)
            | Self::Late(why) => why.clone(),
            Self::Empty(_) => "it had nothing to say".into(),
            Self::Resting => "it has failed too often and is not asked for a while".into(),
        }
    }

    /// Returns the tokens spent without a reply, if known.
    pub fn took(&self) -> Option<Usage> {
        match self {
            Self::Empty(usage) => Some(*usage),
            Self::Unavailable(_)
            | Self::Busy { .. }
            | Self::Refused(_)
            | Self::Unfit(_)
            | Self::Late(_)
            | Self::Resting => None,
        }
    }
}
