//! Manual order of a list's rows: shown at once, and reverted if the server refuses it.

use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use crate::api::tasks::{MoveTask, TaskRow};
use crate::domain::id::TaskNumber;
use crate::ui::browser;
use crate::ui::reorder_queue::{Reorder, ReorderQueue};

#[derive(Clone, Copy)]
pub struct Order {
    rows: Signal<Vec<TaskRow>>,
    moves: ReorderQueue,
}

impl Order {
    pub fn new(rows: Signal<Vec<TaskRow>>) -> Self {
        Self { rows, moves: ReorderQueue::current() }
    }

    pub fn shown(self) -> Vec<TaskRow> {
        self.moves.with(|moves| arranged(self.rows.get(), moves))
    }

    /// Moves a row next to another, at once and on the server. Does nothing if it is already there.
    pub fn put(self, task: i64, other: i64, after: bool) {
        let (task, other) = (TaskNumber(task), TaskNumber(other));
        if stands(&untrack(|| self.shown()), task, other, after) {
            return;
        }
        browser::keep_focus();
        self.rows.with_untracked(|rows| self.moves.forget_known(rows));
        self.moves.add(Reorder::new(task, other, after));
    }

    /// Handles the move buttons of a row's form.
    pub fn pressed(self, event: SubmitEvent) {
        let Some((_, form)) = browser::form_of(&event).filter(|(path, _)| path == MoveTask::url()) else { return };
        event.prevent_default();
        let number = |name: &str| {
            form.split('&').find_map(|pair| pair.split_once('=').filter(|pair| pair.0 == name)?.1.parse::<i64>().ok())
        };
        let (before, after) = (number("before"), number("after"));
        if let (Some(task), Some(other)) = (number("task_id"), before.or(after)) {
            self.put(task, other, after.is_some());
        }
    }

    /// Returns true if one row may be moved next to the other.
    pub fn may_lie_beside(self, task: i64, other: i64) -> bool {
        self.rows.with_untracked(|rows| {
            let row = |number: i64| rows.iter().find(|row| row.task.task_id.0 == number);
            task != other && row(task).zip(row(other)).is_some_and(|(task, other)| task.together(other))
        })
    }
}

fn position(rows: &[TaskRow], number: TaskNumber) -> Option<usize> {
    rows.iter().position(|row| row.task.task_id == number)
}

/// Returns true if the row is already there.
fn stands(rows: &[TaskRow], task: TaskNumber, other: TaskNumber, after: bool) -> bool {
    let places = position(rows, task).zip(position(rows, other));
    places.is_some_and(|(task, other)| if after { task == other + 1 } else { task + 1 == other })
}

/// Applies the moves that the server's rows do not include yet.
fn arranged(mut rows: Vec<TaskRow>, moves: &[Reorder]) -> Vec<TaskRow> {
    let mut changed = false;
    for it in moves {
        let (Some(from), Some(to)) = (position(&rows, it.task), position(&rows, it.other)) else { continue };
        // One of the two may have moved by now.
        if it.is_known(&rows[from]) || !rows[from].together(&rows[to]) {
            continue;
        }
        let row = rows.remove(from);
        rows.insert(to - usize::from(from < to) + usize::from(it.after), row);
        changed = true;
    }
    if changed {
        name_neighbours(&mut rows);
    }
    rows
}

/// Updates the neighbours, so that a second press continues from the new position.
fn name_neighbours(rows: &mut [TaskRow]) {
    for at in 0..rows.len() {
        let beside =
            |other: Option<&TaskRow>| other.filter(|other| other.together(&rows[at])).map(|other| other.task.task_id);
        let (above, below) = (at.checked_sub(1).and_then(|at| beside(rows.get(at))), beside(rows.get(at + 1)));
        (rows[at].above, rows[at].below) = (above, below);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::tasks as messages;
    use crate::ui::reorder_queue::answered;

    /// A row from number, version and heading.
    fn row((number, version, group): (i64, i64, &str)) -> TaskRow {
        let at = "2026-03-11T09:30:00Z";
        let task = serde_json::json!({
            "task_id": number, "title": "milk", "description": null, "status": "pending", "priority": "none", "due": null,
            "project": null, "tags": [], "recurrence": null, "version": version, "created_at": at, "updated_at": at,
            "completed_at": null, "deleted_at": null,
        });
        TaskRow::plain(serde_json::from_value(task).unwrap(), group)
    }

    fn list(rows: &[(i64, i64, &str)]) -> Vec<TaskRow> {
        rows.iter().copied().map(row).collect()
    }

    fn numbers(rows: &[TaskRow]) -> Vec<i64> {
        rows.iter().map(|row| row.task.task_id.0).collect()
    }

    fn moved(task: i64, other: i64, after: bool) -> Reorder {
        Reorder::new(TaskNumber(task), TaskNumber(other), after)
    }

    const TODAY: [(i64, i64, &str); 4] = [(1, 1, "Today"), (2, 1, "Today"), (3, 1, "Today"), (4, 1, "Today")];

    #[test]
    fn every_move_is_shown_until_the_list_knows_of_it() {
        let mut moves = vec![moved(4, 1, false), moved(3, 1, true)];
        assert_eq!(numbers(&arranged(list(&TODAY), &moves)), [4, 1, 3, 2]);
        // Only the first move is answered: neither row jumps back.
        answered(&mut moves, Some(2));
        assert_eq!(numbers(&arranged(list(&TODAY), &moves)), [4, 1, 3, 2]);
        let later = [(4, 2, "Today"), (1, 1, "Today"), (2, 1, "Today"), (3, 1, "Today")];
        assert_eq!(numbers(&arranged(list(&later), &moves)), [4, 1, 3, 2]);
    }

    #[test]
    fn a_move_that_changed_nothing_ends_with_its_answer() {
        let mut moves = vec![moved(2, 1, true)];
        answered(&mut moves, Some(1));
        let later = [(2, 1, "Today"), (1, 2, "Tomorrow"), (3, 1, "Tomorrow")];
        assert_eq!(numbers(&arranged(list(&later), &moves)), [2, 1, 3]);
    }

    #[test]
    fn no_row_follows_another_under_its_new_heading() {
        let later = [(2, 1, "Today"), (3, 1, "Today"), (1, 2, "Tomorrow")];
        let rows = arranged(list(&later), &[moved(2, 1, true)]);
        assert_eq!(numbers(&rows), [2, 3, 1]);
    }

    #[test]
    fn refused_move_discards_the_moves_queued_after_it() {
        let mut moves = vec![moved(4, 1, false), moved(3, 1, true), moved(2, 4, false)];
        answered(&mut moves, Some(2));
        answered(&mut moves, None);
        assert_eq!(numbers(&arranged(list(&TODAY), &moves)), [4, 1, 2, 3]);
    }

    #[test]
    fn rows_of_two_days_under_one_heading_are_no_neighbours() {
        let mut rows = list(&TODAY);
        for (row, due) in rows.iter_mut().zip(["2026-03-10", "2026-03-10", "2026-03-11", "2026-03-11"]) {
            row.task.due = Some(due.to_owned());
        }
        let beside = |rows: &[TaskRow], at: usize| (rows[at].above.map(|it| it.0), rows[at].below.map(|it| it.0));
        let moved_on = arranged(rows.clone(), &[moved(2, 1, false)]);
        assert_eq!(numbers(&moved_on), [2, 1, 3, 4]);
        assert_eq!((beside(&moved_on, 1), beside(&moved_on, 2)), ((Some(2), None), (None, Some(4))));
        // The server would refuse this move.
        assert_eq!(numbers(&arranged(rows.clone(), &[moved(3, 2, false)])), [1, 2, 3, 4]);
        rows.iter_mut().for_each(|row| messages::OVERDUE.clone_into(&mut row.group));
        assert_eq!(numbers(&arranged(rows, &[moved(3, 2, false)])), [1, 3, 2, 4]);
    }

    #[test]
    fn a_row_knows_its_neighbours_where_it_was_put() {
        let rows = arranged(list(&TODAY), &[moved(4, 2, false)]);
        let beside = |at: usize| (rows[at].above.map(|it| it.0), rows[at].below.map(|it| it.0));
        assert_eq!((beside(0), beside(1), beside(3)), ((None, Some(4)), (Some(1), Some(2)), (Some(2), None)));
    }

    #[test]
    fn a_row_stands_already_where_it_stands() {
        let rows = list(&TODAY);
        let at = |task, other, after| stands(&rows, TaskNumber(task), TaskNumber(other), after);
        assert!(at(2, 1, true) && at(2, 3, false));
        assert!(!at(2, 1, false) && !at(2, 3, true) && !at(2, 4, false));
    }
}
