//! Rows put elsewhere by hand, on their way to the server: each list shows them, and they go out whichever page is open by then.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::acts::Acts;
use super::call;
use crate::api::tasks::{MoveTask, TaskRow};
use crate::domain::id::TaskNumber;

/// A row that was put elsewhere, as long as the server's list does not say so itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    pub task: TaskNumber,
    pub other: TaskNumber,
    /// Below the other one, not above it.
    pub after: bool,
    /// The version of the row that stands there; `None` until the server has answered.
    known_at: Option<i64>,
}

impl Move {
    pub fn new(task: TaskNumber, other: TaskNumber, after: bool) -> Self {
        Self { task, other, after, known_at: None }
    }

    /// Whether the server's list, where the row is this one, knows of it.
    pub fn is_known(&self, row: &TaskRow) -> bool {
        self.known_at.is_some_and(|version| row.task.version >= version)
    }

    fn form(&self) -> String {
        let side = if self.after { "after" } else { "before" };
        call::form(&[("task_id", &self.task.to_string()), (side, &self.other.to_string())])
    }
}

/// The moves of all lists, from context.
#[derive(Clone, Copy)]
pub struct Moves {
    /// In the order in which they were made. They are sent one after another: two at once may arrive the other way round.
    all: RwSignal<Vec<Move>>,
    acts: Acts,
}

impl Moves {
    pub fn provide(acts: Acts) {
        provide_context(Self { all: RwSignal::new(vec![]), acts });
    }

    pub fn current() -> Self {
        expect_context()
    }

    /// Reads them; whoever does follows them.
    pub fn with<T>(self, read: impl FnOnce(&[Move]) -> T) -> T {
        self.all.with(|moves| read(moves))
    }

    /// Forgets those that a list of these rows shows itself.
    pub fn forget_known(self, rows: &[TaskRow]) {
        let known = |it: &Move| rows.iter().any(|row| row.task.task_id == it.task && it.is_known(row));
        if self.all.with_untracked(|moves| moves.iter().any(known)) {
            self.all.update(|moves| moves.retain(|it| !known(it)));
        }
    }

    /// Has the server do it, after those that wait already.
    pub fn add(self, new: Move) {
        let waiting = self.all.try_update(|moves| {
            moves.push(new);
            moves.iter().filter(|it| it.known_at.is_none()).count()
        });
        if waiting == Some(1) {
            self.send();
        }
    }

    /// Sends the first move that waits, and then the next; what waits behind a refused one is given up with it.
    fn send(self) {
        let first = |moves: &Vec<Move>| moves.iter().find(|it| it.known_at.is_none()).map(Move::form);
        let Some(form) = self.all.try_with_untracked(first).flatten() else { return };
        self.acts.post_then(MoveTask::PATH, form, move |answer| {
            let version = answer.ok().and_then(|answer| answer["version"].as_i64());
            self.all.try_update(|moves| answered(moves, version));
            self.send();
        });
    }
}

/// Takes in what became of the first move that waited: the version that the row has there, or none where it was refused.
pub fn answered(moves: &mut Vec<Move>, version: Option<i64>) {
    match version {
        None => moves.retain(|it| it.known_at.is_some()),
        Some(_) => {
            if let Some(first) = moves.iter_mut().find(|it| it.known_at.is_none()) {
                first.known_at = version;
            }
        }
    }
}
