//! Calls of outside agents: each is a turn of its own that begins and ends in one transaction, so that nothing of it needs a lease.

use std::time::Instant;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{Attempt, Operation, apply, ask, draft, refusal, write};
use crate::domain::policy::{Asker, Rule};
use crate::domain::tool::{CallResult, CallStatus, Risk, ToolError, ToolName};
use crate::domain::user::Caller;
use crate::store::{self, Tx};
use crate::usecases::{Ctx, Error, policy};

/// The risk of an outside agent's call under the policy of the moment, and why it may not run at all, if it may not.
pub async fn weigh_outside(
    tx: &mut Tx,
    caller: &Caller,
    operation: &dyn Operation,
) -> Result<(Risk, Option<ToolError>), Error> {
    let rules = store::policies::of(tx, caller.id(), Asker::Mcp, operation.tool()).await?;
    let rule = rules.effective();
    let denied = (rule == Rule::Deny).then(|| policy::denied(operation.tool(), Asker::Mcp, rules));
    Ok((policy::raised(operation.risk(&[]), rule), denied))
}

/// Runs the call of a turn that `tx` has just made, or asks for approval where its risk is high.
pub async fn run_outside(
    ctx: &Ctx,
    tx: &mut Tx,
    caller: &Caller,
    attempt: &Attempt<'_>,
    (operation, risk): (&dyn Operation, Risk),
) -> Result<CallResult, Error> {
    let started = Instant::now();
    let mut row = draft(ctx, attempt, operation, risk);
    if risk == Risk::High {
        ask(ctx, tx, caller, attempt, operation, &mut row).await?;
    } else {
        row.result = apply(ctx, tx, caller, attempt.id, operation).await?;
    }
    write(ctx, tx, caller, row, started).await
}

/// Keeps the call of such a turn that got no further than the door, with the reason.
pub async fn refuse_outside(
    ctx: &Ctx,
    tx: &mut Tx,
    caller: &Caller,
    attempt: &Attempt<'_>,
    (tool, arguments): (Option<ToolName>, &Value),
    error: ToolError,
) -> Result<CallResult, Error> {
    let result = CallResult { status: CallStatus::Error, value: json!(error) };
    write(ctx, tx, caller, refusal(ctx, attempt, tool, arguments, result), Instant::now()).await
}

/// Keeps the repeat of a call that was asked for before: nothing runs, and `result` says what became of that one.
pub async fn repeat_outside(
    ctx: &Ctx,
    tx: &mut Tx,
    caller: &Caller,
    attempt: &Attempt<'_>,
    (operation, risk): (&dyn Operation, Risk),
    result: CallResult,
) -> Result<CallResult, Error> {
    let mut row = draft(ctx, attempt, operation, risk);
    row.result = CallResult { status: CallStatus::Skipped, value: result.value.clone() };
    write(ctx, tx, caller, row, Instant::now()).await?;
    Ok(result)
}

/// What a repeat of a call is known by: the tool and its canonical arguments.
pub fn call_digest(operation: &dyn Operation) -> [u8; 32] {
    let call = json!({ "tool": operation.tool(), "arguments": operation.arguments() });
    Sha256::digest(store::canonical::to_string(&call).expect("JSON has a canonical form")).into()
}
