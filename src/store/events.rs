//! Events for live updates: gap-free sequence numbers per user, in commit order.

use serde_json::{Value, json};

use super::chains::fitting;
use super::{Error, Tx, on, sequences};
use crate::domain::id::UserId;
use crate::domain::live::{Event, EventKind};
use crate::domain::time::Timestamp;

/// Appends an event under the user's next number.
pub async fn append(tx: &mut Tx, user: UserId, kind: EventKind, data: &Value, at: &Timestamp) -> Result<i64, Error> {
    let seq = sequences::take(tx, user).await?.next_event(kind == EventKind::TurnFinished);
    on!(tx, |conn| sqlx::query("INSERT INTO events (user_id, seq, kind, data, at) VALUES ($1, $2, $3, $4, $5)")
        .bind(user)
        .bind(seq)
        .bind(kind.as_str())
        .bind(data.to_string())
        .bind(at)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(seq)
}

/// Maximum bytes of a page of events, but at least one event.
const PAGE_BYTES: i64 = 256 << 10;

/// Returns how many of the next `limit` events after `seq` fit a page.
pub async fn page(tx: &mut Tx, user: UserId, seq: i64, limit: i64) -> Result<i64, Error> {
    let sizes: Vec<i64> = on!(tx, |conn| {
        sqlx::query_scalar(
        "SELECT CAST(octet_length(data) AS BIGINT) FROM events WHERE user_id = $1 AND seq > $2 ORDER BY seq LIMIT $3"
    )
    .bind(user)
    .bind(seq)
    .bind(limit)
    .fetch_all(conn)
    .await
    })?;
    Ok(fitting(&sizes, PAGE_BYTES))
}

/// Returns at most `limit` of the user's events after `seq`, oldest first. An erased event becomes a stream reset.
pub async fn after(tx: &mut Tx, user: UserId, seq: i64, limit: i64) -> Result<Vec<Event>, Error> {
    let rows: Vec<(i64, String, String)> = on!(tx, |conn| sqlx::query_as(
        "SELECT seq, kind, data FROM events WHERE user_id = $1 AND seq > $2 ORDER BY seq LIMIT $3"
    )
    .bind(user)
    .bind(seq)
    .bind(limit)
    .fetch_all(conn)
    .await)?;
    rows.into_iter().map(event).collect()
}

fn event((seq, kind, data): (i64, String, String)) -> Result<Event, Error> {
    let kind = EventKind::parse(&kind).ok_or_else(|| Error::Corrupt(format!("an event of kind {kind}")))?;
    let data: Value = serde_json::from_str(&data).map_err(|_| Error::Corrupt("an event that is no JSON".into()))?;
    // The event's content is erased, so the client has to reload.
    if data.is_null() {
        return Ok(Event { seq, kind: EventKind::StreamReset, data: json!({ "seq": seq }) });
    }
    Ok(Event { seq, kind, data })
}

/// Returns the turn events among the user's newest `limit` events, not older than `since`, oldest first.
pub async fn of_turns(tx: &mut Tx, user: UserId, since: &Timestamp, limit: i64) -> Result<Vec<Event>, Error> {
    let rows: Vec<(i64, String, String)> = on!(tx, |conn| sqlx::query_as(
        "SELECT seq, kind, data FROM events WHERE user_id = $1 AND at >= $2
             AND kind IN ('turn.started', 'tool.started', 'text.delta', 'text.reset')
             AND seq > (SELECT COALESCE(MAX(seq), 0) FROM events WHERE user_id = $1) - $3
         ORDER BY seq"
    )
    .bind(user)
    .bind(since)
    .bind(limit)
    .fetch_all(conn)
    .await)?;
    rows.into_iter().map(event).collect()
}

pub async fn head(tx: &mut Tx, user: UserId) -> Result<i64, Error> {
    sequences::newest_event(tx, user).await
}
