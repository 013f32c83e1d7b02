//! Turn details as recorded.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::approval::Approval;
use super::conversation::Speaker;
use super::decision_inputs::DecisionInputs;
use super::id::{MemoryId, MessageId, TurnId};
use super::time::Timestamp;

/// One record of the owner's hash chain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema), schemars(rename = "ChainRecord"))]
pub struct Record {
    /// Its number in the chain.
    pub record: i64,
    pub kind: String,
    pub at: Timestamp,
    /// The record's content; `None` if erased.
    pub body: Option<Value>,
}

/// A message given to the turn's engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Told {
    pub message_id: MessageId,
    pub turn_id: TurnId,
    pub speaker: Speaker,
    /// `None` if erased.
    pub text: Option<String>,
}

/// A memory given to the turn's engine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Recalled {
    pub memory_id: MemoryId,
    /// `None` if deleted.
    pub text: Option<String>,
}

/// An admin's reading of the turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Reading {
    /// The admin's name.
    pub reader: String,
    pub at: Timestamp,
    pub record: i64,
}

/// Details of a turn that its entry in the audit log does not contain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema), schemars(rename = "WholeTurn"))]
pub struct Story {
    pub accepted_at: Timestamp,
    /// Id of the trace that contains its spans, in hexadecimal; `None` if tracing was off.
    #[serde(default)]
    pub trace_id: Option<String>,
    pub model: Option<String>,
    /// SHA-256 of the constitution in force, in hexadecimal; `None` if the decision's text is erased.
    pub constitution: Option<String>,
    /// `None` if no provider was asked.
    pub tokens_in: Option<i64>,
    pub tokens_out: Option<i64>,
    pub tokens_estimated: bool,
    /// Micro-units of the provider's currency; `None` if no price is known, which is not 0.
    pub cost_micros: Option<i64>,
    /// Decision inputs besides the records; `None` for turns from before they were stored.
    pub basis: Option<DecisionInputs>,
    /// All records of the turn, in order.
    pub records: Vec<Record>,
    /// The conversation as given to the engine, oldest first, without the turn's own message.
    pub context: Vec<Told>,
    /// Recalled memories of earlier conversations, best match first.
    pub memories: Vec<Recalled>,
    /// The approvals that it requested, answered or carried out.
    pub approvals: Vec<Approval>,
    /// Admins who have read it.
    pub readings: Vec<Reading>,
    /// The turns before and after it in its conversation.
    pub before: Option<TurnId>,
    pub after: Option<TurnId>,
    /// The turn that requested the approval which this one carried out.
    pub asked_by: Option<TurnId>,
    /// The turn that carried out the approval which this one requested.
    pub answered_by: Option<TurnId>,
}
