//! Scopes of a turn's calls: each call requires the scope of its tool, by the present state of the caller's token (R-1103).

use serde_json::json;

use super::Error;
use crate::domain::approval::ApprovalCall;
use crate::domain::tool::{CallResult, CallStatus, ErrorCode, ToolError, ToolName};
use crate::domain::user::{Caller, Scope};
use crate::store::{self, Tx};

/// Returns the refusal of a call that lacks a scope, with the scope's name; `None` if the call is allowed. Checked before an approval is
/// requested, and again when an approved call runs.
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

/// Returns `Forbidden` if the caller lacks a scope of the approval's calls. Otherwise approving, or requesting again, would exceed the
/// caller's own access.
pub fn require_for_calls(caller: &Caller, calls: &[ApprovalCall], what: &str) -> Result<(), Error> {
    let missing = calls.iter().map(|call| call.tool.scope()).find(|scope| !caller.may(*scope));
    missing.map_or(Ok(()), |scope| Err(Error::Forbidden(lacking(caller, scope, what))))
}

/// Returns the message for a token that was revoked while its turn waited or ran.
pub fn revoked(label: &str) -> String {
    format!("The token “{label}” was revoked, so this request was stopped.")
}

fn lacking(caller: &Caller, scope: Scope, what: &str) -> String {
    match caller.credential().token {
        Some(label) => lacks(what, scope, &label),
        None => format!("{what} requires the scope {}, which this account does not have.", scope.as_str()),
    }
}

fn lacks(what: &str, scope: Scope, label: &str) -> String {
    let scope = scope.as_str();
    format!(
        "{what} requires the scope {scope}, which the token “{label}” does not have. Use the browser, or a token with \
             {scope}."
    )
}

/// Returns the refusal as a tool's result, with the missing scope in an additional field.
fn refusal(scope: Scope, message: String) -> CallResult {
    let mut value = json!(ToolError { error: ErrorCode::Forbidden, message, task_id: None });
    value["scope"] = json!(scope);
    CallResult { status: CallStatus::Error, value }
}
