//! Changes of a task and their undos, without texts.

use crate::domain::id::{ChangeId, TaskNumber, UserId};
use crate::store::{Error, Tx, on};

/// A change and the change that it undoes.
pub type Undoing = (ChangeId, Option<ChangeId>);

/// Returns the newest `limit` changes of the user's task after `version` without their texts, newest first.
pub async fn undos(
    tx: &mut Tx,
    user: UserId,
    task: TaskNumber,
    version: i64,
    limit: i64,
) -> Result<Vec<Undoing>, Error> {
    Ok(on!(tx, |conn| sqlx::query_as(
        "SELECT id, undoes FROM changes WHERE user_id = $1 AND task_number = $2 AND version_after > $3
         ORDER BY version_after DESC LIMIT $4"
    )
    .bind(user)
    .bind(task)
    .bind(version)
    .bind(limit)
    .fetch_all(conn)
    .await)?)
}
