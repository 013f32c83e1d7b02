//! Inputs of the task form, and their changes.

use leptos::html::{Input, Select, Textarea};
use leptos::prelude::*;

use crate::api::tasks::{TaskRow, due_input, tags_input};
use crate::domain::text::{unix_lines, without_margins};
use crate::ui::{browser, http};

/// The fields of the form, in the order of their inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Name {
    Title,
    Due,
    Repeats,
    Project,
    Tags,
    Priority,
    Notes,
}

impl Name {
    pub const ALL: [Self; 7] =
        [Self::Title, Self::Due, Self::Repeats, Self::Project, Self::Tags, Self::Priority, Self::Notes];

    /// Returns the name under which the form sends the field.
    pub fn sent(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Due => "due",
            Self::Repeats => "recurrence",
            Self::Project => "project",
            Self::Tags => "tags[0]",
            Self::Priority => "priority",
            Self::Notes => "description",
        }
    }

    /// Normalises a text as the server stores it: Unix line ends, no surrounding white space.
    fn plain(self, text: &str) -> String {
        let text = unix_lines(text);
        if self == Self::Notes { without_margins(&text) } else { text.trim() }.to_owned()
    }

    pub fn stored(self, row: &TaskRow) -> String {
        let task = &row.task;
        match self {
            Self::Title => task.title.to_string(),
            Self::Due => due_input(task.due.as_deref()),
            Self::Repeats => row.repeats.clone().unwrap_or_default(),
            Self::Project => task.project.as_ref().map(|name| name.to_string()).unwrap_or_default(),
            Self::Tags => tags_input(&task.tags),
            Self::Priority => task.priority.as_str().to_owned(),
            Self::Notes => task.description.as_ref().map(|text| text.to_string()).unwrap_or_default(),
        }
    }
}

/// One text per field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Texts([String; 7]);

impl Texts {
    pub fn of(text: impl FnMut(Name) -> String) -> Self {
        Self(Name::ALL.map(text))
    }

    pub fn get(&self, name: Name) -> &str {
        &self.0[name as usize]
    }

    /// Encodes the fields that differ from `stored`. Unchanged ones are not sent, or they would revert changes made elsewhere.
    pub fn form(&self, task_id: &str, stored: &Self) -> String {
        let same = |name: &Name| name.plain(self.get(*name)) == name.plain(stored.get(*name));
        // With a new recurrence, an empty date is sent too: the recurrence then sets the first one.
        let begins = !same(&Name::Repeats)
            && [Name::Due, Name::Repeats].map(|it| self.get(it).trim().is_empty()) == [true, false];
        let new = Name::ALL.into_iter().filter(|name| !same(name) || (begins && *name == Name::Due));
        let fields: Vec<_> = new.map(|name| (name.sent(), self.get(name))).collect();
        http::form(&[&[("task_id", task_id)], fields.as_slice()].concat())
    }
}

#[derive(Clone, Copy)]
pub struct Inputs {
    pub title: NodeRef<Input>,
    pub due: NodeRef<Input>,
    pub repeats: NodeRef<Input>,
    pub project: NodeRef<Input>,
    pub tags: NodeRef<Input>,
    pub priority: NodeRef<Select>,
    pub notes: NodeRef<Textarea>,
}

impl Inputs {
    pub fn new() -> Self {
        Self {
            title: NodeRef::new(),
            due: NodeRef::new(),
            repeats: NodeRef::new(),
            project: NodeRef::new(),
            tags: NodeRef::new(),
            priority: NodeRef::new(),
            notes: NodeRef::new(),
        }
    }

    fn input(self, name: Name) -> Option<NodeRef<Input>> {
        match name {
            Name::Title => Some(self.title),
            Name::Due => Some(self.due),
            Name::Repeats => Some(self.repeats),
            Name::Project => Some(self.project),
            Name::Tags => Some(self.tags),
            Name::Priority | Name::Notes => None,
        }
    }

    /// Returns the current values; `None` if the form is not on the page.
    pub fn texts(self) -> Option<Texts> {
        let text = |name: Name| match name {
            Name::Priority => Some(self.priority.try_get_untracked()??.value()),
            Name::Notes => Some(self.notes.try_get_untracked()??.value()),
            _ => Some(self.input(name)?.try_get_untracked()??.value()),
        };
        let texts: Vec<_> = Name::ALL.into_iter().map_while(text).collect();
        texts.try_into().ok().map(Texts)
    }

    /// Returns true if a value differs from its default. Otherwise resets the form, so that updates show again.
    pub fn are_touched(self) -> bool {
        let touched = |name: Name| match name {
            Name::Priority => {
                let select = self.priority.try_get_untracked()??;
                let chosen = select.query_selector("[selected]").ok()??.get_attribute("value");
                Some(chosen.is_some_and(|chosen| chosen != select.value()))
            }
            Name::Notes => {
                let notes = self.notes.try_get_untracked()??;
                Some(notes.value() != notes.default_value().ok()?)
            }
            _ => self.input(name)?.try_get_untracked()?.map(|input| input.value() != input.default_value()),
        };
        if Name::ALL.into_iter().any(|name| touched(name) == Some(true)) {
            return true;
        }
        if let Some(form) = self.title.try_get_untracked().flatten().and_then(|title| title.form()) {
            browser::reset(&form);
        }
        false
    }

    /// Makes the saved values the defaults, so that updates show again. Values typed since then stay.
    pub fn settle(self, saved: &Texts) {
        let form = self.title.try_get_untracked().flatten().and_then(|title| title.form());
        let (Some(now), Some(form)) = (self.texts(), form) else { return };
        let (since, settled): (Vec<_>, Vec<_>) =
            Name::ALL.into_iter().partition(|name| now.get(*name) != saved.get(*name));
        for name in settled {
            self.begin_with(name, now.get(name));
        }
        browser::reset(&form);
        for name in since {
            self.put(name, now.get(name));
        }
    }

    /// Sets the default value of an input.
    fn begin_with(self, name: Name, text: &str) -> Option<()> {
        match name {
            Name::Priority => {
                let select = self.priority.get_untracked()?;
                if let Ok(Some(before)) = select.query_selector("[selected]") {
                    before.remove_attribute("selected").ok()?;
                }
                select.query_selector(&format!("[value={text}]")).ok()??.set_attribute("selected", "").ok()
            }
            Name::Notes => self.notes.get_untracked()?.set_default_value(text).ok(),
            _ => self.input(name)?.get_untracked().map(|input| input.set_default_value(text)),
        }
    }

    /// Sets the current value of an input.
    fn put(self, name: Name, text: &str) -> Option<()> {
        match name {
            Name::Priority => self.priority.get_untracked().map(|select| select.set_value(text)),
            Name::Notes => self.notes.get_untracked().map(|notes| notes.set_value(text)),
            _ => self.input(name)?.get_untracked().map(|input| input.set_value(text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_due_date_is_shown_as_one_would_type_it() {
        assert_eq!(due_input(Some("2026-03-13")), "2026-03-13");
        assert_eq!(due_input(Some("2026-03-13T17:00:00+01:00")), "2026-03-13 17:00");
        assert_eq!(due_input(None), "");
    }

    fn texts(given: &[(Name, &str)]) -> Texts {
        let given = |name| given.iter().find(|(it, _)| *it == name).map(|(_, text)| (*text).to_owned());
        Texts::of(|name| given(name).unwrap_or_default())
    }

    #[test]
    fn what_was_not_touched_is_not_sent() {
        let stored = texts(&[(Name::Title, "milk"), (Name::Repeats, "every day"), (Name::Notes, "a\r\nb")]);
        let mut now = texts(&[(Name::Title, "milk"), (Name::Repeats, "every day"), (Name::Notes, "a\nb ")]);
        assert_eq!(now.form("7", &stored), "task_id=7");
        now.0[Name::Notes as usize] = "\na\nb".to_owned();
        assert_eq!(now.form("7", &stored), "task_id=7&description=%0Aa%0Ab");
        now.0[Name::Notes as usize] = "a\nb".to_owned();
        now.0[Name::Title as usize] = "oat milk".to_owned();
        assert_eq!(now.form("7", &stored), "task_id=7&title=oat%20milk");
        now.0[Name::Repeats as usize] = String::new();
        now.0[Name::Tags as usize] = "home".to_owned();
        assert_eq!(now.form("7", &stored), "task_id=7&title=oat%20milk&recurrence=&tags%5B0%5D=home");
    }

    #[test]
    fn what_begins_to_repeat_says_that_it_has_no_date() {
        let weekly = |due| texts(&[(Name::Repeats, "every monday"), (Name::Due, due)]);
        let before = |due| texts(&[(Name::Due, due)]);
        assert_eq!(weekly("").form("7", &before("")), "task_id=7&due=&recurrence=every%20monday");
        assert_eq!(weekly("friday").form("7", &before("friday")), "task_id=7&recurrence=every%20monday");
    }
}
