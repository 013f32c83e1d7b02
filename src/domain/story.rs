//! A whole turn as its record tells it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::approval::Approval;
use super::basis::Basis;
use super::conversation::Speaker;
use super::id::{MemoryId, MessageId, TurnId};
use super::time::Timestamp;

/// One link of the owner's chain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema), schemars(rename = "ChainRecord"))]
pub struct Record {
    /// Its number in the chain.
    pub record: i64,
    pub kind: String,
    pub at: Timestamp,
    /// All that it vouches for; `None` once that is erased.
    pub body: Option<Value>,
}

/// A message that the turn's engine was told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Told {
    pub message_id: MessageId,
    pub turn_id: TurnId,
    pub speaker: Speaker,
    /// `None` once it is erased.
    pub text: Option<String>,
}

/// A memory that the turn's engine was told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Recalled {
    pub memory_id: MemoryId,
    /// `None` once it is forgotten.
    pub text: Option<String>,
}

/// An admin's look at the turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Reading {
    /// The admin's name.
    pub reader: String,
    pub at: Timestamp,
    pub record: i64,
}

/// What a turn's own entry in the list does not tell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema), schemars(rename = "WholeTurn"))]
pub struct Story {
    pub accepted_at: Timestamp,
    /// The trace that its spans are in, in hexadecimal; `None` where nobody collected spans.
    #[serde(default)]
    pub trace_id: Option<String>,
    pub model: Option<String>,
    /// SHA-256 of the constitution in force, in hexadecimal; `None` once the decision's text is erased.
    pub constitution: Option<String>,
    /// `None` where no provider was asked.
    pub tokens_in: Option<i64>,
    pub tokens_out: Option<i64>,
    pub tokens_estimated: bool,
    /// Micro-units of the provider's currency; `None` where no price is known, which is not 0.
    pub cost_micros: Option<i64>,
    /// What the decision rests on beside the records; `None` of turns before that was kept.
    pub basis: Option<Basis>,
    /// Everything that was recorded of the turn, in the order in which it happened.
    pub records: Vec<Record>,
    /// The conversation as the engine was told it, oldest first, without the turn's own message.
    pub context: Vec<Told>,
    /// What came to mind of earlier conversations, the best first.
    pub memories: Vec<Recalled>,
    /// The approvals that it asked for, answered or carried out.
    pub approvals: Vec<Approval>,
    /// Who else has read it.
    pub readings: Vec<Reading>,
    /// The turns before and after it in its conversation.
    pub before: Option<TurnId>,
    pub after: Option<TurnId>,
    /// The turn that asked for what this one carried out.
    pub asked_by: Option<TurnId>,
    /// The turn that carried out what this one asked for.
    pub answered_by: Option<TurnId>,
}
