//! Pending reminders. Triggers maintain the rows on every change of a task. A row exists while its task is open and the reminder
//! is not yet sent.

use super::{Error, Tx, on};
use crate::domain::id::{TaskNumber, UserId};
use crate::domain::time::Timestamp;

/// Returns at most `limit` tasks of all users whose reminder is due, for a worker. The longest overdue comes first; reminders of
/// one user at one time are adjacent.
pub async fn due(tx: &mut Tx, now: &Timestamp, limit: i64) -> Result<Vec<(UserId, TaskNumber)>, Error> {
    Ok(on!(tx, |conn| sqlx::query_as(
        "SELECT user_id, number FROM reminders WHERE remind_at <= $1 ORDER BY remind_at, user_id, number LIMIT $2"
    )
    .bind(now)
    .bind(limit)
    .fetch_all(conn)
    .await)?)
}

/// Deletes a due reminder before it is sent. Returns false if another worker deleted it or it is no longer due.
pub async fn take(tx: &mut Tx, user: UserId, number: TaskNumber, now: &Timestamp) -> Result<bool, Error> {
    let rows =
        on!(tx, |conn| sqlx::query("DELETE FROM reminders WHERE user_id = $1 AND number = $2 AND remind_at <= $3")
            .bind(user)
            .bind(number)
            .bind(now)
            .execute(conn)
            .await
            .map(|done| done.rows_affected()))?;
    Ok(rows == 1)
}

/// Sets the reminder of an open task to `at`.
pub async fn set(tx: &mut Tx, user: UserId, number: TaskNumber, at: &Timestamp) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query(
        "INSERT INTO reminders (user_id, number, remind_at) VALUES ($1, $2, $3)
         ON CONFLICT (user_id, number) DO UPDATE SET remind_at = excluded.remind_at"
    )
    .bind(user)
    .bind(number)
    .bind(at)
    .execute(conn)
    .await
    .map(drop))?;
    Ok(())
}

/// Returns the time of the task's pending reminder.
pub async fn of_task(tx: &mut Tx, user: UserId, number: TaskNumber) -> Result<Option<Timestamp>, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar("SELECT remind_at FROM reminders WHERE user_id = $1 AND number = $2")
        .bind(user)
        .bind(number)
        .fetch_optional(conn)
        .await)?)
}
