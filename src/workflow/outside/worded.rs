//! What an outside agent's call came to, in words: for the record, and beside the result that the agent is given.

use serde_json::json;

use super::Call;
use crate::agent::machine::{Origin, Step};
use crate::agent::{engine, render};
use crate::domain::approval::{Approval, ApprovalCall};
use crate::domain::id::UserId;
use crate::domain::time::Timestamp;
use crate::domain::tool::{CallResult, CallStatus, ErrorCode, ToolName};
use crate::state::AppState;
use crate::store::Tx;
use crate::usecases::Error;
use crate::usecases::accounts::Outsider;
use crate::workflow::{closing, inbox, question, reminders};

/// What the call came to, in a line for people, with the note that belongs to it.
pub(super) fn reply(call: &Call, result: &CallResult, note: Option<&str>) -> String {
    let line = line(call, result);
    note.map_or_else(|| line.clone(), |note| format!("{line}\n{note}"))
}

fn line(call: &Call, result: &CallResult) -> String {
    if let Some(message) = result.value["message"].as_str().filter(|_| result.status != CallStatus::Ok) {
        return message.to_owned();
    }
    match call.tool {
        Some(ToolName::ListTasks) => format!("Listed {} tasks.", result.value["total"]),
        Some(ToolName::GetTask) => format!("Showed task #{}.", result.value["task_id"]),
        Some(_) | None => step(call, result).map(|step| render::all(&[step])).unwrap_or_default(),
    }
}

/// Says that nobody could be told when the time comes that the call has set, if so.
pub(super) async fn note(
    state: &AppState,
    tx: &mut Tx,
    user: UserId,
    (call, result): (&Call, &CallResult),
    now: &Timestamp,
) -> Result<Option<&'static str>, Error> {
    // What only reads sets no time, and its result may be long.
    let writes = call.tool.is_some_and(|tool| !tool.reads());
    let sets = writes && step(call, result).is_some_and(|step| render::sets_a_time(&[step], now));
    if !sets {
        return Ok(None);
    }
    let reached = reminders::reach(state, tx, user).await.map_err(inbox::unkept)?;
    Ok((!reached).then_some(closing::UNHEARD))
}

/// The error that says who has to be asked what and where, and what to do then.
pub(super) fn needs_approval(state: &AppState, visitor: &Outsider, approval: &Approval) -> CallResult {
    let link = approval.page(&state.config.public_url);
    let asked = question::for_agent(approval, &visitor.caller.user.zone, &link);
    let message = format!(
        "Nothing is done yet: this waits for a person's answer at {link} until {}. A yes there runs it. \
         Then make the same call once more to hear the result.\n{asked}",
        approval.expires_at
    );
    let value = json!({
        "error": ErrorCode::NeedsApproval, "message": message, "approval_id": approval.approval_id, "link": link,
        "question": asked, "expires_at": approval.expires_at,
    });
    CallResult { status: CallStatus::Error, value }
}

/// The call as a step of a turn.
fn step(call: &Call, result: &CallResult) -> Option<Step> {
    let (tool, operation) = (call.tool?, call.operation.as_ref().ok()?);
    let reply = engine::stored_calls(&[ApprovalCall { tool, arguments: operation.arguments().clone() }]);
    Some(Step { origin: Origin::Engine, reply, results: vec![result.clone()] })
}
