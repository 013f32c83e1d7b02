//! The list as it was.

use super::counts::plural;

pub const AT: &str = "At";
pub const LOOK_BACK: &str = "Look back";
pub const NO_TASK_IS_KNOWN: &str = "No task that is still known";
pub const NO_TASK: &str = "No task was on the list";

pub fn restore_task(title: &str) -> String {
    format!("Restore this task: {title}")
}

pub const DONE: &str = "✓ done";
pub const OPEN: &str = "○ open";
pub const RESTORE_THIS_TASK: &str = "Restore this task";
pub const ONLY_TO_BE_LOOKED_AT: &str =
    "This is only to be looked at. What you restore is a new change, which can be undone.";
pub const THE_LIST_AS_OF: &str = "The list as of";
pub const HEADING: &str = "The list as of…";
pub const TASKS_NOW: &str = "Tasks now";

/// Tasks of which the record no longer says what they were.
pub fn erased(count: i64) -> String {
    let (tasks, were) = (plural(count, "task", "tasks"), plural(count, "was", "were"));
    format!("What {count} more {tasks} {were} then has been erased from the record.")
}
