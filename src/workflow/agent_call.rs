//! Calls of MCP agents. Each call is a turn with its effect or approval, its row and its decision, in one transaction. Calls use
//! the approval gate and the records of all other calls, but no queue, because the agent waits for the result.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::agent::machine::{Origin, Step};
use crate::domain::approval::{Approval, ApprovalStatus, DecidedVia, Verdict};
use crate::domain::decision::{Decision, DecisionKind, Outcome};
use crate::domain::id::{ApprovalId, ConversationId, InvocationId, TurnId, UserId};
use crate::domain::policy::Asker;
use crate::domain::text::counted;
use crate::domain::time::Timestamp;
use crate::domain::tool::{CallResult, CallStatus, ErrorCode, Risk, ToolError, ToolName};
use crate::domain::user::Agent;
use crate::domain::window::Window;
use crate::state::AppState;
use crate::store::turns::TurnRow;
use crate::store::{self, Tx};
use crate::tools::arguments::Moment;
use crate::usecases::accounts::Outsider;
use crate::usecases::invocations::{self, Attempt, Operation};
use crate::usecases::{self, Commit, Error, approvals, policy};

use super::turn_telemetry::ToolCall;
use super::{inbox, rate_limit};

mod decided;
mod worded;

/// Window of an agent's budget.
const HOUR: Window = Window::seconds(3_600);
/// Pending approvals of a user from which agents request no further ones: each adds its previews to every list of tasks.
const MOST_PENDING: usize = 100;
/// Reply to a call whose approved execution has not finished.
const GOING_ON: &str = "This call was approved. A running Docket server carries it out. Call it again in a moment to \
     get the result.";
/// Reply to a call that was approved, but stopped before it ran.
const STOPPED: &str = "This call was approved, but it was stopped before it ran. Nothing was changed.";

/// Reply to the agent.
#[derive(Debug, Clone)]
pub struct Answer {
    pub turn: TurnId,
    /// The tool's output or error. Never `awaiting_approval`: an error names the page of the approval instead.
    pub result: CallResult,
    /// Pending approval of the call.
    pub waits: Option<Approval>,
    /// Note for the person, next to the result.
    pub note: Option<&'static str>,
}

struct Call {
    tool: Option<ToolName>,
    arguments: Value,
    /// The operation, or the reason why the call is invalid.
    operation: Result<Box<dyn Operation>, ToolError>,
}

struct Done {
    result: CallResult,
    decision: Decision,
    asked: Option<ApprovalId>,
}

/// Runs a call of a tool by any of its names, or returns the reason why not as a result.
///
/// # Errors
/// `RateLimited` far over the limit, when nothing is stored; `Store` for database errors. All other errors are results.
pub async fn call(state: &AppState, visitor: &Outsider, called_as: &str, arguments: Value) -> Result<Answer, Error> {
    let call = read(state, visitor, called_as, arguments, &state.ctx.now());
    let tasks = call.operation.as_ref().map_or(0, |operation| operation.targets().len());
    let carried_out = carry_out(state, visitor, called_as, call);
    if tasks < usecases::MANY { carried_out.await } else { usecases::apart(carried_out).await }
}

async fn carry_out(state: &AppState, visitor: &Outsider, called_as: &str, call: Call) -> Result<Answer, Error> {
    let started = Instant::now();
    let (ctx, user, now) = (&state.ctx, visitor.caller.id(), state.ctx.now());
    let told = ToolCall::from_outside(state, visitor.trace, called_as);
    let mut tx = ctx.write().await?;
    store::tasks::lock(&mut tx, user).await?;
    let conversation = thread(&mut tx, visitor, &now).await?;
    let wait = too_fast(state, &mut tx, visitor).await?;
    let now = ctx.now();
    let turn = store::agents::turn(&mut tx, user, visitor.agent.token_id, conversation, &now).await?;
    told.keep(&mut tx, user, turn).await?;
    let (id, asker) = (InvocationId { turn, step: 0, index: 0 }, Asker::Mcp);
    let attempt = Attempt { id, fence: 0, conversation, asker, called_as };
    let done = match wait {
        Some(retry_after_s) => {
            let error = Error::RateLimited { retry_after_s };
            refuse(state, &mut tx, visitor, &attempt, &call, forbidden(error.to_string()), Outcome::RateLimited).await?
        }
        None => run(state, &mut tx, visitor, &attempt, &call).await?,
    };
    let waits = match done.asked {
        Some(asked) => store::approvals::get(&mut tx, user, asked).await?,
        None => None,
    };
    let result = match &waits {
        Some(approval) => worded::needs_approval(state, visitor, approval),
        None => done.result,
    };
    let note = worded::note(state, &mut tx, user, (&call, &result), &now).await?;
    let reply = worded::reply(&call, &result, note);
    decided::keep(state, &mut tx, visitor, &attempt, reply, (done.decision, waits.as_ref()), started).await?;
    let result = match (call.tool, &call.operation) {
        (Some(tool), Ok(operation)) => {
            let value = policy::visible(&mut tx, user, (tool, operation.arguments()), result.value).await?;
            CallResult { value, ..result }
        }
        _ => result,
    };
    ctx.commit_at(tx, Commit::Outside).await?;
    told.decided(turn, done.decision, waits.as_ref().map_or(result.status, |_| CallStatus::AwaitingApproval));
    Ok(Answer { turn, result, waits, note })
}

/// Applies a person's verdict that the agent's client passes on; the token needs the scope for verdicts. The agent repeats its call for the
/// result, even if another verdict won or the call does not run within `patience`. Without a server, as when only `docket mcp` runs,
/// no worker ends an earlier turn.
pub async fn answered(
    state: &AppState,
    visitor: &Outsider,
    (id, verdict): (ApprovalId, Verdict),
    patience: Duration,
) -> Result<(), Error> {
    let caller = &visitor.caller;
    let asking = store::agents::asking(&mut state.ctx.peek().await?, caller.id(), id).await?;
    if asking.as_ref() != Some(&visitor.agent) {
        return Err(Error::NotFound("There is no such approval.".into()));
    }
    match inbox::decide(state, caller, id, verdict, DecidedVia::Mcp, None).await {
        Ok(accepted) => {
            let carried_out = tokio::time::timeout(patience, Box::pin(inbox::wait(state, caller, accepted.turn)));
            carried_out.await.map_or(Ok(()), |turn| turn.map(drop))
        }
        Err(Error::Conflict(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Returns the agent whose approval the turn carries out or requests again, according to its verdict or last step.
pub(super) async fn asking(tx: &mut Tx, turn: &TurnRow, steps: &[Step]) -> Result<Option<Agent>, store::Error> {
    let named = steps.iter().rev().find_map(|step| match step.origin {
        Origin::Approval(approval) | Origin::Again(approval) => Some(approval),
        Origin::Engine => None,
    });
    match turn.approval.or(named) {
        Some(approval) => store::agents::asking(tx, turn.user, approval).await,
        None => Ok(None),
    }
}

fn read(state: &AppState, visitor: &Outsider, called_as: &str, arguments: Value, now: &Timestamp) -> Call {
    let Some(tool) = ToolName::parse(called_as) else {
        let operation = Err(invalid(format!("There is no tool named {called_as}.")));
        return Call { tool: None, arguments, operation };
    };
    let moment = Moment { now: now.clone(), zone: visitor.caller.user.zone.clone() };
    let operation = state.tools().prepare(tool, arguments.clone(), &moment);
    Call { tool: Some(tool), arguments, operation: operation.map_err(|error| invalid(error.to_string())) }
}

/// Returns the seconds that the agent has to wait; `None` within the limits. A user's agents share one limit, equal to the user's own limit
/// of messages. The address has another limit.
async fn too_fast(state: &AppState, tx: &mut Tx, visitor: &Outsider) -> Result<Option<i64>, Error> {
    // The address first: its row also updates the clock to the database's time.
    let of_address = rate_limit::of_address(state, tx, visitor.address).await?;
    if state.ctx.limits.messages_per_minute == 0 {
        return Ok(of_address);
    }
    let now = state.ctx.now();
    let recent = store::agents::calls_within(tx, visitor.caller.id(), &rate_limit::SENT.before(&now)).await?;
    Ok(of_address.max(rate_limit::of_sender(state, &recent, &now)?))
}

/// Returns the conversation of the agent's calls, created by the first one. Checked under the lock: the token may have been revoked, or its
/// owner disabled, since authentication.
async fn thread(tx: &mut Tx, visitor: &Outsider, now: &Timestamp) -> Result<ConversationId, Error> {
    let (user, agent) = (visitor.caller.id(), &visitor.agent);
    let good = store::agents::thread(tx, user, agent.token_id).await?;
    let good = good.ok_or_else(|| Error::Forbidden("This token is no longer valid.".into()))?;
    if let Some(thread) = good {
        return Ok(thread);
    }
    let thread = ConversationId::random();
    store::conversations::create(tx, user, thread, &agent.label, now).await?;
    store::agents::set_thread(tx, user, agent.token_id, thread).await?;
    Ok(thread)
}

async fn run(
    state: &AppState,
    tx: &mut Tx,
    visitor: &Outsider,
    attempt: &Attempt<'_>,
    call: &Call,
) -> Result<Done, Error> {
    let (ctx, caller) = (&state.ctx, &visitor.caller);
    if let Some(error) = call.tool.and_then(|tool| usecases::require(caller, tool.scope()).err()) {
        return refuse(state, tx, visitor, attempt, call, forbidden(error.to_string()), Outcome::OutOfScope).await;
    }
    let operation = match &call.operation {
        Ok(operation) => operation.as_ref(),
        Err(error) => {
            if let Some(error) = over_budget(state, tx, visitor, 1).await? {
                return refuse(state, tx, visitor, attempt, call, error, Outcome::RateLimited).await;
            }
            let result =
                invocations::refuse_outside(ctx, tx, caller, attempt, (call.tool, &call.arguments), error.clone());
            return Ok(finished(result.await?));
        }
    };
    let (weight, denied) = invocations::weigh_outside(ctx, tx, caller, attempt, operation).await?;
    let risk = weight.risk;
    // A repeated call returns the state of its approval under any policy, and never runs twice.
    if let Some(done) = repeated(state, tx, visitor, attempt, (operation, risk), denied.is_some()).await? {
        return Ok(done);
    }
    if let Some(denied) = denied {
        return refuse(state, tx, visitor, attempt, call, denied, Outcome::OutOfScope).await;
    }
    if !operation.tool().reads() {
        let more = i64::try_from(weight.tasks).unwrap_or(i64::MAX).max(1);
        if let Some(error) = over_budget(state, tx, visitor, more).await? {
            return refuse(state, tx, visitor, attempt, call, error, Outcome::RateLimited).await;
        }
    }
    if risk == Risk::High && store::approvals::all_pending(tx, caller.id()).await?.len() >= MOST_PENDING {
        let error = forbidden(format!("{MOST_PENDING} approvals are pending. Try again after some are answered."));
        return refuse(state, tx, visitor, attempt, call, error, Outcome::RateLimited).await;
    }
    let done = finished(invocations::run_outside(ctx, tx, caller, attempt, (operation, risk)).await?);
    if let Some(asked) = done.asked {
        let of = (attempt.id.turn, attempt.conversation);
        approvals::announce_asked(&ctx.now(), tx, caller.id(), asked, of).await?;
    }
    Ok(done)
}

/// Stores a call that was refused before it ran.
async fn refuse(
    state: &AppState,
    tx: &mut Tx,
    visitor: &Outsider,
    attempt: &Attempt<'_>,
    call: &Call,
    error: ToolError,
    outcome: Outcome,
) -> Result<Done, Error> {
    let sent = (call.tool, &call.arguments);
    let result = invocations::refuse_outside(&state.ctx, tx, &visitor.caller, attempt, sent, error).await?;
    Ok(Done { result, decision: Decision { kind: DecisionKind::Refuse, outcome }, asked: None })
}

/// Returns the error if `more` changes exceed the agent's budget. Pending approvals count, because the agent's client could approve them
/// and exceed the budget. Failed calls count, because they cost as much. The lock of the user's head makes the count exact across
/// processes.
async fn over_budget(state: &AppState, tx: &mut Tx, visitor: &Outsider, more: i64) -> Result<Option<ToolError>, Error> {
    let budget = visitor.budget;
    if budget == 0 {
        return Ok(None);
    }
    let now = state.ctx.now();
    let hour = HOUR.before(&now);
    let (user, token) = (visitor.caller.id(), visitor.agent.token_id);
    let made = store::agents::changes_within(tx, user, token, &hour).await?;
    let asked = store::agents::changes_asked_for(tx, user, token, (&hour, &now)).await?;
    let failed = store::agents::failed_within(tx, user, token, &hour).await?;
    Ok((made.saturating_add(asked).saturating_add(failed).saturating_add(more) > budget).then(|| {
        let waiting = if asked > 0 { format!(" and {asked} pending") } else { String::new() };
        let failures = match failed {
            0 => String::new(),
            failed => format!(", and {} failed", counted(failed, "call", "calls")),
        };
        let are = if made == 1 { "is" } else { "are" };
        forbidden(format!(
            "This would exceed the limit of {} per hour for the token “{}”: {made} {are} made{waiting}{failures}. Try \
                 again later.",
            counted(budget, "change", "changes"),
            visitor.agent.label
        ))
    }))
}

/// Returns the state of an earlier identical call that requested approval and whose result the agent has not received. A pending
/// approval is ignored if the policy denies the call: approving would not run it.
async fn repeated(
    state: &AppState,
    tx: &mut Tx,
    visitor: &Outsider,
    attempt: &Attempt<'_>,
    (operation, risk): (&dyn Operation, Risk),
    denied: bool,
) -> Result<Option<Done>, Error> {
    let (ctx, user) = (&state.ctx, visitor.caller.id());
    let digest = invocations::call_digest(operation);
    let Some((id, false)) = store::agents::asked(tx, user, visitor.agent.token_id, &digest).await? else {
        return Ok(None);
    };
    let Some(approval) = store::approvals::get(tx, user, id).await? else { return Ok(None) };
    let told = match (approval.status, approvals::settled(ctx, &visitor.caller, &approval)) {
        (ApprovalStatus::Pending, None) if denied => return Ok(None),
        (ApprovalStatus::Pending, None) => None,
        (ApprovalStatus::Approved, _) => match carried_out(tx, user, &approval).await? {
            Some(result) => Some(result),
            None if store::turns::open_of(tx, user, approval.conversation_id).await?.is_empty() => {
                Some(failed(conflict(STOPPED)))
            }
            None => {
                let going_on = failed(conflict(GOING_ON));
                return repeat(ctx, tx, visitor, attempt, (operation, risk), going_on).await.map(Some);
            }
        },
        (_, settled) => Some(failed(forbidden(settled.unwrap_or_else(|| "This was not approved.".into())))),
    };
    let asked = told.is_none().then_some(id);
    if told.is_some() {
        store::agents::collect(tx, user, id, attempt.id.turn).await?;
    }
    let result = told.unwrap_or_else(|| worded::needs_approval(state, visitor, &approval));
    let done = repeat(ctx, tx, visitor, attempt, (operation, risk), result).await?;
    Ok(Some(Done { asked, ..done }))
}

async fn repeat(
    ctx: &usecases::Ctx,
    tx: &mut Tx,
    visitor: &Outsider,
    attempt: &Attempt<'_>,
    call: (&dyn Operation, Risk),
    result: CallResult,
) -> Result<Done, Error> {
    Ok(finished(invocations::repeat_outside(ctx, tx, &visitor.caller, attempt, call, result).await?))
}

/// Returns the result of the call that ran under the approval; `None` before it has run.
async fn carried_out(tx: &mut Tx, user: UserId, approval: &Approval) -> Result<Option<CallResult>, Error> {
    let ran = store::invocations::under(tx, user, approval.approval_id).await?;
    Ok(ran.into_iter().next().map(|ran| ran.result))
}

fn finished(result: CallResult) -> Done {
    let asked = result.value["approval_id"].as_str().filter(|_| result.status == CallStatus::AwaitingApproval);
    let outcome = match result.status {
        CallStatus::Ok => Outcome::TaskCompleted,
        CallStatus::AwaitingApproval => Outcome::ApprovalRequested,
        _ if result.value["error"] == json!(ErrorCode::NeedsApproval) => Outcome::ApprovalRequested,
        _ => Outcome::ToolFailed,
    };
    let asked = asked.and_then(|id| ApprovalId::parse(id).ok());
    Done { result, decision: Decision { kind: DecisionKind::InvokeTool, outcome }, asked }
}

fn failed(error: ToolError) -> CallResult {
    CallResult { status: CallStatus::Error, value: json!(error) }
}

fn invalid(message: String) -> ToolError {
    ToolError { error: ErrorCode::Invalid, message, task_id: None }
}

fn conflict(message: &str) -> ToolError {
    ToolError { error: ErrorCode::Conflict, message: message.to_owned(), task_id: None }
}

fn forbidden(message: String) -> ToolError {
    ToolError { error: ErrorCode::Forbidden, message, task_id: None }
}
