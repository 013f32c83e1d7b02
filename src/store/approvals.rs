//! Approvals and their verdicts, of which only the first takes effect.

use serde::Deserialize as _;
use serde_json::json;
use sqlx::FromRow;

use super::records::{self, Kind};
use super::{Error, Tx, invocations, on, tasks};
use crate::domain::approval::{Approval, ApprovalCall, ApprovalStatus, DecidedVia};
use crate::domain::credential::Credential;
use crate::domain::id::{ApprovalId, ConversationId, TokenId, TurnId, UserId};
use crate::domain::proposal::question;
use crate::domain::time::Timestamp;

mod proposals;
pub use proposals::proposals;
pub(super) use proposals::targets;

/// An approval to store. Its calls are the invocations that refer to it.
#[derive(Debug, Clone)]
pub struct NewApproval<'a> {
    pub conversation: ConversationId,
    pub turn: TurnId,
    pub step: i32,
    pub expires_at: &'a Timestamp,
    /// Token of the requesting agent client, for the record; see [`agents::ask`](super::agents::ask).
    pub agent: Option<TokenId>,
}

/// A verdict to store.
#[derive(Debug, Clone)]
pub struct NewVerdict<'a> {
    pub status: ApprovalStatus,
    /// `None` if expired or void, which no person decides.
    pub by: Option<(UserId, DecidedVia)>,
    pub credential: Option<&'a Credential>,
    pub reason: Option<&'a str>,
}

#[derive(FromRow)]
struct Row {
    id: ApprovalId,
    conversation_id: ConversationId,
    turn_id: TurnId,
    status: String,
    created_at: Timestamp,
    expires_at: Timestamp,
    decided_at: Option<Timestamp>,
    decided_via: Option<String>,
    decided_by: Option<String>,
    verdict: Option<String>,
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT a.id, a.conversation_id, a.turn_id, a.status, a.created_at, a.expires_at, a.decided_at,
             a.decided_via, u.name AS decided_by, b.body AS verdict FROM approvals a
             LEFT JOIN users u ON u.id = a.decided_by
             LEFT JOIN bodies b ON b.user_id = a.user_id AND b.seq = a.decided_seq WHERE a.user_id = $1 AND ",
            $rest
        )
    };
}

/// Returns the approval of a step and its status. The step's first call that needs approval creates it; later calls join it.
pub async fn of_step(
    tx: &mut Tx,
    user: UserId,
    turn: TurnId,
    step: i32,
) -> Result<Option<(ApprovalId, ApprovalStatus)>, Error> {
    let found: Option<(ApprovalId, String)> = on!(tx, |conn| sqlx::query_as(
        "SELECT id, status FROM approvals WHERE user_id = $1 AND turn_id = $2 AND step = $3"
    )
    .bind(user)
    .bind(turn)
    .bind(step)
    .fetch_optional(conn)
    .await)?;
    let known = |text: &str| ApprovalStatus::parse(text).map_err(|_| Error::Corrupt("an approval of no status".into()));
    found.map(|(id, status)| Ok((id, known(&status)?))).transpose()
}

/// Stores an approval as pending and appends its record.
pub async fn insert(tx: &mut Tx, user: UserId, new: &NewApproval<'_>, at: &Timestamp) -> Result<ApprovalId, Error> {
    let id = ApprovalId::new();
    let body = json!({
        "approval_id": id, "conversation_id": new.conversation, "turn_id": new.turn, "step": new.step,
        "expires_at": new.expires_at, "agent": new.agent, "at": at,
    });
    let seq = records::append(tx, user, Kind::ApprovalRequest, at, &body).await?;
    on!(tx, |conn| {
        sqlx::query(
        "INSERT INTO approvals (id, user_id, conversation_id, turn_id, step, status, record_seq, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, 'pending', $6, $7, $8)"
    )
    .bind(id)
    .bind(user)
    .bind(new.conversation)
    .bind(new.turn)
    .bind(new.step)
    .bind(seq)
    .bind(at)
    .bind(new.expires_at)
    .execute(conn)
    .await
    .map(drop)
    })?;
    Ok(id)
}

/// Changes an approval's status from `from` to the verdict's and appends its record. Returns false if the status is not `from`,
/// so only one of several verdicts wins.
pub async fn settle(
    tx: &mut Tx,
    user: UserId,
    id: ApprovalId,
    from: ApprovalStatus,
    verdict: &NewVerdict<'_>,
    at: &Timestamp,
) -> Result<bool, Error> {
    // Lock the counters before the approval, as everywhere, to avoid deadlocks.
    tasks::lock(tx, user).await?;
    let (by, via) = verdict.by.unzip();
    let settled: Option<Option<i64>> = on!(tx, |conn| sqlx::query_scalar(
        "UPDATE approvals SET status = $4, decided_at = $5, decided_by = $6, decided_via = $7
         WHERE user_id = $1 AND id = $2 AND status = $3 RETURNING decided_seq"
    )
    .bind(user)
    .bind(id)
    .bind(from.as_str())
    .bind(verdict.status.as_str())
    .bind(at)
    .bind(by)
    .bind(via.map(DecidedVia::as_str))
    .fetch_optional(conn)
    .await)?;
    let Some(earlier) = settled else { return Ok(false) };
    let mut body = json!({
        "approval_id": id, "status": verdict.status, "decided_by": by, "decided_via": via, "reason": verdict.reason, "at": at,
    });
    if let Some(credential) = verdict.credential {
        body["by"] = json!(credential);
    }
    // An approval that becomes void after it was approved has two verdicts; the row refers to the last.
    if let Some(earlier) = earlier {
        body["replaces"] = earlier.into();
    }
    let seq = records::append(tx, user, Kind::ApprovalVerdict, at, &body).await?;
    on!(tx, |conn| sqlx::query("UPDATE approvals SET decided_seq = $3 WHERE user_id = $1 AND id = $2")
        .bind(user)
        .bind(id)
        .bind(seq)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(true)
}

/// Extends a pending approval to `expires_at` and appends a record. Returns false if it is not pending.
pub async fn extend(
    tx: &mut Tx,
    user: UserId,
    id: ApprovalId,
    expires_at: &Timestamp,
    at: &Timestamp,
) -> Result<bool, Error> {
    // Lock order as in `settle`.
    tasks::lock(tx, user).await?;
    let rows = on!(tx, |conn| sqlx::query(
        "UPDATE approvals SET expires_at = $3 WHERE user_id = $1 AND id = $2 AND status = 'pending'"
    )
    .bind(user)
    .bind(id)
    .bind(expires_at)
    .execute(conn)
    .await
    .map(|done| done.rows_affected()))?;
    if rows == 0 {
        return Ok(false);
    }
    let body = json!({ "approval_id": id, "expires_at": expires_at, "at": at });
    records::append(tx, user, Kind::ApprovalExtension, at, &body).await?;
    Ok(true)
}

/// Returns an approval with its calls and previews.
pub async fn get(tx: &mut Tx, user: UserId, id: ApprovalId) -> Result<Option<Approval>, Error> {
    let row: Option<Row> =
        on!(tx, |conn| sqlx::query_as(select!("a.id = $2")).bind(user).bind(id).fetch_optional(conn).await)?;
    match row {
        Some(row) => Ok(Some(assemble(tx, user, row).await?)),
        None => Ok(None),
    }
}

/// Returns the last approval that a turn requested.
pub async fn of_turn(tx: &mut Tx, user: UserId, turn: TurnId) -> Result<Option<Approval>, Error> {
    let row: Option<Row> = on!(tx, |conn| sqlx::query_as(select!("a.turn_id = $2 ORDER BY a.step DESC LIMIT 1"))
        .bind(user)
        .bind(turn)
        .fetch_optional(conn)
        .await)?;
    match row {
        Some(row) => Ok(Some(assemble(tx, user, row).await?)),
        None => Ok(None),
    }
}

/// Returns the turn and step that requested the approval.
pub async fn asked_in(tx: &mut Tx, user: UserId, id: ApprovalId) -> Result<Option<(TurnId, i32)>, Error> {
    Ok(on!(tx, |conn| sqlx::query_as("SELECT turn_id, step FROM approvals WHERE user_id = $1 AND id = $2")
        .bind(user)
        .bind(id)
        .fetch_optional(conn)
        .await)?)
}

/// Returns the approval whose stored calls the turn last executed or requested again, up to `step`. Otherwise returns the
/// approval that triggered the turn.
pub async fn carried_out_by(tx: &mut Tx, user: UserId, turn: TurnId, step: i32) -> Result<Option<ApprovalId>, Error> {
    let body: Option<String> = on!(tx, |conn| sqlx::query_scalar(
        "SELECT b.body FROM steps s JOIN bodies b ON b.user_id = s.user_id AND b.seq = s.record_seq
         WHERE s.user_id = $1 AND s.turn_id = $2 AND s.number <= $3 AND s.origin = 'approval'
         ORDER BY s.number DESC LIMIT 1"
    )
    .bind(user)
    .bind(turn)
    .bind(step)
    .fetch_optional(conn)
    .await)?;
    if let Some(body) = body {
        let body: serde_json::Value =
            serde_json::from_str(&body).map_err(|_| Error::Corrupt("a step that is no JSON".into()))?;
        let named = body["reply"]["approval_id"].as_str().and_then(|id| ApprovalId::parse(id).ok());
        return Ok(Some(named.ok_or_else(|| Error::Corrupt("a step of no approval".into()))?));
    }
    let of: Option<Option<ApprovalId>> =
        on!(tx, |conn| sqlx::query_scalar("SELECT approval_id FROM turns WHERE user_id = $1 AND id = $2")
            .bind(user)
            .bind(turn)
            .fetch_optional(conn)
            .await)?;
    Ok(of.flatten())
}

/// Returns the conversation's pending, unexpired approvals, oldest first.
pub async fn pending(
    tx: &mut Tx,
    user: UserId,
    conversation: ConversationId,
    now: &Timestamp,
) -> Result<Vec<Approval>, Error> {
    let rows: Vec<Row> = on!(tx, |conn| sqlx::query_as(select!(
        "a.conversation_id = $2 AND a.status = 'pending' AND a.expires_at > $3 ORDER BY a.created_at, a.id"
    ))
    .bind(user)
    .bind(conversation)
    .bind(now)
    .fetch_all(conn)
    .await)?;
    assemble_all(tx, user, rows).await
}

/// Returns the user's pending approvals.
pub async fn all_pending(tx: &mut Tx, user: UserId) -> Result<Vec<ApprovalId>, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar("SELECT id FROM approvals WHERE user_id = $1 AND status = 'pending'")
        .bind(user)
        .fetch_all(conn)
        .await)?)
}

/// Returns at most `limit` approvals, newest first, with that status or with any. Skips pending ones that further calls may join,
/// because their turn still runs: a person approves what was shown.
pub async fn list(
    tx: &mut Tx,
    user: UserId,
    status: Option<ApprovalStatus>,
    limit: i64,
) -> Result<Vec<Approval>, Error> {
    let rows: Vec<Row> = on!(tx, |conn| sqlx::query_as(select!(
        "(CAST($2 AS TEXT) IS NULL OR a.status = $2)
             AND (a.status <> 'pending' OR EXISTS (SELECT 1 FROM turns t WHERE t.id = a.turn_id AND t.status = 'done'))
         ORDER BY a.created_at DESC, a.id DESC LIMIT $3"
    ))
    .bind(user)
    .bind(status.map(ApprovalStatus::as_str))
    .bind(limit)
    .fetch_all(conn)
    .await)?;
    assemble_all(tx, user, rows).await
}

/// Returns pending approvals of all enabled users that expired by `now`, for a worker. Also returns those created after `ahead`
/// that expire after `latest`, since the clock was set back.
pub async fn expired(
    tx: &mut Tx,
    [now, ahead, latest]: [&Timestamp; 3],
    limit: i64,
) -> Result<Vec<(UserId, ApprovalId)>, Error> {
    Ok(on!(tx, |conn| {
        sqlx::query_as(
        "SELECT a.user_id, a.id FROM approvals a JOIN users u ON u.id = a.user_id
         WHERE a.status = 'pending' AND (a.expires_at <= $1 OR a.expires_at > $3 AND a.created_at > $4) AND NOT u.disabled
         ORDER BY a.expires_at LIMIT $2"
    )
    .bind(now)
    .bind(limit)
    .bind(latest)
    .bind(ahead)
    .fetch_all(conn)
    .await
    })?)
}

/// Returns the record number of the approval's last verdict; `None` while pending.
pub async fn last_verdict(tx: &mut Tx, user: UserId, id: ApprovalId) -> Result<Option<i64>, Error> {
    let seq: Option<Option<i64>> =
        on!(tx, |conn| sqlx::query_scalar("SELECT decided_seq FROM approvals WHERE user_id = $1 AND id = $2")
            .bind(user)
            .bind(id)
            .fetch_optional(conn)
            .await)?;
    Ok(seq.flatten())
}

/// Returns the user's approvals that became void without a person's verdict, each with the record number of that verdict.
pub async fn voided(tx: &mut Tx, user: UserId) -> Result<Vec<(ApprovalId, i64)>, Error> {
    Ok(on!(tx, |conn| {
        sqlx::query_as(
        "SELECT id, decided_seq FROM approvals
         WHERE user_id = $1 AND status = 'void' AND decided_by IS NULL AND decided_seq IS NOT NULL ORDER BY decided_seq"
    )
    .bind(user)
    .fetch_all(conn)
    .await
    })?)
}

async fn assemble_all(tx: &mut Tx, user: UserId, rows: Vec<Row>) -> Result<Vec<Approval>, Error> {
    let mut approvals = Vec::with_capacity(rows.len());
    for row in rows {
        approvals.push(assemble(tx, user, row).await?);
    }
    Ok(approvals)
}

async fn assemble(tx: &mut Tx, user: UserId, row: Row) -> Result<Approval, Error> {
    let asking = invocations::asking(tx, user, row.id).await?;
    let corrupt = |what: &str| Error::Corrupt(format!("an approval with {what}"));
    let calls = asking
        .iter()
        .map(|call| {
            let tool = call.tool.ok_or_else(|| corrupt("a call of no tool"))?;
            Ok(ApprovalCall { tool, arguments: call.arguments.clone() })
        })
        .collect::<Result<Vec<_>, Error>>()?;
    let preview: Vec<_> = asking.into_iter().flat_map(|call| call.preview).collect();
    let verdict: serde_json::Value =
        row.verdict.as_deref().and_then(|body| serde_json::from_str(body).ok()).unwrap_or_default();
    let reason = verdict["reason"].as_str().map(str::to_owned);
    Ok(Approval {
        approval_id: row.id,
        turn_id: row.turn_id,
        conversation_id: row.conversation_id,
        status: ApprovalStatus::parse(&row.status).map_err(|_| corrupt("an unknown status"))?,
        question: question(&calls, &preview),
        calls,
        preview,
        created_at: row.created_at,
        expires_at: row.expires_at,
        decided_at: row.decided_at,
        decided_by: row.decided_by,
        decided_via: row.decided_via.as_deref().and_then(DecidedVia::parse),
        decided_with: Credential::deserialize(&verdict["by"]).ok(),
        reason,
    })
}
