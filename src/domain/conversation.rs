//! Conversations and their immutable messages.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Invalid;
use super::approval::Approval;
use super::decision::{Decision, Engine};
use super::id::{ConversationId, MessageId, TurnId};
use super::text::bounded_text;
use super::time::Timestamp;
use super::turn::ToolCall;

bounded_text!(
    /// What its owner calls a conversation: 1–80 characters on one line.
    ConversationTitle, "A title", 1..=80, multiline: false
);

/// Most conversations that a list shows at once.
pub const LISTED: usize = 200;

/// A thread of messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Conversation {
    pub conversation_id: ConversationId,
    /// The first words of the first message, or what its owner calls it.
    pub title: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Its owner does not want to see it in the list; saying something in it brings it back.
    #[serde(default)]
    pub hidden: bool,
}

/// Who spoke.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    User,
    Assistant,
}

impl Speaker {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// One immutable message, with what its turn did when the assistant spoke it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Message {
    pub message_id: MessageId,
    pub turn_id: TurnId,
    pub speaker: Speaker,
    pub text: String,
    pub at: Timestamp,
    /// What decided the turn; only on the assistant's messages.
    #[serde(default)]
    pub engine: Option<Engine>,
    /// The turn's decision; only on the assistant's messages.
    pub decision: Option<Decision>,
    /// Choices offered with a question, to be sent as they stand; only on the assistant's messages.
    #[serde(default)]
    pub options: Vec<String>,
    /// The turn's tool calls; only on the assistant's messages.
    pub tool_calls: Vec<ToolCall>,
    /// The approval that the turn asked for, in its state of now.
    pub approval: Option<Approval>,
}
