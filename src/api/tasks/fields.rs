//! The fields of forms about tasks, and what they mean.

use crate::words::tasks as words;
use serde::{Deserialize, Serialize};

/// The lists that the tasks page offers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum View {
    /// Due today, or overdue.
    Today,
    /// Due later than today.
    Upcoming,
    /// All that are not done.
    #[default]
    All,
    Done,
    Bin,
}

impl View {
    /// Every view, in the order in which they are shown.
    pub const ALL: [Self; 5] = [Self::Today, Self::Upcoming, Self::All, Self::Done, Self::Bin];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Today => "today",
            Self::Upcoming => "upcoming",
            Self::All => "all",
            Self::Done => "done",
            Self::Bin => "bin",
        }
    }

    /// Its name on the page.
    pub fn label(self) -> &'static str {
        match self {
            Self::Today => words::TODAY,
            Self::Upcoming => words::UPCOMING,
            Self::All => words::ALL,
            Self::Done => words::DONE,
            Self::Bin => words::BIN,
        }
    }

    /// Reads a name from a URL.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|view| view.as_str() == text)
    }
}

/// What can be done to several tasks at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BulkAct {
    Complete,
    Reopen,
    Delete,
    Restore,
    /// Sets the due date; an empty one clears it. The next two likewise.
    Due,
    Priority,
    Project,
}

impl BulkAct {
    /// Every act.
    pub const ALL: [Self; 7] =
        [Self::Complete, Self::Reopen, Self::Delete, Self::Restore, Self::Due, Self::Priority, Self::Project];

    /// Its name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Reopen => "reopen",
            Self::Delete => "delete",
            Self::Restore => "restore",
            Self::Due => "due",
            Self::Priority => "priority",
            Self::Project => "project",
        }
    }
}

/// How many tasks each view holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Counts {
    pub today: i64,
    pub upcoming: i64,
    pub all: i64,
    pub done: i64,
    pub bin: i64,
}

impl Counts {
    pub fn of(&self, view: View) -> i64 {
        match view {
            View::Today => self.today,
            View::Upcoming => self.upcoming,
            View::All => self.all,
            View::Done => self.done,
            View::Bin => self.bin,
        }
    }

    pub fn set(&mut self, view: View, count: i64) {
        match view {
            View::Today => self.today = count,
            View::Upcoming => self.upcoming = count,
            View::All => self.all = count,
            View::Done => self.done = count,
            View::Bin => self.bin = count,
        }
    }
}

/// What a list is asked for. Every field narrows it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Search {
    /// `all`, `pending` or `completed`.
    pub status: Option<String>,
    /// One of the page's views.
    pub view: Option<String>,
    /// Words of the title or description.
    pub query: Option<String>,
    /// `overdue`, `today`, `week`, or a date.
    pub due: Option<String>,
    pub priority: Option<String>,
    pub project: Option<String>,
    pub tag: Option<String>,
    pub cursor: Option<String>,
}

impl Search {
    /// One view and no other filter.
    pub fn of(view: View) -> Self {
        Self { view: Some(view.as_str().to_owned()), ..Self::default() }
    }
}

/// The fields of a task as a form sends them. A field that is not sent is left alone; an empty one is cleared.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fields {
    pub title: Option<String>,
    pub description: Option<String>,
    /// An ISO date or date-time, or a phrase such as `tomorrow 5pm`.
    pub due: Option<String>,
    pub priority: Option<String>,
    pub project: Option<String>,
    /// An RRULE, or a phrase such as `every monday`. With an empty `due`, a phrase's first day is the date.
    pub recurrence: Option<String>,
    /// `pending` or `completed`.
    pub status: Option<String>,
}

#[cfg(feature = "ssr")]
pub use server::{take_back, undo_targets};

#[cfg(feature = "ssr")]
mod server {
    use super::{Fields, Search, View};
    use crate::api::ApiError;
    use crate::api::error::Code;
    use crate::api::listed::Listed;
    use crate::api::tasks::lines;
    use crate::domain::id::{ChangeId, ImportId, TurnId};
    use crate::domain::rank::Order;
    use crate::domain::task::{
        Description, Due, DueFilter, Edit, Filter, NewTask, Priority, Project, Status, Tag, Title,
    };
    use crate::domain::time::Timestamp;
    use crate::domain::{Invalid, when};
    use crate::usecases::undo::{self, Target, Undone};
    use crate::usecases::{By, Ctx, Error, Tx};
    use crate::words::tasks as words;

    /// Most characters of what was typed that a refusal repeats.
    const QUOTED: usize = 60;

    impl Search {
        /// The filter that the store knows, resolved in the caller's zone.
        pub fn filter(&self, now: &Timestamp, zone: &str) -> Result<Filter, ApiError> {
            let mut filter = Filter {
                query: given(&self.query).map(str::to_owned),
                priority: given(&self.priority).map(Priority::parse).transpose()?,
                project: given(&self.project).map(Project::parse).transpose()?,
                tag: given(&self.tag).map(|tag| Tag::parse(tag.trim_start_matches('@'))).transpose()?,
                status: match given(&self.status) {
                    None | Some("all") => None,
                    Some(status) => Some(Status::parse(status)?),
                },
                due: given(&self.due).map(|due| span(due, now, zone)).transpose()?,
                binned: false,
                order: Order::default(),
            };
            if let Some(name) = given(&self.view) {
                let view = View::parse(name).ok_or_else(|| Invalid::because(words::no_view(name)))?;
                view.narrow(&mut filter, now, zone)?;
            }
            Ok(filter)
        }
    }

    impl View {
        fn narrow(self, filter: &mut Filter, now: &Timestamp, zone: &str) -> Result<(), ApiError> {
            filter.binned = self == Self::Bin;
            filter.status = match self {
                Self::Today | Self::Upcoming | Self::All => Some(Status::Pending),
                Self::Done => Some(Status::Completed),
                Self::Bin => None,
            };
            filter.order = match self {
                Self::Today | Self::Upcoming | Self::All => Order::Day(when::overdue(now, zone)),
                Self::Done | Self::Bin => Order::Rested,
            };
            match self {
                Self::Today => filter.due = Some(DueFilter { from: None, ..span("today", now, zone)? }),
                Self::Upcoming => {
                    let today = span("today", now, zone)?.to;
                    let from = today.and_then(|day| day.to_jiff().tomorrow().ok()).map(Into::into);
                    filter.due = Some(DueFilter { from, to: None, before: None });
                }
                Self::All | Self::Done | Self::Bin => {}
            }
            Ok(())
        }
    }

    impl Fields {
        /// A new task: from a quick-add line if there is one, the fields on top of it.
        pub fn new_task(
            &self,
            line: Option<String>,
            plain: Option<Listed>,
            tags: Option<Listed>,
            now: &Timestamp,
            zone: &str,
        ) -> Result<NewTask, ApiError> {
            let mut new = match given(&line) {
                Some(line) => lines::of_line(lines::read_line(line, plain, now, zone)?)?,
                None => NewTask::titled(Title::parse(self.named()?)?),
            };
            let edit = self.edit(tags, now, zone)?;
            new.description = edit.description.flatten().or(new.description);
            new.due = edit.due.flatten().or(new.due);
            new.priority = edit.priority.unwrap_or(new.priority);
            new.project = edit.project.flatten().or(new.project);
            new.tags = edit.tags.unwrap_or(new.tags);
            new.recurrence = edit.recurrence.flatten().or(new.recurrence);
            Ok(new)
        }

        fn named(&self) -> Result<&str, ApiError> {
            self.title.as_deref().ok_or_else(|| ApiError::new(Code::Malformed, words::TITLE_MISSING))
        }

        /// The edit that the given fields mean.
        pub fn edit(&self, tags: Option<Listed>, now: &Timestamp, zone: &str) -> Result<Edit, ApiError> {
            let mut due = cleared(&self.due, |text| when::resolve(text, now, zone))?;
            let repeats = cleared(&self.recurrence, |text| repeating(text, now, zone))?;
            // What begins to repeat and has no date is due for the first time.
            if let (Some(None), Some(Some((_, first)))) = (&due, &repeats) {
                due = Some(first.clone());
            }
            Ok(Edit {
                title: self.title.as_deref().map(Title::parse).transpose()?,
                description: self.description.as_deref().map(notes).transpose()?,
                due,
                priority: given(&self.priority).map(Priority::parse).transpose()?,
                project: cleared(&self.project, |text| Project::parse(text.trim_start_matches('#')))?,
                tags: tags.map(|tags| lines::read_tags(tags.0)).transpose()?,
                recurrence: repeats.map(|repeats| repeats.map(|(rule, _)| rule)),
                status: given(&self.status).map(Status::parse).transpose()?,
            })
        }
    }

    /// Takes back the targets whole, the newest first, or with `rest` what of one stands alone.
    pub async fn take_back(
        ctx: &Ctx,
        tx: &mut Tx,
        by: By<'_>,
        targets: Vec<Target>,
        rest: bool,
    ) -> Result<Undone, Error> {
        if let ([target], true) = (targets.as_slice(), rest) {
            return undo::rest(ctx, tx, by, *target).await;
        }
        let mut done = vec![];
        for target in targets.into_iter().rev() {
            done.extend(undo::all(ctx, tx, by, target).await?);
        }
        Ok(Undone { done, left: vec![] })
    }

    /// Reads the one of the four that is given; of changes there may be several.
    pub fn undo_targets(
        changes: Option<Listed>,
        invocation: Option<String>,
        turn: Option<String>,
        import: Option<String>,
    ) -> Result<Vec<Target>, ApiError> {
        let changes: Vec<_> = changes.unwrap_or_default().0.into_iter().filter(|id| !id.trim().is_empty()).collect();
        let targets = match (changes.as_slice(), given(&invocation), given(&turn), given(&import)) {
            ([_, ..], None, None, None) => changes.iter().map(|id| ChangeId::parse(id).map(Target::Change)).collect(),
            ([], Some(id), None, None) => id.parse().map(|id| vec![Target::Invocation(id)]),
            ([], None, Some(id), None) => TurnId::parse(id).map(|id| vec![Target::Turn(id)]),
            ([], None, None, Some(id)) => ImportId::parse(id).map(|id| vec![Target::Import(id)]),
            _ => Err(Invalid::because(words::GIVE_ONE_TARGET)),
        };
        targets.map_err(ApiError::malformed)
    }

    fn given(field: &Option<String>) -> Option<&str> {
        field.as_deref().map(str::trim).filter(|text| !text.is_empty())
    }

    /// `None` where the field was not sent, `Some(None)` where it was sent empty.
    fn cleared<T>(
        field: &Option<String>,
        read: impl Fn(&str) -> Result<T, Invalid>,
    ) -> Result<Option<Option<T>>, ApiError> {
        match field.as_deref().map(str::trim) {
            None => Ok(None),
            Some("") => Ok(Some(None)),
            Some(text) => Ok(Some(Some(read(text)?))),
        }
    }

    /// Notes; `None` where there is nothing but white space.
    fn notes(text: &str) -> Result<Option<Description>, Invalid> {
        Description::parse(text).map(|notes| Some(notes).filter(|notes| !notes.as_str().is_empty()))
    }

    /// A rule as it stands, or the rule that a phrase means and when that is for the first time.
    fn repeating(text: &str, now: &Timestamp, zone: &str) -> Result<(String, Option<Due>), Invalid> {
        if when::is_recurrence(text) {
            return Ok((text.to_owned(), None));
        }
        let read = when::parse(text, now, zone).and_then(|read| Some((read.recurrence?, Some(read.due))));
        read.ok_or_else(|| Invalid::because(words::does_not_repeat(&text.chars().take(QUOTED).collect::<String>())))
    }

    fn span(due: &str, now: &Timestamp, zone: &str) -> Result<DueFilter, Invalid> {
        when::span_of(due, now, zone).ok_or_else(|| Invalid::because(words::no_due_filter(due)))
    }
}
