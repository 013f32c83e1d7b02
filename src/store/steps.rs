//! Steps: an engine's reply, kept before any of its calls runs.

use serde_json::Value;
use sqlx::FromRow;

use super::records::{self, Kind};
use super::{Error, Tx, on};
use crate::domain::id::{ConversationId, TurnId, UserId};
use crate::domain::time::Timestamp;

/// Where a step's calls come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    Engine,
    /// The stored calls of an approval.
    Approval,
}

/// A step as it was kept.
#[derive(Debug, Clone)]
pub struct StepRow {
    /// From 0.
    pub number: i32,
    pub origin: Origin,
    /// The reply as the engine's layer wrote it; `null` once erased.
    pub reply: Value,
}

#[derive(FromRow)]
struct Row {
    turn_id: TurnId,
    number: i32,
    origin: String,
    body: Option<String>,
}

/// Keeps a step. A second one of the same number is refused by the database.
pub async fn insert(tx: &mut Tx, user: UserId, turn: TurnId, step: &StepRow, at: &Timestamp) -> Result<(), Error> {
    let origin = match step.origin {
        Origin::Engine => "engine",
        Origin::Approval => "approval",
    };
    let body = serde_json::json!({
        "turn_id": turn, "number": step.number, "origin": origin, "reply": step.reply, "at": at,
    });
    let seq = records::append(tx, user, Kind::Step, at, &body).await?;
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

/// The turn's steps in order.
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

/// The steps of the user's turns that are not done.
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

/// The steps of the conversation's turns from ordinal `from` up to but not including `to`, in order.
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
    Ok((row.turn_id, StepRow { number: row.number, origin, reply: body["reply"].take() }))
}
