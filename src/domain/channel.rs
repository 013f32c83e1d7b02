//! What is shown in doors other than the browser, and what a person presses there.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Invalid;
use super::id::{ApprovalId, CardId, RelinkId, TaskNumber, TurnId};

/// A private chat on Telegram, which has the number of the person in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChatId(pub i64);

/// What a message of Docket's is about. Its words are made when it is sent, from what is true then; so none lie about that an
/// erasure would have to find.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "about", rename_all = "snake_case")]
pub enum Card {
    /// What a turn does, what it replied, what it asks.
    Turn { turn: TurnId },
    /// The time of a task has come.
    Reminder { task: TaskNumber },
    /// The open tasks.
    Tasks,
    /// The question whether another account takes the chat over.
    Relink { relink: RelinkId },
    /// A sentence of Docket's own, without anybody's words.
    Said { text: String },
    /// Nothing: it keeps under its key that something was heard of which the chat says nothing.
    Heard,
}

/// A message as a person sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Note {
    /// Of any length; `**bold**` and `` `code` `` are marked so.
    pub text: String,
    /// A question below it, without marks; empty where nothing is asked.
    pub question: String,
    pub buttons: Vec<Button>,
}

/// A button under a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Button {
    pub label: String,
    pub press: Press,
}

/// What a button does. Written in at most 64 bytes, which is what Telegram gives back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Press {
    Approve(ApprovalId),
    Reject(ApprovalId),
    /// Completes the task that the card reminds of.
    Done(CardId),
    /// Reminds of it once more in an hour.
    Snooze(CardId),
    /// Links the chat with the account of the code that was sent there.
    Link(RelinkId),
    /// Leaves the chat linked as it is.
    KeepLink(RelinkId),
}

impl Press {
    /// Returns true if the button decides whose chat it is.
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
        let unknown = || Invalid::because("That is no button of Docket's.");
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
