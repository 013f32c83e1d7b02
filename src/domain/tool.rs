//! Tools for agents, their risk, and calls of them.

use std::fmt;

#[cfg(feature = "ssr")]
use serde::Serializer;
use serde::{Deserialize, Serialize};
#[cfg(feature = "ssr")]
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
#[cfg(feature = "ssr")]
use sha2::{Digest as _, Sha256};

use super::user::Scope;

/// Maximum number of tasks in one call or request.
pub const MOST_TARGETS: usize = 1000;

/// All tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ToolName {
    AddTask,
    CompleteTask,
    DeleteTask,
    GetTask,
    ListTasks,
    Undo,
    UpdateTask,
}

impl ToolName {
    /// All tools, sorted by name as shown in prompts and lists.
    pub const ALL: [Self; 7] = [
        Self::AddTask,
        Self::CompleteTask,
        Self::DeleteTask,
        Self::GetTask,
        Self::ListTasks,
        Self::Undo,
        Self::UpdateTask,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::AddTask => "add_task",
            Self::CompleteTask => "complete_task",
            Self::DeleteTask => "delete_task",
            Self::GetTask => "get_task",
            Self::ListTasks => "list_tasks",
            Self::Undo => "undo",
            Self::UpdateTask => "update_task",
        }
    }

    /// Returns a second name that calls may use; it is not listed.
    pub fn alias(self) -> &'static str {
        match self {
            Self::AddTask => "create_todo_task",
            Self::CompleteTask => "complete_todo_task",
            Self::DeleteTask => "delete_todo_task",
            Self::GetTask => "get_todo_task",
            Self::ListTasks => "list_todo_tasks",
            Self::Undo => "undo_todo_changes",
            Self::UpdateTask => "update_todo_task",
        }
    }

    /// Returns the tool with that name or alias.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.as_str() == name || tool.alias() == name)
    }

    /// Returns the scope that a call of the tool needs, on any channel (R-1103).
    pub fn scope(self) -> Scope {
        match self {
            Self::GetTask | Self::ListTasks => Scope::TasksRead,
            Self::AddTask | Self::CompleteTask | Self::Undo | Self::UpdateTask => Scope::TasksWrite,
            Self::DeleteTask => Scope::TasksDelete,
        }
    }

    /// Returns true if these scopes allow seeing the tasks returned by a call of the tool: by reading, or by that very call.
    pub fn is_shown_to(self, scopes: &[Scope]) -> bool {
        scopes.contains(&Scope::TasksRead) || scopes.contains(&self.scope())
    }

    pub fn reads(self) -> bool {
        matches!(self, Self::GetTask | Self::ListTasks)
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Potential harm of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Risk {
    /// The call runs.
    Low,
    /// The call runs, and the reply reports it.
    Medium,
    /// The call needs approval.
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

    /// Parses a stored name; an unknown one counts as high, to be safe.
    pub fn parse(text: &str) -> Self {
        match text {
            "low" => Self::Low,
            "medium" => Self::Medium,
            _ => Self::High,
        }
    }
}

/// A JSON Schema with its text for providers, and the text's digest for records of requests.
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

    /// Returns SHA-256 of the text.
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

/// A tool as described to an engine.
#[cfg(feature = "ssr")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    /// The tool's usual risk; the gate may raise it for a call.
    pub risk: Risk,
    /// Schema of the arguments.
    pub schema: Schema,
}

/// A call as requested by an engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The name as called: canonical or alias.
    pub tool: String,
    pub arguments: Value,
    /// The provider's own id, echoed to it and used for nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_id: Option<String>,
}

/// Name under which a call that a model wrote as text is rejected.
pub const AS_TEXT: &str = "call_as_text";

/// Version of the arguments' schema in stored calls. A call without a version has version 0.
///
/// 0: `null` clears a field of `update_task`. 1: `null` means "not given", and `clear` names the fields to clear. 2: an empty
/// list of tags means "not given" as well.
pub const SCHEMA: u8 = 2;

/// Fields of `update_task` that can be cleared, in the order of `clear`.
pub const CLEARED_BY_NAME: [&str; 5] = ["description", "due", "project", "tags", "recurrence"];

/// Moves null fields of `update_task`, and an empty list of tags, to `clear`.
pub fn name_cleared(arguments: &mut Map<String, Value>) {
    let is_none = |value: &Value| value.is_null() || value.as_array().is_some_and(Vec::is_empty);
    let named = |name: &str| arguments["clear"].as_array().is_some_and(|named| named.iter().any(|it| it == name));
    let is_cleared =
        |name: &&str| arguments.get(*name).is_some_and(is_none) || arguments.contains_key("clear") && named(name);
    let cleared: Vec<_> = CLEARED_BY_NAME.into_iter().filter(is_cleared).collect();
    arguments.retain(|name, value| !(is_none(value) && cleared.contains(&name.as_str())));
    if !cleared.is_empty() {
        arguments.insert("clear".into(), cleared.into());
    }
}

/// Upgrades the arguments of a stored call from schema `version` to [`SCHEMA`], with the same meaning.
pub fn upgrade(tool: &str, version: u8, arguments: &mut Value) {
    let Some(fields) = arguments.as_object_mut().filter(|_| version < SCHEMA) else { return };
    match ToolName::parse(tool) {
        Some(ToolName::UpdateTask) if version == 1 => name_cleared(fields),
        _ if version == 1 => {}
        Some(ToolName::UpdateTask) => {
            for (name, cleared) in [("priority", Value::from("none")), ("tags", Value::Array(vec![]))] {
                if let Some(value) = fields.get_mut(name).filter(|value| value.is_null()) {
                    *value = cleared;
                }
            }
            name_cleared(fields);
        }
        Some(ToolName::ListTasks) => fields.retain(|_, value| value != ""),
        Some(
            ToolName::AddTask | ToolName::CompleteTask | ToolName::DeleteTask | ToolName::GetTask | ToolName::Undo,
        )
        | None => {}
    }
}

/// Status of a call.
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

    /// Parses a stored name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

/// Result of a call: `value` is the tool's structured output, or its error object (INTERFACE, Tools).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallResult {
    pub status: CallStatus,
    pub value: Value,
}

/// Reason why a tool call failed.
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

/// A tool's error, with a message that a person can act on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct ToolError {
    pub error: ErrorCode,
    pub message: String,
    /// The task that it is about, if one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<super::id::TaskNumber>,
}

/// Names in `_meta` of the in-process transport. From outside they have no authority.
pub mod meta {
    /// The turn's step that a call belongs to, from 0.
    pub const STEP: &str = "docket/step";
    /// The call's index in its step, from 0.
    pub const INDEX: &str = "docket/index";
    /// The [`super::super::policy::Asker`] of the call.
    pub const ASKER: &str = "docket/asker";
    /// The approval that the call runs under.
    pub const APPROVAL: &str = "docket/approval";
    /// The [`super::CallStatus`] of a result.
    pub const STATUS: &str = "docket/status";
    /// JSON-RPC error code: another worker has claimed the turn.
    pub const FENCED: i32 = -32_010;
}
