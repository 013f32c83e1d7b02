//! Turns of the last minute, for rate limits.

use crate::domain::id::UserId;
use crate::domain::time::Timestamp;
use crate::store::{Error, Tx, on};

/// When the user's messages since `since` were accepted, oldest first.
pub async fn messages_since(tx: &mut Tx, user: UserId, since: &Timestamp) -> Result<Vec<Timestamp>, Error> {
    Ok(on!(tx, |conn| {
        sqlx::query_scalar(
        "SELECT accepted_at FROM turns WHERE user_id = $1 AND cause = 'message' AND accepted_at > $2 ORDER BY accepted_at"
    )
    .bind(user)
    .bind(since)
    .fetch_all(conn)
    .await
    })?)
}
