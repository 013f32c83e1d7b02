//! Memories: notes about earlier conversations, stored apart from the messages.

use serde::{Deserialize, Serialize};

use super::conversation::Speaker;
use super::id::{ConversationId, MemoryId};
use super::time::Timestamp;

/// One fact from older messages of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Memory {
    pub memory_id: MemoryId,
    /// A sentence or two: at most [`Memory::LONGEST`] characters on one line.
    pub text: String,
    pub conversation_id: ConversationId,
    /// Record numbers of the first and the last message that it was made from; equal for a single message.
    pub first_record: i64,
    pub last_record: i64,
    pub created_at: Timestamp,
}

impl Memory {
    /// Maximum length of the text in characters.
    pub const LONGEST: usize = 300;
    /// Maximum number of memories per user; beyond it the oldest are deleted.
    pub const MOST: i64 = 2_000;
}

/// A message that a memory was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub speaker: Speaker,
    /// `None` if erased.
    pub text: Option<String>,
}
