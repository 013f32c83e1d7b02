//! Tasks as rows of lists, under the headings and in the order of a page.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::api::tasks::{TaskRow, TaskRows};
use crate::domain::id::{ApprovalId, TaskNumber};
use crate::domain::rank::{Overdue, Rank};
use crate::domain::task::{Actor, Due, Status, Task};
use crate::domain::time::{CivilDate, Timestamp};
use crate::domain::when;
use crate::usecases::tasks::TaskList;
use crate::words::tasks as words;

/// A task as a row of a list.
pub fn row(task: Task, now: &Timestamp, zone: &str) -> TaskRow {
    row_of(task, &when::overdue(now, zone), now, zone)
}

/// The same in a list whose first page was read at another time: the line between what was overdue then and what was to come puts
/// it under its heading.
fn row_of(task: Task, line: &Overdue, now: &Timestamp, zone: &str) -> TaskRow {
    let due = task.due.as_deref().and_then(|due| when::resolve(due, now, zone).ok());
    // A task in the bin is late for nothing.
    let open = task.status == Status::Pending && task.deleted_at.is_none();
    let late = |line: &Overdue| open && due.as_ref().is_some_and(|due| line.holds(due));
    let group = match day(&task) {
        _ if late(line) => words::OVERDUE.to_owned(),
        // A day that is over in another zone only is called like the one that it is here.
        Some(day) => when::label(&Due::Date(if open { day.max(line.today.clone()) } else { day }), now, zone),
        None => words::NO_DATE.to_owned(),
    };
    TaskRow {
        overdue: late(&when::overdue(now, zone)),
        due_label: due.map(|due| when::label(&due, now, zone)),
        repeats: task.recurrence.as_deref().map(when::repeats),
        ..TaskRow::plain(task, &group)
    }
}

/// The day by which a task is sorted: where its due date was set.
fn day(task: &Task) -> Option<CivilDate> {
    task.due.as_deref().and_then(|due| CivilDate::parse(due.get(..10)?).ok())
}

/// What others did to tasks and would do.
#[derive(Debug, Default)]
pub struct Marks {
    /// Whose hand changed each last.
    pub hands: HashMap<TaskNumber, Actor>,
    /// The request that would change each and waits for a yes.
    pub proposed: HashMap<TaskNumber, ApprovalId>,
}

/// A page of a list as rows, with the marks of others.
pub fn rows(list: TaskList, marks: &Marks, samples: Option<usize>, now: &Timestamp, zone: &str) -> TaskRows {
    let line = list.overdue.unwrap_or_else(|| when::overdue(now, zone));
    let listed = |task: Task| {
        let hand = marks.hands.get(&task.task_id).copied();
        let changed_by = hand.filter(|hand| matches!(hand, Actor::Agent | Actor::External));
        let proposed = marks.proposed.get(&task.task_id).copied();
        TaskRow { changed_by, proposed, ..row_of(task, &line, now, zone) }
    };
    let tasks = in_order(list.tasks.into_iter().map(listed).collect());
    TaskRows { tasks, total: list.total, next: list.next, samples }
}

/// Rows in the order in which a page shows them, which for views is that of their queries: open ones by day and rank, what is
/// overdue before them, rested ones newest first; each open one with its neighbours.
fn in_order(mut rows: Vec<TaskRow>) -> Vec<TaskRow> {
    let rested = |row: &TaskRow| row.task.deleted_at.clone().or_else(|| row.task.completed_at.clone());
    let late = |row: &TaskRow| row.group == words::OVERDUE;
    rows.sort_by_cached_key(|row| {
        let (rested, late) = (rested(row), late(row));
        let rank = if late { Rank::of(&row.task) } else { Rank::in_day(&row.task) };
        let open = rested.is_none().then_some((!late, rank));
        (Reverse(rested), open, row.task.task_id)
    });
    for at in 1..rows.len() {
        let [above, below] = [&rows[at - 1], &rows[at]];
        if above.together(below) {
            let [above, below] = [above.task.task_id, below.task.task_id];
            rows[at - 1].below = Some(below);
            rows[at].above = Some(above);
        }
    }
    rows
}

#[cfg(test)]
mod tests;
