//! Engines: what turns a conversation into the next act. One trait; models, the rules and a test's script all stand behind it.

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

/// Whether a provider is worth asking.
mod breaker;
/// A provider's embedding model.
pub mod embeddings;
/// An engine made of two: a model, and the rules that stand in for it.
pub mod fallback;
/// Any endpoint that speaks OpenAI's chat completions.
pub mod openai;
/// The engine that needs no model: grammar, tables and no state.
pub mod rules;
/// An engine that plays back replies written in advance: the tests' real provider.
pub mod scripted;

/// What decides. Stateless: the same request gives the same reply from rules and scripts.
#[async_trait]
pub trait Llm: Send + Sync {
    /// Which engine this is, for the record.
    fn engine(&self) -> Engine;

    /// The model's name as configured; `None` for engines without one.
    fn model(&self) -> Option<&str>;

    /// The next act, given everything so far.
    async fn complete(&self, request: &Request) -> Result<Reply, LlmError>;

    /// The same, telling its words as they come; engines that have them all at once tell nothing.
    async fn stream(&self, request: &Request, told: &Told) -> Result<Reply, LlmError> {
        let _ = told;
        self.complete(request).await
    }

    /// Whether it is not asked for a while, since it failed too often.
    fn rests(&self) -> bool {
        false
    }

    /// The same, also where it rests: for who wants to know whether it answers.
    async fn try_out(&self, request: &Request) -> Result<Reply, LlmError> {
        self.complete(request).await
    }

    /// It was asked one thing as often as that may be tried, and gave nothing but what says that it is unwell.
    fn gave_nothing(&self) {}

    /// The act of whoever stands in, once this engine was given up for the request; `None` where nobody may.
    async fn instead(&self, request: &Request) -> Option<Reply> {
        let _ = request;
        None
    }
}

tokio::task_local! {
    /// Under what the call that runs stands in a trace.
    static UNDER: Traceparent;
}

/// Makes a call under a span, of which the provider is told. For as long as the call: nothing is kept.
pub async fn under<C: Future>(trace: Option<Traceparent>, call: C) -> C::Output {
    match trace {
        Some(trace) => UNDER.scope(trace, call).await,
        None => call.await,
    }
}

/// Under what the call that runs stands; `None` where nobody collects spans.
fn trace() -> Option<Traceparent> {
    UNDER.try_with(|trace| *trace).ok()
}

/// Where an engine's words go while it speaks.
pub type Told = UnboundedSender<Piece>;

/// What is told while an engine speaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// A provider is being asked, in so many bytes: from here on somebody counts tokens.
    Asked(usize),
    /// More text.
    Text(String),
    /// So many bytes more that nobody is shown: thoughts, and the arguments of calls.
    Unseen(usize),
    /// All text since the question was a failed attempt's, and what it took as far as the engine knows.
    Reset(Option<Usage>),
}

/// Everything an engine may know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// When the turn began.
    pub now: Timestamp,
    /// The user's IANA zone.
    pub zone: String,
    /// The rendered system prompt, for engines that read prose. The rules never look at it.
    pub prompt: String,
    /// The conversation, oldest first; entries from `turn_start` on belong to the turn being decided.
    pub entries: Vec<Entry>,
    /// Index into `entries` of the current turn's cause: its `User` message or `Verdict`.
    pub turn_start: usize,
    /// The tools that may be called, sorted by name; empty when none may be.
    pub tools: Arc<[ToolSpec]>,
    /// Approvals of this conversation that still wait for a verdict, oldest first.
    pub pending: Vec<Pending>,
    /// Whether the turn carries out what the person approved.
    #[serde(default)]
    pub carries_out: bool,
    /// Tools that the token behind the turn does not allow: a call of one is refused. An engine may still call it, for the refusal.
    #[serde(default)]
    pub barred: Vec<ToolName>,
    /// Whether a stand-in has begun to act in this turn; then it finishes it, and `entries` tell of its own steps only.
    #[serde(default)]
    pub stood_in: bool,
}

/// One thing that was said or done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "snake_case")]
pub enum Entry {
    /// The person's words.
    User { text: String },
    /// A step: what was said with it, the calls that were asked for and what each came to, in the same order; and the
    /// provider's reply as it came, since some want parts of it back.
    Calls {
        text: String,
        calls: Vec<Call>,
        results: Vec<CallResult>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        raw: Option<Value>,
    },
    /// The reply that ended a turn, and how that turn was decided.
    Assistant { text: String, kind: DecisionKind },
    /// A person answered an approval by a button: what was asked, whether it was approved, and why (or why not) in their
    /// words, which are theirs as much as a message's.
    Verdict { question: String, approved: bool, reason: Option<String> },
}

/// An approval as an engine is told of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pending {
    /// `Are you sure you want to delete task 3? (yes/no)`.
    pub question: String,
    /// Whether it was the last thing asked in this conversation, so that a clear yes would decide it.
    pub asked_last: bool,
}

/// What an engine answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    pub act: Act,
    /// What was understood, in a few words for the record, e.g. `delete task`.
    pub intent: String,
    /// Tokens in and out; `None` where there is no provider.
    pub usage: Option<Usage>,
    /// The provider's reply as it came; `None` for engines without one.
    pub raw: Option<Value>,
    /// Whether a stand-in gave it, because the engine had failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stood_in: bool,
}

impl Reply {
    /// What an engine without a provider answers.
    pub fn plain(act: Act, intent: impl Into<String>) -> Self {
        Self { act, intent: intent.into(), usage: None, raw: None, stood_in: false }
    }
}

/// The next act.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case")]
pub enum Act {
    /// Run these calls in order, then ask the engine again.
    Calls { text: String, calls: Vec<Call> },
    /// Say this; the turn is over.
    Say { text: String },
    /// Ask this; the turn is over. Each option can be sent as it stands as the next message.
    Ask { question: String, options: Vec<String>, why: Unclear },
    /// Say this, then ask again for the approval that was asked about last; the turn is over. Code words the question, never the
    /// engine.
    AskAgain { text: String },
    /// Decline with this; the turn is over.
    Refuse { text: String },
}

/// Why a question had to be asked.
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
    /// Whether some of them were estimated, since the provider did not count them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
}

impl Usage {
    /// Bytes to a token, in and out: about what English and JSON come to.
    const BYTES: usize = 4;

    /// Of a provider that does not count: by the bytes of what it was sent and of what it answered.
    pub fn estimated(sent: usize, answered: usize) -> Self {
        let tokens = |bytes: usize| i64::try_from(bytes.div_ceil(Self::BYTES)).unwrap_or(i64::MAX);
        Self { tokens_in: tokens(sent), tokens_out: tokens(answered), estimated: true }
    }

    /// In and out.
    pub fn all(self) -> i64 {
        self.tokens_in.saturating_add(self.tokens_out)
    }

    /// Both together.
    pub fn plus(self, other: Self) -> Self {
        Self {
            tokens_in: self.tokens_in.saturating_add(other.tokens_in),
            tokens_out: self.tokens_out.saturating_add(other.tokens_out),
            estimated: self.estimated || other.estimated,
        }
    }
}

/// Why an engine gave no reply. The texts are for people and hold nothing of the conversation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LlmError {
    /// The provider could not be reached, gave no answer in time, or one that is no reply: another try may do better.
    #[error("the engine is unavailable: {0}")]
    Unavailable(String),
    /// The provider says when another try may do better.
    #[error("the engine is busy: {why}")]
    Busy { why: String, after: Duration },
    /// It answered that it will answer nobody: the key, the model, the account. Another try would end alike.
    #[error("the engine refuses: {0}")]
    Refused(String),
    /// It will not take this very request: too long, not allowed there, or wrong in itself. Another try would end alike.
    #[error("the engine does not take this: {0}")]
    Unfit(String),
    /// It answered in good order and had nothing to say, which took so much: another try may do better.
    #[error("the engine had nothing to say")]
    Empty(Usage),
    /// Nobody waited any longer, in a time that was too short for it to be judged by: another try may do better.
    #[error("the engine is unavailable: {0}")]
    Late(String),
    /// It failed so often that it is not asked for a while.
    #[error("the engine rests after too many failures")]
    Resting,
}

impl LlmError {
    /// Whether the provider is unwell, so that the turns of others would fail as well. What one person's words, or our own
    /// request, came to says nothing about that: else whoever has a message refused three times would take the model from all.
    pub fn says_unwell(&self) -> bool {
        match self {
            Self::Unavailable(_) | Self::Busy { .. } | Self::Refused(_) => true,
            Self::Unfit(_) | Self::Empty(_) | Self::Late(_) | Self::Resting => false,
        }
    }

    /// What happened, for whoever set the provider up.
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

    /// What was paid for nothing, where it is known.
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
