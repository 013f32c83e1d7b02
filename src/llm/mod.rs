//! Engines: what turns a conversation into the next act. One trait; models, the rules and a test's script all stand behind it.

use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::decision::{DecisionKind, Engine};
use crate::domain::time::Timestamp;
use crate::domain::tool::{Call, CallResult, ToolSpec};

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
}

/// One thing that was said or done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "snake_case")]
pub enum Entry {
    /// The person's words.
    User { text: String },
    /// A step: what was said with it, the calls that were asked for and what each came to, in the same order.
    Calls { text: String, calls: Vec<Call>, results: Vec<CallResult> },
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
    /// Tokens in and out as the provider counted them; `None` where there is no provider.
    pub usage: Option<Usage>,
    /// The provider's reply as it came; `None` for engines without one.
    pub raw: Option<Value>,
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
}

/// Why an engine gave no reply.
#[derive(Debug, thiserror::Error)]
pub enum LlmError {
    /// The provider could not be reached, gave no answer in time, or one that is no reply: another try may do better.
    #[error("the engine is unavailable: {0}")]
    Unavailable(String),
    /// It answered that it will not answer this: another try would end alike.
    #[error("the engine refuses: {0}")]
    Refused(String),
}
