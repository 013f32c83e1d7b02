//! What a message asks for, before any task has been looked up.

use super::rewording::Reword;
use super::shift::Shift;
use crate::domain::task::{Priority, Status};

/// One part of a message, in the order in which it was said.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Part {
    Add {
        items: Vec<NewItem>,
        unless_there: bool,
    },
    List(ListQuery),
    Get(Target),
    Complete(Target),
    /// What was done, in the words of a statement; completes only a task that says the same.
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
    /// A question to ask back, with choices.
    Ask {
        question: String,
        options: Vec<String>,
    },
    /// An answer that needs no tool.
    Say(String),
    Refuse(String),
}

/// A task to be made, in wire form.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct NewItem {
    pub title: String,
    pub description: Option<String>,
    pub due: Option<String>,
    pub priority: Option<Priority>,
    pub project: Option<String>,
    pub tags: Vec<String>,
    pub recurrence: Option<String>,
    /// The name of the shopping list that it is for, which a task may have as well.
    pub shop: Option<String>,
}

impl NewItem {
    /// Takes what a change would set.
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

/// What a list should show.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ListQuery {
    /// `None` shows both.
    pub status: Option<Status>,
    /// overdue, today, tomorrow, week or a date.
    pub due: Option<String>,
    pub priority: Option<Priority>,
    /// Words to look for; with `asks`, the answer says whether they are there.
    pub words: Option<String>,
    pub asks: bool,
    pub count: bool,
    pub project: Option<String>,
    pub tag: Option<String>,
}

/// What was said besides the day and the level of a list.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Labels {
    pub project: Option<String>,
    pub tags: Vec<String>,
    /// The words that tasks are to hold, as written.
    pub words: Option<String>,
}

/// Fields to set, in wire form; an inner `None` clears.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Edits {
    pub title: Option<String>,
    /// A few words of the title change.
    pub reword: Option<Reword>,
    pub due: Option<Option<String>>,
    /// The due date moves by as much from where it is.
    pub shift: Option<Shift>,
    pub recurrence: Option<String>,
    pub priority: Option<Priority>,
    pub description: Option<String>,
    /// An inner `None` takes the task out of its project.
    pub project: Option<Option<String>>,
    pub tags: Option<Tags>,
    /// Only a time of day was said: the due date stays on the day that it has.
    pub clock: bool,
}

impl Edits {
    /// Both changes in one, where they set other fields and no field that is made from what the task has.
    pub fn with(&self, more: &Self) -> Option<Self> {
        let derived = |edit: &Self| edit.tags.is_some() || edit.shift.is_some() || edit.reword.is_some();
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
            ..Self::default()
        })
    }
}

/// What becomes of a task's tags.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Tags {
    Add(Vec<String>),
    /// Without names the only one it has.
    Remove(Vec<String>),
    Clear,
}

/// Which task or tasks are meant.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Target {
    Numbers(Vec<i64>),
    /// Places in the list shown last, from 1; negative from its end.
    Places(Vec<i64>),
    /// The task of the turn before.
    It,
    /// All tasks of the turn before.
    Them,
    All(Scope),
    /// By its words, as written. `named`: it was called a task, or quoted, or said to be on the list.
    Words {
        text: String,
        quoted: bool,
        named: bool,
    },
    /// What a statement before the request was about, in its telling words: "the sofa is sold, so bin it".
    Said(String),
    /// A task, but nothing says which.
    Missing,
}

/// A bulk target.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Scope {
    pub status: Option<Status>,
    /// Only overdue ones.
    pub overdue: bool,
    /// Wire form of a day; only tasks due then.
    pub day: Option<String>,
    /// Only tasks with these words.
    pub words: Option<String>,
    pub priority: Option<Priority>,
    /// Only one is meant.
    pub one: bool,
    pub except: Option<Box<Target>>,
}

/// The task that a part is about, if it is about existing ones.
pub(super) fn target_of(part: &Part) -> Option<&Target> {
    match part {
        Part::Get(target)
        | Part::Complete(target)
        | Part::Reopen(target)
        | Part::Delete { target, .. }
        | Part::Edit { target, .. } => Some(target),
        Part::Add { .. } | Part::Happened(_) | Part::List(_) | Part::Ask { .. } | Part::Say(_) | Part::Refuse(_) => {
            None
        }
    }
}

/// What was understood, in a few words for the record.
pub(super) fn summary(parts: &[Part]) -> String {
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
            Part::Ask { .. } => "unclear",
            Part::Say(_) => "talk",
            Part::Refuse(_) => "out of scope",
        })
        .collect();
    names.join(", ")
}

/// The same act on another task.
pub(super) fn aim(part: &Part, target: Target) -> Part {
    match part {
        Part::Get(_) => Part::Get(target),
        Part::Complete(_) => Part::Complete(target),
        Part::Reopen(_) => Part::Reopen(target),
        Part::Delete { unneeded, .. } => Part::Delete { target, unneeded: *unneeded },
        Part::Edit { edit, .. } => Part::Edit { target, edit: edit.clone() },
        Part::Add { .. } | Part::Happened(_) | Part::List(_) | Part::Ask { .. } | Part::Say(_) | Part::Refuse(_) => {
            part.clone()
        }
    }
}
