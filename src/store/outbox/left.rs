//! Delivered and cancelled outbox entries of all users.

use crate::domain::time::Timestamp;
use crate::store::{Error, Tx, on};

/// Returns true if there are finished entries from `until` or before.
pub async fn any_over(tx: &mut Tx, until: &Timestamp) -> Result<bool, Error> {
    let found: Option<i32> =
        on!(tx, |conn| sqlx::query_scalar("SELECT 1 FROM outbox WHERE ready_at IS NULL AND created_at <= $1 LIMIT 1")
            .bind(until)
            .fetch_optional(conn)
            .await)?;
    Ok(found.is_some())
}

/// Deletes finished entries from `until` or before and returns their number.
pub async fn sweep(tx: &mut Tx, until: &Timestamp) -> Result<u64, Error> {
    Ok(on!(tx, |conn| sqlx::query("DELETE FROM outbox WHERE ready_at IS NULL AND created_at <= $1")
        .bind(until)
        .execute(conn)
        .await
        .map(|done| done.rows_affected()))?)
}

/// Ends all claims. Used when the only server of an SQLite file starts after another one.
pub async fn take_over(tx: &mut Tx) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("UPDATE outbox SET lease_until = NULL WHERE lease_until IS NOT NULL")
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}
