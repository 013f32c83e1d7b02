//! Redaction of turns and approvals for tokens without `tasks:read`. The scope `chat` covers texts of a conversation, but not the tasks in
//! results and previews (R-1103).

use crate::domain::approval::Approval;
use crate::domain::proposal::question_of_numbers;
use crate::domain::tool::ToolName;
use crate::domain::turn::ToolCall;
use crate::domain::user::Caller;

/// Removes the call's result if the caller may not see it.
pub(super) fn call(caller: &Caller, call: &mut ToolCall) {
    if ToolName::parse(&call.tool).is_some_and(|tool| !tool.is_shown_to(&caller.scopes)) {
        call.result = None;
    }
}

/// Removes the preview and the titles in the question if the caller may not see what one of the calls would return.
pub(super) fn approval(caller: &Caller, approval: Approval) -> Approval {
    let shown = approval.calls.iter().all(|call| call.tool.is_shown_to(&caller.scopes));
    if shown {
        return approval;
    }
    let question = question_of_numbers(&approval.calls, &approval.preview);
    Approval { question, preview: vec![], ..approval }
}
