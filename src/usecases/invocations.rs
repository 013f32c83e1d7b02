//! Exactly-once tool calls: one transaction checks the call, applies its effect and stores its rows.

use std::time::Instant;

use async_trait::async_trait;
use serde_json::{Value, json};

use super::tasks::Changed;
use super::{By, Commit, Ctx, Error, MANY, apart, policy, scopes};
use crate::domain::approval::{ApprovalStatus, Preview};
use crate::domain::id::{ConversationId, InvocationId, TaskNumber};
use crate::domain::live::EventKind;
use crate::domain::policy::{Asker, Rule};
use crate::domain::text::shortened;
use crate::domain::tool::{CallResult, CallStatus, ErrorCode, Risk, ToolError, ToolName};
use crate::domain::turn::Invocation;
use crate::domain::user::Caller;
use crate::store::approvals::NewApproval;
use crate::store::{self, Tx};

/// Maximum size of a refused call's arguments that are stored in full, in bytes.
const KEPT: usize = 4_000;
/// Error of a call whose approval was decided before the call joined it.
const SETTLED_BEFORE: &str = "The approval was decided before this call was added to it, so nothing was changed.";

mod approved;
mod outside;
mod weight;
pub use approved::run_approved;
pub use outside::{call_digest, refuse_outside, repeat_outside, run_outside, weigh_outside};
use weight::touched;
pub use weight::{Effects, Weight};

/// A validated call of one tool.
#[async_trait]
pub trait Operation: Send + Sync {
    fn tool(&self) -> ToolName;

    /// Canonical arguments: phrases resolved, aliases and defaults applied.
    fn arguments(&self) -> &Value;

    /// Returns the existing tasks that the call touches.
    fn targets(&self) -> Vec<TaskNumber>;

    /// Returns the call's risk if the same tool has already touched `before` in this turn.
    fn risk(&self, before: &[TaskNumber]) -> Risk;

    /// Determines risk and number of tasks, from the database if the arguments do not suffice.
    async fn weigh(&self, _ctx: &Ctx, _tx: &mut Tx, _by: By<'_>, before: &[TaskNumber]) -> Result<Weight, Error> {
        Ok(Weight { risk: self.risk(before), tasks: self.targets().len(), includes: Effects::default() })
    }

    /// True if every refusal precedes the first write, so that no savepoint is needed. True for reading tools.
    fn refuses_first(&self) -> bool {
        self.tool().reads()
    }

    async fn apply(&self, ctx: &Ctx, tx: &mut Tx, by: By<'_>) -> Result<Applied, Error>;
}

#[derive(Debug, Clone, Default)]
pub struct Applied {
    /// Structured output of the tool.
    pub value: Value,
    pub changed: Vec<Changed>,
}

#[derive(Debug, Clone, Copy)]
pub struct Attempt<'a> {
    pub id: InvocationId,
    /// Fence token of the worker's lease on the turn.
    pub fence: i64,
    pub conversation: ConversationId,
    /// Caller kind for the tool policy.
    pub asker: Asker,
    /// Name as called: canonical or alias.
    pub called_as: &'a str,
}

/// Runs a call, or requests approval if its risk is high. A retry with the same id returns the first result.
///
/// # Errors
/// `Fenced` if another worker has claimed the turn; nothing is written.
pub async fn run_once(
    ctx: &Ctx,
    caller: &Caller,
    attempt: &Attempt<'_>,
    operation: &dyn Operation,
) -> Result<CallResult, Error> {
    let run = run_here(ctx, caller, attempt, operation);
    if operation.targets().len() < MANY { run.await } else { apart(run).await }
}

async fn run_here(
    ctx: &Ctx,
    caller: &Caller,
    attempt: &Attempt<'_>,
    operation: &dyn Operation,
) -> Result<CallResult, Error> {
    let started = Instant::now();
    let mut tx = if operation.targets().len() < MANY { ctx.write().await? } else { ctx.write_many().await? };
    let (turn, tool) = (attempt.id.turn, operation.tool());
    let rules = store::policies::of_held(&mut tx, caller.id(), turn, attempt.fence, attempt.asker, tool).await?;
    let rules = rules.ok_or(Error::Fenced)?;
    let earlier = store::invocations::of_turn(&mut tx, caller.id(), turn).await?;
    if let Some(done) = earlier.iter().find(|invocation| invocation.id == attempt.id) {
        return Ok(done.result.clone());
    }
    let weight = operation.weigh(ctx, &mut tx, By::agent(caller, attempt.id), &touched(&earlier, operation)).await?;
    let (decisive, rules) =
        policy::decisive(&mut tx, caller.id(), attempt.asker, (tool, rules), weight.includes).await?;
    let risk = policy::raised(weight.risk, rules.effective());
    let mut row = draft(ctx, attempt, operation, risk);
    if let Some(refusal) = scopes::barred(&mut tx, caller, tool).await? {
        row.result = refusal;
    } else if let Some(failed) = failed_alike(&earlier, operation) {
        row.result = CallResult { status: CallStatus::Skipped, value: failed };
    } else if rules.effective() == Rule::Deny {
        row.result =
            CallResult { status: CallStatus::Error, value: json!(policy::denied(decisive, attempt.asker, rules)) };
    } else if risk == Risk::High {
        ask(ctx, &mut tx, caller, attempt, operation, &mut row).await?;
    } else {
        row.result = apply(ctx, &mut tx, caller, attempt.id, operation).await?;
    }
    keep(ctx, tx, caller, row, started).await
}

/// Stores an attempt that matched no tool: an unknown name or invalid arguments.
pub async fn refuse(
    ctx: &Ctx,
    caller: &Caller,
    attempt: &Attempt<'_>,
    tool: Option<ToolName>,
    arguments: &Value,
    error: ToolError,
) -> Result<CallResult, Error> {
    let (tx, earlier) = begin(ctx, caller, attempt).await?;
    if let Some(done) = earlier.iter().find(|invocation| invocation.id == attempt.id) {
        return Ok(done.result.clone());
    }
    let result = CallResult { status: CallStatus::Error, value: json!(error) };
    keep(ctx, tx, caller, refusal(ctx, attempt, tool, arguments, result), Instant::now()).await
}

/// Builds the row of an attempt without an operation.
fn refusal(
    ctx: &Ctx,
    attempt: &Attempt<'_>,
    tool: Option<ToolName>,
    arguments: &Value,
    result: CallResult,
) -> Invocation {
    Invocation {
        id: attempt.id,
        tool,
        called_as: attempt.called_as.to_owned(),
        risk: Risk::Low,
        arguments: bounded(arguments),
        result,
        approval_id: None,
        preview: vec![],
        duration_ms: 0,
        by: None,
        at: ctx.now(),
    }
}

/// Returns the arguments of a refused call; long ones are truncated.
fn bounded(arguments: &Value) -> Value {
    let text = arguments.to_string();
    if text.len() <= KEPT {
        return arguments.clone();
    }
    let bytes = text.len();
    json!({ "truncated": shortened(text, KEPT / 4), "bytes": bytes })
}

/// Starts a write transaction as the turn's worker and returns the turn's earlier calls.
///
/// # Errors
/// `Fenced` if another worker has claimed the turn.
async fn begin(ctx: &Ctx, caller: &Caller, attempt: &Attempt<'_>) -> Result<(Tx, Vec<Invocation>), Error> {
    let mut tx = ctx.write().await?;
    if !store::turns::held(&mut tx, caller.id(), attempt.id.turn, attempt.fence).await? {
        return Err(Error::Fenced);
    }
    let earlier = store::invocations::of_turn(&mut tx, caller.id(), attempt.id.turn).await?;
    Ok((tx, earlier))
}

/// Returns the error of an earlier call of this turn with the same tool and arguments, which is not run again.
fn failed_alike(earlier: &[Invocation], operation: &dyn Operation) -> Option<Value> {
    earlier
        .iter()
        .find(|invocation| {
            invocation.tool == Some(operation.tool())
                && &invocation.arguments == operation.arguments()
                && invocation.result.status == CallStatus::Error
        })
        .map(|invocation| invocation.result.value.clone())
}

fn draft(ctx: &Ctx, attempt: &Attempt<'_>, operation: &dyn Operation, risk: Risk) -> Invocation {
    Invocation {
        id: attempt.id,
        tool: Some(operation.tool()),
        called_as: attempt.called_as.to_owned(),
        risk,
        arguments: operation.arguments().clone(),
        result: CallResult { status: CallStatus::Skipped, value: Value::Null },
        approval_id: None,
        preview: vec![],
        duration_ms: 0,
        by: None,
        at: ctx.now(),
    }
}

/// Applies the effect. On failure its writes are rolled back, and the error is the call's result.
async fn apply(
    ctx: &Ctx,
    tx: &mut Tx,
    caller: &Caller,
    id: InvocationId,
    operation: &dyn Operation,
) -> Result<CallResult, Error> {
    // Savepoints are costly: the database copies each page that is written after one.
    let (whole, before) = (operation.refuses_first(), tx.appended());
    if !whole {
        tx.savepoint().await?;
    }
    let result = attempt_effect(ctx, tx, caller, id, operation).await?;
    if result.status != CallStatus::Error {
        if !whole {
            tx.keep_part().await?;
        }
    } else {
        if !whole {
            tx.rollback_to_savepoint().await?;
        } else if tx.appended() != before {
            // The whole transaction must be rolled back.
            return Err(store::Error::Corrupt("a refusal after a change".into()).into());
        }
    }
    Ok(result)
}

async fn attempt_effect(
    ctx: &Ctx,
    tx: &mut Tx,
    caller: &Caller,
    id: InvocationId,
    operation: &dyn Operation,
) -> Result<CallResult, Error> {
    let error = match ctx.faults.strike(operation.tool()) {
        Some(message) => ToolError { error: ErrorCode::Internal, message, task_id: None },
        None => match operation.apply(ctx, tx, By::agent(caller, id)).await {
            Ok(applied) => return Ok(CallResult { status: CallStatus::Ok, value: applied.value }),
            Err(error) => tool_error(error, operation)?,
        },
    };
    Ok(CallResult { status: CallStatus::Error, value: json!(error) })
}

/// Converts an error to the tool's result; database errors are returned unchanged.
fn tool_error(error: Error, operation: &dyn Operation) -> Result<ToolError, Error> {
    let targets = operation.targets();
    let task = if let [only] = targets.as_slice() { Some(*only) } else { None };
    error.to_tool_error(task).ok_or(error)
}

/// Stores the approval request. The first call of a step that needs approval creates it, the others join. The end of the turn announces it,
/// once all calls are stored; until then no button can answer it.
async fn ask(
    ctx: &Ctx,
    tx: &mut Tx,
    caller: &Caller,
    attempt: &Attempt<'_>,
    operation: &dyn Operation,
    row: &mut Invocation,
) -> Result<(), Error> {
    match previews(ctx, tx, caller, &[(attempt.id, operation)]).await {
        Ok(previews) => ask_with(ctx, tx, caller, attempt, operation, previews.concat(), row).await,
        Err(error) => {
            let error = tool_error(error, operation)?;
            row.result = CallResult { status: CallStatus::Error, value: json!(error) };
            Ok(())
        }
    }
}

/// Stores the approval request of a call whose preview exists already.
async fn ask_with(
    ctx: &Ctx,
    tx: &mut Tx,
    caller: &Caller,
    attempt: &Attempt<'_>,
    operation: &dyn Operation,
    preview: Vec<Preview>,
    row: &mut Invocation,
) -> Result<(), Error> {
    let InvocationId { turn, step, .. } = attempt.id;
    let approval = match store::approvals::of_step(tx, caller.id(), turn, step).await? {
        Some((approval, ApprovalStatus::Pending)) => approval,
        // The step's approval expired or was withdrawn before this call: a verdict covers only the calls that were shown.
        Some(_) => {
            let error = tool_error(Error::Conflict(SETTLED_BEFORE.into()), operation)?;
            row.result = CallResult { status: CallStatus::Error, value: json!(error) };
            return Ok(());
        }
        None => {
            let now = ctx.now_in(tx).await?;
            let expires_at = ctx.limits.approval_ttl().end(&now);
            let agent = caller.agent.as_ref().map(|agent| agent.token_id);
            let new = NewApproval { conversation: attempt.conversation, turn, step, expires_at: &expires_at, agent };
            let approval = store::approvals::insert(tx, caller.id(), &new, &now).await?;
            if let Some(agent) = agent {
                store::agents::ask(tx, caller.id(), approval, agent, &call_digest(operation)).await?;
            }
            approval
        }
    };
    row.approval_id = Some(approval);
    row.preview = preview;
    row.result = CallResult {
        status: CallStatus::AwaitingApproval,
        value: json!({ "status": "awaiting_approval", "approval_id": approval }),
    };
    Ok(())
}

/// Previews the effect of each operation on existing targets, in sequence. Applies them and rolls back, so that a preview matches
/// the later effect.
async fn previews(
    ctx: &Ctx,
    tx: &mut Tx,
    caller: &Caller,
    calls: &[(InvocationId, &dyn Operation)],
) -> Result<Vec<Vec<Preview>>, Error> {
    tx.savepoint().await?;
    let mut all = Vec::with_capacity(calls.len());
    let mut failed = None;
    for (id, operation) in calls {
        match operation.apply(ctx, tx, By::agent(caller, *id)).await {
            Ok(applied) => all.push(applied.changed),
            Err(error) => {
                failed = Some(error);
                break;
            }
        }
    }
    tx.rollback_to_savepoint().await?;
    if let Some(error) = failed {
        return Err(error);
    }
    let preview = |edit: Changed| {
        let (task_id, next) = (edit.after.task_id, edit.next);
        Some(Preview { task_id, before: edit.before?, after: edit.after, next })
    };
    Ok(all.into_iter().map(|edits| edits.into_iter().filter_map(preview).collect()).collect())
}

async fn keep(ctx: &Ctx, mut tx: Tx, caller: &Caller, row: Invocation, started: Instant) -> Result<CallResult, Error> {
    let result = write(ctx, &mut tx, caller, row, started).await?;
    ctx.commit_at(tx, Commit::Call).await?;
    Ok(result)
}

pub(super) async fn write(
    ctx: &Ctx,
    tx: &mut Tx,
    caller: &Caller,
    mut row: Invocation,
    started: Instant,
) -> Result<CallResult, Error> {
    row.duration_ms = i64::try_from(started.elapsed().as_millis()).unwrap_or(i64::MAX);
    row.by = Some(caller.credential());
    store::invocations::insert(tx, caller.id(), &row).await?;
    let heard = json!({
        "turn_id": row.id.turn, "invocation_id": row.id, "tool": row.tool_name(), "risk": row.risk, "status": row.result.status,
    });
    store::events::append(tx, caller.id(), EventKind::ToolFinished, &heard, &ctx.now()).await?;
    Ok(row.result)
}
