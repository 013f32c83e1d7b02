//! Rows of the record as people read them.

use serde::{Deserialize, Serialize};

use super::approval::Approval;
use super::credential::Credential;
use super::decision::{Decision, Engine};
use super::id::{ConversationId, TurnId};
use super::time::Timestamp;
use super::turn::{Cause, ToolCall};

/// One turn in the audit list: its decision and its calls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct AuditEntry {
    pub turn_id: TurnId,
    pub conversation_id: ConversationId,
    /// The owner's name.
    pub user: String,
    pub at: Timestamp,
    pub cause: Cause,
    /// The token or session that started the turn; `None` of an expiry's turn, and of turns from before this was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Credential>,
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
    pub conversation: Option<ConversationId>,
    /// What set the turn off: a person's message, a verdict, an outside agent.
    pub actor: Option<Cause>,
    /// A user's name; only an admin may name another's.
    pub user: Option<String>,
    /// Words of the message or the reply.
    pub text: Option<String>,
}

/// A page of anything, newest or first first, with the cursor of the next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Page<T> {
    pub items: Vec<T>,
    /// Opaque; `None` on the last page.
    pub next: Option<String>,
}

/// What came of verifying the record.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Verification {
    /// How many records were looked at.
    pub records: u64,
    /// Of how many of them the text was erased, as a record of the chain says.
    #[serde(default)]
    pub erased: u64,
    /// Number of erased records about which an amendment states what the record of their erasure left out.
    #[serde(default)]
    pub amended: u64,
    /// Whose: how many chains have a record, the one of the system included.
    pub users: u64,
    /// Until when everything is as it was written; `None` where something is broken.
    pub verified_through: Option<Timestamp>,
    /// The newest checkpoint; `None` while there is none.
    pub checkpoint: Option<CheckpointSeen>,
    /// Reason why signatures could not be checked, or not in full; `None` if they were.
    #[serde(default)]
    pub unsigned: Option<Unsigned>,
    /// The first broken record of each chain that has one.
    pub broken: Vec<Broken>,
}

/// A signed checkpoint as a verification tells of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct CheckpointSeen {
    pub number: i64,
    pub at: Timestamp,
    /// How many records it covers, of all users.
    pub records: i64,
    /// Whether its signature was checked: `false` where the key is not at hand that signs this server's.
    pub signed: bool,
}

/// A reason why the signatures over a record could not be checked: it may have been written anew as a whole, or cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Unsigned {
    NoKey,
    OtherKey,
    NoCheckpoint,
    NoLog,
}

impl Unsigned {
    /// Returns a sentence that says what was not checked, and why.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::NoKey => "Signatures were not checked: the checkpoint key is missing.",
            Self::OtherKey => "Signatures were not checked: the newest checkpoint is signed with another key.",
            Self::NoCheckpoint => "Signatures were not checked: there is no checkpoint yet.",
            Self::NoLog => "Signatures were not checked in full: the checkpoint log is missing.",
        }
    }
}

/// The first broken record of a chain, or the first broken checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Broken {
    /// The owner's name, else their id; `system` for the chain of no person; empty for a checkpoint.
    pub user: String,
    /// The record's number in the chain, or the checkpoint's; 0 where it is the chain, or the checkpoints, as a whole.
    pub seq: i64,
    /// What the record is about, e.g. `message`; `checkpoint`; empty where nobody can know.
    pub kind: String,
    /// What is wrong, as a sentence.
    pub problem: String,
}

impl Broken {
    /// A problem of the database as a whole.
    pub fn of_all(problem: String) -> Self {
        Self { user: "system".to_owned(), seq: 0, kind: String::new(), problem }
    }
}

impl Verification {
    /// Returns one line: `verified 812 records, 3 users`, with the numbers of erased texts and amended records if there are any, or
    /// what is broken.
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
    /// The kind of what is no record.
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
