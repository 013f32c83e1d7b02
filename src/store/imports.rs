//! Tasks added by imports.

use super::{Error, Tx, on};
use crate::domain::id::{ChangeId, ImportId, UserId};

/// Returns true if the row with this key was imported and its task is not in the bin.
pub async fn has(tx: &mut Tx, user: UserId, key: &[u8]) -> Result<bool, Error> {
    let found: i64 = on!(tx, |conn| sqlx::query_scalar(
        "SELECT COUNT(*) FROM imported i
         JOIN changes c ON c.user_id = i.user_id AND c.id = i.change_id
         JOIN tasks t ON t.user_id = c.user_id AND t.number = c.task_number
         WHERE i.user_id = $1 AND i.row_key = $2 AND t.deleted_at IS NULL"
    )
    .bind(user)
    .bind(key)
    .fetch_one(conn)
    .await)?;
    Ok(found > 0)
}

/// Returns the change that added the row's task.
pub async fn change_of(tx: &mut Tx, user: UserId, key: &[u8]) -> Result<Option<ChangeId>, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar("SELECT change_id FROM imported WHERE user_id = $1 AND row_key = $2")
        .bind(user)
        .bind(key)
        .fetch_optional(conn)
        .await)?)
}

/// Stores the change that a row made. Replaces an earlier one that was undone.
pub async fn keep(tx: &mut Tx, user: UserId, key: &[u8], import: ImportId, change: ChangeId) -> Result<(), Error> {
    Ok(on!(tx, |conn| sqlx::query(
        "INSERT INTO imported (user_id, row_key, import_id, change_id) VALUES ($1, $2, $3, $4)
         ON CONFLICT (user_id, row_key) DO UPDATE SET import_id = excluded.import_id, change_id = excluded.change_id"
    )
    .bind(user)
    .bind(key)
    .bind(import)
    .bind(change)
    .execute(conn)
    .await
    .map(drop))?)
}
