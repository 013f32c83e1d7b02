//! What the user's open tasks are filed under: projects and tags, and how many tasks each has.

use super::{Error, Tx, on};
use crate::domain::id::UserId;

/// The projects of the user's open tasks with how many each has, those with the most first, at most `limit`.
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

/// The sets of tags that the user's open tasks have, with how many tasks have just that set, those with the most first, at most `limit`.
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
