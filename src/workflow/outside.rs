//! A call by an outside agent: a turn with its effect or its request, its row and its decision, in one transaction. It goes
//! through the gate and the ledger of every other call; nothing is queued, since the agent waits for the answer.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::agent::machine::{Origin, Step};
use crate::domain::approval::{Approval, ApprovalStatus, DecidedVia, Verdict};
use crate::domain::decision::{Decision, DecisionKind, Outcome};
use crate::domain::id::{ApprovalId, ConversationId, InvocationId, TurnId, UserId};
use crate::domain::policy::Asker;
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
use crate::usecases::{self, Commit, Error, approvals};

use super::watch::ToolCall;
use super::{inbox, pace};

/// The end of a call's turn.
mod decided;
/// What a call came to, in words.
mod worded;

/// The window of a budget.
const HOUR: Window = Window::seconds(3_600);
/// A person has said yes a moment ago.
const GOING_ON: &str = "This was approved and is being carried out, which takes a running server of Docket; call it again in a \
     moment for the result.";
/// A person has said yes, and then stopped the turn that was to carry it out.
const STOPPED: &str = "This was approved, but it was stopped before it ran; nothing was changed.";

/// What the agent is answered.
#[derive(Debug, Clone)]
pub struct Answer {
    pub turn: TurnId,
    /// The tool's output, or its error; never `awaiting_approval`, which is an error that says where to answer.
    pub result: CallResult,
    /// The request that waits for a person, where the call has to.
    pub waits: Option<Approval>,
    /// What the person should be told beside it.
    pub note: Option<&'static str>,
}

/// A call as it was read, before anything is looked up.
struct Call {
    tool: Option<ToolName>,
    arguments: Value,
    /// What it would do, or what is wrong with it.
    operation: Result<Box<dyn Operation>, ToolError>,
}

/// What becomes of a call.
struct Done {
    result: CallResult,
    decision: Decision,
    asked: Option<ApprovalId>,
}

/// Runs a call of a tool by any of its names, or says why not.
///
/// # Errors
/// `RateLimited` far over the limit, where nothing is kept; `Store` where the database did not answer. Everything else is a result.
pub async fn call(state: &AppState, visitor: &Outsider, called_as: &str, arguments: Value) -> Result<Answer, Error> {
    let started = Instant::now();
    let (ctx, user, now) = (&state.ctx, visitor.caller.id(), state.ctx.now());
    let told = ToolCall::from_outside(state, visitor.trace, called_as);
    let call = read(state, visitor, called_as, arguments, &now);
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
    ctx.commit_at(tx, Commit::Outside).await?;
    told.decided(turn, done.decision, waits.as_ref().map_or(result.status, |_| CallStatus::AwaitingApproval));
    Ok(Answer { turn, result, waits, note })
}

/// Takes the person's answer as the agent's client passes it on, whose token needs the scope that verdicts need. What came of it is
/// heard by making the call once more, also where somebody else was quicker, and where it is not carried out within `patience`: an
/// earlier turn may be open, which nobody takes up where `docket mcp` runs alone.
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

/// The outside agent whose request the turn carries out or asks afresh, if it does: as its verdict or its last step names it.
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

/// How long the agent has to wait; `None` within the limit of its user, whose agents together may call as often as they themselves
/// may send messages, and within that of its address.
async fn too_fast(state: &AppState, tx: &mut Tx, visitor: &Outsider) -> Result<Option<i64>, Error> {
    // The address first: its row brings the database's time along.
    let of_address = pace::of_address(state, tx, visitor.address).await?;
    if state.ctx.limits.messages_per_minute == 0 {
        return Ok(of_address);
    }
    let now = state.ctx.now();
    let recent = store::agents::calls_within(tx, visitor.caller.id(), &pace::SENT.before(&now)).await?;
    Ok(of_address.max(pace::of_sender(state, &recent, &now)?))
}

/// The thread of the agent's calls, begun with the first one. Read under the lock: the token may have been revoked, or its owner
/// disabled, since it was shown at the door.
async fn thread(tx: &mut Tx, visitor: &Outsider, now: &Timestamp) -> Result<ConversationId, Error> {
    let (user, agent) = (visitor.caller.id(), &visitor.agent);
    let good = store::agents::thread(tx, user, agent.token_id).await?;
    let good = good.ok_or_else(|| Error::Forbidden("That token is no longer valid.".into()))?;
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
    let (risk, denied) = invocations::weigh_outside(tx, caller, operation).await?;
    // Whatever the policy says by now: what a person was asked about is answered by what became of that, and not done once more.
    if let Some(done) = repeated(state, tx, visitor, attempt, (operation, risk), denied.is_some()).await? {
        return Ok(done);
    }
    if let Some(denied) = denied {
        return refuse(state, tx, visitor, attempt, call, denied, Outcome::OutOfScope).await;
    }
    if !operation.tool().reads() {
        let more = i64::try_from(operation.targets().len()).unwrap_or(i64::MAX).max(1);
        if let Some(error) = over_budget(state, tx, visitor, more).await? {
            return refuse(state, tx, visitor, attempt, call, error, Outcome::RateLimited).await;
        }
    }
    let done = finished(invocations::run_outside(ctx, tx, caller, attempt, (operation, risk)).await?);
    if let Some(asked) = done.asked {
        let of = (attempt.id.turn, attempt.conversation);
        approvals::announce_asked(&ctx.now(), tx, caller.id(), asked, of).await?;
    }
    Ok(done)
}

/// Keeps a call that got no further than the door.
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

/// Why the agent may not make that many `more` changes; `None` within its budget. What waits for a yes takes its part of it: with one its
/// own client gives, the agent would else go over it. So does a call that failed, since it costs as much. Counted under the lock of the
/// user's head: right across replicas.
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
        let waiting = if asked > 0 { format!(" and {asked} asked for") } else { String::new() };
        let failures = if failed > 0 { format!(", and {failed} calls failed") } else { String::new() };
        forbidden(format!(
            "This would be more than the {budget} changes that the token “{}” may make in an hour; {made} are made{waiting}{failures}. \
             Try again later.",
            visitor.agent.label
        ))
    }))
}

/// What became of the same call before, where a person was asked about it and the agent has not heard the answer. What still
/// waits is nothing to wait for where the policy denies the call by now: a yes would not run it.
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

/// The result of the call that ran under the approval; `None` while it has not.
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
