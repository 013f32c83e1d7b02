//! Asking the person through the agent's client, where that can: a result that wants input, and the same call once more with the
//! answer (MCP 2026-07-28, multi round-trip requests). What goes to and fro is the approval's id and no more: all else is in its row,
//! which takes one verdict, from the agent that asked.

use rmcp::model::{ElicitationCapability, InputRequest, InputRequiredResult, InputResponses, ProtocolVersion};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

use crate::domain::approval::{Approval, Verdict};
use crate::domain::id::ApprovalId;
use crate::domain::user::{Caller, Scope};

/// The name of the one question, and of the one field of a form.
const QUESTION: &str = "approval";
const FIELD: &str = "approve";

/// The question, as the peer can put it; `None` where it cannot. `told` is the answer that any other peer gets.
///
/// A yes in a form of the client is a verdict by its token, so that needs the scope that verdicts need. Any other token's person is
/// sent to the page of the request.
pub fn question(
    approval: &Approval,
    told: &Value,
    caller: &Caller,
    context: &RequestContext<RoleServer>,
) -> Option<InputRequiredResult> {
    if context.protocol_version()?.as_str() < ProtocolVersion::V_2026_07_28.as_str() {
        return None;
    }
    let ElicitationCapability { form, url, .. } = context.client_capabilities()?.elicitation?;
    let asked = approval.asked();
    // A capability that names no mode means forms, as it did before there were others.
    let params = if caller.may(Scope::Chat) && (form.is_some() || url.is_none()) {
        let field = json!({ "type": "boolean", "title": "Yes, do it", "default": false });
        let schema = json!({ "type": "object", "properties": { FIELD: field }, "required": [FIELD] });
        json!({ "mode": "form", "message": asked, "requestedSchema": schema })
    } else if url.is_some() {
        json!({ "mode": "url", "message": format!("{asked} Answer in Docket."), "url": told["link"] })
    } else {
        return None;
    };
    let request: InputRequest =
        serde_json::from_value(json!({ "method": "elicitation/create", "params": params })).ok()?;
    let requests = [(QUESTION.to_owned(), request)].into();
    Some(InputRequiredResult::new(Some(requests), Some(approval.approval_id.to_string())))
}

/// The verdict that a call brings with it, if it brings one: a page that was opened, or a form that was left, is none, and so is
/// the answer of a token that may give none.
pub fn answer(
    state: Option<String>,
    responses: Option<InputResponses>,
    caller: &Caller,
) -> Result<Option<(ApprovalId, Verdict)>, ErrorData> {
    let (Some(state), Some(responses)) = (state, responses) else { return Ok(None) };
    let approval =
        ApprovalId::parse(&state).map_err(|_| ErrorData::invalid_params("That is no state of this server.", None))?;
    let Some(given) = responses.get(QUESTION).filter(|_| caller.may(Scope::Chat)) else { return Ok(None) };
    let verdict = match (given["action"].as_str(), &given["content"][FIELD]) {
        (Some("accept"), Value::Bool(true)) => Verdict::Approve,
        (Some("accept"), Value::Bool(false)) | (Some("decline"), _) => Verdict::Reject,
        _ => return Ok(None),
    };
    Ok(Some((approval, verdict)))
}
