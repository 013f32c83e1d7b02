//! Decisions: the results of turns.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::messages::audit as messages;

/// An agent's decision about a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum DecisionKind {
    RespondOnly,
    InvokeTool,
    RequestClarification,
    Refuse,
}

impl DecisionKind {
    pub const ALL: [Self; 4] = [Self::RespondOnly, Self::InvokeTool, Self::RequestClarification, Self::Refuse];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::RespondOnly => "RESPOND_ONLY",
            Self::InvokeTool => "INVOKE_TOOL",
            Self::RequestClarification => "REQUEST_CLARIFICATION",
            Self::Refuse => "REFUSE",
        }
    }

    /// Returns the text for people.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::RespondOnly => messages::ONLY_ANSWERED,
            Self::InvokeTool => messages::CALLED_A_TOOL,
            Self::RequestClarification => messages::ASKED_BACK,
            Self::Refuse => messages::DECLINED,
        }
    }

    /// Parses a stored name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// Outcome of a turn: head and sub-code of R-701.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    TaskCompleted,
    ResponseGiven,
    ApprovalRequested,
    UnclearIntent,
    MultipleMatches,
    OutOfScope,
    RateLimited,
    UserRejected,
    ApprovalExpired,
    ApprovalVoid,
    ToolFailed,
    LlmUnavailable,
    InvalidOutput,
    StepLimit,
    Cancelled,
}

impl Outcome {
    /// All outcomes, in the order of R-701.
    pub const ALL: [Self; 15] = [
        Self::TaskCompleted,
        Self::ResponseGiven,
        Self::ApprovalRequested,
        Self::UnclearIntent,
        Self::MultipleMatches,
        Self::OutOfScope,
        Self::RateLimited,
        Self::UserRejected,
        Self::ApprovalExpired,
        Self::ApprovalVoid,
        Self::ToolFailed,
        Self::LlmUnavailable,
        Self::InvalidOutput,
        Self::StepLimit,
        Self::Cancelled,
    ];

    /// Returns `HEAD:SUB`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TaskCompleted => "SUCCESS:TASK_COMPLETED",
            Self::ResponseGiven => "SUCCESS:RESPONSE_GIVEN",
            Self::ApprovalRequested => "SUCCESS:APPROVAL_REQUESTED",
            Self::UnclearIntent => "AMBIGUITY:UNCLEAR_INTENT",
            Self::MultipleMatches => "AMBIGUITY:MULTIPLE_MATCHES",
            Self::OutOfScope => "REFUSAL:OUT_OF_SCOPE",
            Self::RateLimited => "REFUSAL:RATE_LIMITED",
            Self::UserRejected => "REFUSAL:USER_REJECTED",
            Self::ApprovalExpired => "REFUSAL:APPROVAL_EXPIRED",
            Self::ApprovalVoid => "REFUSAL:APPROVAL_VOID",
            Self::ToolFailed => "ERROR:TOOL_FAILED",
            Self::LlmUnavailable => "ERROR:LLM_UNAVAILABLE",
            Self::InvalidOutput => "ERROR:INVALID_OUTPUT",
            Self::StepLimit => "ERROR:STEP_LIMIT",
            Self::Cancelled => "ERROR:CANCELLED",
        }
    }

    /// Returns the text for people.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::TaskCompleted => messages::DONE,
            Self::ResponseGiven => messages::ANSWERED,
            Self::ApprovalRequested => messages::APPROVAL_REQUESTED,
            Self::UnclearIntent => messages::NOT_UNDERSTOOD,
            Self::MultipleMatches => messages::ASKED_WHICH,
            Self::OutOfScope => messages::OUT_OF_SCOPE,
            Self::RateLimited => messages::TOO_FAST,
            Self::UserRejected => messages::NOT_APPROVED,
            Self::ApprovalExpired => messages::REQUEST_EXPIRED,
            Self::ApprovalVoid => messages::REQUEST_OUT_OF_DATE,
            Self::ToolFailed => messages::TOOL_FAILED,
            Self::LlmUnavailable => messages::MODEL_UNAVAILABLE,
            Self::InvalidOutput => messages::UNUSABLE_ANSWER,
            Self::StepLimit => messages::TOO_MANY_STEPS,
            Self::Cancelled => messages::STOPPED,
        }
    }

    /// Parses a stored `HEAD:SUB`.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.as_str() == text)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Outcome {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Outcome {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom(format!("unknown outcome {text}")))
    }
}

#[cfg(feature = "ssr")]
impl schemars::JsonSchema for Outcome {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Outcome".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "enum": Self::ALL.map(Self::as_str) })
    }
}

/// Engine cause of decisions made without the configured engine because the user's daily token quota was used up.
pub const SPENT: &str = "DAILY_TOKENS";

/// Kind and outcome of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Decision {
    pub kind: DecisionKind,
    pub outcome: Outcome,
}

impl Decision {
    /// Returns the text for people.
    pub fn in_words(self) -> String {
        messages::decision(self.kind.in_words(), self.outcome.in_words())
    }

    /// Returns the code for filters, exports and programs.
    pub fn code(self) -> String {
        format!("{} {}", self.kind.as_str(), self.outcome)
    }
}

/// The engine that decided a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    Openai,
    Gemini,
    Compatible,
    Rules,
    /// An MCP client from outside.
    External,
}

impl Engine {
    pub const ALL: [Self; 5] = [Self::Openai, Self::Gemini, Self::Compatible, Self::Rules, Self::External];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Openai => "openai",
            Self::Gemini => "gemini",
            Self::Compatible => "compatible",
            Self::Rules => "rules",
            Self::External => "external",
        }
    }

    /// Parses a stored name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|engine| engine.as_str() == text)
    }
}
