//! Under what turns stand in traces.

use super::{Error, Tx, on};
use crate::domain::id::{ApprovalId, TurnId, UserId};
use crate::domain::trace::Traceparent;

/// Keeps under what a turn that was just accepted stands in a trace: whoever goes on with it goes on there.
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

/// Under what the user's turn stands that asked for the approval.
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
