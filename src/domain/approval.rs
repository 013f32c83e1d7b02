//! Approvals: requests to run risky calls, each with one verdict.

use std::collections::HashSet;

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

/// Status of an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ApprovalStatus {
    Pending,
    Approved,
    Rejected,
    /// Nobody answered in time: now ≥ `expires_at`.
    Expired,
    /// A target changed after the preview was made; a new approval replaces this one.
    Void,
}

impl ApprovalStatus {
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

/// A person's answer to an approval.
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

    /// Returns the status that the verdict results in.
    pub fn status(self) -> ApprovalStatus {
        match self {
            Self::Approve => ApprovalStatus::Approved,
            Self::Reject => ApprovalStatus::Rejected,
        }
    }
}

/// Channel of a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum DecidedVia {
    /// A button in the browser.
    Web,
    Api,
    /// A clear yes or no as a message.
    Chat,
    /// Confirmed in the very message that made the request.
    Inline,
    Telegram,
    Mcp,
}

impl DecidedVia {
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

    /// Parses a stored name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|via| via.as_str() == text)
    }

    /// Returns the channel as the end of "approved by ada …".
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Web => "in the browser",
            Self::Api => "through the API",
            Self::Chat => "in the chat",
            Self::Inline => "in the same message",
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
    /// Canonical arguments: phrases resolved, aliases replaced.
    pub arguments: Value,
}

/// Effect of a call on one task, computed by the tool itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Preview {
    pub task_id: TaskNumber,
    pub before: Task,
    /// `deleted_at` is set if the task would go to the bin.
    pub after: Task,
    /// The next occurrence that completing a recurring task would add, or that reopening it would move to the bin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Task>,
}

impl Preview {
    /// Returns true if both show the same change: task, version, resulting fields and next occurrence. Times and the number of a
    /// future occurrence do not matter.
    pub fn says_same(&self, other: &Self) -> bool {
        fn content(task: &Task) -> impl PartialEq + '_ {
            let Task {
                task_id: _,
                title,
                description,
                status,
                due,
                priority,
                project,
                tags,
                recurrence,
                rank: _,
                version: _,
                created_at: _,
                updated_at: _,
                completed_at: _,
                deleted_at,
            } = task;
            (title, description, status, due, priority, project, tags, recurrence, deleted_at.is_some())
        }
        (self.task_id, self.before.version) == (other.task_id, other.before.version)
            && content(&self.after) == content(&other.after)
            && self.next.as_ref().map(content) == other.next.as_ref().map(content)
    }
}

/// Effect of a call on a task.
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
    /// Taken out of the bin.
    Restored,
    /// Already in the requested state.
    Unchanged,
    /// A read-only call that needs approval because of a policy.
    Read,
}

/// A stored request to run one high-risk call, or one batch of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Approval {
    pub approval_id: ApprovalId,
    /// The turn that requested the approval.
    pub turn_id: TurnId,
    pub conversation_id: ConversationId,
    pub status: ApprovalStatus,
    pub calls: Vec<ApprovalCall>,
    pub preview: Vec<Preview>,
    /// The question as text, e.g. `Are you sure you want to delete task 3? (yes/no)`.
    pub question: String,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    pub decided_at: Option<Timestamp>,
    /// Name of the user who decided.
    pub decided_by: Option<String>,
    pub decided_via: Option<DecidedVia>,
    /// The token or session of the verdict; `None` if nobody decided, and for verdicts from before it was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_with: Option<Credential>,
    /// The person's reason for rejecting it.
    pub reason: Option<String>,
}

impl Approval {
    /// Returns true if the calls that it is about are erased.
    pub fn is_erased(&self) -> bool {
        self.calls.is_empty()
    }

    /// Returns true if the approval corrects an older one: its calls differ, but use the same tools and fields, on the same tasks, on some
    /// of them, or on more.
    pub fn corrects(&self, older: &Self) -> bool {
        let tasks = |approval: &Self| approval.preview.iter().map(|target| target.task_id).collect::<HashSet<_>>();
        let own = tasks(self);
        // A turn that goes on after a crash has seen its own approval with fewer calls.
        self.approval_id != older.approval_id
            && self.calls != older.calls
            && self.fields() == older.fields()
            && !own.is_empty()
            && (own.is_subset(&tasks(older)) || own.is_superset(&tasks(older)))
    }

    /// Returns each tool of the calls with the names of its arguments, other than the tasks.
    fn fields(&self) -> HashSet<(ToolName, &str)> {
        let fields = self.calls.iter().flat_map(|call| {
            let own = call.arguments.as_object().into_iter().flat_map(serde_json::Map::keys).map(String::as_str);
            own.map(|name| if matches!(name, "task_id" | "task_ids") { "" } else { name }).map(|name| (call.tool, name))
        });
        fields.collect()
    }

    /// Returns the URL of the approval's page on the server at `base`.
    pub fn page(&self, base: &str) -> String {
        format!("{base}/approvals/{}", self.approval_id)
    }

    /// Returns the question without `(yes/no)`, for pages and for messages with buttons.
    pub fn asked(&self) -> &str {
        without_hint(&self.question)
    }
}

/// Returns a chat question without [`HINT`].
pub fn without_hint(text: &str) -> &str {
    text.strip_suffix(HINT).unwrap_or(text)
}

/// End of a chat question that says how to answer it.
pub const HINT: &str = " (yes/no)";
