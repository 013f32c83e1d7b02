//! The state of tasks at a point in time, from their changes.

use super::{Entry, Row};
use crate::domain::id::{TaskNumber, UserId};
use crate::domain::time::Timestamp;
use crate::store::{Error, Tx, on};

/// Returns the last change up to `at` of the next `limit` of the user's tasks after number `after`, by task number. Skips tasks that
/// it deleted, purged tasks and erased changes.
pub async fn as_of(
    tx: &mut Tx,
    user: UserId,
    at: &Timestamp,
    after: TaskNumber,
    limit: i64,
) -> Result<Vec<Entry>, Error> {
    let rows: Vec<Row> = on!(tx, |conn| sqlx::query_as(
        "SELECT b.body FROM changes c JOIN bodies b ON b.user_id = c.user_id AND b.seq = c.record_seq
         WHERE c.user_id = $1 AND c.task_number > $3 AND c.at <= $2 AND c.operation <> 'delete' AND NOT EXISTS (
             SELECT 1 FROM changes l WHERE l.user_id = c.user_id AND l.task_number = c.task_number
                 AND l.version_after > c.version_after AND l.at <= $2)
             AND NOT EXISTS (
             SELECT 1 FROM tasks t WHERE t.user_id = c.user_id AND t.number = c.task_number AND t.purged_at IS NOT NULL)
         ORDER BY c.task_number LIMIT $4"
    )
    .bind(user)
    .bind(at)
    .bind(after)
    .bind(limit)
    .fetch_all(conn)
    .await)?;
    rows.into_iter().map(Entry::try_from).collect()
}

/// Returns the last change of a task up to `at`; `None` if there was none or it is erased.
pub async fn last_until(tx: &mut Tx, user: UserId, task: TaskNumber, at: &Timestamp) -> Result<Option<Entry>, Error> {
    let row: Option<Row> = on!(tx, |conn| sqlx::query_as(
        "SELECT b.body FROM changes c JOIN bodies b ON b.user_id = c.user_id AND b.seq = c.record_seq
         WHERE c.user_id = $1 AND c.task_number = $2 AND c.at <= $3 ORDER BY c.version_after DESC LIMIT 1"
    )
    .bind(user)
    .bind(task)
    .bind(at)
    .fetch_optional(conn)
    .await)?;
    row.map(Entry::try_from).transpose()
}

/// Returns the number of tasks whose state at `at` is unknown, because the change then current is erased and the task has changed
/// since. Ignores deletions and purges.
pub async fn unknown_as_of(tx: &mut Tx, user: UserId, at: &Timestamp) -> Result<i64, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar(
        "SELECT COUNT(*) FROM changes c JOIN erasures e ON e.user_id = c.user_id AND e.seq = c.record_seq
         JOIN tasks t ON t.user_id = c.user_id AND t.number = c.task_number
         WHERE c.user_id = $1 AND c.at <= $2 AND c.operation NOT IN ('delete', 'purge') AND t.version <> c.version_after
             AND NOT EXISTS (
                 SELECT 1 FROM changes l WHERE l.user_id = c.user_id AND l.task_number = c.task_number
                     AND l.version_after > c.version_after AND l.at <= $2)"
    )
    .bind(user)
    .bind(at)
    .fetch_one(conn)
    .await)?)
}

/// Returns the next `limit` of the user's tasks after number `after` that are unchanged since `at` and whose last change is erased.
/// Their present state is their state at `at`. Skips tasks in the bin.
pub async fn untouched_since(
    tx: &mut Tx,
    user: UserId,
    at: &Timestamp,
    after: TaskNumber,
    limit: i64,
) -> Result<Vec<TaskNumber>, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar(
        "SELECT c.task_number FROM changes c JOIN erasures e ON e.user_id = c.user_id AND e.seq = c.record_seq
         JOIN tasks t ON t.user_id = c.user_id AND t.number = c.task_number AND t.version = c.version_after
         WHERE c.user_id = $1 AND c.task_number > $3 AND c.at <= $2 AND t.purged_at IS NULL AND t.deleted_at IS NULL
         ORDER BY c.task_number LIMIT $4"
    )
    .bind(user)
    .bind(at)
    .bind(after)
    .bind(limit)
    .fetch_all(conn)
    .await)?)
}

/// Returns true if the task's last change up to `at` is erased.
pub async fn is_unknown_as_of(tx: &mut Tx, user: UserId, task: TaskNumber, at: &Timestamp) -> Result<bool, Error> {
    let last: Option<Option<i64>> = on!(tx, |conn| sqlx::query_scalar(
        "SELECT e.seq FROM changes c LEFT JOIN erasures e ON e.user_id = c.user_id AND e.seq = c.record_seq
         WHERE c.user_id = $1 AND c.task_number = $2 AND c.at <= $3 ORDER BY c.version_after DESC LIMIT 1"
    )
    .bind(user)
    .bind(task)
    .bind(at)
    .fetch_optional(conn)
    .await)?;
    Ok(last.flatten().is_some())
}
