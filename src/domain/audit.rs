//! Rows of the record as people read them.

use serde::{Deserialize, Serialize};

use super::approval::Approval;
use super::decision::{Decision, Engine};
use super::id::{ConversationId, TurnId};
use super::time::Timestamp;
use super::turn::{Cause, ToolCall};

/// One turn in the audit list: its decision and its calls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AuditEntry {
    pub turn_id: TurnId,
    pub conversation_id: ConversationId,
    /// The owner's name.
    pub user: String,
    pub at: Timestamp,
    pub cause: Cause,
    pub decision: Decision,
    pub engine: Engine,
    /// `LLM_UNAVAILABLE` where the rules stood in for a model.
    pub engine_cause: Option<String>,
    /// What was understood, in a few words.
    pub intent: String,
    /// The message that set the turn off, if one did.
    pub message: Option<String>,
    /// The request whose verdict set the turn off, if one did; its turn's own entry tells the rest.
    #[serde(skip)]
    pub approval: Option<Approval>,
    pub reply: String,
    pub tool_calls: Vec<ToolCall>,
    pub duration_ms: i64,
}

/// What a reader of the record asks for. Every field narrows it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditFilter {
    /// Inclusive.
    pub since: Option<Timestamp>,
    /// Exclusive.
    pub until: Option<Timestamp>,
    /// Canonical tool name: turns with a call of it.
    pub tool: Option<String>,
    /// `SUCCESS`, `AMBIGUITY`, `REFUSAL` or `ERROR`, or a whole `HEAD:SUB`.
    pub outcome: Option<String>,
    pub kind: Option<String>,
    pub engine: Option<String>,
    /// Turns with a call of this risk.
    pub risk: Option<String>,
    /// A user's name; only an admin may name another's.
    pub user: Option<String>,
    /// Words of the message or the reply.
    pub text: Option<String>,
}

/// A page of anything, newest or first first, with the cursor of the next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// Opaque; `None` on the last page.
    pub next: Option<String>,
}
