//! Events for live updates of clients (INTERFACE, Events).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Invalid;
use super::user::Scope;

/// Parses the sequence of an event as sent by a client.
pub fn sequence(text: &str) -> Result<i64, Invalid> {
    let number = text.parse().ok().filter(|seq| *seq >= 0);
    number.ok_or_else(|| Invalid::because("An event sequence must be a number from 0, such as 42."))
}

/// All kinds of events.
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
    /// A task is due.
    #[serde(rename = "reminder.due")]
    ReminderDue,
    /// Something happened to the account that its owner may not know of.
    #[serde(rename = "account.notice")]
    AccountNotice,
    /// The requested sequence is pruned: reload.
    #[serde(rename = "stream.reset")]
    StreamReset,
}

impl EventKind {
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

    /// Returns the name on the wire.
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

    /// Returns the scope that a token needs to receive the event; `None` if it needs none.
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

    /// Parses a stored name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// One event of one user. `seq` counts from 1 without a gap, in commit order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    pub seq: i64,
    pub kind: EventKind,
    pub data: Value,
}
