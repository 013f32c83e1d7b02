//! Conversations and their immutable messages.

use serde::{Deserialize, Serialize};

use super::Invalid;
use super::approval::Approval;
use super::decision::{Decision, DecisionKind, Engine, Outcome};
use super::decision_inputs::EndReason;
use super::id::{ConversationId, MessageId, TurnId};
use super::text::bounded_text;
use super::time::Timestamp;
use super::turn::ToolCall;

bounded_text!(
    /// Title of a conversation: 1–80 characters on one line.
    ConversationTitle, "A title", 1..=80, multiline: false
);

impl ConversationTitle {
    /// Returns the first words of a message on one line, as the title of the conversation that it begins.
    pub fn of_message(text: &str) -> String {
        const MOST: usize = 80;
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if line.chars().count() <= MOST {
            return line;
        }
        let cut: String = line.chars().take(MOST - 1).collect();
        format!("{}…", cut.trim_end())
    }
}

/// Maximum number of conversations in a list.
pub const LISTED: usize = 200;

/// A conversation without its messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Conversation {
    pub conversation_id: ConversationId,
    /// The first words of the first message, or the title set by its owner.
    pub title: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// True if the owner has hidden it from the list. A new message shows it again.
    #[serde(default)]
    pub hidden: bool,
}

/// Sender of a message.
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

/// Status of a message as an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    #[default]
    Whole,
    /// The person pressed Stop.
    Stopped,
    /// The turn reached its step limit.
    Limited,
    /// The engine, a tool or the server failed.
    Failed,
    /// Docket does not support the request, or not for this account.
    Refused,
}

impl Standing {
    /// Returns the status of a turn's last message, from its decision and the reason why it ended, if known.
    pub fn of(decision: Decision, course: Option<EndReason>) -> Self {
        match (decision.outcome, course) {
            (Outcome::Cancelled, Some(EndReason::GivenUp)) => Self::Failed,
            (Outcome::Cancelled, Some(EndReason::ShutOut)) => Self::Refused,
            (Outcome::Cancelled, _) => Self::Stopped,
            (Outcome::StepLimit, _) => Self::Limited,
            (Outcome::ToolFailed | Outcome::LlmUnavailable | Outcome::InvalidOutput, _) => Self::Failed,
            _ if decision.kind == DecisionKind::Refuse => Self::Refused,
            _ => Self::Whole,
        }
    }
}

/// One immutable message. An assistant's message includes the results of its turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Message {
    pub message_id: MessageId,
    pub turn_id: TurnId,
    pub speaker: Speaker,
    pub text: String,
    pub at: Timestamp,
    /// The turn's engine; only on the assistant's messages.
    #[serde(default)]
    pub engine: Option<Engine>,
    /// The turn's decision; only on the assistant's messages.
    pub decision: Option<Decision>,
    /// Options offered with a question, to send unchanged as an answer; only on the assistant's messages.
    #[serde(default)]
    pub options: Vec<String>,
    /// The turn's tool calls; only on the assistant's messages.
    pub tool_calls: Vec<ToolCall>,
    /// The approval that the turn requested, in its present state.
    pub approval: Option<Approval>,
    /// The approval's question as rendered by code, if it ends the text. Only for pages, which the server renders.
    #[serde(skip)]
    pub question: Option<String>,
    /// True if code wrote the whole text, whatever engine ran the turn. Only for pages.
    #[serde(skip)]
    pub is_by_code: bool,
    /// Status of the message as an answer.
    #[serde(default)]
    pub standing: Standing,
    /// True if the turn failed before it changed anything, so that sending the message again may succeed.
    #[serde(default)]
    pub may_repeat: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standing_distinguishes_stopped_failed_and_refused_turns() {
        for (kind, outcome, course, standing) in [
            (DecisionKind::RespondOnly, Outcome::ResponseGiven, EndReason::Machine, Standing::Whole),
            (DecisionKind::RespondOnly, Outcome::UserRejected, EndReason::Rejected, Standing::Whole),
            (DecisionKind::InvokeTool, Outcome::Cancelled, EndReason::Stopped, Standing::Stopped),
            (DecisionKind::RespondOnly, Outcome::Cancelled, EndReason::GivenUp, Standing::Failed),
            (DecisionKind::InvokeTool, Outcome::Cancelled, EndReason::ShutOut, Standing::Refused),
            (DecisionKind::InvokeTool, Outcome::StepLimit, EndReason::Machine, Standing::Limited),
            (DecisionKind::InvokeTool, Outcome::ToolFailed, EndReason::Machine, Standing::Failed),
            (DecisionKind::RespondOnly, Outcome::LlmUnavailable, EndReason::Unavailable, Standing::Failed),
            (DecisionKind::Refuse, Outcome::OutOfScope, EndReason::Machine, Standing::Refused),
        ] {
            assert_eq!(Standing::of(Decision { kind, outcome }, Some(course)), standing, "{outcome:?}, {course:?}");
        }
        let old = Decision { kind: DecisionKind::RespondOnly, outcome: Outcome::Cancelled };
        assert_eq!(Standing::of(old, None), Standing::Stopped);
    }
}
