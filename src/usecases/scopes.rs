//! Scopes of a turn's calls: each call needs the scope of its tool, by the caller's token as the database has it now (R-1103).

use serde_json::json;

use super::Error;
use crate::domain::approval::ApprovalCall;
use crate::domain::tool::{CallResult, CallStatus, ErrorCode, ToolError, ToolName};
use crate::domain::user::{Caller, Scope};
use crate::store::{self, Tx};

/// Returns the refusal of a call of the tool, which names the missing scope; `None` if the caller may call it. Checked before any
/// approval exists, and again when an approved call runs.
pub(super) async fn barred(tx: &mut Tx, caller: &Caller, tool: ToolName) -> Result<Option<CallResult>, Error> {
    let scope = tool.scope();
    if !caller.may(scope) {
        return Ok(Some(refusal(scope, lacking(caller, scope, "This"))));
    }
    for id in &caller.bounds {
        let message = match store::tokens::get(tx, caller.id(), *id).await? {
            Some(token) if token.revoked_at.is_some() => revoked(&token.label),
            Some(token) if token.scopes.contains(&scope) => continue,
            Some(token) => lacks("This", scope, &token.label),
            None => revoked("unknown"),
        };
        return Ok(Some(refusal(scope, message)));
    }
    Ok(None)
}

/// Refuses a caller who lacks the scope of one of a request's calls: whoever answers a request, or has it asked again, could else have
/// done what they may not do themselves.
pub fn require_for_calls(caller: &Caller, calls: &[ApprovalCall], what: &str) -> Result<(), Error> {
    let missing = calls.iter().map(|call| call.tool.scope()).find(|scope| !caller.may(*scope));
    missing.map_or(Ok(()), |scope| Err(Error::Forbidden(lacking(caller, scope, what))))
}

/// Returns the sentence for a token that was revoked while its turn waited or ran.
pub fn revoked(label: &str) -> String {
    format!("The token “{label}” was revoked, so nothing more is done with it.")
}

fn lacking(caller: &Caller, scope: Scope, what: &str) -> String {
    match caller.credential().token {
        Some(label) => lacks(what, scope, &label),
        None => format!("{what} needs the scope {}, which this account does not have.", scope.as_str()),
    }
}

fn lacks(what: &str, scope: Scope, label: &str) -> String {
    let scope = scope.as_str();
    format!(
        "{what} needs the scope {scope}, which the token “{label}” does not have: do it in the browser, or with a token that has {scope}."
    )
}

/// The refusal as a tool's result, with the scope as a field of its own beside those of every error.
fn refusal(scope: Scope, message: String) -> CallResult {
    let mut value = json!(ToolError { error: ErrorCode::Forbidden, message, task_id: None });
    value["scope"] = json!(scope);
    CallResult { status: CallStatus::Error, value }
}
