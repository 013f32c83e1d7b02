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
        0 => Err(Invalid::because("Select the tasks first.").into()),
        1..=MAX => Ok(numbers),
        count => Err(Invalid::because(format!("{count} tasks are too many at once; at most {MAX} fit.")).into()),
    }
}

impl BulkAct {
    /// Reads a name from a form.
    pub fn parse(text: &str) -> Result<Self, ApiError> {
        let found = Self::ALL.into_iter().find(|act| act.as_str() == text);
        let names = Self::ALL.map(Self::as_str).join(", ");
        Ok(found.ok_or_else(|| {
            Invalid::because(format!("“{text}” cannot be done to several tasks; use one of {names}."))
        })?)
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
            return Err(Error::Conflict(format!(
                "Task #{number} is completed: reopen it before you set its due date."
            )));
        }
        Ok(changed)
    }

    /// What was done, as `Completed 3 tasks`.
    pub fn done(self, count: usize) -> String {
        let tasks = if count == 1 { "1 task".to_owned() } else { format!("{count} tasks") };
        match self {
            Self::Complete => format!("Completed {tasks}"),
            Self::Reopen => format!("Reopened {tasks}"),
            Self::Delete => format!("Moved {tasks} to the bin"),
            Self::Restore => format!("Restored {tasks}"),
            Self::Due | Self::Priority | Self::Project => format!("Changed {tasks}"),
        }
    }
}
