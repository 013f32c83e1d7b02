//! Texts about an agent's call, for the audit log and next to the agent's result.

use serde_json::json;

use super::Call;
use crate::agent::machine::{Origin, Step};
use crate::agent::{engine, render};
use crate::domain::approval::{Approval, ApprovalCall};
use crate::domain::id::UserId;
use crate::domain::text::counted;
use crate::domain::time::Timestamp;
use crate::domain::tool::{CallResult, CallStatus, ErrorCode, ToolName};
use crate::state::AppState;
use crate::store::Tx;
use crate::usecases::Error;
use crate::usecases::accounts::Outsider;
use crate::workflow::{inbox, question, reminders, reply};

/// Describes the call's result in a line for people, followed by its note.
pub(super) fn reply(call: &Call, result: &CallResult, note: Option<&str>) -> String {
    let line = line(call, result);
    note.map_or_else(|| line.clone(), |note| format!("{line}\n{note}"))
}

fn line(call: &Call, result: &CallResult) -> String {
    if let Some(message) = result.value["message"].as_str().filter(|_| result.status != CallStatus::Ok) {
        return message.to_owned();
    }
    match call.tool {
        Some(ToolName::ListTasks) => {
            format!("Listed {}.", counted(result.value["total"].as_i64().unwrap_or_default(), "task", "tasks"))
        }
        Some(ToolName::GetTask) => format!("Showed task #{}.", result.value["task_id"]),
        Some(_) | None => step(call, result).map(|step| render::all(&[step])).unwrap_or_default(),
    }
}

/// Returns a warning if the call set a time and no channel can deliver the reminder.
pub(super) async fn note(
    state: &AppState,
    tx: &mut Tx,
    user: UserId,
    (call, result): (&Call, &CallResult),
    now: &Timestamp,
) -> Result<Option<&'static str>, Error> {
    // Reading calls set no time, and their results may be long.
    let writes = call.tool.is_some_and(|tool| !tool.reads());
    let sets = writes && step(call, result).is_some_and(|step| render::sets_a_time(&[step], now));
    if !sets {
        return Ok(None);
    }
    let reached = reminders::reach(state, tx, user).await.map_err(inbox::unkept)?;
    Ok((!reached).then_some(reply::UNHEARD))
}

/// Returns the error for a call that needs approval, with the question, the page to answer on, and the next step.
pub(super) fn needs_approval(state: &AppState, visitor: &Outsider, approval: &Approval) -> CallResult {
    let link = approval.page(&state.config.public_url);
    let asked = question::for_agent(approval, &visitor.caller.user.zone, &link);
    let message = format!(
        "Nothing was changed yet. This call needs a person's approval at {link} until {}. Once it is approved, make \
             the same call again to get the result.\n{asked}",
        approval.expires_at
    );
    let value = json!({
        "error": ErrorCode::NeedsApproval, "message": message, "approval_id": approval.approval_id, "link": link,
        "question": asked, "expires_at": approval.expires_at,
    });
    CallResult { status: CallStatus::Error, value }
}

fn step(call: &Call, result: &CallResult) -> Option<Step> {
    let (tool, operation) = (call.tool?, call.operation.as_ref().ok()?);
    let reply = engine::stored_calls(&[ApprovalCall { tool, arguments: operation.arguments().clone() }]);
    Some(Step { origin: Origin::Engine, reply, results: vec![result.clone()] })
}
