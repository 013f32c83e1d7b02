//! Calls of MCP agents. Each is a turn in one transaction and needs no lease.

use std::time::Instant;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{Attempt, Operation, Weight, apply, ask, draft, refusal, write};
use crate::domain::policy::{Asker, Rule};
use crate::domain::tool::{CallResult, CallStatus, Risk, ToolError, ToolName};
use crate::domain::user::Caller;
use crate::store::{self, Tx};
use crate::usecases::{By, Ctx, Error, policy};

/// Returns the weight of an agent's call under the present policy, and its refusal if it may not run.
pub async fn weigh_outside(
    ctx: &Ctx,
    tx: &mut Tx,
    caller: &Caller,
    attempt: &Attempt<'_>,
    operation: &dyn Operation,
) -> Result<(Weight, Option<ToolError>), Error> {
    let rules = store::policies::of(tx, caller.id(), Asker::Mcp, operation.tool()).await?;
    let weight = operation.weigh(ctx, tx, By::agent(caller, attempt.id), &[]).await?;
    let (tool, rules) =
        policy::decisive(tx, caller.id(), Asker::Mcp, (operation.tool(), rules), weight.includes).await?;
    let rule = rules.effective();
    let denied = (rule == Rule::Deny).then(|| policy::denied(tool, Asker::Mcp, rules));
    Ok((Weight { risk: policy::raised(weight.risk, rule), ..weight }, denied))
}

/// Runs the call of a turn that `tx` has just inserted, or requests approval if its risk is high.
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

/// Stores a call that was refused before it ran, with the reason.
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

/// Stores a retry of an earlier call without running it; `result` is the state of the earlier one.
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

/// Returns the digest that identifies a retry: of the tool and its canonical arguments.
pub fn call_digest(operation: &dyn Operation) -> [u8; 32] {
    let call = json!({ "tool": operation.tool(), "arguments": operation.arguments() });
    Sha256::digest(store::canonical::to_string(&call).expect("JSON has a canonical form")).into()
}
