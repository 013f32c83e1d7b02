//! Conversations and their immutable messages.

use serde::{Deserialize, Serialize};

use super::Invalid;
use super::approval::Approval;
use super::basis::Course;
use super::decision::{Decision, DecisionKind, Engine, Outcome};
use super::id::{ConversationId, MessageId, TurnId};
use super::text::bounded_text;
use super::time::Timestamp;
use super::turn::ToolCall;

bounded_text!(
    /// What its owner calls a conversation: 1–80 characters on one line.
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

/// What a message is to be read as: an answer, or what there is of one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    #[default]
    Whole,
    /// The person pressed Stop.
    Stopped,
    /// It took more steps than a turn may use.
    Limited,
    /// The engine, a tool or the server failed.
    Failed,
    /// Docket does not do such things, or not for this account.
    Refused,
}

impl Standing {
    /// What a turn's last message is, by how the turn was decided and by which way it came to that, where that is known.
    pub fn of(decision: Decision, course: Option<Course>) -> Self {
        match (decision.outcome, course) {
            (Outcome::Cancelled, Some(Course::GivenUp)) => Self::Failed,
            (Outcome::Cancelled, Some(Course::ShutOut)) => Self::Refused,
            (Outcome::Cancelled, _) => Self::Stopped,
            (Outcome::StepLimit, _) => Self::Limited,
            (Outcome::ToolFailed | Outcome::LlmUnavailable | Outcome::InvalidOutput, _) => Self::Failed,
            _ if decision.kind == DecisionKind::Refuse => Self::Refused,
            _ => Self::Whole,
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
    /// The last block of the text, if that is an approval's question, as code rendered it; pages are made on the server.
    #[serde(skip)]
    pub question: Option<String>,
    /// What the message is to be read as.
    #[serde(default)]
    pub standing: Standing,
    /// Whether its turn failed before it changed anything, and may do better with the same words.
    #[serde(default)]
    pub may_repeat: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_stopped_has_failed_or_was_refused_is_told_apart() {
        for (kind, outcome, course, standing) in [
            (DecisionKind::RespondOnly, Outcome::ResponseGiven, Course::Machine, Standing::Whole),
            (DecisionKind::RespondOnly, Outcome::UserRejected, Course::Rejected, Standing::Whole),
            (DecisionKind::InvokeTool, Outcome::Cancelled, Course::Stopped, Standing::Stopped),
            (DecisionKind::RespondOnly, Outcome::Cancelled, Course::GivenUp, Standing::Failed),
            (DecisionKind::InvokeTool, Outcome::Cancelled, Course::ShutOut, Standing::Refused),
            (DecisionKind::InvokeTool, Outcome::StepLimit, Course::Machine, Standing::Limited),
            (DecisionKind::InvokeTool, Outcome::ToolFailed, Course::Machine, Standing::Failed),
            (DecisionKind::RespondOnly, Outcome::LlmUnavailable, Course::Unavailable, Standing::Failed),
            (DecisionKind::Refuse, Outcome::OutOfScope, Course::Machine, Standing::Refused),
        ] {
            assert_eq!(Standing::of(Decision { kind, outcome }, Some(course)), standing, "{outcome:?}, {course:?}");
        }
        let old = Decision { kind: DecisionKind::RespondOnly, outcome: Outcome::Cancelled };
        assert_eq!(Standing::of(old, None), Standing::Stopped);
    }
}
