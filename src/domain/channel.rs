//! Messages and buttons of channels other than the browser.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Invalid;
use super::id::{ApprovalId, CardId, RelinkId, TaskNumber, TurnId};

/// A private Telegram chat. Its id is that of the person in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChatId(pub i64);

/// Content of a channel message. The text is rendered from current data when sent, so that no copies of texts remain to be
/// erased.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "about", rename_all = "snake_case")]
pub enum Card {
    /// A turn's progress, reply and question.
    Turn { turn: TurnId },
    /// A task that is due.
    Reminder { task: TaskNumber },
    /// The open tasks.
    Tasks,
    /// The question whether another account takes over the chat.
    Relink { relink: RelinkId },
    /// A fixed sentence without user text.
    Said { text: String },
    /// Nothing to send: stores an idempotency key for an update without a reply.
    Heard,
}

/// A rendered message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Note {
    /// Text of any length, with `**bold**` and `` `code` `` markup.
    pub text: String,
    /// Plain-text question below the text; empty without one.
    pub question: String,
    pub buttons: Vec<Button>,
}

/// A button under a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Button {
    pub label: String,
    pub press: Press,
}

/// Action of a button. Serialised to at most 64 bytes, Telegram's limit for callback data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Press {
    Approve(ApprovalId),
    Reject(ApprovalId),
    /// Completes the task of the reminder.
    Done(CardId),
    /// Repeats the reminder in an hour.
    Snooze(CardId),
    /// Links the chat to the account whose code was sent there.
    Link(RelinkId),
    /// Keeps the chat's present link.
    KeepLink(RelinkId),
}

impl Press {
    /// Returns true if the button decides which account the chat is linked to.
    pub fn decides_link(self) -> bool {
        matches!(self, Self::Link(_) | Self::KeepLink(_))
    }
}

impl fmt::Display for Press {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Approve(id) => write!(f, "approve {id}"),
            Self::Reject(id) => write!(f, "reject {id}"),
            Self::Done(id) => write!(f, "done {id}"),
            Self::Snooze(id) => write!(f, "snooze {id}"),
            Self::Link(id) => write!(f, "link {id}"),
            Self::KeepLink(id) => write!(f, "keep {id}"),
        }
    }
}

impl FromStr for Press {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let unknown = || Invalid::because("This button is not from Docket.");
        let (act, id) = text.split_once(' ').ok_or_else(unknown)?;
        Ok(match act {
            "approve" => Self::Approve(ApprovalId::parse(id)?),
            "reject" => Self::Reject(ApprovalId::parse(id)?),
            "done" => Self::Done(CardId::parse(id)?),
            "snooze" => Self::Snooze(CardId::parse(id)?),
            "link" => Self::Link(RelinkId::parse(id)?),
            "keep" => Self::KeepLink(RelinkId::parse(id)?),
            _ => return Err(unknown()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_button_fits_and_reads_back() {
        let id = uuid::Uuid::nil();
        for press in [
            Press::Approve(ApprovalId(id)),
            Press::Reject(ApprovalId(id)),
            Press::Done(CardId(id)),
            Press::Snooze(CardId(id)),
            Press::Link(RelinkId(id)),
            Press::KeepLink(RelinkId(id)),
        ] {
            let written = press.to_string();
            assert!(written.len() <= 64, "{written}");
            assert_eq!(written.parse::<Press>().unwrap(), press);
        }
        for bad in ["", "approve", "approve 7", "delete 00000000-0000-0000-0000-000000000000"] {
            assert!(bad.parse::<Press>().is_err(), "{bad}");
        }
    }
}
