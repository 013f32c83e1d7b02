//! What is remembered of earlier conversations, apart from the messages themselves.

use serde::{Deserialize, Serialize};

use super::conversation::Speaker;
use super::id::{ConversationId, MemoryId};
use super::time::Timestamp;

/// One thing that older messages of a conversation said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Memory {
    pub memory_id: MemoryId,
    /// A sentence or two: at most [`Memory::LONGEST`] characters on one line.
    pub text: String,
    pub conversation_id: ConversationId,
    /// The first and the last message that it was made from, by the numbers of their records; the same where it was one.
    pub first_record: i64,
    pub last_record: i64,
    pub created_at: Timestamp,
}

impl Memory {
    /// Characters of its text.
    pub const LONGEST: usize = 300;
    /// Memories of one user; beyond that the oldest go.
    pub const MOST: i64 = 2_000;
}

/// A message that a memory was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub speaker: Speaker,
    /// `None` once it is erased.
    pub text: Option<String>,
}
