//! The order of tasks by hand. A list is sorted by day; among the tasks of a day, and among what is overdue, the owner decides who
//! stands where.

use super::changes::{self, Changed, Step};
use super::{By, Ctx, Error, require, tasks};
use crate::domain::Invalid;
use crate::domain::id::TaskNumber;
use crate::domain::rank::{Overdue, Rank};
use crate::domain::task::{Operation, Status, Task};
use crate::domain::time::CivilDate;
use crate::domain::user::Scope;
use crate::domain::when;
use crate::store::places::Among;
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
    let among = group(&before, &other, when::overdue(&ctx.now(), &by.caller.user.zone))?;
    let title = other.task.title.to_string();
    let Some((low, high)) = gap(tx, by, number, &other.task, beside, &among).await? else {
        let task = before.task;
        return Ok(Moved {
            changed: Changed { change_id: None, before: Some(task.clone()), after: task, next: None },
            other: title,
        });
    };
    // Ranks once given by an older version may be the same.
    let Some(between) = Rank::between(&low.0, &high.0, number.0) else {
        let other = beside.other();
        return Err(Error::Conflict(format!("There is no room beside task #{other}; move that one first.")));
    };
    let mut after = before.clone();
    after.task.rank = Some(between);
    let changed = changes::make(tx, by, &ctx.now(), Step::new(Operation::Update, Some(before), after)).await?;
    Ok(Moved { changed, other: title })
}

/// What a group is sorted by.
type Stand = (Rank, TaskNumber);

fn stand(task: &Task, among: &Among) -> Stand {
    let rank = match among {
        Among::Overdue(_) => Rank::of(task),
        Among::Day(..) => Rank::in_day(task),
    };
    (rank, task.task_id)
}

/// Between what the task is to stand: the other one and its neighbour on that side. `None` where the task is that neighbour.
async fn gap(
    tx: &mut Tx,
    by: By<'_>,
    number: TaskNumber,
    other: &Task,
    beside: Beside,
    among: &Among,
) -> Result<Option<(Stand, Stand)>, Error> {
    let there = stand(other, among);
    let ranks = store::places::ranks(tx, by.caller.id(), among).await?;
    let all = ranks.into_iter().map(|(number, rank)| (rank, number));
    // At an end of its group it stands within the day of the last one: what joins the group later comes in by its own day.
    let (low, high) = match beside {
        Beside::Before(_) => {
            let first = (there.0.start_of_day(), other.task_id);
            (all.filter(|stand| *stand < there).max().unwrap_or(first), there)
        }
        Beside::After(_) => {
            let last = (there.0.end_of_day(), other.task_id);
            let high = all.filter(|stand| *stand > there).min().unwrap_or(last);
            (there, high)
        }
    };
    Ok((low.1 != number && high.1 != number).then_some((low, high)))
}

/// The tasks among which both stand; refuses what the order by day would not keep.
fn group(one: &Stored, other: &Stored, line: Overdue) -> Result<Among, Error> {
    for Stored { task, .. } in [one, other] {
        if task.status == Status::Completed {
            return Err(Error::Conflict(format!(
                "Task #{} is completed; only open tasks are put in order.",
                task.task_id
            )));
        }
    }
    let late = |it: &Stored| it.due.as_ref().is_some_and(|due| line.holds(due));
    let day = |it: &Stored| it.due.as_ref().map(|due| CivilDate::parse(due.day())).transpose();
    match (late(one), late(other)) {
        (true, true) => return Ok(Among::Overdue(line)),
        (false, false) if day(one)? == day(other)? => return Ok(Among::Day(day(one)?, line)),
        _ => {}
    }
    let (one, other) = (one.task.task_id, other.task.task_id);
    Err(Error::Conflict(format!(
        "Task #{other} stands under another date. Give task #{one} that date, and it stands there."
    )))
}
