//! A task as a row of a list.

use serde::Serialize;

use crate::domain::id::{ApprovalId, ChangeId, TaskNumber};
use crate::domain::task::{Actor, Task};

/// A task with everything about time in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct TaskRow {
    #[serde(flatten)]
    pub task: Task,
    /// `tomorrow 17:00`.
    pub due_label: Option<String>,
    pub overdue: bool,
    /// The heading under which a list shows it: `Overdue`, `Today`, `Friday, 13 March`, `No date`.
    pub group: String,
    /// `every Monday`.
    pub repeats: Option<String>,
    /// The edit that was just made, for Undo; absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change_id: Option<ChangeId>,
    /// Whose hand changed it last, within the last day and if not the owner's; in lists only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed_by: Option<Actor>,
    /// The open tasks directly before and after it under the same heading; in lists only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub above: Option<TaskNumber>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below: Option<TaskNumber>,
    /// The request that would change it and waits for a yes; in lists only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposed: Option<ApprovalId>,
}

read_flat!(TaskRow { task: Task, due_label: Option<String>, overdue: bool, group: String, repeats: Option<String>, change_id: Option<ChangeId>, changed_by: Option<Actor>, above: Option<TaskNumber>, below: Option<TaskNumber>, proposed: Option<ApprovalId> });

#[cfg(feature = "ssr")]
impl TaskRow {
    /// A task under a heading, and nothing else about it.
    pub fn plain(task: Task, group: &str) -> Self {
        Self {
            task,
            due_label: None,
            overdue: false,
            group: group.to_owned(),
            repeats: None,
            change_id: None,
            changed_by: None,
            above: None,
            below: None,
            proposed: None,
        }
    }
}
