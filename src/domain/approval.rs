//! Requests to run something risky, and their one verdict.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Invalid;
use super::credential::Credential;
use super::id::{ApprovalId, ConversationId, TaskNumber, TurnId};
use super::task::Task;
use super::text::bounded_text;
use super::time::Timestamp;
use super::tool::ToolName;

bounded_text!(
    /// A person's reason for a verdict: 1–500 characters.
    Reason, "A reason", 1..=500, multiline: true
);

/// Where a request stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ApprovalStatus {
    Pending,
    Approved,
    Rejected,
    /// Nobody answered in time: now ≥ `expires_at`.
    Expired,
    /// A target changed after the preview was made; a fresh request stands in its place.
    Void,
}

impl ApprovalStatus {
    /// Every status.
    pub const ALL: [Self; 5] = [Self::Pending, Self::Approved, Self::Rejected, Self::Expired, Self::Void];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Expired => "expired",
            Self::Void => "void",
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        Self::ALL
            .into_iter()
            .find(|status| status.as_str() == text)
            .ok_or_else(|| Invalid::because(format!("“{text}” is not an approval's status.")))
    }
}

/// What a person says to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Approve,
    Reject,
}

impl Verdict {
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        match text {
            "approve" => Ok(Self::Approve),
            "reject" => Ok(Self::Reject),
            _ => Err(Invalid::because(format!("“{text}” is not a verdict; use approve or reject."))),
        }
    }

    /// What it makes of an approval.
    pub fn status(self) -> ApprovalStatus {
        match self {
            Self::Approve => ApprovalStatus::Approved,
            Self::Reject => ApprovalStatus::Rejected,
        }
    }
}

/// By which way a verdict came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum DecidedVia {
    /// A button in the browser.
    Web,
    Api,
    /// A clear yes or no as a message.
    Chat,
    /// Confirmed in the very message that asked.
    Inline,
    Telegram,
    Mcp,
}

impl DecidedVia {
    /// Every way.
    pub const ALL: [Self; 6] = [Self::Web, Self::Api, Self::Chat, Self::Inline, Self::Telegram, Self::Mcp];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Web => "web",
            Self::Api => "api",
            Self::Chat => "chat",
            Self::Inline => "inline",
            Self::Telegram => "telegram",
            Self::Mcp => "mcp",
        }
    }

    /// Reads a stored name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|via| via.as_str() == text)
    }

    /// The way as the end of "approved by ada …".
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Web => "in the browser",
            Self::Api => "by a program",
            Self::Chat => "in the chat",
            Self::Inline => "in the message that asked",
            Self::Telegram => "on Telegram",
            Self::Mcp => "through an outside agent",
        }
    }
}

/// One stored call: the exact arguments that will run, and no others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct ApprovalCall {
    pub tool: ToolName,
    /// Canonical arguments: phrases resolved, aliases gone.
    pub arguments: Value,
}

/// What a call would do to one task, made by the tool itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Preview {
    pub task_id: TaskNumber,
    pub before: Task,
    /// `deleted_at` is set where the task would go to the bin.
    pub after: Task,
    /// The next occurrence that completing a recurring task would add, or that reopening it would move to the bin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Task>,
}

/// What would become of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    Added,
    Changed,
    Completed,
    Reopened,
    /// Moved to the bin.
    Binned,
    /// It is already as the call asks.
    Unchanged,
    /// A policy has a call ask that only reads.
    Read,
}

/// A recorded request to run one high-risk call, or one batch of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Approval {
    pub approval_id: ApprovalId,
    /// The turn that asked.
    pub turn_id: TurnId,
    pub conversation_id: ConversationId,
    pub status: ApprovalStatus,
    pub calls: Vec<ApprovalCall>,
    pub preview: Vec<Preview>,
    /// The question in words, e.g. `Are you sure you want to delete task 3? (yes/no)`.
    pub question: String,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    pub decided_at: Option<Timestamp>,
    /// The deciding user's name.
    pub decided_by: Option<String>,
    pub decided_via: Option<DecidedVia>,
    /// The token or session that the verdict came with; `None` if nobody decided, and for verdicts from before this was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_with: Option<Credential>,
    /// Why it was rejected, in the person's words.
    pub reason: Option<String>,
}

impl Approval {
    /// Whether what it asked about is no longer in the record.
    pub fn is_erased(&self) -> bool {
        self.calls.is_empty()
    }

    /// The page of the approval, on the server at `base`.
    pub fn page(&self, base: &str) -> String {
        format!("{base}/approvals/{}", self.approval_id)
    }

    /// What is asked, where buttons or a page stand for `(yes/no)`.
    pub fn asked(&self) -> &str {
        without_hint(&self.question)
    }
}

/// A question in chat without what says how to answer it.
pub fn without_hint(text: &str) -> &str {
    text.strip_suffix(HINT).unwrap_or(text)
}

/// How a question in chat says what answers it.
pub const HINT: &str = " (yes/no)";
