//! Receipts of tool calls: a verb and its object.

use super::counts;

pub const UNKNOWN_TOOL: &str = "Unknown tool";
pub const ADDED: &str = "Added";
pub const COMPLETED: &str = "Completed";
pub const MOVED_TO_THE_BIN: &str = "Moved to the bin:";
pub const REOPENED: &str = "Reopened";
pub const CHANGED: &str = "Changed";
pub const READ: &str = "Read";
pub const UNDID: &str = "Undid changes to";
pub const COULD_NOT_ADD: &str = "Could not add:";
pub const COULD_NOT_COMPLETE: &str = "Could not complete:";
pub const COULD_NOT_DELETE: &str = "Could not delete:";
pub const COULD_NOT_CHANGE: &str = "Could not change:";
pub const COULD_NOT_READ: &str = "Could not read:";
pub const COULD_NOT_UNDO: &str = "Could not undo:";
pub const WAITING_FOR_YOUR_YES: &str = "Waiting for your approval";
pub const NOT_DONE_YOU_DECLINED: &str = "Not done: you declined";
pub const NOT_DONE_EXPIRED: &str = "Not done: the approval expired";
pub const NOT_DONE_CHANGED: &str = "Not done: the task had changed";
pub const NOT_DONE_SKIPPED: &str = "Not done: skipped";
pub const NOT_DONE_STOPPED: &str = "Not done: stopped";
pub const CREATED_TASK: &str = "Created task: ";
pub const COMPLETED_TASK: &str = "Completed task: ";
pub const DELETED_TASK: &str = "Deleted task: ";
pub const UNDONE_FOR_TASK: &str = "Undone for task: ";
pub const UPDATED_TASK: &str = "Updated task: ";
pub const YOUR_LIST: &str = "your list";

pub fn undo_of(verb: &str, text: &str) -> String {
    format!("Undo: {verb} {text}")
}

pub const UNDO: &str = "Undo";
pub const UNDONE: &str = "Undone: ";

/// Several tasks, with their titles.
pub fn tasks(count: usize, titles: &str) -> String {
    format!("{}: {titles}", counts::tasks(count))
}

pub fn your_list_of(total: i64) -> String {
    format!("your list: {}", counts::tasks(total))
}

/// A receipt as a line of text: `Changed iron shirts (#3); due: today → Friday`.
pub fn line(what: &str, number: Option<i64>, details: &[String]) -> String {
    let number = number.map(|number| format!(" (#{number})")).unwrap_or_default();
    let details: String = details.iter().map(|detail| format!("; {detail}")).collect();
    format!("{what}{number}{details}")
}
