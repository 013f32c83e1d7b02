//! A task as a row of a list.

use serde::Serialize;

use crate::domain::id::{ApprovalId, ChangeId, TaskNumber};
use crate::domain::task::{Actor, Tag, Task};
use crate::words::tasks as words;

/// The wire form of a due date as a person would type it: `2026-03-13`, or `2026-03-13 17:00`.
pub fn due_input(due: Option<&str>) -> String {
    let Some(due) = due else { return String::new() };
    match (due.get(..10), due.get(11..16)) {
        (Some(day), Some(time)) => format!("{day} {time}"),
        _ => due.to_owned(),
    }
}

/// Tags as one field shows them.
pub fn tags_input(tags: &[Tag]) -> String {
    tags.iter().map(Tag::as_str).collect::<Vec<_>>().join(", ")
}

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
    /// The open tasks directly before and after it that it can change places with; in lists only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub above: Option<TaskNumber>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below: Option<TaskNumber>,
    /// The request that would change it and waits for a yes; in lists only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposed: Option<ApprovalId>,
}

read_flat!(TaskRow { task: Task, due_label: Option<String>, overdue: bool, group: String, repeats: Option<String>, change_id: Option<ChangeId>, changed_by: Option<Actor>, above: Option<TaskNumber>, below: Option<TaskNumber>, proposed: Option<ApprovalId> });

impl TaskRow {
    /// Whether a hand may put one beside the other: both are open and stand under one heading, and of one day but where that is
    /// what is overdue. A day that is over in another zone only stands under the heading of the one that it is here.
    pub fn together(&self, other: &Self) -> bool {
        let open = |row: &Self| row.task.completed_at.is_none() && row.task.deleted_at.is_none();
        let one_day = self.group == words::OVERDUE || self.day() == other.day();
        self.group == other.group && one_day && open(self) && open(other)
    }

    /// The day of its due date, where that was set.
    fn day(&self) -> Option<&str> {
        self.task.due.as_deref()?.get(..10)
    }
}

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
