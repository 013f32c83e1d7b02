//! Agent clients, one per token: their conversations, calls, approvals and changes.

use super::{Error, Tx, approvals, on, sequences};
use crate::domain::decision::Outcome;
use crate::domain::id::{ApprovalId, ChangeId, ConversationId, TokenId, TurnId, UserId};
use crate::domain::time::Timestamp;
use crate::domain::turn::Cause;
use crate::domain::user::{Agent, Door, TokenKind};
use crate::domain::window::Span;

/// Sets the token's kind, and the number of changes that its agent client may make in an hour.
pub async fn set_terms(tx: &mut Tx, user: UserId, id: TokenId, kind: TokenKind, budget: i64) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("UPDATE tokens SET kind = $3, budget = $4 WHERE user_id = $1 AND id = $2")
        .bind(user)
        .bind(id)
        .bind(kind.as_str())
        .bind(budget)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

/// Returns the conversation of the token's agent client, or `Some(None)` before it has one. Returns `None` if the token is
/// revoked or the user is disabled.
pub async fn thread(tx: &mut Tx, user: UserId, id: TokenId) -> Result<Option<Option<ConversationId>>, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar(
        "SELECT t.conversation_id FROM tokens t JOIN users u ON u.id = t.user_id
         WHERE t.user_id = $1 AND t.id = $2 AND t.revoked_at IS NULL AND u.disabled = $3"
    )
    .bind(user)
    .bind(id)
    .bind(false)
    .fetch_optional(conn)
    .await)?)
}

/// Sets the conversation of the token's agent client.
pub async fn set_thread(tx: &mut Tx, user: UserId, id: TokenId, thread: ConversationId) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("UPDATE tokens SET conversation_id = $3 WHERE user_id = $1 AND id = $2")
        .bind(user)
        .bind(id)
        .bind(thread)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

/// Stores the turn of an agent client's call as finished. No worker claims it: everything that belongs to it is written in this
/// transaction.
pub async fn turn(
    tx: &mut Tx,
    user: UserId,
    token: TokenId,
    conversation: ConversationId,
    at: &Timestamp,
) -> Result<TurnId, Error> {
    let ordinal = sequences::take(tx, user).await?.next_turn();
    let id = TurnId::new();
    on!(tx, |conn| sqlx::query(
        "INSERT INTO turns (id, user_id, conversation_id, ordinal, cause, status, accepted_at, finished_at, token_id,
             starter_door, starter_token)
         VALUES ($1, $2, $3, $4, $5, 'done', $6, $6, $7, $8, $7)"
    )
    .bind(id)
    .bind(user)
    .bind(conversation)
    .bind(ordinal)
    .bind(Cause::Mcp.as_str())
    .bind(at)
    .bind(token)
    .bind(Door::Mcp.as_str())
    .execute(conn)
    .await
    .map(drop))?;
    Ok(id)
}

/// Returns the times of all calls of the user's agent clients in the span, oldest first.
pub async fn calls_within(tx: &mut Tx, user: UserId, span: &Span) -> Result<Vec<Timestamp>, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar(
        "SELECT accepted_at FROM turns
         WHERE user_id = $1 AND cause = 'mcp' AND cause <> 'message' AND accepted_at > $2 AND accepted_at <= $3
         ORDER BY accepted_at"
    )
    .bind(user)
    .bind(&span.after)
    .bind(&span.until)
    .fetch_all(conn)
    .await)?)
}

/// Counts a change against the budget of the token's agent client.
pub(super) async fn made(
    tx: &mut Tx,
    user: UserId,
    token: TokenId,
    change: ChangeId,
    at: &Timestamp,
) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query(
        "INSERT INTO outside_changes (user_id, token_id, at, change_id) VALUES ($1, $2, $3, $4)"
    )
    .bind(user)
    .bind(token)
    .bind(at)
    .bind(change)
    .execute(conn)
    .await
    .map(drop))?;
    Ok(())
}

/// Returns the number of changes made by the token's agent client in the span.
pub async fn changes_within(tx: &mut Tx, user: UserId, token: TokenId, span: &Span) -> Result<i64, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar(
        "SELECT COUNT(*) FROM outside_changes WHERE user_id = $1 AND token_id = $2 AND at > $3 AND at <= $4"
    )
    .bind(user)
    .bind(token)
    .bind(&span.after)
    .bind(&span.until)
    .fetch_one(conn)
    .await)?)
}

/// Returns the number of failed calls of the token's agent client in the span.
pub async fn failed_within(tx: &mut Tx, user: UserId, token: TokenId, span: &Span) -> Result<i64, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar(
        "SELECT COUNT(*) FROM turns t JOIN decisions d ON d.turn_id = t.id
         WHERE t.user_id = $1 AND t.cause = 'mcp' AND t.cause <> 'message' AND t.token_id = $2 AND t.accepted_at > $3
             AND t.accepted_at <= $4 AND d.outcome = $5"
    )
    .bind(user)
    .bind(token)
    .bind(&span.after)
    .bind(&span.until)
    .bind(Outcome::ToolFailed.as_str())
    .fetch_one(conn)
    .await)?)
}

/// Returns the number of changes the token's agent client has requested that are not yet made. Counts pending approvals, and
/// those approved in the span whose calls have not run.
pub async fn changes_asked_for(
    tx: &mut Tx,
    user: UserId,
    token: TokenId,
    (span, now): (&Span, &Timestamp),
) -> Result<i64, Error> {
    let calls: Vec<String> = on!(tx, |conn| {
        sqlx::query_scalar(
        "SELECT b.body FROM approvals a JOIN invocations i ON i.approval_id = a.id
         JOIN bodies b ON b.user_id = i.user_id AND b.seq = i.record_seq
         WHERE a.user_id = $1 AND a.token_id = $2 AND i.user_id = $1 AND i.status = 'awaiting_approval'
             AND (a.status = 'pending' AND a.expires_at > $4 OR a.status = 'approved' AND a.decided_at > $3 AND a.decided_at <= $5
             AND NOT EXISTS (
                 SELECT 1 FROM invocations r WHERE r.user_id = a.user_id AND r.approval_id = a.id AND r.status <> 'awaiting_approval'))"
    )
    .bind(user)
    .bind(token)
    .bind(&span.after)
    .bind(now)
    .bind(&span.until)
    .fetch_all(conn)
    .await
    })?;
    // A call changes the tasks in its preview, or creates one.
    let changes = calls.iter().map(|call| approvals::targets(call).len().max(1)).sum::<usize>();
    Ok(i64::try_from(changes).unwrap_or(i64::MAX))
}

/// Stores the token and the digest of the call on an approval requested by an agent client.
pub async fn ask(tx: &mut Tx, user: UserId, id: ApprovalId, token: TokenId, digest: &[u8]) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("UPDATE approvals SET token_id = $3, call_digest = $4 WHERE user_id = $1 AND id = $2")
        .bind(user)
        .bind(id)
        .bind(token)
        .bind(digest)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

/// Returns the newest approval for the call with this digest, and true if the agent client has collected its result.
pub async fn asked(
    tx: &mut Tx,
    user: UserId,
    token: TokenId,
    digest: &[u8],
) -> Result<Option<(ApprovalId, bool)>, Error> {
    Ok(on!(tx, |conn| sqlx::query_as(
        "SELECT id, collected_by IS NOT NULL FROM approvals WHERE user_id = $1 AND token_id = $2 AND call_digest = $3
         ORDER BY record_seq DESC LIMIT 1"
    )
    .bind(user)
    .bind(token)
    .bind(digest)
    .fetch_optional(conn)
    .await)?)
}

/// Stores that the agent client received the approval's result in `turn`. Returns false if it was collected before.
pub async fn collect(tx: &mut Tx, user: UserId, id: ApprovalId, turn: TurnId) -> Result<bool, Error> {
    let rows = on!(tx, |conn| sqlx::query(
        "UPDATE approvals SET collected_by = $3 WHERE user_id = $1 AND id = $2 AND collected_by IS NULL"
    )
    .bind(user)
    .bind(id)
    .bind(turn)
    .execute(conn)
    .await
    .map(|done| done.rows_affected()))?;
    Ok(rows == 1)
}

/// Returns the agent client that requested the approval.
pub async fn asking(tx: &mut Tx, user: UserId, id: ApprovalId) -> Result<Option<Agent>, Error> {
    let found: Option<(TokenId, String)> = on!(tx, |conn| {
        sqlx::query_as(
        "SELECT t.id, t.label FROM approvals a JOIN tokens t ON t.id = a.token_id WHERE a.user_id = $1 AND a.id = $2"
    )
    .bind(user)
    .bind(id)
    .fetch_optional(conn)
    .await
    })?;
    Ok(found.map(|(token_id, label)| Agent { token_id, label }))
}
