//! Requests for a yes, and verdicts.

use serde_json::json;

use super::{Commit, Ctx, Error};
use crate::domain::approval::{Approval, ApprovalStatus, DecidedVia, Verdict};
use crate::domain::id::ApprovalId;
use crate::domain::live::EventKind;
use crate::domain::user::Caller;
use crate::store::approvals::NewVerdict;
use crate::store::{self, Tx};

/// Most requests that a list shows.
const LISTED: i64 = 200;

/// The caller's requests, newest first; all of them or those with one status.
pub async fn list(ctx: &Ctx, caller: &Caller, status: Option<ApprovalStatus>) -> Result<Vec<Approval>, Error> {
    let mut tx = ctx.read().await?;
    Ok(store::approvals::list(&mut tx, caller.id(), status, LISTED).await?)
}

/// One of the caller's requests.
pub async fn get(ctx: &Ctx, caller: &Caller, id: ApprovalId) -> Result<Approval, Error> {
    let mut tx = ctx.read().await?;
    store::approvals::get(&mut tx, caller.id(), id).await?.ok_or_else(absent)
}

/// Gives a waiting request its whole time again, from now on.
pub async fn extend(ctx: &Ctx, caller: &Caller, id: ApprovalId) -> Result<Approval, Error> {
    let mut tx = ctx.write().await?;
    let approval = store::approvals::get(&mut tx, caller.id(), id).await?.ok_or_else(absent)?;
    let now = ctx.now();
    let waits = approval.status == ApprovalStatus::Pending && approval.expires_at > now;
    if !waits {
        return Err(decided(&approval, &now));
    }
    let expires_at = now.plus_seconds(ctx.limits.approval_ttl_s);
    store::approvals::extend(&mut tx, caller.id(), id, &expires_at).await?;
    ctx.commit_at(tx, Commit::Extend).await?;
    Ok(Approval { expires_at, ..approval })
}

/// Settles a waiting request: one answer wins, the others hear who decided and when.
/// The turn that carries it out is written by whoever calls this, in the same transaction.
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
    let now = ctx.now();
    if approval.expires_at <= now {
        return Err(decided(&approval, &now));
    }
    let status = match verdict {
        Verdict::Approve => ApprovalStatus::Approved,
        Verdict::Reject => ApprovalStatus::Rejected,
    };
    let verdict = NewVerdict { status, by: Some((caller.id(), via)), reason };
    if !store::approvals::settle(tx, caller.id(), id, ApprovalStatus::Pending, &verdict, &now).await? {
        // On PostgreSQL another answer may have won since the row was read.
        let winner = store::approvals::get(tx, caller.id(), id).await?.ok_or_else(absent)?;
        return Err(decided(&winner, &now));
    }
    announce(ctx, tx, caller, &approval, status, Some(via)).await?;
    store::approvals::get(tx, caller.id(), id).await?.ok_or_else(absent)
}

/// Marks a request that nobody answered in time; `false` when somebody did after all.
pub async fn expire(ctx: &Ctx, tx: &mut Tx, caller: &Caller, approval: &Approval) -> Result<bool, Error> {
    let verdict = NewVerdict { status: ApprovalStatus::Expired, by: None, reason: None };
    let id = approval.approval_id;
    if !store::approvals::settle(tx, caller.id(), id, ApprovalStatus::Pending, &verdict, &ctx.now()).await? {
        return Ok(false);
    }
    announce(ctx, tx, caller, approval, ApprovalStatus::Expired, None).await?;
    Ok(true)
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
    Ok(())
}

fn absent() -> Error {
    Error::NotFound("There is no such approval.".into())
}

/// Why a request takes no verdict any more.
fn decided(approval: &Approval, now: &crate::domain::time::Timestamp) -> Error {
    let text = match (approval.status, &approval.decided_by, &approval.decided_at) {
        (ApprovalStatus::Pending | ApprovalStatus::Expired, _, _) if approval.expires_at <= *now => {
            format!("This approval expired at {}; ask again if you still want it.", approval.expires_at)
        }
        (status, Some(name), Some(at)) => format!("This was already {} by {name} at {at}.", status.as_str()),
        (status, _, _) => format!("This approval is {} and takes no verdict any more.", status.as_str()),
    };
    Error::Conflict(text)
}
