//! Steps: an engine's replies, stored before any of their calls runs.

use serde_json::Value;
use sqlx::FromRow;

use super::records::{self, Kind};
use super::{Error, Tx, on};
use crate::domain::id::{ConversationId, TurnId, UserId};
use crate::domain::time::Timestamp;
use crate::domain::tool;

/// Origin of a step's calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    Engine,
    Approval,
}

impl Origin {
    fn as_str(self) -> &'static str {
        match self {
            Self::Engine => "engine",
            Self::Approval => "approval",
        }
    }
}

/// A stored step.
#[derive(Debug, Clone)]
pub struct StepRow {
    /// Counted from 0.
    pub number: i32,
    pub origin: Origin,
    /// The reply as the engine layer serialised it; `null` if erased.
    pub reply: Value,
}

#[derive(FromRow)]
struct Row {
    turn_id: TurnId,
    number: i32,
    origin: String,
    body: Option<String>,
}

/// Stores a step. The primary key rejects a second one with its number.
pub async fn insert(tx: &mut Tx, user: UserId, turn: TurnId, step: &StepRow, at: &Timestamp) -> Result<(), Error> {
    let mut body = body(turn, step, at);
    body["schema"] = tool::SCHEMA.into();
    keep(tx, user, turn, step, at, &body).await
}

/// Stores a step without a schema version, as earlier releases did.
#[cfg(test)]
pub async fn insert_unversioned(
    tx: &mut Tx,
    user: UserId,
    turn: TurnId,
    step: &StepRow,
    at: &Timestamp,
) -> Result<(), Error> {
    keep(tx, user, turn, step, at, &body(turn, step, at)).await
}

fn body(turn: TurnId, step: &StepRow, at: &Timestamp) -> Value {
    let origin = step.origin.as_str();
    serde_json::json!({ "turn_id": turn, "number": step.number, "origin": origin, "reply": step.reply, "at": at })
}

async fn keep(
    tx: &mut Tx,
    user: UserId,
    turn: TurnId,
    step: &StepRow,
    at: &Timestamp,
    body: &Value,
) -> Result<(), Error> {
    let origin = step.origin.as_str();
    let seq = records::append(tx, user, Kind::Step, at, body).await?;
    on!(tx, |conn| sqlx::query(
        "INSERT INTO steps (turn_id, number, user_id, origin, record_seq, at) VALUES ($1, $2, $3, $4, $5, $6)"
    )
    .bind(turn)
    .bind(step.number)
    .bind(user)
    .bind(origin)
    .bind(seq)
    .bind(at)
    .execute(conn)
    .await
    .map(drop))?;
    Ok(())
}

pub async fn of_turn(tx: &mut Tx, user: UserId, turn: TurnId) -> Result<Vec<StepRow>, Error> {
    let rows: Vec<Row> = on!(tx, |conn| sqlx::query_as(
        "SELECT s.turn_id, s.number, s.origin, b.body FROM steps s
         LEFT JOIN bodies b ON b.user_id = s.user_id AND b.seq = s.record_seq
         WHERE s.user_id = $1 AND s.turn_id = $2 ORDER BY s.number"
    )
    .bind(user)
    .bind(turn)
    .fetch_all(conn)
    .await)?;
    rows.into_iter().map(|row| Ok(step(row)?.1)).collect()
}

/// Returns the steps of the user's unfinished turns.
pub async fn under_way(tx: &mut Tx, user: UserId) -> Result<Vec<StepRow>, Error> {
    let rows: Vec<Row> = on!(tx, |conn| sqlx::query_as(
        "SELECT s.turn_id, s.number, s.origin, b.body FROM turns t
         JOIN steps s ON s.turn_id = t.id
         LEFT JOIN bodies b ON b.user_id = s.user_id AND b.seq = s.record_seq
         WHERE t.status <> 'done' AND t.user_id = $1 AND s.user_id = $1"
    )
    .bind(user)
    .fetch_all(conn)
    .await)?;
    rows.into_iter().map(|row| Ok(step(row)?.1)).collect()
}

/// Returns the steps of the conversation's turns with ordinals in `from..to`, in order.
pub async fn between(
    tx: &mut Tx,
    user: UserId,
    conversation: ConversationId,
    from: i64,
    to: i64,
) -> Result<Vec<(TurnId, StepRow)>, Error> {
    let rows: Vec<Row> = on!(tx, |conn| sqlx::query_as(
        "SELECT s.turn_id, s.number, s.origin, b.body FROM turns t
         CROSS JOIN steps s
         LEFT JOIN bodies b ON b.user_id = s.user_id AND b.seq = s.record_seq
         WHERE s.turn_id = t.id AND s.user_id = $1 AND t.conversation_id = $2 AND t.ordinal >= $3 AND t.ordinal < $4
         ORDER BY t.ordinal, s.number"
    )
    .bind(user)
    .bind(conversation)
    .bind(from)
    .bind(to)
    .fetch_all(conn)
    .await)?;
    rows.into_iter().map(step).collect()
}

fn step(row: Row) -> Result<(TurnId, StepRow), Error> {
    let mut body: Value = match row.body {
        Some(body) => serde_json::from_str(&body).map_err(|_| Error::Corrupt("a step that is no JSON".into()))?,
        None => Value::Null,
    };
    let origin = if row.origin == "approval" { Origin::Approval } else { Origin::Engine };
    let schema = body["schema"].as_u64().and_then(|version| u8::try_from(version).ok()).unwrap_or_default();
    let mut reply = body["reply"].take();
    upgrade(&mut reply, schema);
    Ok((row.turn_id, StepRow { number: row.number, origin, reply }))
}

/// Upgrades the calls of a reply to the present schema.
fn upgrade(reply: &mut Value, schema: u8) {
    for call in reply.pointer_mut("/act/calls").and_then(Value::as_array_mut).into_iter().flatten() {
        let name = call["tool"].as_str().unwrap_or_default().to_owned();
        if let Some(arguments) = call.get_mut("arguments") {
            tool::upgrade(&name, schema, arguments);
        }
    }
}
