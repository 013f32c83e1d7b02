//! Tool calls, each exactly once: one transaction checks, applies the effect and keeps its rows.

use std::time::Instant;

use async_trait::async_trait;
use serde_json::{Value, json};

use super::tasks::Changed;
use super::{By, Commit, Ctx, Error, policy, scopes};
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

/// Bytes of the arguments of a refused call that are kept whole.
const KEPT: usize = 4_000;
/// A call that came to a request which takes none any more.
const SETTLED_BEFORE: &str = "What this belongs to was settled before it was asked, so nothing was done.";

/// The calls of an approval.
mod approved;
/// Calls of outside agents.
mod outside;
pub use approved::run_approved;
pub use outside::{call_digest, refuse_outside, repeat_outside, run_outside, weigh_outside};

/// A validated call of one tool: what it would do, and how to do it.
#[async_trait]
pub trait Operation: Send + Sync {
    fn tool(&self) -> ToolName;

    /// Canonical arguments: phrases resolved, aliases and defaults settled.
    fn arguments(&self) -> &Value;

    /// The existing tasks that it touches.
    fn targets(&self) -> Vec<TaskNumber>;

    /// The call's risk, when the same tool has already touched `before` in this turn.
    fn risk(&self, before: &[TaskNumber]) -> Risk;

    /// Whether it refuses before it writes, if it does: then a refusal leaves nothing to be taken back. What only reads does.
    fn refuses_first(&self) -> bool {
        self.tool().reads()
    }

    /// Does it.
    async fn apply(&self, ctx: &Ctx, tx: &mut Tx, by: By<'_>) -> Result<Applied, Error>;
}

/// What an operation came to.
#[derive(Debug, Clone, Default)]
pub struct Applied {
    /// The tool's structured output.
    pub value: Value,
    /// The edits that it made.
    pub changed: Vec<Changed>,
}

/// One attempt to call a tool.
#[derive(Debug, Clone, Copy)]
pub struct Attempt<'a> {
    pub id: InvocationId,
    /// Under which the caller's worker holds the turn.
    pub fence: i64,
    pub conversation: ConversationId,
    /// What the tool policy goes by.
    pub asker: Asker,
    /// The name as called: canonical or alias.
    pub called_as: &'a str,
}

/// Runs a call, or asks for approval where its risk is high. A second attempt under the same id gets the first one's result.
///
/// # Errors
/// `Fenced` where another worker holds the turn by now: it writes nothing.
pub async fn run_once(
    ctx: &Ctx,
    caller: &Caller,
    attempt: &Attempt<'_>,
    operation: &dyn Operation,
) -> Result<CallResult, Error> {
    let started = Instant::now();
    let mut tx = ctx.write().await?;
    let (turn, tool) = (attempt.id.turn, operation.tool());
    let rules = store::policies::of_held(&mut tx, caller.id(), turn, attempt.fence, attempt.asker, tool).await?;
    let rules = rules.ok_or(Error::Fenced)?;
    let earlier = store::invocations::of_turn(&mut tx, caller.id(), turn).await?;
    if let Some(done) = earlier.iter().find(|invocation| invocation.id == attempt.id) {
        return Ok(done.result.clone());
    }
    let risk = policy::raised(operation.risk(&touched(&earlier, tool)), rules.effective());
    let mut row = draft(ctx, attempt, operation, risk);
    if let Some(refusal) = scopes::barred(&mut tx, caller, tool).await? {
        row.result = refusal;
    } else if let Some(failed) = failed_alike(&earlier, operation) {
        row.result = CallResult { status: CallStatus::Skipped, value: failed };
    } else if rules.effective() == Rule::Deny {
        row.result = CallResult { status: CallStatus::Error, value: json!(policy::denied(tool, attempt.asker, rules)) };
    } else if risk == Risk::High {
        ask(ctx, &mut tx, caller, attempt, operation, &mut row).await?;
    } else {
        row.result = apply(ctx, &mut tx, caller, attempt.id, operation).await?;
    }
    keep(ctx, tx, caller, row, started).await
}

/// Keeps an attempt that never got as far as a tool: an unknown name or arguments that do not fit.
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

/// The row of an attempt that no operation was made of.
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

/// The arguments of a call that no tool took, or the beginning of their JSON where they are long: nobody needs the rest.
fn bounded(arguments: &Value) -> Value {
    let text = arguments.to_string();
    if text.len() <= KEPT {
        return arguments.clone();
    }
    let bytes = text.len();
    json!({ "truncated": shortened(text, KEPT / 4), "bytes": bytes })
}

/// Begins to write as the turn's worker, with the turn's attempts so far; a worker whose turn went on elsewhere writes nothing
/// any more.
async fn begin(ctx: &Ctx, caller: &Caller, attempt: &Attempt<'_>) -> Result<(Tx, Vec<Invocation>), Error> {
    let mut tx = ctx.write().await?;
    if !store::turns::held(&mut tx, caller.id(), attempt.id.turn, attempt.fence).await? {
        return Err(Error::Fenced);
    }
    let earlier = store::invocations::of_turn(&mut tx, caller.id(), attempt.id.turn).await?;
    Ok((tx, earlier))
}

/// Existing tasks that the same tool has touched, or asked to touch, earlier in the turn.
fn touched(earlier: &[Invocation], tool: ToolName) -> Vec<TaskNumber> {
    let of_tool = earlier.iter().filter(|invocation| invocation.tool == Some(tool));
    let effective =
        of_tool.filter(|invocation| matches!(invocation.result.status, CallStatus::Ok | CallStatus::AwaitingApproval));
    effective.flat_map(|invocation| targets_in(&invocation.arguments)).collect()
}

/// The task numbers that canonical arguments name.
fn targets_in(arguments: &Value) -> Vec<TaskNumber> {
    let single = arguments["task_id"].as_i64();
    let many = arguments["task_ids"].as_array().into_iter().flatten().filter_map(Value::as_i64);
    single.into_iter().chain(many).map(TaskNumber).collect()
}

/// The error of an earlier call of this turn with the same tool and arguments: such a call is not run again.
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

/// Applies the effect; a failure takes back whatever it had written and is a result like any other.
async fn apply(
    ctx: &Ctx,
    tx: &mut Tx,
    caller: &Caller,
    id: InvocationId,
    operation: &dyn Operation,
) -> Result<CallResult, Error> {
    // A savepoint has the database copy each page that is written after it.
    let (whole, before) = (operation.refuses_first(), tx.appended());
    if !whole {
        tx.begin_part().await?;
    }
    let result = attempt_effect(ctx, tx, caller, id, operation).await?;
    if result.status != CallStatus::Error {
        if !whole {
            tx.keep_part().await?;
        }
    } else {
        if !whole {
            tx.undo_part().await?;
        } else if tx.appended() != before {
            // Nothing of this transaction may stay.
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

/// What the tool reports; a failed database is no report and goes up.
fn tool_error(error: Error, operation: &dyn Operation) -> Result<ToolError, Error> {
    let targets = operation.targets();
    let task = if let [only] = targets.as_slice() { Some(*only) } else { None };
    error.to_tool_error(task).ok_or(error)
}

/// Stores the request before anyone sees it; the first asking call of a step makes the approval, the others join it. Nobody is told of it
/// before all of them are there: whoever ends the turn does that, and until then no button answers it.
async fn ask(
    ctx: &Ctx,
    tx: &mut Tx,
    caller: &Caller,
    attempt: &Attempt<'_>,
    operation: &dyn Operation,
    row: &mut Invocation,
) -> Result<(), Error> {
    let preview = match preview(ctx, tx, caller, attempt.id, operation).await {
        Ok(preview) => preview,
        Err(error) => {
            let error = tool_error(error, operation)?;
            row.result = CallResult { status: CallStatus::Error, value: json!(error) };
            return Ok(());
        }
    };
    let InvocationId { turn, step, .. } = attempt.id;
    let approval = match store::approvals::of_step(tx, caller.id(), turn, step).await? {
        Some((approval, ApprovalStatus::Pending)) => approval,
        // Its time was over, or it was withdrawn, before this call came to it: a verdict is on what was there.
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

/// What the operation would do to each existing target: it is done and taken back, so that the preview cannot differ from the deed.
async fn preview(
    ctx: &Ctx,
    tx: &mut Tx,
    caller: &Caller,
    id: InvocationId,
    operation: &dyn Operation,
) -> Result<Vec<Preview>, Error> {
    tx.begin_part().await?;
    let applied = operation.apply(ctx, tx, By::agent(caller, id)).await;
    tx.undo_part().await?;
    let edits = applied?.changed.into_iter();
    Ok(edits
        .filter_map(|edit| {
            let (task_id, next) = (edit.after.task_id, edit.next);
            Some(Preview { task_id, before: edit.before?, after: edit.after, next })
        })
        .collect())
}

/// Writes the attempt's row and event, and commits all that went with it.
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
