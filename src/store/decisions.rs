//! Decisions: exactly one row per turn.

use serde::{Deserialize, Serialize};

use super::records::{self, Kind};
use super::turns::TurnRow;
use super::{Error, Tx, on};
use crate::domain::credential::Credential;
use crate::domain::decision::{Decision, Engine};
use crate::domain::decision_inputs::DecisionInputs;
use crate::domain::id::{ApprovalId, ConversationId, MemoryId, TurnId, UserId};
use crate::domain::time::Timestamp;
use crate::domain::turn::Cause;

/// Columns of the turn's row at its end, for verification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    pub conversation_id: ConversationId,
    pub cause: Cause,
    /// The approval that the turn carried out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_id: Option<ApprovalId>,
    /// Credential that triggered the turn, as ids only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Credential>,
    /// Ordinal among the user's turns. `None`, as the times below, for turns from before it was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordinal: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
}

impl About {
    /// Returns the columns of a turn that ends at `at`.
    pub fn finished(turn: &TurnRow, at: &Timestamp) -> Self {
        Self {
            conversation_id: turn.conversation,
            cause: turn.cause,
            approval_id: turn.approval,
            by: turn.starter.clone(),
            ordinal: Some(turn.ordinal),
            accepted_at: Some(turn.accepted_at.clone()),
            finished_at: Some(at.clone()),
        }
    }
}

/// A question that code rendered as the last block of a reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    pub approval_id: ApprovalId,
    pub text: String,
}

/// A turn's decision with everything that explains it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DecisionRow {
    pub turn_id: TurnId,
    /// `None` for turns from before it was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<About>,
    #[serde(flatten)]
    pub decision: Decision,
    pub engine: Engine,
    /// `LLM_UNAVAILABLE` if the rules were used as a fallback for a model.
    pub engine_cause: Option<String>,
    pub model: Option<String>,
    /// Short summary of the understood intent.
    pub intent: String,
    pub reply: String,
    /// The approval's question, if it ends the reply. A yes or no in the chat answers only this one (R-1102).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Question>,
    /// Sequence of the event with the reply. `None` without such an event, and for turns from before it was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told_seq: Option<i64>,
    /// Options offered with a question.
    pub options: Vec<String>,
    /// SHA-256 of the constitution in force, in hexadecimal.
    pub constitution: String,
    /// The approval that the turn requested or repeated, otherwise the one that it answered.
    pub asked_approval: Option<ApprovalId>,
    /// Memories given to the engine, best match first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memories: Vec<MemoryId>,
    pub tokens_in: Option<i64>,
    pub tokens_out: Option<i64>,
    /// True if some token counts are estimates, because the provider reported none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tokens_estimated: bool,
    /// Cost in micro-units of the provider's currency; `None` if no price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_micros: Option<i64>,
    pub duration_ms: i64,
    /// Decision inputs; `None` for turns from before they were stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<DecisionInputs>,
    pub at: Timestamp,
}

/// Stores the turn's decision. A unique constraint rejects a second one.
pub async fn insert(tx: &mut Tx, user: UserId, row: &DecisionRow) -> Result<(), Error> {
    let seq = records::append(tx, user, Kind::Decision, &row.at, row).await?;
    on!(tx, |conn| sqlx::query(
        "INSERT INTO decisions (turn_id, user_id, kind, outcome, engine, engine_cause, model, constitution,
         asked_approval, tokens_in, tokens_out, cost_micros, duration_ms, record_seq, at, question_of, told_seq)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)"
    )
    .bind(row.turn_id)
    .bind(user)
    .bind(row.decision.kind.as_str())
    .bind(row.decision.outcome.as_str())
    .bind(row.engine.as_str())
    .bind(row.engine_cause.as_deref())
    .bind(row.model.as_deref())
    .bind(&row.constitution)
    .bind(row.asked_approval)
    .bind(row.tokens_in)
    .bind(row.tokens_out)
    .bind(row.cost_micros)
    .bind(row.duration_ms)
    .bind(seq)
    .bind(&row.at)
    .bind(row.question.as_ref().map(|question| question.approval_id))
    .bind(row.told_seq)
    .execute(conn)
    .await
    .map(drop))?;
    Ok(())
}

/// Returns the decision of a turn; `None` if undecided or erased.
pub async fn get(tx: &mut Tx, user: UserId, turn: TurnId) -> Result<Option<DecisionRow>, Error> {
    let body: Option<String> = on!(tx, |conn| sqlx::query_scalar(
        "SELECT b.body FROM decisions d JOIN bodies b ON b.user_id = d.user_id AND b.seq = d.record_seq
         WHERE d.user_id = $1 AND d.turn_id = $2"
    )
    .bind(user)
    .bind(turn)
    .fetch_optional(conn)
    .await)?;
    body.map(|body| {
        serde_json::from_str(&body).map_err(|error| Error::Corrupt(format!("a decision that cannot be read ({error})")))
    })
    .transpose()
}
