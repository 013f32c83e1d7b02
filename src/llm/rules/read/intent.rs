//! Requests of a message, before any task is looked up.

use crate::domain::task::{Priority, Status};
use crate::llm::rules::read::shift::Shift;

/// One part of a message, in message order.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::llm::rules) enum Part {
    Add {
        items: Vec<NewItem>,
        unless_there: bool,
    },
    List(ListQuery),
    Get(Target),
    Complete(Target),
    /// A statement of something done; completes only a task that it repeats.
    Happened(String),
    Reopen(Target),
    Delete {
        target: Target,
        unneeded: bool,
    },
    Edit {
        target: Target,
        edit: Edits,
    },
    /// Undoes changes.
    Undo(Undo),
    /// A question to the person, with options.
    Ask {
        question: String,
        options: Vec<String>,
    },
    /// An answer without a tool call.
    Say(String),
    Refuse(String),
}

/// Changes to undo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::llm::rules) enum Undo {
    Last,
    Turn,
    Minutes(i64),
}

/// A new task, in wire form.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::llm::rules) struct NewItem {
    pub title: String,
    pub description: Option<String>,
    pub due: Option<String>,
    pub priority: Option<Priority>,
    pub project: Option<String>,
    pub tags: Vec<String>,
    pub recurrence: Option<String>,
    /// The name of its shopping list, which may also be an existing task.
    pub shop: Option<String>,
}

impl NewItem {
    /// Sets the fields of a change.
    pub fn take(&mut self, edit: &Edits) {
        if let Some(title) = &edit.title {
            self.title.clone_from(title);
        }
        if let Some(due) = &edit.due {
            self.due.clone_from(due);
        }
        if let Some(project) = &edit.project {
            self.project.clone_from(project);
        }
        if let Some(Tags::Add(names)) = &edit.tags {
            self.tags.extend(names.iter().cloned());
        }
        self.recurrence = edit.recurrence.clone().or(self.recurrence.take());
        self.priority = edit.priority.or(self.priority);
        self.description = edit.description.clone().or(self.description.take());
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::llm::rules) struct ListQuery {
    /// `None` includes both.
    pub status: Option<Status>,
    /// overdue, today, tomorrow, week or a date.
    pub due: Option<String>,
    /// The first and the last due date in wire form, instead of `due`.
    pub from: Option<String>,
    pub to: Option<String>,
    /// Completion period: today, yesterday, week, month or a date.
    pub completed: Option<String>,
    /// True for the first tasks only, most urgent first.
    pub first: bool,
    pub priority: Option<Priority>,
    /// Words to search for; with `asks`, the answer confirms or denies that they are there.
    pub words: Option<String>,
    pub asks: bool,
    pub count: bool,
    pub project: Option<String>,
    pub tag: Option<String>,
    /// A project, a tag or words, whichever the tasks have: "what is in ward", "everything for the kids".
    pub topic: Option<String>,
    /// True for repeating tasks only.
    pub repeats: bool,
    /// Words of tasks that are left out: "what is due today apart from the laundry".
    pub except: Option<String>,
}

impl ListQuery {
    /// Returns true if the tasks are filtered after the lookup, since the tool has no such filter.
    pub fn filters(&self) -> bool {
        self.topic.is_some() || self.repeats || self.except.is_some()
    }
}

/// Filters of a list other than due date and priority.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::llm::rules) struct Labels {
    pub project: Option<String>,
    pub tags: Vec<String>,
    /// Words that the tasks contain, as written.
    pub words: Option<String>,
}

/// Fields to set, in wire form; an inner `None` clears.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::llm::rules) struct Edits {
    pub title: Option<String>,
    /// A partial change of the title.
    pub reword: Option<Reword>,
    pub due: Option<Option<String>>,
    /// A shift of the current due date.
    pub shift: Option<Shift>,
    pub recurrence: Option<String>,
    /// True if the recurrence ends.
    pub ends: bool,
    pub priority: Option<Priority>,
    pub description: Option<String>,
    /// Words that the description replaces in the present one: "the note should say red folder, not blue".
    pub rejected: Option<String>,
    /// An inner `None` removes the task from its project.
    pub project: Option<Option<String>>,
    pub tags: Option<Tags>,
    /// True if only a time of day is given, so that the day remains.
    pub clock: bool,
    /// True if the next occurrence is skipped: the one of the due date, if there is one.
    pub skips: bool,
}

impl Edits {
    /// Returns true for a skipped occurrence and a corrected note, which depend on the task's current values.
    pub fn depends(&self) -> bool {
        self.skips || self.rejected.is_some()
    }

    /// Merges two changes; `None` if a field conflicts or depends on the task's current value.
    pub fn with(&self, more: &Self) -> Option<Self> {
        let derived =
            |edit: &Self| edit.tags.is_some() || edit.shift.is_some() || edit.reword.is_some() || edit.depends();
        let twice = self.title.is_some() && more.title.is_some()
            || self.due.is_some() && more.due.is_some()
            || self.priority.is_some() && more.priority.is_some()
            || self.description.is_some() && more.description.is_some()
            || self.project.is_some() && more.project.is_some();
        let empty = *self == Self::default() || *more == Self::default();
        (!(derived(self) || derived(more) || twice || empty)).then(|| Self {
            title: self.title.clone().or_else(|| more.title.clone()),
            due: self.due.clone().or_else(|| more.due.clone()),
            recurrence: self.recurrence.clone().or_else(|| more.recurrence.clone()),
            priority: self.priority.or(more.priority),
            description: self.description.clone().or_else(|| more.description.clone()),
            project: self.project.clone().or_else(|| more.project.clone()),
            clock: self.clock || more.clock,
            ends: self.ends || more.ends,
            ..Self::default()
        })
    }
}

/// A change of tags.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::llm::rules) enum Tags {
    Add(Vec<String>),
    /// Without names, removes the task's only tag.
    Remove(Vec<String>),
    Clear,
}

/// A partial change of a title.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::llm::rules) enum Reword {
    Append(String),
    Prepend(String),
    Replace { old: String, new: String },
}

impl Reword {
    /// Returns the texts of the change.
    pub fn texts(&self) -> Vec<&str> {
        match self {
            Self::Append(text) | Self::Prepend(text) => vec![text],
            Self::Replace { old, new } => vec![old, new],
        }
    }
}

/// The task or tasks that a request concerns.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::llm::rules) enum Target {
    Numbers(Vec<i64>),
    /// Positions in the last list shown, from 1; negative from its end.
    Places(Vec<i64>),
    /// The task of the previous turn.
    It,
    /// All tasks of the previous turn.
    Them,
    All(Scope),
    /// A description as written. `named` is true if it is quoted or explicitly a task on the list.
    Words {
        text: String,
        quoted: bool,
        named: bool,
    },
    /// The significant words of a preceding statement: "the sofa is sold, so bin it".
    Said(String),
    /// An unspecified task.
    Missing,
}

/// A bulk target.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::llm::rules) struct Scope {
    pub status: Option<Status>,
    /// True for overdue tasks only.
    pub overdue: bool,
    /// Only tasks due on this day, in wire form.
    pub day: Option<String>,
    /// Only tasks with these words.
    pub words: Option<String>,
    pub priority: Option<Priority>,
    /// Only tasks of this project.
    pub project: Option<String>,
    /// Only tasks with this tag.
    pub tag: Option<String>,
    /// True if a single task is meant.
    pub one: bool,
    /// True if only the tasks of the previous turn are meant: "all of them except 2".
    pub shown: bool,
    pub except: Option<Box<Target>>,
}

/// Returns the target of a part that concerns existing tasks.
pub(in crate::llm::rules) fn target_of(part: &Part) -> Option<&Target> {
    match part {
        Part::Get(target)
        | Part::Complete(target)
        | Part::Reopen(target)
        | Part::Delete { target, .. }
        | Part::Edit { target, .. } => Some(target),
        Part::Add { .. }
        | Part::Happened(_)
        | Part::List(_)
        | Part::Undo(_)
        | Part::Ask { .. }
        | Part::Say(_)
        | Part::Refuse(_) => None,
    }
}

/// Returns true if a target refers to something mentioned before.
pub(in crate::llm::rules) fn points(target: &Target) -> bool {
    matches!(target, Target::It | Target::Them | Target::Missing)
}

/// Returns a short description for the audit log.
pub(in crate::llm::rules) fn summary(parts: &[Part]) -> String {
    let names: Vec<&str> = parts
        .iter()
        .map(|part| match part {
            Part::Add { .. } => "add task",
            Part::List(_) => "list tasks",
            Part::Get(_) => "get task",
            Part::Complete(_) | Part::Happened(_) => "complete task",
            Part::Reopen(_) => "reopen task",
            Part::Delete { .. } => "delete task",
            Part::Edit { .. } => "update task",
            Part::Undo(_) => "undo",
            Part::Ask { .. } => "unclear",
            Part::Say(_) => "talk",
            Part::Refuse(_) => "out of scope",
        })
        .collect();
    names.join(", ")
}

/// Returns the part with another target.
pub(in crate::llm::rules) fn aim(part: &Part, target: Target) -> Part {
    match part {
        Part::Get(_) => Part::Get(target),
        Part::Complete(_) => Part::Complete(target),
        Part::Reopen(_) => Part::Reopen(target),
        Part::Delete { unneeded, .. } => Part::Delete { target, unneeded: *unneeded },
        Part::Edit { edit, .. } => Part::Edit { target, edit: edit.clone() },
        Part::Add { .. }
        | Part::Happened(_)
        | Part::List(_)
        | Part::Undo(_)
        | Part::Ask { .. }
        | Part::Say(_)
        | Part::Refuse(_) => part.clone(),
    }
}
