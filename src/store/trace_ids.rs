//! Trace contexts of turns.

use super::{Error, Tx, on};
use crate::domain::id::{ApprovalId, TurnId, UserId};
use crate::domain::trace::Traceparent;

/// Stores the trace context of a turn, under which its worker continues the trace.
pub async fn set(tx: &mut Tx, user: UserId, id: TurnId, trace: &Traceparent) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("UPDATE turns SET trace = $3 WHERE user_id = $1 AND id = $2")
        .bind(user)
        .bind(id)
        .bind(trace.to_string())
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

/// Returns the trace context of the turn that requested the approval.
pub async fn of_approval(tx: &mut Tx, user: UserId, approval: ApprovalId) -> Result<Option<Traceparent>, Error> {
    let found: Option<Option<String>> = on!(tx, |conn| sqlx::query_scalar(
        "SELECT t.trace FROM approvals a JOIN turns t ON t.id = a.turn_id WHERE a.user_id = $1 AND a.id = $2"
    )
    .bind(user)
    .bind(approval)
    .fetch_optional(conn)
    .await)?;
    Ok(found.flatten().as_deref().and_then(Traceparent::read))
}
