//! What the browser hears while things happen (INTERFACE, Events).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Invalid;
use super::user::Scope;

/// Reads the sequence of an event as a client writes it.
pub fn sequence(text: &str) -> Result<i64, Invalid> {
    let number = text.parse().ok().filter(|seq| *seq >= 0);
    number.ok_or_else(|| Invalid::because("The sequence of an event is a number from 0 on, such as 42."))
}

/// The closed set of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum EventKind {
    #[serde(rename = "turn.started")]
    TurnStarted,
    #[serde(rename = "text.delta")]
    TextDelta,
    #[serde(rename = "text.reset")]
    TextReset,
    #[serde(rename = "tool.started")]
    ToolStarted,
    #[serde(rename = "tool.finished")]
    ToolFinished,
    #[serde(rename = "approval.requested")]
    ApprovalRequested,
    #[serde(rename = "approval.decided")]
    ApprovalDecided,
    #[serde(rename = "approval.extended")]
    ApprovalExtended,
    #[serde(rename = "turn.finished")]
    TurnFinished,
    #[serde(rename = "task.changed")]
    TaskChanged,
    /// The time of a task has come.
    #[serde(rename = "reminder.due")]
    ReminderDue,
    /// Something happened to the account that its owner may not know of.
    #[serde(rename = "account.notice")]
    AccountNotice,
    /// The asked sequence is pruned: load afresh.
    #[serde(rename = "stream.reset")]
    StreamReset,
}

impl EventKind {
    /// Every kind.
    pub const ALL: [Self; 13] = [
        Self::TurnStarted,
        Self::TextDelta,
        Self::TextReset,
        Self::ToolStarted,
        Self::ToolFinished,
        Self::ApprovalRequested,
        Self::ApprovalDecided,
        Self::ApprovalExtended,
        Self::TurnFinished,
        Self::TaskChanged,
        Self::ReminderDue,
        Self::AccountNotice,
        Self::StreamReset,
    ];

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TurnStarted => "turn.started",
            Self::TextDelta => "text.delta",
            Self::TextReset => "text.reset",
            Self::ToolStarted => "tool.started",
            Self::ToolFinished => "tool.finished",
            Self::ApprovalRequested => "approval.requested",
            Self::ApprovalDecided => "approval.decided",
            Self::ApprovalExtended => "approval.extended",
            Self::TurnFinished => "turn.finished",
            Self::TaskChanged => "task.changed",
            Self::ReminderDue => "reminder.due",
            Self::AccountNotice => "account.notice",
            Self::StreamReset => "stream.reset",
        }
    }

    /// What a token needs to hear of it; `None` of what tells nothing.
    pub fn scope(self) -> Option<Scope> {
        match self {
            Self::TurnStarted
            | Self::TextDelta
            | Self::TextReset
            | Self::ToolStarted
            | Self::ToolFinished
            | Self::ApprovalRequested
            | Self::ApprovalDecided
            | Self::ApprovalExtended
            | Self::TurnFinished => Some(Scope::Chat),
            Self::TaskChanged | Self::ReminderDue => Some(Scope::TasksRead),
            Self::AccountNotice => Some(Scope::Audit),
            Self::StreamReset => None,
        }
    }

    /// Reads a stored name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// One event of one user. `seq` counts from 1 without a gap, in order of commit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    pub seq: i64,
    pub kind: EventKind,
    pub data: Value,
}
