//! The order of tasks by hand. A list is sorted by day; among the tasks of a day the owner decides who stands where.

use super::changes::{self, Changed, Step};
use super::{By, Ctx, Error, require, tasks};
use crate::domain::Invalid;
use crate::domain::id::TaskNumber;
use crate::domain::rank::Rank;
use crate::domain::task::{Operation, Status};
use crate::domain::time::{CivilDate, Timestamp};
use crate::domain::user::Scope;
use crate::domain::when;
use crate::store::tasks::Stored;
use crate::store::{self, Tx};

/// Where a task is to stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    /// Directly before that one.
    Before(TaskNumber),
    /// Directly after it.
    After(TaskNumber),
}

impl Beside {
    fn other(self) -> TaskNumber {
        match self {
            Self::Before(number) | Self::After(number) => number,
        }
    }
}

/// What a move came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Moved {
    /// Of the task that was moved; nothing else changes.
    pub changed: Changed,
    /// The one that it stands beside now.
    pub other: String,
}

/// Puts an open task beside another one of the same day, or among those that are overdue. A task that stands there already
/// stays at its version, and nothing is recorded.
pub async fn place(ctx: &Ctx, tx: &mut Tx, by: By<'_>, number: TaskNumber, beside: Beside) -> Result<Moved, Error> {
    require(by.caller, Scope::TasksWrite)?;
    if number == beside.other() {
        return Err(Invalid::because("A task cannot stand beside itself.").into());
    }
    let before = tasks::writable(tx, by, number, None).await?;
    let other = tasks::writable(tx, by, beside.other(), None).await?;
    same_group(&before, &other, &ctx.now(), &by.caller.user.zone)?;
    let title = other.task.title.to_string();
    let (low, high) = gap(tx, by, number, &other, beside).await?;
    let now = Rank::of(&before.task);
    if low < now && now < high {
        let task = before.task;
        return Ok(Moved {
            changed: Changed { change_id: None, before: Some(task.clone()), after: task, next: None },
            other: title,
        });
    }
    let mut after = before.clone();
    after.task.rank = Rank::between(&low, &high);
    let changed = changes::make(tx, by, &ctx.now(), Step::new(Operation::Update, Some(before), after)).await?;
    Ok(Moved { changed, other: title })
}

/// The ranks between which the task is to stand: of the other one and of its neighbour on that side.
async fn gap(
    tx: &mut Tx,
    by: By<'_>,
    number: TaskNumber,
    other: &Stored,
    beside: Beside,
) -> Result<(Rank, Rank), Error> {
    let due = other.task.due.as_deref();
    let day = other.due.as_ref().map(|due| CivilDate::parse(due.day())).transpose()?;
    let there = Rank::of(&other.task);
    let ranks = store::tasks::ranks(tx, by.caller.id(), day.as_ref()).await?;
    let others = ranks.into_iter().filter(|(other, _)| *other != number).map(|(_, rank)| rank);
    // Two that were brought to one rank by an undo leave no room between them: then it stands before both, or after.
    Ok(match beside {
        Beside::Before(_) => {
            let low = others.filter(|rank| *rank < there).max().unwrap_or_else(|| Rank::first_of(due));
            (low, there)
        }
        Beside::After(_) => {
            let high = others.filter(|rank| *rank > there).min().unwrap_or_else(|| Rank::last_of(due));
            (there, high)
        }
    })
}

/// Refuses what the order by day would not keep.
fn same_group(one: &Stored, other: &Stored, now: &Timestamp, zone: &str) -> Result<(), Error> {
    for Stored { task, .. } in [one, other] {
        if task.status == Status::Completed {
            return Err(Error::Conflict(format!(
                "Task #{} is completed; only open tasks are put in order.",
                task.task_id
            )));
        }
    }
    let late = |it: &Stored| it.due.as_ref().is_some_and(|due| when::is_overdue(due, now, zone));
    let day = |it: &Stored| it.due.as_ref().map(|due| due.day().to_owned());
    let same = (late(one) && late(other)) || (late(one) == late(other) && day(one) == day(other));
    if same {
        return Ok(());
    }
    let (one, other) = (one.task.task_id, other.task.task_id);
    Err(Error::Conflict(format!(
        "Task #{other} stands under another date. Give task #{one} that date, and it stands there."
    )))
}
