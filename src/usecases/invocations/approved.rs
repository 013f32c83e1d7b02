//! The calls of an approval: all of them or none, and only if nothing changed since they were shown.

use std::time::Instant;

use serde_json::json;

use super::{Attempt, Operation, ask, attempt_effect, begin, draft, preview, tool_error, write};
use crate::domain::approval::{Approval, ApprovalStatus, Preview};
use crate::domain::id::ApprovalId;
use crate::domain::policy::Rule;
use crate::domain::tool::{CallResult, CallStatus, ErrorCode, Risk, ToolError};
use crate::domain::turn::Invocation;
use crate::domain::user::Caller;
use crate::store::approvals::NewVerdict;
use crate::store::{self, Tx};
use crate::usecases::{Commit, Ctx, Error, policy, scopes};

/// Runs all calls of an approval, or none, and in one turn only. `attempts` and `operations` are its stored calls in order.
/// If a target changed since the preview was made, nothing runs: the approval is void and the calls ask afresh. The calls
/// of an approval that expired ask afresh too, whatever their risk by themselves.
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
    // From here on nobody else changes a target: a preview, which is taken back, would give a lock of its own back with it.
    store::tasks::lock(&mut tx, caller.id()).await?;
    let stored =
        |attempt: &Attempt<'_>| earlier.iter().find(|done| done.id == attempt.id).map(|done| done.result.clone());
    if let Some(results) = attempts.iter().map(stored).collect::<Option<Vec<_>>>() {
        return Ok(results);
    }
    let approval = store::approvals::get(&mut tx, caller.id(), approval).await?;
    let approval = approval.filter(|it| matches!(it.status, ApprovalStatus::Approved | ApprovalStatus::Expired));
    let approval = approval.ok_or_else(|| Error::Forbidden("That was not approved.".into()))?;
    if store::invocations::ran_under(&mut tx, caller.id(), approval.approval_id, first.id.turn).await? {
        return Err(Error::Forbidden("That approval was used already.".into()));
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
    } else if let Some(denied) = denied(&mut tx, caller, &approval, first, operations).await? {
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

/// Returns the refusal of the first call whose scope the caller lacks: the calls run with the scopes of whoever decided (R-1103).
async fn barred(tx: &mut Tx, caller: &Caller, operations: &[Box<dyn Operation>]) -> Result<Option<CallResult>, Error> {
    for operation in operations {
        if let Some(refusal) = scopes::barred(tx, caller, operation.tool()).await? {
            return Ok(Some(refusal));
        }
    }
    Ok(None)
}

/// Why none of the calls may run: what whoever asked for them may have a tool do is looked at again, whoever has said yes.
async fn denied(
    tx: &mut Tx,
    caller: &Caller,
    approval: &Approval,
    first: &Attempt<'_>,
    operations: &[Box<dyn Operation>],
) -> Result<Option<ToolError>, Error> {
    // The asking turn knows who asked once it has ended; until then it is this very turn.
    let asker = store::policies::asker_of(tx, caller.id(), approval.turn_id).await?.unwrap_or(first.asker);
    for operation in operations {
        let rules = store::policies::of(tx, caller.id(), asker, operation.tool()).await?;
        if rules.effective() == Rule::Deny {
            return Ok(Some(policy::denied(operation.tool(), asker, rules)));
        }
    }
    Ok(None)
}

/// Whether any call or target is not as it was shown: arguments by the same words may mean something else in another zone.
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
    let mut now = Vec::new();
    for (operation, row) in operations.iter().zip(rows) {
        match preview(ctx, tx, caller, row.id, operation.as_ref()).await {
            Ok(preview) => now.extend(preview),
            Err(error) => {
                tool_error(error, operation.as_ref())?;
                return Ok(true);
            }
        }
    }
    let versions = |previews: &[Preview]| -> Vec<_> {
        previews.iter().map(|preview| (preview.task_id, preview.before.version)).collect()
    };
    Ok(versions(&now) != versions(&approval.preview))
}

/// Asks again with a fresh preview, where there is still something to ask about.
async fn ask_afresh(
    ctx: &Ctx,
    tx: &mut Tx,
    caller: &Caller,
    attempts: &[Attempt<'_>],
    operations: &[Box<dyn Operation>],
    rows: &mut [Invocation],
) -> Result<(), Error> {
    for ((attempt, operation), row) in attempts.iter().zip(operations).zip(rows) {
        ask(ctx, tx, caller, attempt, operation.as_ref(), row).await?;
        if row.result.status == CallStatus::Error {
            row.result.status = CallStatus::Void;
        }
    }
    Ok(())
}

/// Applies every operation; when one fails, none has happened and the others say so.
async fn all_or_nothing(
    ctx: &Ctx,
    tx: &mut Tx,
    caller: &Caller,
    operations: &[Box<dyn Operation>],
    rows: &mut [Invocation],
) -> Result<(), Error> {
    tx.begin_part().await?;
    let mut failed = None;
    for (index, (operation, row)) in operations.iter().zip(rows.iter_mut()).enumerate() {
        row.result = attempt_effect(ctx, tx, caller, row.id, operation.as_ref()).await?;
        if row.result.status == CallStatus::Error {
            failed = Some(index);
            break;
        }
    }
    if let Some(failed) = failed {
        tx.undo_part().await?;
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
