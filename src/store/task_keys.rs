//! Comparison keys of tasks stored by an older version. Such rows have an empty `search`.

use sqlx::FromRow;

use super::tasks::{Row, Stored, search, tag_keys};
use super::{Error, Tx, on};
use crate::domain::comparison::key;
use crate::domain::id::{TaskNumber, UserId};

/// Maximum number of rows per transaction.
const PAGE: i64 = 500;

#[derive(FromRow)]
pub(super) struct Unkeyed {
    user_id: UserId,
    #[sqlx(flatten)]
    row: Row,
}

impl Unkeyed {
    pub(super) fn place(&self) -> (UserId, TaskNumber) {
        (self.user_id, self.row.number)
    }
}

/// Returns a page of all users' tasks without keys, after that task.
pub(super) async fn unkeyed(tx: &mut Tx, after: Option<(UserId, TaskNumber)>) -> Result<Vec<Unkeyed>, Error> {
    let (user, number) = after.unzip();
    Ok(on!(tx, |conn| sqlx::query_as(
        "SELECT * FROM tasks WHERE search = '' AND purged_at IS NULL
             AND (CAST($1 AS UUID) IS NULL OR (user_id, number) > ($1, $2))
         ORDER BY user_id, number LIMIT $3"
    )
    .bind(user)
    .bind(number)
    .bind(PAGE)
    .fetch_all(conn)
    .await)?)
}

/// Computes and stores the keys of these tasks. Skips an unreadable task until a later start.
pub(super) async fn fill(tx: &mut Tx, unkeyed: Vec<Unkeyed>) -> Result<(), Error> {
    for row in unkeyed {
        let (user, number) = row.place();
        let task = match Stored::try_from(row.row) {
            Ok(stored) => stored.task,
            Err(error) => {
                tracing::warn!(%error, "a task is found by no search");
                continue;
            }
        };
        // Another process may have set it meanwhile.
        on!(tx, |conn| sqlx::query(
            "UPDATE tasks SET project_key = $3, tag_keys = $4, search = $5
             WHERE user_id = $1 AND number = $2 AND search = ''"
        )
        .bind(user)
        .bind(number)
        .bind(task.project.as_ref().map(|project| key(project.as_str())))
        .bind(tag_keys(&task))
        .bind(search(&task))
        .execute(conn)
        .await
        .map(drop))?;
    }
    Ok(())
}
