//! Log of admins who read other users' turns.

use serde_json::json;

use super::records::{self, Kind};
use super::{Error, Tx, on};
use crate::domain::id::{TurnId, UserId};
use crate::domain::time::Timestamp;
use crate::domain::turn_detail::Reading;

/// Records in the owner's chain that `reader` read the turn.
pub async fn insert(tx: &mut Tx, user: UserId, turn: TurnId, reader: UserId, at: &Timestamp) -> Result<(), Error> {
    let body = json!({ "turn_id": turn, "reader": reader, "at": at });
    let seq = records::append(tx, user, Kind::Reading, at, &body).await?;
    Ok(on!(tx, |conn| sqlx::query(
        "INSERT INTO readings (user_id, record_seq, turn_id, reader, at) VALUES ($1, $2, $3, $4, $5)"
    )
    .bind(user)
    .bind(seq)
    .bind(turn)
    .bind(reader)
    .bind(at)
    .execute(conn)
    .await
    .map(drop))?)
}

/// Returns true if `reader` has read the turn before.
pub async fn has(tx: &mut Tx, user: UserId, turn: TurnId, reader: UserId) -> Result<bool, Error> {
    let read: Option<i32> = on!(tx, |conn| sqlx::query_scalar(
        "SELECT 1 FROM readings WHERE user_id = $1 AND turn_id = $2 AND reader = $3 LIMIT 1"
    )
    .bind(user)
    .bind(turn)
    .bind(reader)
    .fetch_optional(conn)
    .await)?;
    Ok(read.is_some())
}

/// Returns the readings of the turn, oldest first.
pub async fn of_turn(tx: &mut Tx, user: UserId, turn: TurnId) -> Result<Vec<Reading>, Error> {
    let rows: Vec<(String, Timestamp, i64)> = on!(tx, |conn| sqlx::query_as(
        "SELECT u.name, r.at, r.record_seq FROM readings r JOIN users u ON u.id = r.reader
         WHERE r.user_id = $1 AND r.turn_id = $2 ORDER BY r.record_seq"
    )
    .bind(user)
    .bind(turn)
    .fetch_all(conn)
    .await)?;
    Ok(rows.into_iter().map(|(reader, at, record)| Reading { reader, at, record }).collect())
}
