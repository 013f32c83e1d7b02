//! Form fields of tasks, and their conversion.

use crate::messages::tasks as messages;
use serde::{Deserialize, Serialize};

/// The lists of the tasks page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum View {
    /// Due today, or overdue.
    Today,
    /// Due later than today.
    Upcoming,
    /// All open tasks.
    #[default]
    All,
    Done,
    Bin,
}

impl View {
    /// Every view, in display order.
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

    /// Returns the label on the page.
    pub fn label(self) -> &'static str {
        match self {
            Self::Today => messages::TODAY,
            Self::Upcoming => messages::UPCOMING,
            Self::All => messages::ALL,
            Self::Done => messages::DONE,
            Self::Bin => messages::BIN,
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|view| view.as_str() == text)
    }
}

/// An action on several tasks at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BulkAct {
    Complete,
    Reopen,
    Delete,
    Restore,
    /// Sets the due date; an empty value clears it. Also true for the next two.
    Due,
    Priority,
    Project,
}

impl BulkAct {
    pub const ALL: [Self; 7] =
        [Self::Complete, Self::Reopen, Self::Delete, Self::Restore, Self::Due, Self::Priority, Self::Project];

    /// Returns the name on the wire.
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

/// Number of tasks in each view.
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

/// A search of the task list. Every field narrows it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Search {
    /// `all`, `pending` or `completed`.
    pub status: Option<String>,
    /// Name of one of the page's views.
    pub view: Option<String>,
    /// Words of the title or notes.
    pub query: Option<String>,
    /// `overdue`, `today`, `week`, or a date.
    pub due: Option<String>,
    pub priority: Option<String>,
    pub project: Option<String>,
    pub tag: Option<String>,
    pub cursor: Option<String>,
}

impl Search {
    pub fn of(view: View) -> Self {
        Self { view: Some(view.as_str().to_owned()), ..Self::default() }
    }
}

/// Task fields as a form sends them. A missing field is left alone; an empty one is cleared.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fields {
    pub title: Option<String>,
    pub description: Option<String>,
    /// An ISO date or date-time, or a phrase such as `tomorrow 5pm`.
    pub due: Option<String>,
    pub priority: Option<String>,
    pub project: Option<String>,
    /// An RRULE, or a phrase such as `every monday`. With an empty `due`, the phrase's first day becomes the due date.
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
    use crate::api::repeated_field::RepeatedField;
    use crate::api::tasks::lines;
    use crate::domain::comparison::{is_blank, visible};
    use crate::domain::id::{ChangeId, ImportId, TurnId};
    use crate::domain::rank::Order;
    use crate::domain::task::{Description, DueFilter, Edit, Filter, NewTask, Priority, Project, Status, Tag, Title};
    use crate::domain::time::Timestamp;
    use crate::domain::{Invalid, day_filter, when};
    use crate::messages::tasks as messages;
    use crate::usecases::undo::{self, Target, Undone};
    use crate::usecases::{By, Ctx, Error, Tx};

    impl Search {
        /// Converts the search into a filter of the store, with dates in the caller's zone.
        pub fn filter(&self, now: &Timestamp, zone: &str) -> Result<Filter, ApiError> {
            let mut filter = Filter {
                query: given(&self.query).map(str::to_owned),
                accents: false,
                priority: given(&self.priority).map(Priority::parse).transpose()?,
                project: given(&self.project).map(Project::parse).transpose()?,
                tag: given(&self.tag).map(|tag| Tag::parse(tag.trim_start_matches('@'))).transpose()?,
                status: match given(&self.status) {
                    None | Some("all") => None,
                    Some(status) => Some(Status::parse(status)?),
                },
                due: given(&self.due).map(|due| span(due, now, zone)).transpose()?,
                completed: None,
                binned: false,
                order: Order::default(),
            };
            if let Some(name) = given(&self.view) {
                let view = View::parse(name).ok_or_else(|| Invalid::because(messages::no_view(name)))?;
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
        /// Builds a new task from a quick-add line, if given, overridden by the fields.
        pub fn new_task(
            &self,
            line: Option<String>,
            plain: Option<RepeatedField>,
            tags: Option<RepeatedField>,
            now: &Timestamp,
            zone: &str,
        ) -> Result<NewTask, ApiError> {
            let mut new = match given(&line) {
                Some(line) => lines::of_line(lines::read_line(line, plain, now, zone)?)?,
                None => NewTask::titled(Title::parse(self.named()?)?),
            };
            // A new task has no status to clear.
            let fields = Self { status: given(&self.status).map(str::to_owned), ..self.clone() };
            let Edit { title: _, description, due, priority, project, tags, recurrence, status: _ } =
                fields.edit(tags, now, zone)?;
            new.description = description.flatten().or(new.description);
            // Without another date, the first day of the recurrence becomes the due date.
            let repeats = given(&self.recurrence).map(|text| when::resolve_recurrence(text, now, zone)).transpose()?;
            new.due = due.flatten().or(new.due).or(repeats.and_then(|(_, first)| first));
            new.priority = priority.filter(|_| given(&self.priority).is_some()).unwrap_or(new.priority);
            new.project = project.flatten().or(new.project);
            new.tags = tags.unwrap_or(new.tags);
            new.recurrence = recurrence.flatten().or(new.recurrence);
            Ok(new)
        }

        fn named(&self) -> Result<&str, ApiError> {
            self.title.as_deref().ok_or_else(|| ApiError::new(Code::Malformed, messages::TITLE_MISSING))
        }

        /// Converts the given fields into an edit.
        pub fn edit(&self, tags: Option<RepeatedField>, now: &Timestamp, zone: &str) -> Result<Edit, ApiError> {
            let mut due = cleared(&self.due, |text| when::resolve(text, now, zone))?;
            let repeats = cleared(&self.recurrence, |text| when::resolve_recurrence(text, now, zone))?;
            // A new recurrence sets the due date if `due` is empty. If `due` is missing, only one with a time of day does,
            // which rules do not store.
            if let (None | Some(None), Some(Some((_, first)))) = (&due, &repeats) {
                let first = if due.is_none() { when::timed_start(first.as_ref()) } else { first.clone() };
                due = first.map(Some).or(due);
            }
            Ok(Edit {
                title: self.title.as_deref().map(Title::parse).transpose()?,
                description: self.description.as_deref().map(notes).transpose()?,
                due,
                priority: cleared(&self.priority, Priority::parse)?.map(Option::unwrap_or_default),
                project: cleared(&self.project, |text| Project::parse(text.trim_start_matches('#')))?,
                tags: tags.map(|tags| lines::read_tags(tags.0)).transpose()?,
                recurrence: repeats.map(|repeats| repeats.map(|(rule, _)| rule)),
                status: self.status.as_deref().map(Status::parse).transpose()?,
            })
        }

        /// Clears the fields that `clear` names, as if each had been sent empty.
        pub fn clear(&mut self, tags: &mut Option<RepeatedField>, clear: Option<RepeatedField>) -> Result<(), Invalid> {
            let names = clear.unwrap_or_default().0;
            for name in names.iter().flat_map(|names| names.split(',')).map(str::trim) {
                let field = match name {
                    "" => continue,
                    "tags" if tags.as_ref().is_some_and(|tags| tags.0.iter().any(|tag| !tag.trim().is_empty())) => {
                        return Err(Invalid::because(messages::given_and_cleared(name)));
                    }
                    "tags" => {
                        *tags = Some(RepeatedField::default());
                        continue;
                    }
                    "description" | "notes" => &mut self.description,
                    "due" => &mut self.due,
                    "priority" => &mut self.priority,
                    "project" => &mut self.project,
                    "recurrence" => &mut self.recurrence,
                    _ => return Err(Invalid::because(messages::cannot_be_cleared(name))),
                };
                if given(field).is_some() {
                    return Err(Invalid::because(messages::given_and_cleared(name)));
                }
                *field = Some(String::new());
            }
            Ok(())
        }
    }

    /// Undoes all targets, newest first. With `rest`, undoes those changes of a single target that no later change depends on.
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

    /// Parses the one kind of target that is given; only changes may be several.
    pub fn undo_targets(
        changes: Option<RepeatedField>,
        invocation: Option<String>,
        turn: Option<String>,
        import: Option<String>,
    ) -> Result<Vec<Target>, ApiError> {
        let changes: Vec<_> = changes.unwrap_or_default().0.into_iter().filter(|id| !is_blank(id)).collect();
        let targets = match (changes.as_slice(), given(&invocation), given(&turn), given(&import)) {
            ([_, ..], None, None, None) => changes.iter().map(|id| ChangeId::parse(id).map(Target::Change)).collect(),
            ([], Some(id), None, None) => id.parse().map(|id| vec![Target::Invocation(id)]),
            ([], None, Some(id), None) => TurnId::parse(id).map(|id| vec![Target::Turn(id)]),
            ([], None, None, Some(id)) => ImportId::parse(id).map(|id| vec![Target::Import(id)]),
            _ => Err(Invalid::because(messages::GIVE_ONE_TARGET)),
        };
        targets.map_err(ApiError::malformed)
    }

    fn given(field: &Option<String>) -> Option<&str> {
        field.as_deref().map(str::trim).and_then(visible)
    }

    /// Returns `None` if the field was not sent, and `Some(None)` if it was sent empty.
    fn cleared<T>(
        field: &Option<String>,
        read: impl Fn(&str) -> Result<T, Invalid>,
    ) -> Result<Option<Option<T>>, ApiError> {
        match field.as_deref().map(str::trim) {
            None => Ok(None),
            Some(text) if is_blank(text) => Ok(Some(None)),
            Some(text) => Ok(Some(Some(read(text)?))),
        }
    }

    /// Parses notes; `None` if they are blank.
    fn notes(text: &str) -> Result<Option<Description>, Invalid> {
        Description::parse(text).map(|notes| Some(notes).filter(|notes| !notes.as_str().is_empty()))
    }

    fn span(due: &str, now: &Timestamp, zone: &str) -> Result<DueFilter, Invalid> {
        day_filter::span_of(due, now, zone).ok_or_else(|| Invalid::because(messages::no_due_filter(due)))
    }
}
