//! One thing done to several tasks.

use super::BulkAct;
use crate::api::ApiError;
use crate::api::listed::Listed;
use crate::domain::Invalid;
use crate::domain::id::TaskNumber;
use crate::domain::task::{Edit, Priority, Status};
use crate::domain::user::Scope;
use crate::usecases::tasks::{self, Changed};
use crate::usecases::{By, Ctx, Error, Tx};
use crate::words::{counts, tasks as words};

/// Most tasks of one request.
const MAX: usize = 200;

/// The numbers that a form names, each once.
pub fn several(sent: Option<Listed>) -> Result<Vec<TaskNumber>, ApiError> {
    let sent = sent.unwrap_or_default().0;
    let mut numbers =
        sent.iter().map(|text| TaskNumber::parse(text)).collect::<Result<Vec<_>, _>>().map_err(ApiError::malformed)?;
    numbers.sort_unstable();
    numbers.dedup();
    match numbers.len() {
        0 => Err(Invalid::because(words::SELECT_THE_TASKS_FIRST).into()),
        1..=MAX => Ok(numbers),
        count => Err(Invalid::because(words::too_many_at_once(count, MAX)).into()),
    }
}

impl BulkAct {
    /// Reads a name from a form.
    pub fn parse(text: &str) -> Result<Self, ApiError> {
        let found = Self::ALL.into_iter().find(|act| act.as_str() == text);
        let names = Self::ALL.map(Self::as_str).join(", ");
        Ok(found.ok_or_else(|| Invalid::because(words::cannot_be_done_to_several(text, &names)))?)
    }

    /// What a token needs for it.
    pub fn scope(self) -> Scope {
        match self {
            Self::Delete | Self::Restore => Scope::TasksDelete,
            Self::Complete | Self::Reopen | Self::Due | Self::Priority | Self::Project => Scope::TasksWrite,
        }
    }

    /// Does it to one task; of `edit` only the named field counts.
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
        // A date of what is done would never come up again.
        if self == Self::Due && changed.after.status == Status::Completed {
            return Err(Error::Conflict(words::reopen_before_due(&number.to_string())));
        }
        Ok(changed)
    }

    /// What was done, as `Completed 3 tasks`.
    pub fn done(self, count: usize) -> String {
        let tasks = counts::tasks(count);
        match self {
            Self::Complete => words::completed(&tasks),
            Self::Reopen => words::reopened(&tasks),
            Self::Delete => words::moved_to_the_bin(&tasks),
            Self::Restore => words::restored(&tasks),
            Self::Due | Self::Priority | Self::Project => words::changed(&tasks),
        }
    }
}
