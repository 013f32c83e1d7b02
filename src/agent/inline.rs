//! Whether a message has itself confirmed what it asks for.

use crate::domain::approval::Approval;
use crate::domain::tool::ToolName;
use crate::llm::rules;

/// The confirming words, if the rules read the same tools and the same tasks from the message.
pub fn confirmed(message: &str, approval: &Approval) -> Option<String> {
    // What a call says of a task that is not there yet cannot be compared by numbers.
    if approval.calls.iter().any(|call| call.tool == ToolName::AddTask || call.tool.reads()) {
        return None;
    }
    let mut targets = approval.preview.iter();
    let calls: Vec<_> = approval
        .calls
        .iter()
        .map(|call| {
            let count = call.arguments["task_ids"].as_array().map_or(1, Vec::len);
            let named = targets.by_ref().take(count).map(|target| (target.task_id, target.before.title.to_string()));
            (call.tool, named.collect())
        })
        .collect();
    rules::confirmed_inline(message, &calls)
}
