//! Notices to an account's owner about events that they may not know of.

use serde::{Deserialize, Serialize};

use super::id::NoticeId;
use super::time::Timestamp;
use super::user::UserName;
use crate::messages::telegram_link as messages;

/// A notice that the owner has not dismissed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountNotice {
    pub notice_id: NoticeId,
    pub body: NoticeBody,
    pub created_at: Timestamp,
}

/// The event that a notice is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum NoticeBody {
    /// The account's Telegram chat was linked to another account.
    ChatMoved {
        /// Display name of the chat.
        chat: String,
        /// The account that the chat is linked to now.
        to: UserName,
    },
}

impl NoticeBody {
    /// Returns the text shown to the owner.
    pub fn sentence(&self) -> String {
        match self {
            Self::ChatMoved { chat, to } => messages::chat_moved(chat, to.as_str()),
        }
    }
}
