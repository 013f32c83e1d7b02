//! A task as a row of a list.

use serde::Serialize;

use crate::domain::id::{ApprovalId, ChangeId, TaskNumber};
use crate::domain::task::{Actor, Tag, Task};
use crate::messages::tasks as messages;

/// Formats the wire form of a due date as input text: `2026-03-13`, or `2026-03-13 17:00`.
pub fn due_input(due: Option<&str>) -> String {
    let Some(due) = due else { return String::new() };
    match (due.get(..10), due.get(11..16)) {
        (Some(day), Some(time)) => format!("{day} {time}"),
        _ => due.to_owned(),
    }
}

/// Formats tags as the text of one input.
pub fn tags_input(tags: &[Tag]) -> String {
    tags.iter().map(Tag::as_str).collect::<Vec<_>>().join(", ")
}

/// A task with its times as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct TaskRow {
    #[serde(flatten)]
    pub task: Task,
    /// `tomorrow 17:00`.
    pub due_label: Option<String>,
    pub overdue: bool,
    /// Heading of the task's group in a list: `Overdue`, `Today`, `Friday, 13 March`, `No date`.
    pub group: String,
    /// `every Monday`.
    pub repeats: Option<String>,
    /// The change that was just made, for Undo; absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change_id: Option<ChangeId>,
    /// Actor of the last change, if within the last day and not the owner; in lists only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed_by: Option<Actor>,
    /// The open tasks directly before and after it with which it can be swapped; in lists only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub above: Option<TaskNumber>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below: Option<TaskNumber>,
    /// The pending approval that would change the task; in lists only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposed: Option<ApprovalId>,
}

read_flat!(TaskRow { task: Task, due_label: Option<String>, overdue: bool, group: String, repeats: Option<String>, change_id: Option<ChangeId>, changed_by: Option<Actor>, above: Option<TaskNumber>, below: Option<TaskNumber>, proposed: Option<ApprovalId> });

impl TaskRow {
    /// Returns true if the two rows may be moved next to each other. Both must be open and have one heading, and one day unless
    /// they are overdue. A heading can hold two days, as days are those of the due dates' own zones.
    pub fn together(&self, other: &Self) -> bool {
        let open = |row: &Self| row.task.completed_at.is_none() && row.task.deleted_at.is_none();
        let one_day = self.group == messages::OVERDUE || self.day() == other.day();
        self.group == other.group && one_day && open(self) && open(other)
    }

    /// Returns the day of the due date in the zone in which it was set.
    fn day(&self) -> Option<&str> {
        self.task.due.as_deref()?.get(..10)
    }
}

#[cfg(feature = "ssr")]
impl TaskRow {
    /// Creates a row with a heading and no labels.
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
