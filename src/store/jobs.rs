//! Work that comes round by the clock: when each job was last taken up.

use super::{Error, Tx, on};
use crate::domain::time::Timestamp;

/// A job that comes round every `every_s` seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Job {
    /// How its row is called.
    pub name: &'static str,
    pub every_s: i64,
}

/// Whether the job may be taken up by `now`.
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

/// Takes the job up; `false` when it was, by this process or another, less than `every_s` seconds ago.
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

/// Takes the job up once more for one that goes on; `false` when another has it by now. `held` is when this one took it up last.
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

/// Claims between these two hold. One from further ahead was made before the clock was put back, and would hold until it is there again.
fn bounds(job: Job, now: &Timestamp) -> (Timestamp, Timestamp) {
    (now.plus_seconds(-job.every_s), now.plus_seconds(job.every_s))
}
