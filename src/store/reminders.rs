//! Tasks whose owner is still to be reminded. Triggers keep the rows, whoever changes a task and why: there is one while the task is
//! open and its time is still to come, or has come and was not yet told.

use super::{Error, Tx, on};
use crate::domain::id::{TaskNumber, UserId};
use crate::domain::time::Timestamp;

/// Tasks whose owners are to be reminded by now, the longest overdue first, of one time each person's
/// together, at most `limit`: work for a worker, shown to nobody.
pub async fn due(tx: &mut Tx, now: &Timestamp, limit: i64) -> Result<Vec<(UserId, TaskNumber)>, Error> {
    Ok(on!(tx, |conn| sqlx::query_as(
        "SELECT user_id, number FROM reminders WHERE remind_at <= $1 ORDER BY remind_at, user_id, number LIMIT $2"
    )
    .bind(now)
    .bind(limit)
    .fetch_all(conn)
    .await)?)
}

/// Takes a notice that is due; `false` where another took it, or the task changed and it is not due any more.
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

/// Has the owner reminded at `at`, in place of any other time; for a task that is open.
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

/// Until when the notice of the user's task waits, if one does.
pub async fn of_task(tx: &mut Tx, user: UserId, number: TaskNumber) -> Result<Option<Timestamp>, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar("SELECT remind_at FROM reminders WHERE user_id = $1 AND number = $2")
        .bind(user)
        .bind(number)
        .fetch_optional(conn)
        .await)?)
}
