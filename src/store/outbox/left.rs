//! Cards that nobody shows or holds any more, of all users.

use crate::domain::time::Timestamp;
use crate::store::{Error, Tx, on};

/// Whether there are cards from before `until` that are shown no more: work for a worker, shown to nobody.
pub async fn any_over(tx: &mut Tx, until: &Timestamp) -> Result<bool, Error> {
    let found: Option<i32> =
        on!(tx, |conn| sqlx::query_scalar("SELECT 1 FROM outbox WHERE ready_at IS NULL AND created_at <= $1 LIMIT 1")
            .bind(until)
            .fetch_optional(conn)
            .await)?;
    Ok(found.is_some())
}

/// Deletes the cards from before `until` that were sent or given up; how many those were.
pub async fn sweep(tx: &mut Tx, until: &Timestamp) -> Result<u64, Error> {
    Ok(on!(tx, |conn| sqlx::query("DELETE FROM outbox WHERE ready_at IS NULL AND created_at <= $1")
        .bind(until)
        .execute(conn)
        .await
        .map(|done| done.rows_affected()))?)
}

/// Lets go of every card that is held: for the one server of a SQLite file, whose cards the process before has left.
pub async fn take_over(tx: &mut Tx) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("UPDATE outbox SET lease_until = NULL WHERE lease_until IS NOT NULL")
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}
