//! Tries to sign in, counted by keys that are digests: which account, which address, or both. All processes count the same rows.

use sqlx::FromRow;

use super::{Error, Tx, on};
use crate::domain::time::Timestamp;

/// Counts one more try under the key and returns how many that makes; `None` where the key is closed. Tries from before `forgotten`
/// do not count any more. Of any number of tries at once, each is counted before the next is let through.
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

/// Closes the key until then.
pub async fn close(tx: &mut Tx, key: &[u8], until: &Timestamp) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("UPDATE sign_in_tries SET closed_until = $2 WHERE key = $1")
        .bind(key)
        .bind(until)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

/// The tries under a key.
#[derive(Debug, Clone, FromRow)]
pub struct Tries {
    pub failures: i64,
    /// When one was last counted.
    pub tried_at: Timestamp,
    pub closed_until: Timestamp,
    /// When one last succeeded.
    pub good_at: Option<Timestamp>,
}

/// Returns the tries under the key, if there were any.
pub async fn state(tx: &mut Tx, key: &[u8]) -> Result<Option<Tries>, Error> {
    Ok(on!(tx, |conn| {
        sqlx::query_as("SELECT failures, tried_at, closed_until, good_at FROM sign_in_tries WHERE key = $1")
            .bind(key)
            .fetch_optional(conn)
            .await
    })?)
}

/// Moves the last try under the key to `at`, and the end of the wait after it to `until`, unless another was counted since `tries`.
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

/// Takes back a try that succeeded, and opens the key. `good` also forgives all that failed before and remembers the success.
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

/// Sweeps out what says nothing any more: not tried since `forgotten`, nor with success since `remembered`.
pub async fn sweep(tx: &mut Tx, forgotten: &Timestamp, remembered: &Timestamp) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("DELETE FROM sign_in_tries WHERE tried_at < $1 AND (good_at IS NULL OR good_at < $2)")
        .bind(forgotten)
        .bind(remembered)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}
