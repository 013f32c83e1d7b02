//! One action on several tasks.

use super::{BulkAct, TaskRow};
use crate::api::repeated_field::RepeatedField;
use crate::api::{ApiError, views};
use crate::domain::Invalid;
use crate::domain::id::TaskNumber;
use crate::domain::task::{Edit, Priority, Status};
use crate::domain::tool::MOST_TARGETS;
use crate::domain::user::{Caller, Scope};
use crate::messages::{counts, tasks as messages};
use crate::usecases::tasks::{self, Changed};
use crate::usecases::{By, Commit, Ctx, Error, Tx};

/// Largest number of tasks that are changed on a serving thread.
pub const FEW: usize = 50;

/// Parses the task numbers of a form, without duplicates.
pub fn several(sent: Option<RepeatedField>) -> Result<Vec<TaskNumber>, ApiError> {
    let sent = sent.unwrap_or_default().0;
    let mut numbers =
        sent.iter().map(|text| TaskNumber::parse(text)).collect::<Result<Vec<_>, _>>().map_err(ApiError::malformed)?;
    numbers.sort_unstable();
    numbers.dedup();
    match numbers.len() {
        0 => Err(Invalid::because(messages::SELECT_THE_TASKS_FIRST).into()),
        1..=MOST_TARGETS => Ok(numbers),
        count => Err(Invalid::because(messages::too_many_at_once(count, MOST_TARGETS)).into()),
    }
}

impl BulkAct {
    pub fn parse(text: &str) -> Result<Self, ApiError> {
        let found = Self::ALL.into_iter().find(|act| act.as_str() == text);
        let names = Self::ALL.map(Self::as_str).join(", ");
        Ok(found.ok_or_else(|| Invalid::because(messages::cannot_be_done_to_several(text, &names)))?)
    }

    /// Returns the scope that a token needs for the action.
    pub fn scope(self) -> Scope {
        match self {
            Self::Delete | Self::Restore => Scope::TasksDelete,
            Self::Complete | Self::Reopen | Self::Due | Self::Priority | Self::Project => Scope::TasksWrite,
        }
    }

    /// Runs the action on all tasks or on none.
    pub async fn run_on(
        self,
        ctx: &Ctx,
        caller: &Caller,
        numbers: &[TaskNumber],
        edit: &Edit,
    ) -> Result<Vec<TaskRow>, ApiError> {
        let (now, zone, by) = (ctx.now(), &caller.user.zone, By::person(caller));
        let (mut tx, mut tasks) = (ctx.write_many().await?, vec![]);
        for number in numbers {
            let changed = self.run(ctx, &mut tx, by, *number, edit).await?;
            tasks.push(views::changed(changed, &now, zone));
        }
        ctx.commit_at(tx, Commit::Edit).await?;
        Ok(tasks)
    }

    /// Runs the action on one task; of `edit`, only the action's own field counts.
    pub async fn run(
        self,
        ctx: &Ctx,
        tx: &mut Tx,
        by: By<'_>,
        number: TaskNumber,
        edit: &Edit,
    ) -> Result<Changed, Error> {
        let Edit { due, priority, project, .. } = edit.clone();
        let only = match self {
            Self::Complete => return tasks::complete(ctx, tx, by, number, None).await,
            Self::Reopen => return tasks::reopen(ctx, tx, by, number, None).await,
            Self::Delete => return tasks::delete(ctx, tx, by, number, None).await,
            Self::Restore => return tasks::restore(ctx, tx, by, number, None).await,
            Self::Due => Edit { due: due.or(Some(None)), ..Edit::default() },
            Self::Priority => Edit { priority: priority.or(Some(Priority::None)), ..Edit::default() },
            Self::Project => Edit { project: project.or(Some(None)), ..Edit::default() },
        };
        let changed = tasks::edit(ctx, tx, by, number, only, None).await?;
        // A due date on a completed task would never take effect.
        if self == Self::Due && changed.after.status == Status::Completed {
            return Err(Error::Conflict(messages::reopen_before_due(&number.to_string())));
        }
        Ok(changed)
    }

    /// Describes the result: `Completed 3 tasks`.
    pub fn done(self, count: usize) -> String {
        let tasks = counts::tasks(count);
        match self {
            Self::Complete => messages::completed(&tasks),
            Self::Reopen => messages::reopened(&tasks),
            Self::Delete => messages::moved_to_the_bin(&tasks),
            Self::Restore => messages::restored(&tasks),
            Self::Due | Self::Priority | Self::Project => messages::changed(&tasks),
        }
    }
}
