//! Tasks without a place in lists by day.

use sqlx::FromRow;

use super::tasks::{corrupt, due};
use super::{Error, Tx, on};
use crate::domain::id::{TaskNumber, UserId};
use crate::domain::rank::Rank;
use crate::domain::task::{Due, Priority};
use crate::domain::time::{CivilDate, Timestamp};

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
        if let Some(rank) = self.rank {
            return Rank::from_stored(rank).ok_or_else(|| corrupt(number, "rank"));
        }
        let due = due(number, self.due_date, self.due_at, self.due_zone)?;
        Ok(Rank::natural(due.as_ref().map(Due::as_str), Priority::from_rank(self.priority), number.0))
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
