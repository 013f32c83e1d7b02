//! Order of tasks in lists by day. Column `place` is the rank within the task's day. For overdue tasks a manual `rank` takes
//! precedence.

use sqlx::FromRow;

use super::tasks::{Stored, corrupt, due};
use super::{Error, Tx, on};
use crate::domain::id::{TaskNumber, UserId};
use crate::domain::rank::{Order, Overdue, Rank};
use crate::domain::task::{Due, Priority};
use crate::domain::time::{CivilDate, Timestamp};

/// A cursor: the next page begins after it.
#[derive(Debug, Clone, PartialEq)]
pub struct Cursor {
    pub key: SortKey,
    pub number: TaskNumber,
}

/// A list's sort key, before the task number.
#[derive(Debug, Clone, PartialEq)]
pub enum SortKey {
    Number,
    /// Tasks that were overdue at `at` sort first.
    Day {
        at: Timestamp,
        overdue: bool,
        rank: Rank,
    },
    Rested(Timestamp),
}

/// A group of open tasks within which one is reordered.
#[derive(Debug, Clone, PartialEq)]
pub enum Group {
    Overdue(Overdue),
    /// Tasks due on a day, or without a due date, that are not overdue.
    Day(Option<CivilDate>, Overdue),
}

/// Returns number and rank of the user's tasks in the group, in any order.
pub async fn ranks(tx: &mut Tx, user: UserId, among: &Group) -> Result<Vec<(TaskNumber, Rank)>, Error> {
    let rows: Vec<(TaskNumber, String)> = match among {
        Group::Overdue(line) => on!(tx, |conn| sqlx::query_as(
            "SELECT number, COALESCE(rank, place) FROM tasks
             WHERE user_id = $1 AND status = 'pending' AND deleted_at IS NULL AND (due_date < $2 OR due_at < $3)"
        )
        .bind(user)
        .bind(&line.today)
        .bind(&line.now)
        .fetch_all(conn)
        .await)?,
        Group::Day(day, line) => on!(tx, |conn| sqlx::query_as(
            "SELECT number, place FROM tasks
             WHERE user_id = $1 AND status = 'pending' AND deleted_at IS NULL
                 AND (due_date < $2 OR due_at < $3) IS NOT TRUE AND due_day IS NOT DISTINCT FROM $4"
        )
        .bind(user)
        .bind(&line.today)
        .bind(&line.now)
        .bind(day)
        .fetch_all(conn)
        .await)?,
    };
    let read = |(number, rank)| {
        let rank = Rank::from_stored(rank).ok_or_else(|| corrupt(number, "place"));
        rank.map(|rank| (number, rank))
    };
    rows.into_iter().map(read).collect()
}

/// Returns the task's cursor in a list of that order; `None` if it does not occur there.
pub async fn place(tx: &mut Tx, user: UserId, stored: &Stored, order: &Order) -> Result<Option<Cursor>, Error> {
    let task = &stored.task;
    let key = match order {
        Order::Number => Some(SortKey::Number),
        // Read from the row, since the list is sorted by the stored rank.
        Order::Day(line) => {
            let sql = "SELECT place, rank FROM tasks WHERE user_id = $1 AND number = $2";
            let row: Option<(String, Option<String>)> =
                on!(tx, |conn| sqlx::query_as(sql).bind(user).bind(task.task_id).fetch_optional(conn).await)?;
            let overdue = stored.due.as_ref().is_some_and(|due| line.holds(due));
            let rank = row.map(|(place, rank)| rank.filter(|_| overdue).unwrap_or(place)).and_then(Rank::from_stored);
            rank.map(|rank| SortKey::Day { at: line.now.clone(), overdue, rank })
        }
        Order::Urgency(_) => None,
        Order::Rested => task.deleted_at.clone().or_else(|| task.completed_at.clone()).map(SortKey::Rested),
    };
    Ok(key.map(|key| Cursor { key, number: task.task_id }))
}

/// A task without a rank, with the fields that determine it.
#[derive(FromRow)]
pub(super) struct Unplaced {
    user_id: UserId,
    number: TaskNumber,
    due_date: Option<CivilDate>,
    due_at: Option<Timestamp>,
    due_zone: Option<String>,
    priority: i32,
    rank: Option<String>,
}

impl Unplaced {
    fn place(self) -> Result<Rank, Error> {
        let number = self.number;
        let due = due(number, self.due_date, self.due_at, self.due_zone)?;
        let rank = self.rank.map(|rank| Rank::from_stored(rank).ok_or_else(|| corrupt(number, "rank"))).transpose()?;
        Ok(Rank::placed(rank, due.as_ref().map(Due::as_str), Priority::from_rank(self.priority), number.0))
    }
}

/// Returns all users' tasks without a rank, which a migration leaves for the program to compute. Runs at each start; an index
/// serves it.
pub(super) async fn unplaced(tx: &mut Tx) -> Result<Vec<Unplaced>, Error> {
    Ok(on!(tx, |conn| {
        sqlx::query_as(
            "SELECT user_id, number, due_date, due_at, due_zone, priority, rank FROM tasks
             WHERE place = '' AND purged_at IS NULL",
        )
        .fetch_all(conn)
        .await
    })?)
}

/// Computes and stores the ranks. Skips a task that cannot be read, e.g. because of an unknown time zone, until a later start.
pub(super) async fn fill(tx: &mut Tx, unplaced: Vec<Unplaced>) -> Result<(), Error> {
    for row in unplaced {
        let (user, number) = (row.user_id, row.number);
        let place = match row.place() {
            Ok(place) => place,
            Err(error) => {
                tracing::warn!(%error, "a task has no place in lists by day");
                continue;
            }
        };
        // Another process may have set it meanwhile.
        on!(tx, |conn| sqlx::query("UPDATE tasks SET place = $3 WHERE user_id = $1 AND number = $2 AND place = ''")
            .bind(user)
            .bind(number)
            .bind(place.as_str())
            .execute(conn)
            .await
            .map(drop))?;
    }
    Ok(())
}
