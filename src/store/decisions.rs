//! Decisions: exactly one row a turn.

use serde::{Deserialize, Serialize};

use super::records::{self, Kind};
use super::turns::TurnRow;
use super::{Error, Tx, on};
use crate::domain::basis::Basis;
use crate::domain::credential::Credential;
use crate::domain::decision::{Decision, Engine};
use crate::domain::id::{ApprovalId, ConversationId, MemoryId, TurnId, UserId};
use crate::domain::time::Timestamp;
use crate::domain::turn::Cause;

/// What a turn was about: its row must go on saying so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    pub conversation_id: ConversationId,
    pub cause: Cause,
    /// The approval that it carried out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_id: Option<ApprovalId>,
    /// Credential that started it, by its ids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Credential>,
    /// Its place among its user's turns; `None` of turns before it was kept, as the times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordinal: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
}

impl About {
    /// Describes a turn that ends at that time.
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

/// The question that code rendered as the last block of a reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    pub approval_id: ApprovalId,
    pub text: String,
}

/// How a turn ended, with all that explains it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DecisionRow {
    pub turn_id: TurnId,
    /// `None` of turns before that was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<About>,
    #[serde(flatten)]
    pub decision: Decision,
    pub engine: Engine,
    /// `LLM_UNAVAILABLE` where the rules stood in for a model.
    pub engine_cause: Option<String>,
    pub model: Option<String>,
    /// What was understood, in a few words.
    pub intent: String,
    pub reply: String,
    /// The last block of the reply, if that is an approval's question: a yes or no in the chat answers nothing else (R-1102).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Question>,
    /// Sequence of the event that carries the reply; `None` if no event does, and of turns before that was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told_seq: Option<i64>,
    /// Choices offered with a question.
    pub options: Vec<String>,
    /// SHA-256 of the constitution in force, in hexadecimal.
    pub constitution: String,
    /// The approval that this turn asked for or asked about again, else the one that it answered.
    pub asked_approval: Option<ApprovalId>,
    /// What came to mind: the memories that the engine was told, the best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memories: Vec<MemoryId>,
    pub tokens_in: Option<i64>,
    pub tokens_out: Option<i64>,
    /// Whether some of the tokens were estimated, since a provider did not count them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tokens_estimated: bool,
    /// Micro-units of the provider's currency; `None` where no price was known, which is not 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_micros: Option<i64>,
    pub duration_ms: i64,
    /// What it rests on; `None` of turns before that was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    pub at: Timestamp,
}

/// Keeps the turn's decision. A second one is refused by the database.
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

/// The decision of the user's turn, once it is done and while its text is not erased.
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
