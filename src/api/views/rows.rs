//! Task rows with the headings and the order of a page.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::api::tasks::{TaskRow, TaskRows};
use crate::domain::id::{ApprovalId, TaskNumber};
use crate::domain::rank::{Overdue, Rank};
use crate::domain::task::{Actor, Due, Status, Task};
use crate::domain::time::{CivilDate, Timestamp};
use crate::domain::when;
use crate::messages::tasks as messages;
use crate::usecases::tasks::TaskPage;

pub fn row(task: Task, now: &Timestamp, zone: &str) -> TaskRow {
    row_of(task, &when::overdue(now, zone), now, zone)
}

/// Converts a task into a row of a list whose first page was read earlier. `line` is the overdue limit of that time, which
/// decides the heading.
fn row_of(task: Task, line: &Overdue, now: &Timestamp, zone: &str) -> TaskRow {
    let due = task.due.as_deref().and_then(|due| when::resolve(due, now, zone).ok());
    // A task in the bin is never overdue.
    let open = task.status == Status::Pending && task.deleted_at.is_none();
    let late = |line: &Overdue| open && due.as_ref().is_some_and(|due| line.holds(due));
    let group = match day(&task) {
        _ if late(line) => messages::OVERDUE.to_owned(),
        // A due date's day can have passed here without the task being overdue: group it under today.
        Some(day) => when::label(&Due::Date(if open { day.max(line.today.clone()) } else { day }), now, zone),
        None => messages::NO_DATE.to_owned(),
    };
    TaskRow {
        overdue: late(&when::overdue(now, zone)),
        due_label: due.map(|due| when::label(&due, now, zone)),
        repeats: task.recurrence.as_deref().map(when::repeats),
        ..TaskRow::plain(task, &group)
    }
}

/// Returns the day by which a task is sorted, in the zone in which its due date was set.
fn day(task: &Task) -> Option<CivilDate> {
    task.due.as_deref().and_then(|due| CivilDate::parse(due.get(..10)?).ok())
}

/// Changes and proposals that a list marks.
#[derive(Debug, Default)]
pub struct Marks {
    /// Actor of each task's last change.
    pub hands: HashMap<TaskNumber, Actor>,
    /// The pending approval that would change each task.
    pub proposed: HashMap<TaskNumber, ApprovalId>,
}

/// Converts a page of a list, with its marks.
pub fn rows(list: TaskPage, marks: &Marks, samples: Option<usize>, now: &Timestamp, zone: &str) -> TaskRows {
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

/// Sorts rows as the queries of the views do: open ones by day and rank, overdue ones before them, closed ones newest first.
/// Links each open row to its neighbours.
fn in_order(mut rows: Vec<TaskRow>) -> Vec<TaskRow> {
    let rested = |row: &TaskRow| row.task.deleted_at.clone().or_else(|| row.task.completed_at.clone());
    let late = |row: &TaskRow| row.group == messages::OVERDUE;
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
