//! Queue depths over all users, for monitoring.

use super::{Error, Tx, on};
use crate::domain::queue_depth::{Dropped, Load};
use crate::domain::time::Timestamp;

/// Returns the present queue depths. A partial index serves each count.
pub async fn now(tx: &mut Tx, now: &Timestamp) -> Result<Load, Error> {
    let (queued, running, oldest): (i64, i64, Option<Timestamp>) = on!(tx, |conn| sqlx::query_as(
        "SELECT COUNT(CASE WHEN status = 'queued' THEN 1 END), COUNT(CASE WHEN status = 'running' THEN 1 END),
             MIN(accepted_at) FROM turns WHERE status <> 'done'"
    )
    .fetch_one(conn)
    .await)?;
    let approvals = on!(tx, |conn| sqlx::query_scalar("SELECT COUNT(*) FROM approvals WHERE status = 'pending'")
        .fetch_one(conn)
        .await)?;
    let outbox = on!(tx, |conn| sqlx::query_scalar("SELECT COUNT(*) FROM outbox WHERE ready_at IS NOT NULL")
        .fetch_one(conn)
        .await)?;
    let mut dropped = [0; Dropped::ALL.len()];
    for (count, what) in dropped.iter_mut().zip(Dropped::ALL) {
        let found: Option<i64> = on!(tx, |conn| sqlx::query_scalar("SELECT count FROM counters WHERE name = $1")
            .bind(what.counter())
            .fetch_optional(conn)
            .await)?;
        *count = found.unwrap_or_default();
    }
    let oldest_ms = oldest.map_or(0, |oldest| now.ms_since(&oldest).max(0));
    Ok(Load { queued, running, oldest_ms, approvals, outbox, dropped })
}
