//! Entries of the audit log as shown to people.

use serde::{Deserialize, Serialize};

use super::approval::Approval;
use super::credential::Credential;
use super::decision::{Decision, Engine};
use super::id::{ConversationId, TurnId};
use super::time::Timestamp;
use super::turn::{Cause, ToolCall};

/// One turn in the audit log: its decision and its calls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct AuditEntry {
    pub turn_id: TurnId,
    pub conversation_id: ConversationId,
    /// The owner's name.
    pub user: String,
    pub at: Timestamp,
    pub cause: Cause,
    /// The token or session that triggered the turn; `None` for an expiry, and for turns from before it was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Credential>,
    pub decision: Decision,
    pub engine: Engine,
    /// `LLM_UNAVAILABLE` if the rules were used as a fallback for a model.
    pub engine_cause: Option<String>,
    /// Short summary of the understood intent.
    pub intent: String,
    /// The message that triggered the turn, if one did.
    pub message: Option<String>,
    /// The approval whose verdict triggered the turn; details are in the entry of the turn that requested it.
    #[serde(skip)]
    pub approval: Option<Approval>,
    pub reply: String,
    pub tool_calls: Vec<ToolCall>,
    pub duration_ms: i64,
}

/// Filter of the audit log. Every field narrows it.
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
    pub conversation: Option<ConversationId>,
    /// Trigger of the turn: a person's message, a verdict, an agent client.
    pub actor: Option<Cause>,
    /// A user's name; only an admin may name another user.
    pub user: Option<String>,
    /// Words in the message or the reply.
    pub text: Option<String>,
}

/// A page of items in the order of the list, with the cursor of the next page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Page<T> {
    pub items: Vec<T>,
    /// Opaque; `None` on the last page.
    pub next: Option<String>,
}

/// Result of verifying the audit log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Verification {
    /// Number of records checked.
    pub records: u64,
    /// Number of records whose text was erased, as stated by a record of the chain.
    #[serde(default)]
    pub erased: u64,
    /// Number of erased records about which an amendment states what the record of their erasure left out.
    #[serde(default)]
    pub amended: u64,
    /// Number of chains with a record, including that of the system.
    pub users: u64,
    /// Time up to which everything is unchanged; `None` if something is broken.
    pub verified_through: Option<Timestamp>,
    /// The newest checkpoint; `None` if there is none.
    pub checkpoint: Option<CheckpointSeen>,
    /// Reason why signatures could not be checked, or not in full; `None` if they were.
    #[serde(default)]
    pub unsigned: Option<Unsigned>,
    /// The first broken record of each chain that has one.
    pub broken: Vec<Broken>,
}

/// A signed checkpoint in a verification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct CheckpointSeen {
    pub number: i64,
    pub at: Timestamp,
    /// Number of records it covers, of all users.
    pub records: i64,
    /// True if its signature was checked; `false` if this server's signing key is missing.
    pub signed: bool,
}

/// A reason why signatures could not be checked: the audit log may have been rewritten or truncated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Unsigned {
    NoKey,
    OtherKey,
    NoCheckpoint,
    NoLog,
    OldLog,
    Newer,
}

impl Unsigned {
    /// Returns a sentence that says what was not checked, and why.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::NoKey => "Signatures were not checked: the checkpoint key is missing.",
            Self::OtherKey => "Signatures were not checked: the newest checkpoint is signed with a different key.",
            Self::NoCheckpoint => "Signatures were not checked: there is no checkpoint yet.",
            Self::NoLog => "Signatures were not checked in full: the checkpoint log is missing.",
            Self::OldLog => "Signatures were not checked in full: the checkpoint log lacks the newest checkpoints.",
            Self::Newer => "Signatures were not checked in full: records are newer than the newest checkpoint.",
        }
    }
}

/// The first broken record of a chain, or the first broken checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Broken {
    /// The owner's name, or their id if unknown; `system` for the system's chain; empty for a checkpoint.
    pub user: String,
    /// Number of the record in the chain, or of the checkpoint; 0 for the chain or the checkpoints as a whole.
    pub seq: i64,
    /// Kind of the record, e.g. `message`; `checkpoint`; empty if unknown.
    pub kind: String,
    /// A sentence that describes the problem.
    pub problem: String,
}

impl Broken {
    /// Returns a problem of the database as a whole.
    pub fn of_all(problem: String) -> Self {
        Self { user: "system".to_owned(), seq: 0, kind: String::new(), problem }
    }
}

impl Verification {
    /// Returns one line: `verified 812 records, 3 users`, with the numbers of erased texts and amended records, or the broken
    /// chains.
    pub fn sentence(&self) -> String {
        let (records, users) = (self.records, self.users);
        let counted = [(self.erased, "texts erased"), (self.amended, "records amended")];
        let counted = counted.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
        let counted = counted.collect::<Vec<_>>().join(", ");
        let checkpoints = self.broken.iter().filter(|broken| broken.kind == Broken::CHECKPOINT).count();
        let also = if checkpoints > 0 { ", and so are the checkpoints" } else { "" };
        match self.broken.len() - checkpoints {
            0 if checkpoints > 0 => "the checkpoints are broken".to_owned(),
            0 if !counted.is_empty() => format!("verified {records} records, {users} users ({counted})"),
            0 => format!("verified {records} records, {users} users"),
            1 => format!("1 of {users} chains is broken{also}"),
            broken => format!("{broken} of {users} chains are broken{also}"),
        }
    }
}

impl Broken {
    /// Kind of a broken checkpoint, which is not a record.
    pub const CHECKPOINT: &str = "checkpoint";
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.kind == Self::CHECKPOINT {
            return match self.seq {
                0 => write!(f, "checkpoints: {}", self.problem),
                number => write!(f, "checkpoint {number}: {}", self.problem),
            };
        }
        let kind = if self.kind.is_empty() { String::new() } else { format!(" ({})", self.kind) };
        match self.seq {
            0 => write!(f, "{}: {}", self.user, self.problem),
            seq => write!(f, "{}, record {seq}{kind}: {}", self.user, self.problem),
        }
    }
}
