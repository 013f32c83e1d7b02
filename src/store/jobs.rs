//! Periodic jobs and the time of each job's last claim.

use super::{Error, Tx, on};
use crate::domain::time::Timestamp;

/// A job that runs every `every_s` seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Job {
    /// Primary key of its row.
    pub name: &'static str,
    pub every_s: i64,
}

/// Returns true if the job may be claimed at `now`.
pub async fn is_due(tx: &mut Tx, job: Job, now: &Timestamp) -> Result<bool, Error> {
    let (long_ago, ahead) = bounds(job, now);
    let fresh: Option<i32> = on!(tx, |conn| sqlx::query_scalar(
        "SELECT 1 FROM jobs WHERE name = $1 AND claimed_at > $2 AND claimed_at < $3"
    )
    .bind(job.name)
    .bind(&long_ago)
    .bind(&ahead)
    .fetch_optional(conn)
    .await)?;
    Ok(fresh.is_none())
}

/// Claims the job. Returns false if any process claimed it less than `every_s` seconds ago.
pub async fn claim(tx: &mut Tx, job: Job, now: &Timestamp) -> Result<bool, Error> {
    let (long_ago, ahead) = bounds(job, now);
    let rows = on!(tx, |conn| sqlx::query(
        "INSERT INTO jobs (name, claimed_at) VALUES ($1, $2)
         ON CONFLICT (name) DO UPDATE SET claimed_at = excluded.claimed_at
         WHERE jobs.claimed_at <= $3 OR jobs.claimed_at >= $4"
    )
    .bind(job.name)
    .bind(now)
    .bind(&long_ago)
    .bind(&ahead)
    .execute(conn)
    .await
    .map(|done| done.rows_affected()))?;
    Ok(rows == 1)
}

/// Renews the claim made at `held`. Returns false if another process has claimed the job since.
pub async fn renew(tx: &mut Tx, job: Job, held: &Timestamp, now: &Timestamp) -> Result<bool, Error> {
    let rows = on!(tx, |conn| sqlx::query("UPDATE jobs SET claimed_at = $3 WHERE name = $1 AND claimed_at = $2")
        .bind(job.name)
        .bind(held)
        .bind(now)
        .execute(conn)
        .await
        .map(|done| done.rows_affected()))?;
    Ok(rows == 1)
}

/// Returns the range of valid claim times. A claim from the future predates a clock change and is ignored.
fn bounds(job: Job, now: &Timestamp) -> (Timestamp, Timestamp) {
    (now.plus_seconds(-job.every_s), now.plus_seconds(job.every_s))
}
