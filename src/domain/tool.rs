//! The tools an agent may call, their risk, and calls of them.

use std::fmt;

#[cfg(feature = "ssr")]
use serde::Serializer;
use serde::{Deserialize, Serialize};
use serde_json::Value;
#[cfg(feature = "ssr")]
use serde_json::value::{RawValue, to_raw_value};
#[cfg(feature = "ssr")]
use sha2::{Digest as _, Sha256};

use super::user::Scope;

/// The closed set of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ToolName {
    AddTask,
    CompleteTask,
    DeleteTask,
    GetTask,
    ListTasks,
    UpdateTask,
}

impl ToolName {
    /// Every tool, sorted by name as prompts and lists show them.
    pub const ALL: [Self; 6] =
        [Self::AddTask, Self::CompleteTask, Self::DeleteTask, Self::GetTask, Self::ListTasks, Self::UpdateTask];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::AddTask => "add_task",
            Self::CompleteTask => "complete_task",
            Self::DeleteTask => "delete_task",
            Self::GetTask => "get_task",
            Self::ListTasks => "list_tasks",
            Self::UpdateTask => "update_task",
        }
    }

    /// The second name under which a call is accepted; it is not listed.
    pub fn alias(self) -> &'static str {
        match self {
            Self::AddTask => "create_todo_task",
            Self::CompleteTask => "complete_todo_task",
            Self::DeleteTask => "delete_todo_task",
            Self::GetTask => "get_todo_task",
            Self::ListTasks => "list_todo_tasks",
            Self::UpdateTask => "update_todo_task",
        }
    }

    /// The tool called `name` or by its alias.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.as_str() == name || tool.alias() == name)
    }

    /// The scope that a call of the tool needs, by whatever door it comes (R-1103).
    pub fn scope(self) -> Scope {
        match self {
            Self::GetTask | Self::ListTasks => Scope::TasksRead,
            Self::AddTask | Self::CompleteTask | Self::UpdateTask => Scope::TasksWrite,
            Self::DeleteTask => Scope::TasksDelete,
        }
    }

    /// Returns true if a holder of these scopes may see the tasks that a call of the tool returned: by reading, or by that very call.
    pub fn is_shown_to(self, scopes: &[Scope]) -> bool {
        scopes.contains(&Scope::TasksRead) || scopes.contains(&self.scope())
    }

    /// Whether the tool only reads.
    pub fn reads(self) -> bool {
        matches!(self, Self::GetTask | Self::ListTasks)
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How much harm a call can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Risk {
    /// Runs.
    Low,
    /// Runs, and the reply says what was done.
    Medium,
    /// Asks first.
    High,
}

impl Risk {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// Reads a stored name; anything unknown is high, the safe side.
    pub fn parse(text: &str) -> Self {
        match text {
            "low" => Self::Low,
            "medium" => Self::Medium,
            _ => Self::High,
        }
    }
}

/// A JSON Schema, its text for providers, and the text's digest for the record of every request.
#[cfg(feature = "ssr")]
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "Value")]
pub struct Schema {
    value: Value,
    text: Box<RawValue>,
    sha256: [u8; 32],
}

#[cfg(feature = "ssr")]
impl Schema {
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// SHA-256 of its text.
    pub fn sha256(&self) -> &[u8; 32] {
        &self.sha256
    }
}

#[cfg(feature = "ssr")]
impl From<Value> for Schema {
    fn from(value: Value) -> Self {
        let text = to_raw_value(&value).expect("a value has a text");
        let sha256 = Sha256::digest(text.get()).into();
        Self { value, text, sha256 }
    }
}

#[cfg(feature = "ssr")]
impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

#[cfg(feature = "ssr")]
impl Serialize for Schema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(serializer)
    }
}

/// A tool as an engine is told of it.
#[cfg(feature = "ssr")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    /// The tool's usual risk; the gate may raise it for one call.
    pub risk: Risk,
    /// Of the arguments.
    pub schema: Schema,
}

/// A call as an engine asks for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The name as called: canonical or alias.
    pub tool: String,
    pub arguments: Value,
    /// The provider's own id, echoed to it and used for nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_id: Option<String>,
}

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    Ok,
    Error,
    AwaitingApproval,
    Rejected,
    Expired,
    Void,
    Skipped,
    Stopped,
}

impl CallStatus {
    /// Every status.
    pub const ALL: [Self; 8] = [
        Self::Ok,
        Self::Error,
        Self::AwaitingApproval,
        Self::Rejected,
        Self::Expired,
        Self::Void,
        Self::Skipped,
        Self::Stopped,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Error => "error",
            Self::AwaitingApproval => "awaiting_approval",
            Self::Rejected => "rejected",
            Self::Expired => "expired",
            Self::Void => "void",
            Self::Skipped => "skipped",
            Self::Stopped => "stopped",
        }
    }

    /// Reads a stored name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

/// What a call came to: `value` is the tool's structured output, or its error object (INTERFACE, Tools).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallResult {
    pub status: CallStatus,
    pub value: Value,
}

/// Why a tool did not do what it was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    NotFound,
    Invalid,
    Conflict,
    Forbidden,
    NeedsApproval,
    Internal,
}

/// A tool's error: something a person can act on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct ToolError {
    pub error: ErrorCode,
    pub message: String,
    /// The task that it is about, if one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<super::id::TaskNumber>,
}

/// Names in `_meta` of the in-process transport. From outside they are never authority.
pub mod meta {
    /// The step of the turn that a call belongs to, from 0.
    pub const STEP: &str = "docket/step";
    /// The call's place in its step, from 0.
    pub const INDEX: &str = "docket/index";
    /// The [`super::super::policy::Asker`] of the call.
    pub const ASKER: &str = "docket/asker";
    /// The approval that the call runs under.
    pub const APPROVAL: &str = "docket/approval";
    /// The [`super::CallStatus`] of a result.
    pub const STATUS: &str = "docket/status";
    /// JSON-RPC error code: the turn is another worker's by now.
    pub const FENCED: i32 = -32_010;
}
