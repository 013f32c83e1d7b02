//! Manual task order. Lists are sorted by day; the owner orders the tasks of a day, and the overdue ones.

use super::changes::{self, Changed, Step};
use super::{By, Ctx, Error, require, tasks};
use crate::domain::Invalid;
use crate::domain::id::TaskNumber;
use crate::domain::rank::{Overdue, Rank};
use crate::domain::task::{Operation, Status, Task};
use crate::domain::time::CivilDate;
use crate::domain::user::Scope;
use crate::domain::when;
use crate::store::task_order::Group;
use crate::store::tasks::Stored;
use crate::store::{self, Tx};

/// Target position of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    /// Directly before that task.
    Before(TaskNumber),
    /// Directly after that task.
    After(TaskNumber),
}

impl Beside {
    fn other(self) -> TaskNumber {
        match self {
            Self::Before(number) | Self::After(number) => number,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Moved {
    /// The moved task; no other task changes.
    pub changed: Changed,
    /// Title of the new neighbour.
    pub other: String,
}

/// Moves an open task next to another one of the same day, or of the overdue group. A task that is there already keeps its version, and no
/// change is recorded.
pub async fn place(ctx: &Ctx, tx: &mut Tx, by: By<'_>, number: TaskNumber, beside: Beside) -> Result<Moved, Error> {
    require(by.caller, Scope::TasksWrite)?;
    if number == beside.other() {
        return Err(Invalid::because("A task cannot be moved next to itself.").into());
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
    // Older versions may have given two tasks the same rank.
    let Some(between) = Rank::between(&low.0, &high.0, number.0) else {
        let other = beside.other();
        return Err(Error::Conflict(format!("There is no room next to task #{other}. Move that task first.")));
    };
    let mut after = before.clone();
    after.task.rank = Some(between);
    let changed = changes::make(tx, by, &ctx.now(), Step::new(Operation::Update, Some(before), after)).await?;
    Ok(Moved { changed, other: title })
}

/// Sort key within a group.
type Stand = (Rank, TaskNumber);

fn stand(task: &Task, among: &Group) -> Stand {
    let rank = match among {
        Group::Overdue(_) => Rank::of(task),
        Group::Day(..) => Rank::in_day(task),
    };
    (rank, task.task_id)
}

/// Returns the sort keys around the target position; `None` if the task is there already.
async fn gap(
    tx: &mut Tx,
    by: By<'_>,
    number: TaskNumber,
    other: &Task,
    beside: Beside,
    among: &Group,
) -> Result<Option<(Stand, Stand)>, Error> {
    let there = stand(other, among);
    let ranks = store::task_order::ranks(tx, by.caller.id(), among).await?;
    let all = ranks.into_iter().map(|(number, rank)| (rank, number));
    // At an end of its group, the task stays within the day of its neighbour, so that later tasks sort by their own day.
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

/// Returns the group of both tasks; refuses a move that the order by day would not keep.
fn group(one: &Stored, other: &Stored, line: Overdue) -> Result<Group, Error> {
    for Stored { task, .. } in [one, other] {
        if task.status == Status::Completed {
            return Err(Error::Conflict(format!(
                "Task #{} is completed. Only open tasks can be reordered.",
                task.task_id
            )));
        }
    }
    let late = |it: &Stored| it.due.as_ref().is_some_and(|due| line.holds(due));
    let day = |it: &Stored| it.due.as_ref().map(|due| CivilDate::parse(due.day())).transpose();
    match (late(one), late(other)) {
        (true, true) => return Ok(Group::Overdue(line)),
        (false, false) if day(one)? == day(other)? => return Ok(Group::Day(day(one)?, line)),
        _ => {}
    }
    let (one, other) = (one.task.task_id, other.task.task_id);
    Err(Error::Conflict(format!("Task #{other} has another date. To move task #{one} there, give it that date.")))
}
