//! Purge of deleted tasks after their retention period.

use super::{Error, Tx, on};
use crate::domain::id::{TaskNumber, UserId};
use crate::domain::time::Timestamp;

/// Selects tasks that were deleted at `$1` or before. A deleted task only changes when it enters the bin, so `updated_at` is that
/// time, even if an undo restored an older `deleted_at`.
macro_rules! overdue {
    ($start:literal, $rest:literal) => {
        concat!(
            $start,
            " FROM tasks WHERE deleted_at IS NOT NULL AND purged_at IS NULL AND deleted_at <= $1 AND updated_at <= $1",
            $rest
        )
    };
}

/// Returns users with a task that was deleted at `until` or before, for a worker.
pub async fn owners(tx: &mut Tx, until: &Timestamp) -> Result<Vec<UserId>, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar(overdue!("SELECT DISTINCT user_id", "")).bind(until).fetch_all(conn).await)?)
}

/// Returns at most `limit` of the user's tasks that were deleted at `until` or before.
pub async fn overdue(tx: &mut Tx, user: UserId, until: &Timestamp, limit: i64) -> Result<Vec<TaskNumber>, Error> {
    let sql = overdue!("SELECT number", " AND user_id = $2 ORDER BY number LIMIT $3");
    Ok(on!(tx, |conn| sqlx::query_scalar(sql).bind(until).bind(user).bind(limit).fetch_all(conn).await)?)
}

/// Clears the row of a deleted task and marks it as purged. Returns false unless the task is in the bin at `version` - 1.
pub async fn purge(tx: &mut Tx, user: UserId, number: TaskNumber, version: i64, at: &Timestamp) -> Result<bool, Error> {
    let rows = on!(tx, |conn| {
        sqlx::query(
        "UPDATE tasks SET title = '', description = NULL, due_date = NULL, due_at = NULL, due_zone = NULL, due_day = NULL,
             priority = 0, project = NULL, project_key = NULL, tags = '[]', tag_keys = '', recurrence = NULL, rank = NULL, place = '', search = '',
             version = $3, updated_at = $4, purged_at = $4
         WHERE user_id = $1 AND number = $2 AND version = $3 - 1 AND deleted_at IS NOT NULL AND purged_at IS NULL"
    )
    .bind(user)
    .bind(number)
    .bind(version)
    .bind(at)
    .execute(conn)
    .await
    .map(|done| done.rows_affected())
    })?;
    Ok(rows == 1)
}

/// Returns true if the user had a task with this number that was purged.
pub async fn was_purged(tx: &mut Tx, user: UserId, number: TaskNumber) -> Result<bool, Error> {
    let found: Option<i32> = on!(tx, |conn| sqlx::query_scalar(
        "SELECT 1 FROM tasks WHERE user_id = $1 AND number = $2 AND purged_at IS NOT NULL"
    )
    .bind(user)
    .bind(number)
    .fetch_optional(conn)
    .await)?;
    Ok(found.is_some())
}
