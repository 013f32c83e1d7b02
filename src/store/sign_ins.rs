//! Sign-in attempts for throttling, counted per account, address or both. Keys are digests. All processes share the counters.

use sqlx::FromRow;

use super::{Error, Tx, on};
use crate::domain::time::Timestamp;

/// Counts an attempt under the key and returns the total; `None` while the key is blocked. Attempts before `forgotten` are not
/// counted. Concurrent attempts are counted one at a time.
pub async fn begin(tx: &mut Tx, key: &[u8], now: &Timestamp, forgotten: &Timestamp) -> Result<Option<i64>, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar(
        "INSERT INTO sign_in_tries (key, failures, tried_at, closed_until) VALUES ($1, 1, $2, $2)
         ON CONFLICT (key) DO UPDATE SET tried_at = excluded.tried_at,
             failures = CASE WHEN sign_in_tries.tried_at < $3 THEN 1 ELSE sign_in_tries.failures + 1 END
         WHERE sign_in_tries.closed_until <= $2 RETURNING failures"
    )
    .bind(key)
    .bind(now)
    .bind(forgotten)
    .fetch_optional(conn)
    .await)?)
}

/// Blocks the key until `until`.
pub async fn close(tx: &mut Tx, key: &[u8], until: &Timestamp) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("UPDATE sign_in_tries SET closed_until = $2 WHERE key = $1")
        .bind(key)
        .bind(until)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

/// Attempts under a key.
#[derive(Debug, Clone, FromRow)]
pub struct Tries {
    pub failures: i64,
    /// Time of the last counted attempt.
    pub tried_at: Timestamp,
    pub closed_until: Timestamp,
    /// Time of the last success.
    pub good_at: Option<Timestamp>,
}

/// Returns the attempts under the key.
pub async fn state(tx: &mut Tx, key: &[u8]) -> Result<Option<Tries>, Error> {
    Ok(on!(tx, |conn| {
        sqlx::query_as("SELECT failures, tried_at, closed_until, good_at FROM sign_in_tries WHERE key = $1")
            .bind(key)
            .fetch_optional(conn)
            .await
    })?)
}

/// Changes the time of the last attempt to `at` and its block to `until`, unless another attempt followed `tries`.
pub async fn move_to(
    tx: &mut Tx,
    key: &[u8],
    tries: &Tries,
    (at, until): (&Timestamp, &Timestamp),
) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query(
        "UPDATE sign_in_tries SET tried_at = $3, closed_until = $4 WHERE key = $1 AND tried_at = $2"
    )
    .bind(key)
    .bind(&tries.tried_at)
    .bind(at)
    .bind(until)
    .execute(conn)
    .await
    .map(drop))?;
    Ok(())
}

/// Uncounts an attempt and unblocks the key. `good` also clears earlier failures and stores the success.
pub async fn forgive(tx: &mut Tx, key: &[u8], now: &Timestamp, good: bool) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query(
        "UPDATE sign_in_tries SET closed_until = $2, good_at = CASE WHEN $3 THEN $2 ELSE good_at END,
             failures = CASE WHEN $3 OR failures < 1 THEN 0 ELSE failures - 1 END
         WHERE key = $1"
    )
    .bind(key)
    .bind(now)
    .bind(good)
    .execute(conn)
    .await
    .map(drop))?;
    Ok(())
}

/// Deletes keys without an attempt since `forgotten` and without a success since `remembered`.
pub async fn sweep(tx: &mut Tx, forgotten: &Timestamp, remembered: &Timestamp) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("DELETE FROM sign_in_tries WHERE tried_at < $1 AND (good_at IS NULL OR good_at < $2)")
        .bind(forgotten)
        .bind(remembered)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}
