//! Projects and tags of open tasks, with the number of tasks in each.

use super::{Error, Tx, on};
use crate::domain::id::UserId;

/// Returns at most `limit` projects of the user's open tasks with their task counts, most frequent first.
pub async fn projects(tx: &mut Tx, user: UserId, limit: i64) -> Result<Vec<(String, i64)>, Error> {
    Ok(on!(tx, |conn| sqlx::query_as(
        "SELECT MIN(project), COUNT(*) FROM tasks
         WHERE user_id = $1 AND status = 'pending' AND deleted_at IS NULL AND project IS NOT NULL
         GROUP BY project_key ORDER BY COUNT(*) DESC, project_key LIMIT $2"
    )
    .bind(user)
    .bind(limit)
    .fetch_all(conn)
    .await)?)
}

/// Returns at most `limit` distinct tag sets of the user's open tasks with their task counts, most frequent first.
pub async fn tags(tx: &mut Tx, user: UserId, limit: i64) -> Result<Vec<(Vec<String>, i64)>, Error> {
    let rows: Vec<(String, i64)> = on!(tx, |conn| sqlx::query_as(
        "SELECT tags, COUNT(*) FROM tasks
         WHERE user_id = $1 AND status = 'pending' AND deleted_at IS NULL AND tags <> '[]' GROUP BY tags
         ORDER BY COUNT(*) DESC, tags LIMIT $2"
    )
    .bind(user)
    .bind(limit)
    .fetch_all(conn)
    .await)?;
    let read = |text: &str| serde_json::from_str(text).map_err(|_| Error::Corrupt("a task with bad tags".into()));
    rows.into_iter().map(|(tags, count)| Ok((read(&tags)?, count))).collect()
}
