//! Turns: the processing of one trigger, from acceptance to decision.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::approval::{Approval, Preview};
use super::credential::Credential;
use super::decision::{Decision, Engine};
use super::id::{ApprovalId, ConversationId, InvocationId, TurnId};
use super::time::Timestamp;
use super::tool::{CallResult, CallStatus, Risk, ToolError, ToolName};

/// Trigger of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Cause {
    /// A user's message.
    Message,
    /// An approval's verdict or expiry.
    Approval,
    /// A call by an agent client.
    Mcp,
}

impl Cause {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Approval => "approval",
            Self::Mcp => "mcp",
        }
    }

    /// Parses a stored name.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Message, Self::Approval, Self::Mcp].into_iter().find(|cause| cause.as_str() == text)
    }
}

/// Circumstances of a sent message that matter for consent (R-1102).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SenderView {
    /// Sequence of the newest event that the sender could have seen; 0 if there was none.
    pub seen: i64,
    /// True if the message is an option that a question offered, and not the sender's own words.
    pub option: bool,
    /// Id of the chat message that the message replies to.
    pub answers: Option<i64>,
}

/// Status of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum TurnStatus {
    Queued,
    Running,
    Done,
}

impl TurnStatus {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Done => "done",
        }
    }

    /// Parses a stored name.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Queued, Self::Running, Self::Done].into_iter().find(|status| status.as_str() == text)
    }
}

/// Present effect of a call's changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// The call changed nothing that still exists.
    #[default]
    None,
    /// All or some of its changes are in effect.
    Stands,
    /// All of its changes were undone.
    Undone,
}

/// A tool call as people see it (INTERFACE, Turn).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct ToolCall {
    pub invocation_id: InvocationId,
    pub tool: String,
    pub risk: Risk,
    /// Canonical arguments if the call passed validation, otherwise as called.
    pub arguments: Value,
    pub status: CallStatus,
    pub result: Option<Value>,
    pub error: Option<ToolError>,
    pub duration_ms: i64,
    #[serde(default)]
    pub effect: Effect,
}

impl ToolCall {
    /// Returns true if the tool changes tasks.
    pub fn writes(&self) -> bool {
        ToolName::parse(&self.tool).is_some_and(|tool| !tool.reads())
    }
}

/// A turn as people see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Turn {
    pub turn_id: TurnId,
    pub conversation_id: ConversationId,
    pub cause: Cause,
    pub status: TurnStatus,
    /// `None` until the turn is done.
    pub engine: Option<Engine>,
    /// `None` until the turn is done.
    pub reply: Option<String>,
    /// `None` until the turn is done.
    pub decision: Option<Decision>,
    /// Options offered with a question, to send unchanged as an answer.
    #[serde(default)]
    pub options: Vec<String>,
    pub tool_calls: Vec<ToolCall>,
    /// The approval that this turn requested or decided.
    pub approval: Option<Approval>,
    /// The token or session that triggered it; `None` for an expiry, and for turns from before it was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Credential>,
}

/// Progress of an unfinished turn, for a page of its conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Running {
    pub turn_id: TurnId,
    pub conversation_id: ConversationId,
    /// The tool called last, if any.
    pub tool: Option<String>,
    /// The round of that call, from 1; 0 before the first.
    pub step: i64,
    /// Maximum number of rounds.
    pub steps: i64,
    /// The text so far of a reply that is still being written.
    pub said: String,
    /// Sequence of the newest event included here.
    pub seq: i64,
}

/// One attempt of a call as stored, with all data for previews, replays and audits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Invocation {
    pub id: InvocationId,
    /// `None` if there is no tool with the called name.
    pub tool: Option<ToolName>,
    pub called_as: String,
    pub risk: Risk,
    /// Canonical arguments if the call passed validation, otherwise as called.
    pub arguments: Value,
    pub result: CallResult,
    /// The approval that it requested, or under which it ran.
    pub approval_id: Option<ApprovalId>,
    /// Effects of the call, if it needs approval. The approval is valid for the versions in `before`.
    pub preview: Vec<Preview>,
    pub duration_ms: i64,
    /// Credential whose scopes applied; `None` for calls from before it was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Credential>,
    pub at: Timestamp,
}

impl Invocation {
    /// Returns the tool's canonical name, or the called name if there is no such tool.
    pub fn tool_name(&self) -> &str {
        self.tool.map_or(self.called_as.as_str(), |tool| tool.as_str())
    }

    /// Converts the call to the form that people see.
    pub fn to_call(&self) -> ToolCall {
        let failed = self.result.status != CallStatus::Ok;
        let error = failed.then(|| serde_json::from_value::<ToolError>(self.result.value.clone()).ok()).flatten();
        ToolCall {
            invocation_id: self.id,
            tool: self.tool_name().to_owned(),
            risk: self.risk,
            arguments: self.arguments.clone(),
            status: self.result.status,
            result: (!failed).then(|| self.result.value.clone()),
            error,
            duration_ms: self.duration_ms,
            effect: Effect::None,
        }
    }
}
