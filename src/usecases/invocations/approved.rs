//! Execution of approved calls: all or none, and only if nothing changed since they were shown.

use std::time::Instant;

use serde_json::json;

use super::{Attempt, Operation, ask, ask_with, attempt_effect, begin, draft, previews, tool_error, write};
use crate::domain::approval::{Approval, ApprovalStatus, Preview};
use crate::domain::id::{ApprovalId, InvocationId};
use crate::domain::policy::Rule;
use crate::domain::tool::{CallResult, CallStatus, ErrorCode, Risk, ToolError};
use crate::domain::turn::Invocation;
use crate::domain::user::Caller;
use crate::store::approvals::NewVerdict;
use crate::store::{self, Tx};
use crate::usecases::{By, Commit, Ctx, Error, policy, scopes};

/// Runs all calls of an approval or none, in one turn only. `attempts` and `operations` are its stored calls in order. If a target
/// changed since the preview, the approval becomes void and the calls request a new one. Calls of an expired approval request a new
/// one too, whatever their own risk.
pub async fn run_approved(
    ctx: &Ctx,
    caller: &Caller,
    approval: ApprovalId,
    attempts: &[Attempt<'_>],
    operations: &[Box<dyn Operation>],
) -> Result<Vec<CallResult>, Error> {
    let started = Instant::now();
    let Some(first) = attempts.first() else { return Ok(vec![]) };
    let (mut tx, earlier) = begin(ctx, caller, first).await?;
    // Locks all targets here: rolling back a preview would release a lock taken inside it.
    store::tasks::lock(&mut tx, caller.id()).await?;
    let stored =
        |attempt: &Attempt<'_>| earlier.iter().find(|done| done.id == attempt.id).map(|done| done.result.clone());
    if let Some(results) = attempts.iter().map(stored).collect::<Option<Vec<_>>>() {
        return Ok(results);
    }
    let approval = store::approvals::get(&mut tx, caller.id(), approval).await?;
    let approval = approval.filter(|it| matches!(it.status, ApprovalStatus::Approved | ApprovalStatus::Expired));
    let approval = approval.ok_or_else(|| Error::Forbidden("This call was not approved.".into()))?;
    if store::invocations::ran_under(&mut tx, caller.id(), approval.approval_id, first.id.turn).await? {
        return Err(Error::Forbidden("This approval has already been used.".into()));
    }

    let mut rows: Vec<_> = attempts
        .iter()
        .zip(operations)
        .map(|(attempt, operation)| draft(ctx, attempt, operation.as_ref(), Risk::High))
        .collect();
    let asked_again = approval.status == ApprovalStatus::Expired;
    if let Some(refusal) = barred(&mut tx, caller, operations).await? {
        rows.iter_mut().for_each(|row| {
            row.result = refusal.clone();
            row.approval_id = (!asked_again).then_some(approval.approval_id);
        });
    } else if asked_again {
        ask_afresh(ctx, &mut tx, caller, attempts, operations, &mut rows).await?;
    } else if let Some(denied) = denied(ctx, &mut tx, caller, &approval, first, operations).await? {
        rows.iter_mut().for_each(|row| {
            row.result = CallResult { status: CallStatus::Error, value: json!(denied) };
            row.approval_id = Some(approval.approval_id);
        });
    } else if stale(ctx, &mut tx, caller, &approval, operations, &rows).await? {
        let verdict = NewVerdict { status: ApprovalStatus::Void, by: None, credential: None, reason: None };
        let (user, id, now) = (caller.id(), approval.approval_id, ctx.now());
        store::approvals::settle(&mut tx, user, id, ApprovalStatus::Approved, &verdict, &now).await?;
        store::outbox::refresh_turn(&mut tx, user, approval.turn_id, 0).await?;
        ask_afresh(ctx, &mut tx, caller, attempts, operations, &mut rows).await?;
    } else {
        all_or_nothing(ctx, &mut tx, caller, operations, &mut rows).await?;
        rows.iter_mut().for_each(|row| row.approval_id = Some(approval.approval_id));
    }
    let mut results = Vec::with_capacity(rows.len());
    for row in rows {
        results.push(write(ctx, &mut tx, caller, row, started).await?);
    }
    ctx.commit_at(tx, Commit::Approved).await?;
    Ok(results)
}

/// Returns the refusal of the first call whose scope the caller lacks: calls run with the scopes of the approver (R-1103).
async fn barred(tx: &mut Tx, caller: &Caller, operations: &[Box<dyn Operation>]) -> Result<Option<CallResult>, Error> {
    for operation in operations {
        if let Some(refusal) = scopes::barred(tx, caller, operation.tool()).await? {
            return Ok(Some(refusal));
        }
    }
    Ok(None)
}

/// Returns the policy refusal of the first denied call. Policy applies to the requester, not to the approver.
async fn denied(
    ctx: &Ctx,
    tx: &mut Tx,
    caller: &Caller,
    approval: &Approval,
    first: &Attempt<'_>,
    operations: &[Box<dyn Operation>],
) -> Result<Option<ToolError>, Error> {
    // A finished requesting turn has a stored caller kind; otherwise it is this turn.
    let asker = store::policies::asker_of(tx, caller.id(), approval.turn_id).await?.unwrap_or(first.asker);
    for operation in operations {
        let rules = store::policies::of(tx, caller.id(), asker, operation.tool()).await?;
        let weight = operation.weigh(ctx, tx, By::agent(caller, first.id), &[]).await?;
        let (tool, rules) =
            policy::decisive(tx, caller.id(), asker, (operation.tool(), rules), weight.includes).await?;
        if rules.effective() == Rule::Deny {
            return Ok(Some(policy::denied(tool, asker, rules)));
        }
    }
    Ok(None)
}

/// Returns true if any call, target or effect differs from the preview. Phrases depend on time zone and date, and one call may change the
/// effect of the next.
async fn stale(
    ctx: &Ctx,
    tx: &mut Tx,
    caller: &Caller,
    approval: &Approval,
    operations: &[Box<dyn Operation>],
    rows: &[Invocation],
) -> Result<bool, Error> {
    let calls = approval.calls.iter().map(|call| (Some(call.tool), &call.arguments));
    if !calls.eq(rows.iter().map(|row| (row.tool, &row.arguments))) {
        return Ok(true);
    }
    let now = match together(ctx, tx, caller, rows.iter().map(|row| row.id), operations).await? {
        Some(previews) => previews.concat(),
        // One call defeats the next: they run and report that error.
        None => {
            let mut alone = vec![];
            for (operation, row) in operations.iter().zip(rows) {
                match together(ctx, tx, caller, [row.id].into_iter(), std::slice::from_ref(operation)).await? {
                    Some(previews) => alone.extend(previews.concat()),
                    None => return Ok(true),
                }
            }
            alone
        }
    };
    let shown = &approval.preview;
    Ok(now.len() != shown.len() || now.iter().zip(shown).any(|(now, shown)| !now.says_same(shown)))
}

/// Previews all calls in sequence; `None` if one of them fails.
async fn together(
    ctx: &Ctx,
    tx: &mut Tx,
    caller: &Caller,
    ids: impl Iterator<Item = InvocationId>,
    operations: &[Box<dyn Operation>],
) -> Result<Option<Vec<Vec<Preview>>>, Error> {
    let calls: Vec<_> = ids.zip(operations.iter().map(AsRef::as_ref)).collect();
    match previews(ctx, tx, caller, &calls).await {
        Ok(previews) => Ok(Some(previews)),
        Err(error) => {
            let (_, first) = calls[0];
            tool_error(error, first)?;
            Ok(None)
        }
    }
}

/// Requests a new approval with a new preview, for calls that are still possible.
async fn ask_afresh(
    ctx: &Ctx,
    tx: &mut Tx,
    caller: &Caller,
    attempts: &[Attempt<'_>],
    operations: &[Box<dyn Operation>],
    rows: &mut [Invocation],
) -> Result<(), Error> {
    let ids = attempts.iter().map(|attempt| attempt.id);
    let mut previews = together(ctx, tx, caller, ids, operations).await?.map(Vec::into_iter);
    for ((attempt, operation), row) in attempts.iter().zip(operations).zip(rows) {
        let operation = operation.as_ref();
        match previews.as_mut().and_then(Iterator::next) {
            Some(preview) => ask_with(ctx, tx, caller, attempt, operation, preview, row).await?,
            // Not all calls are possible together: each one requests approval, or fails, by itself.
            None => ask(ctx, tx, caller, attempt, operation, row).await?,
        }
        if row.result.status == CallStatus::Error {
            row.result.status = CallStatus::Void;
        }
    }
    Ok(())
}

/// Applies every operation; if one fails, all are rolled back and the others report that.
async fn all_or_nothing(
    ctx: &Ctx,
    tx: &mut Tx,
    caller: &Caller,
    operations: &[Box<dyn Operation>],
    rows: &mut [Invocation],
) -> Result<(), Error> {
    tx.savepoint().await?;
    let mut failed = None;
    for (index, (operation, row)) in operations.iter().zip(rows.iter_mut()).enumerate() {
        row.result = attempt_effect(ctx, tx, caller, row.id, operation.as_ref()).await?;
        if row.result.status == CallStatus::Error {
            failed = Some(index);
            break;
        }
    }
    if let Some(failed) = failed {
        tx.rollback_to_savepoint().await?;
        let message = "Not done, because another part of the same approval failed.".to_owned();
        let skipped = json!(ToolError { error: ErrorCode::Conflict, message, task_id: None });
        for (index, row) in rows.iter_mut().enumerate() {
            if index != failed {
                row.result = CallResult { status: CallStatus::Skipped, value: skipped.clone() };
            }
        }
    }
    Ok(())
}
