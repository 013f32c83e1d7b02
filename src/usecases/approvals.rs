//! Approvals and their verdicts.

use std::collections::HashMap;

use serde_json::json;

use super::{Commit, Ctx, Error, redacted, scopes};
use crate::domain::approval::{Approval, ApprovalStatus, DecidedVia, Verdict};
use crate::domain::conversation::Speaker;
use crate::domain::id::{ApprovalId, ConversationId, TaskNumber, TurnId, UserId};
use crate::domain::live::EventKind;
use crate::domain::time::Timestamp;
use crate::domain::turn::TurnStatus;
use crate::domain::user::{Caller, User};
use crate::domain::when;
use crate::store::approvals::NewVerdict;
use crate::store::{self, Tx};

/// Maximum number of approvals in a list.
const LISTED: i64 = 200;

/// Lists the caller's approvals, newest first, optionally with one status.
pub async fn list(ctx: &Ctx, caller: &Caller, status: Option<ApprovalStatus>) -> Result<Vec<Approval>, Error> {
    let mut tx = ctx.read().await?;
    let found = store::approvals::list(&mut tx, caller.id(), status, LISTED).await?;
    Ok(found.into_iter().map(|approval| redacted::approval(caller, approval)).collect())
}

/// Returns one of the caller's approvals.
///
/// # Errors
/// `NotFound` also for a pending approval that further calls may join, because its turn still runs.
pub async fn get(ctx: &Ctx, caller: &Caller, id: ApprovalId) -> Result<Approval, Error> {
    let mut tx = ctx.read().await?;
    let approval = store::approvals::get(&mut tx, caller.id(), id).await?.ok_or_else(absent)?;
    if approval.status == ApprovalStatus::Pending {
        let turn = store::turns::get(&mut tx, caller.id(), approval.turn_id).await?;
        turn.filter(|turn| is_shown(&approval, turn.status)).ok_or_else(absent)?;
    }
    Ok(redacted::approval(caller, approval))
}

/// Returns false for a pending approval of a turn that still runs: further calls may join it.
pub(super) fn is_shown(approval: &Approval, turn: TurnStatus) -> bool {
    approval.status != ApprovalStatus::Pending || turn == TurnStatus::Done
}

/// The user message that led to an approval, and its turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    pub turn: TurnId,
    pub text: String,
}

/// Returns the user message that led to an approval; `None` if an agent asked or the text is erased. Follows approvals that were requested
/// again, or while an approved call ran, back to the first one.
pub async fn said(ctx: &Ctx, caller: &Caller, id: ApprovalId) -> Result<Option<Words>, Error> {
    let (mut tx, user) = (ctx.read().await?, caller.id());
    let mut asked = store::approvals::asked_in(&mut tx, user, id).await?;
    while let Some((turn, step)) = asked {
        let Some(earlier) = store::approvals::carried_out_by(&mut tx, user, turn, step).await? else {
            let text = store::messages::of_turn(&mut tx, user, turn, Speaker::User).await?;
            return Ok(text.map(|text| Words { turn, text }));
        };
        asked = store::approvals::asked_in(&mut tx, user, earlier).await?;
    }
    Ok(None)
}

/// Maps each task that a pending approval would change to the approval that expires first.
pub async fn proposals(ctx: &Ctx, caller: &Caller) -> Result<HashMap<TaskNumber, ApprovalId>, Error> {
    let all = async {
        let mut tx = ctx.read().await?;
        Ok::<_, Error>(store::approvals::proposals(&mut tx, caller.id(), &ctx.now()).await?)
    };
    let mut first = HashMap::new();
    for (task, approval) in ctx.lists.run(caller.id(), all).await? {
        first.entry(task).or_insert(approval);
    }
    Ok(first)
}

/// Announces a pending approval to the user's tabs, once all of its calls are stored.
pub async fn announce_asked(
    now: &Timestamp,
    tx: &mut Tx,
    user: UserId,
    id: ApprovalId,
    (turn, conversation): (TurnId, ConversationId),
) -> Result<(), store::Error> {
    let heard = json!({ "approval_id": id, "turn_id": turn, "conversation_id": conversation });
    store::events::append(tx, user, EventKind::ApprovalRequested, &heard, now).await?;
    Ok(())
}

/// Restarts a pending approval's full lifetime now.
pub async fn extend(ctx: &Ctx, caller: &Caller, id: ApprovalId) -> Result<Approval, Error> {
    let mut tx = ctx.write().await?;
    let approval = store::approvals::get(&mut tx, caller.id(), id).await?.ok_or_else(absent)?;
    let now = ctx.now_in(&mut tx).await?;
    if let Some(settled) = settled(ctx, caller, &approval) {
        return Err(Error::Conflict(settled));
    }
    let Some(approval) = restart(ctx, &mut tx, approval, (caller.id(), &now)).await? else {
        return Err(lost(ctx, &mut tx, caller, id).await);
    };
    ctx.commit_at(tx, Commit::Extend).await?;
    Ok(redacted::approval(caller, approval))
}

/// Caps a pending approval's expiry at its full lifetime from now; returns true if it moved. A later expiry means that the clock
/// was set back.
pub async fn clamp(ctx: &Ctx, tx: &mut Tx, user: UserId, approval: Approval) -> Result<bool, Error> {
    let now = ctx.now_in(tx).await?;
    if !ctx.limits.approval_ttl().is_exceeded(&approval.expires_at, &now) {
        return Ok(false);
    }
    Ok(restart(ctx, tx, approval, (user, &now)).await?.is_some())
}

/// Sets the expiry to the full lifetime from `now`; `None` if the approval is no longer pending.
async fn restart(
    ctx: &Ctx,
    tx: &mut Tx,
    approval: Approval,
    (user, now): (UserId, &Timestamp),
) -> Result<Option<Approval>, Error> {
    let (id, expires_at) = (approval.approval_id, ctx.limits.approval_ttl().end(now));
    if !store::approvals::extend(tx, user, id, &expires_at, now).await? {
        return Ok(None);
    }
    let heard = json!({ "approval_id": id, "conversation_id": approval.conversation_id, "expires_at": expires_at });
    store::events::append(tx, user, EventKind::ApprovalExtended, &heard, now).await?;
    Ok(Some(Approval { expires_at, ..approval }))
}

/// Decides a pending approval. The first verdict wins; others get `Conflict` with who decided and when. The caller stores the turn
/// that carries out the verdict, in the same transaction.
///
/// # Errors
/// `Forbidden` naming a missing scope that the approval's calls need; the approval stays pending (R-1103).
pub async fn decide(
    ctx: &Ctx,
    tx: &mut Tx,
    caller: &Caller,
    id: ApprovalId,
    verdict: Verdict,
    via: DecidedVia,
    reason: Option<&str>,
) -> Result<Approval, Error> {
    let approval = store::approvals::get(tx, caller.id(), id).await?.ok_or_else(absent)?;
    let now = ctx.now_in(tx).await?;
    if let Some(settled) = settled(ctx, caller, &approval) {
        return Err(Error::Conflict(settled));
    }
    scopes::require_for_calls(caller, &approval.calls, "Answering this request")?;
    let status = match verdict {
        Verdict::Approve => ApprovalStatus::Approved,
        Verdict::Reject => ApprovalStatus::Rejected,
    };
    let credential = caller.credential();
    let verdict = NewVerdict { status, by: Some((caller.id(), via)), credential: Some(&credential), reason };
    if !store::approvals::settle(tx, caller.id(), id, ApprovalStatus::Pending, &verdict, &now).await? {
        return Err(lost(ctx, tx, caller, id).await);
    }
    announce(ctx, tx, caller, &approval, status, Some(via)).await?;
    store::approvals::get(tx, caller.id(), id).await?.ok_or_else(absent)
}

/// Marks an approval as expired; false if it was decided in the meantime.
pub async fn expire(ctx: &Ctx, tx: &mut Tx, caller: &Caller, approval: &Approval) -> Result<bool, Error> {
    let verdict = NewVerdict { status: ApprovalStatus::Expired, by: None, credential: None, reason: None };
    end(ctx, tx, caller, approval, &verdict).await
}

/// Voids an approval with a reason; false if it is no longer pending.
pub async fn withdraw(
    ctx: &Ctx,
    tx: &mut Tx,
    caller: &Caller,
    approval: &Approval,
    reason: &str,
) -> Result<bool, Error> {
    let verdict = NewVerdict { status: ApprovalStatus::Void, by: None, credential: None, reason: Some(reason) };
    end(ctx, tx, caller, approval, &verdict).await
}

/// Ends a pending approval without a person's verdict.
async fn end(
    ctx: &Ctx,
    tx: &mut Tx,
    caller: &Caller,
    approval: &Approval,
    verdict: &NewVerdict<'_>,
) -> Result<bool, Error> {
    let id = approval.approval_id;
    if !store::approvals::settle(tx, caller.id(), id, ApprovalStatus::Pending, verdict, &ctx.now()).await? {
        return Ok(false);
    }
    announce(ctx, tx, caller, approval, verdict.status, None).await?;
    Ok(true)
}

/// Voids all pending approvals of a disabled user, without events or turns.
pub async fn withdraw_all(ctx: &Ctx, tx: &mut Tx, user: &User, reason: &str) -> Result<(), Error> {
    for id in store::approvals::all_pending(tx, user.user_id).await? {
        let verdict = NewVerdict { status: ApprovalStatus::Void, by: None, credential: None, reason: Some(reason) };
        store::approvals::settle(tx, user.user_id, id, ApprovalStatus::Pending, &verdict, &ctx.now()).await?;
    }
    Ok(())
}

async fn announce(
    ctx: &Ctx,
    tx: &mut Tx,
    caller: &Caller,
    approval: &Approval,
    status: ApprovalStatus,
    via: Option<DecidedVia>,
) -> Result<(), Error> {
    let heard = json!({
        "approval_id": approval.approval_id, "conversation_id": approval.conversation_id, "status": status,
        "decided_by": via.map(|_| &caller.user.name), "decided_via": via,
    });
    store::events::append(tx, caller.id(), EventKind::ApprovalDecided, &heard, &ctx.now()).await?;
    store::outbox::refresh_turn(tx, caller.id(), approval.turn_id, 0).await?;
    Ok(())
}

fn absent() -> Error {
    Error::NotFound("There is no such approval.".into())
}

/// Returns the error for a verdict that lost a race: on PostgreSQL another may have won since the row was read.
async fn lost(ctx: &Ctx, tx: &mut Tx, caller: &Caller, id: ApprovalId) -> Error {
    match store::approvals::get(tx, caller.id(), id).await {
        Ok(winner) => winner
            .and_then(|winner| settled(ctx, caller, &winner))
            .map_or_else(|| Error::Conflict("This approval can no longer be answered.".into()), Error::Conflict),
        Err(error) => error.into(),
    }
}

/// Returns why an approval accepts no verdict: who decided, how and when. `None` while it is pending.
pub fn settled(ctx: &Ctx, caller: &Caller, approval: &Approval) -> Option<String> {
    let now = ctx.now();
    let at = |at: &Timestamp| when::instant(at, &now, &caller.user.zone);
    let expired = || format!("This approval expired ({}); ask again if you still want it.", at(&approval.expires_at));
    let already = |verb: &str| {
        let by = approval.decided_by.as_ref().map(|name| format!(" by {name}")).unwrap_or_default();
        let via = approval.decided_via.map(|via| format!(" {}", via.in_words())).unwrap_or_default();
        let when = approval.decided_at.as_ref().map(|decided| format!(" ({})", at(decided))).unwrap_or_default();
        format!("This was already {verb}{by}{via}{when}.")
    };
    match approval.status {
        ApprovalStatus::Pending if approval.expires_at > now => None,
        ApprovalStatus::Pending | ApprovalStatus::Expired => Some(expired()),
        ApprovalStatus::Approved => Some(already("approved")),
        ApprovalStatus::Rejected => Some(already("declined")),
        ApprovalStatus::Void if approval.reason.is_some() => approval.reason.clone(),
        ApprovalStatus::Void => {
            Some("The task has changed, so this approval is void. Answer the new request instead.".to_owned())
        }
    }
}
