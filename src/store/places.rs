//! Where tasks stand in lists by day. A row's `place` is its rank within its day; among what is overdue its rank by hand, if it has
//! one, counts before that.

use sqlx::FromRow;

use super::tasks::{Stored, corrupt, due};
use super::{Error, Tx, on};
use crate::domain::id::{TaskNumber, UserId};
use crate::domain::rank::{Order, Overdue, Rank};
use crate::domain::task::{Due, Priority};
use crate::domain::time::{CivilDate, Timestamp};

/// Where a page ended: what sorts after it is on the next one.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    pub key: Key,
    pub number: TaskNumber,
}

/// What a list is sorted by, before the number.
#[derive(Debug, Clone, PartialEq)]
pub enum Key {
    Number,
    /// What was overdue `at` that instant comes first.
    Day {
        at: Timestamp,
        overdue: bool,
        rank: Rank,
    },
    Rested(Timestamp),
}

/// The open tasks among which one is put in order.
#[derive(Debug, Clone, PartialEq)]
pub enum Among {
    Overdue(Overdue),
    /// Those of a day, or without one, that are not overdue.
    Day(Option<CivilDate>, Overdue),
}

/// Where the user's tasks of that group stand in it: numbers and ranks, in any order.
pub async fn ranks(tx: &mut Tx, user: UserId, among: &Among) -> Result<Vec<(TaskNumber, Rank)>, Error> {
    let rows: Vec<(TaskNumber, String)> = match among {
        Among::Overdue(line) => on!(tx, |conn| sqlx::query_as(
            "SELECT number, COALESCE(rank, place) FROM tasks
             WHERE user_id = $1 AND status = 'pending' AND deleted_at IS NULL AND (due_date < $2 OR due_at < $3)"
        )
        .bind(user)
        .bind(&line.today)
        .bind(&line.now)
        .fetch_all(conn)
        .await)?,
        Among::Day(day, line) => on!(tx, |conn| sqlx::query_as(
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

/// Where the user's task stands in a list of that order; `None` where it has no place there.
pub async fn place(tx: &mut Tx, user: UserId, stored: &Stored, order: &Order) -> Result<Option<Place>, Error> {
    let task = &stored.task;
    let key = match order {
        Order::Number => Some(Key::Number),
        // As it is stored: that is what the list is sorted by.
        Order::Day(line) => {
            let sql = "SELECT place, rank FROM tasks WHERE user_id = $1 AND number = $2";
            let row: Option<(String, Option<String>)> =
                on!(tx, |conn| sqlx::query_as(sql).bind(user).bind(task.task_id).fetch_optional(conn).await)?;
            let overdue = stored.due.as_ref().is_some_and(|due| line.holds(due));
            let rank = row.map(|(place, rank)| rank.filter(|_| overdue).unwrap_or(place)).and_then(Rank::from_stored);
            rank.map(|rank| Key::Day { at: line.now.clone(), overdue, rank })
        }
        Order::Rested => task.deleted_at.clone().or_else(|| task.completed_at.clone()).map(Key::Rested),
    };
    Ok(key.map(|key| Place { key, number: task.task_id }))
}

/// A task that has no place yet, and what tells it.
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

/// The tasks of all users that have no place: where a migration has left them, those that only the program can place. An index
/// holds them, so that each start can look.
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

/// Gives them their places. One that cannot be read, such as with a zone that is not known here, is left for a later start; the
/// others do not wait for it.
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
        // Another process may have changed it meanwhile, and placed it.
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
