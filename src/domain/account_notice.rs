//! Notices to an account's owner: something happened to the account that they may not know of.

use serde::{Deserialize, Serialize};

use super::id::NoticeId;
use super::time::Timestamp;
use super::user::UserName;
use crate::words::telegram as words;

/// A notice that its account's owner has not dismissed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountNotice {
    pub notice_id: NoticeId,
    pub body: NoticeBody,
    pub created_at: Timestamp,
}

/// An occurrence that a notice is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum NoticeBody {
    /// The account's chat on Telegram was linked with another account.
    ChatMoved {
        /// The name that the chat goes by.
        chat: String,
        /// The account that it is linked with now.
        to: UserName,
    },
}

impl NoticeBody {
    /// The notice as its owner reads it.
    pub fn sentence(&self) -> String {
        match self {
            Self::ChatMoved { chat, to } => words::chat_moved(chat, to.as_str()),
        }
    }
}
