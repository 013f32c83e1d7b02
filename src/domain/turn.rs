//! The processing of one cause, from acceptance to decision.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::approval::{Approval, Preview};
use super::credential::Credential;
use super::decision::{Decision, Engine};
use super::id::{ApprovalId, ConversationId, InvocationId, TurnId};
use super::time::Timestamp;
use super::tool::{CallResult, CallStatus, Risk, ToolError, ToolName};

/// What set a turn off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Cause {
    /// A user's message.
    Message,
    /// An approval's verdict or expiry.
    Approval,
    /// A call by an outside agent.
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

    /// Reads a stored name.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Message, Self::Approval, Self::Mcp].into_iter().find(|cause| cause.as_str() == text)
    }
}

/// The circumstances under which a person sent a message, as far as their consent depends on them (R-1102).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SenderView {
    /// Sequence of the newest event that the sender could have seen; 0 if there was none.
    pub seen: i64,
    /// True if the message is an option that a question offered, and so nobody's own words.
    pub option: bool,
}

/// How far a turn is.
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

    /// Reads a stored name.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Queued, Self::Running, Self::Done].into_iter().find(|status| status.as_str() == text)
    }
}

/// What stands of what a call changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// It changed nothing, or nothing that there still is.
    #[default]
    None,
    /// All of it, or some.
    Stands,
    /// All of it was taken back.
    Undone,
}

/// A tool call as people see it (INTERFACE, Turn).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct ToolCall {
    pub invocation_id: InvocationId,
    pub tool: String,
    pub risk: Risk,
    /// Canonical arguments where the call passed validation, else as called.
    pub arguments: Value,
    pub status: CallStatus,
    pub result: Option<Value>,
    pub error: Option<ToolError>,
    pub duration_ms: i64,
    #[serde(default)]
    pub effect: Effect,
}

impl ToolCall {
    /// Whether the tool changes tasks.
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
    /// Choices offered with a question, to be sent as they stand.
    #[serde(default)]
    pub options: Vec<String>,
    pub tool_calls: Vec<ToolCall>,
    /// The approval that this turn asked for or decided.
    pub approval: Option<Approval>,
    /// The token or session that started it; `None` of an expiry's turn, and of turns from before this was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Credential>,
}

/// A turn that is not done, as a page of its conversation tells it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Running {
    pub turn_id: TurnId,
    pub conversation_id: ConversationId,
    /// The tool that it called last, if it has called one.
    pub tool: Option<String>,
    /// In which of its rounds that was, from 1; 0 before the first.
    pub step: i64,
    /// How many rounds it may use.
    pub steps: i64,
    /// What it has said so far of a reply that is still being written.
    pub said: String,
    /// The number of the newest event that this takes in: what a stream tells up to it is in here.
    pub seq: i64,
}

/// One attempt of a call as it is kept: everything that a preview, a replay or an audit needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Invocation {
    pub id: InvocationId,
    /// `None` where the name called is no tool.
    pub tool: Option<ToolName>,
    pub called_as: String,
    pub risk: Risk,
    /// Canonical arguments where the call passed validation, else as called.
    pub arguments: Value,
    pub result: CallResult,
    /// The approval that it asked for, or under which it ran.
    pub approval_id: Option<ApprovalId>,
    /// What it would do; only of calls that asked. The versions in `before` are those that the approval is good for.
    pub preview: Vec<Preview>,
    pub duration_ms: i64,
    /// Credential with whose scopes it was called; `None` of calls from before this was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Credential>,
    pub at: Timestamp,
}

impl Invocation {
    /// The tool's own name, or what was called instead of one.
    pub fn tool_name(&self) -> &str {
        self.tool.map_or(self.called_as.as_str(), |tool| tool.as_str())
    }

    /// The same as people see it.
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
