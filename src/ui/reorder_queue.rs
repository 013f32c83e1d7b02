//! The queue of manual moves. Every list shows them at once, and they are sent whichever page is open.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::form_actions::FormActions;
use super::http;
use crate::api::tasks::{MoveTask, TaskRow};
use crate::domain::id::TaskNumber;

/// A moved row, until the server's list includes the move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reorder {
    pub task: TaskNumber,
    pub other: TaskNumber,
    /// True to move below `other`, false to move above it.
    pub after: bool,
    /// Version of the row after the move; `None` until the server has answered.
    known_at: Option<i64>,
}

impl Reorder {
    pub fn new(task: TaskNumber, other: TaskNumber, after: bool) -> Self {
        Self { task, other, after, known_at: None }
    }

    /// Returns true if the server's list, with this row, includes the move.
    pub fn is_known(&self, row: &TaskRow) -> bool {
        self.known_at.is_some_and(|version| row.task.version >= version)
    }

    fn form(&self) -> String {
        let side = if self.after { "after" } else { "before" };
        http::form(&[("task_id", &self.task.to_string()), (side, &self.other.to_string())])
    }
}

/// The moves of all lists, from context.
#[derive(Clone, Copy)]
pub struct ReorderQueue {
    /// The moves in order. They are sent one at a time, since concurrent requests may arrive out of order.
    all: RwSignal<Vec<Reorder>>,
    acts: FormActions,
}

impl ReorderQueue {
    pub fn provide(acts: FormActions) {
        provide_context(Self { all: RwSignal::new(vec![]), acts });
    }

    pub fn current() -> Self {
        expect_context()
    }

    /// Reads and tracks the moves.
    pub fn with<T>(self, read: impl FnOnce(&[Reorder]) -> T) -> T {
        self.all.with(|moves| read(moves))
    }

    /// Removes the moves that a list of these rows includes.
    pub fn forget_known(self, rows: &[TaskRow]) {
        let known = |it: &Reorder| rows.iter().any(|row| row.task.task_id == it.task && it.is_known(row));
        if self.all.with_untracked(|moves| moves.iter().any(known)) {
            self.all.update(|moves| moves.retain(|it| !known(it)));
        }
    }

    /// Queues a move and sends it after the ones before it.
    pub fn add(self, new: Reorder) {
        let waiting = self.all.try_update(|moves| {
            moves.push(new);
            moves.iter().filter(|it| it.known_at.is_none()).count()
        });
        if waiting == Some(1) {
            self.send();
        }
    }

    /// Sends the first unanswered move, then the next. A refused move cancels the ones behind it.
    fn send(self) {
        let first = |moves: &Vec<Reorder>| moves.iter().find(|it| it.known_at.is_none()).map(Reorder::form);
        let Some(form) = self.all.try_with_untracked(first).flatten() else { return };
        self.acts.post(MoveTask::PATH, form, move |answer| {
            let version = answer.ok().and_then(|answer| answer["version"].as_i64());
            self.all.try_update(|moves| answered(moves, version));
            self.send();
        });
    }
}

/// Records the answer to the first unanswered move: the row's new version, or `None` if it was refused.
pub fn answered(moves: &mut Vec<Reorder>, version: Option<i64>) {
    match version {
        None => moves.retain(|it| it.known_at.is_some()),
        Some(_) => {
            if let Some(first) = moves.iter_mut().find(|it| it.known_at.is_none()) {
                first.known_at = version;
            }
        }
    }
}
