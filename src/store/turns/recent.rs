//! Times of recent turns, for rate limits.

use crate::domain::id::UserId;
use crate::domain::time::Timestamp;
use crate::domain::window::Span;
use crate::store::{Error, Tx, on};

/// Returns the times of the user's messages in the span, oldest first.
pub async fn messages_within(tx: &mut Tx, user: UserId, span: &Span) -> Result<Vec<Timestamp>, Error> {
    Ok(on!(tx, |conn| {
        sqlx::query_scalar(
            "SELECT accepted_at FROM turns
         WHERE user_id = $1 AND cause = 'message' AND accepted_at > $2 AND accepted_at <= $3 ORDER BY accepted_at",
        )
        .bind(user)
        .bind(&span.after)
        .bind(&span.until)
        .fetch_all(conn)
        .await
    })?)
}
