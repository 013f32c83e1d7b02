//! The list at a point in time.

use super::counts::plural;

pub const AT: &str = "Date and time";
pub const LOOK_BACK: &str = "Show";
pub const NO_TASK_IS_KNOWN: &str = "No tasks with recorded data";
pub const NO_TASK: &str = "No tasks on the list";
pub const NO_TASK_ON_THIS_PAGE: &str = "No tasks on this page";
pub const MORE: &str = "More";

/// Names the tasks of a page by their first and last number.
pub fn range(first: i64, last: i64) -> String {
    if first == last { format!("Task #{first}") } else { format!("Tasks #{first} to #{last}") }
}

pub fn restore_task(title: &str) -> String {
    format!("Restore this task: {title}")
}

pub const DONE: &str = "✓ done";
pub const OPEN: &str = "○ open";
pub const RESTORE_THIS_TASK: &str = "Restore this task";
pub const ONLY_TO_BE_LOOKED_AT: &str = "Read-only view. Restoring a task is a new change, and can be undone.";
pub const THE_LIST_AS_OF: &str = "Time travel";
pub const HEADING: &str = "List at a point in time";
pub const TASKS_NOW: &str = "Current tasks";

/// Number of tasks whose earlier state was erased from the audit log.
pub fn erased(count: i64) -> String {
    let tasks = plural(count, "task", "tasks");
    format!("The data of {count} more {tasks} was erased from the audit log.")
}
