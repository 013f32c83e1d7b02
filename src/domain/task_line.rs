//! The one-line format of tasks in receipts, replies, questions and Telegram messages: `call Łukasz · tomorrow 14:30 · every week
//! · #Work · high`.

use serde_json::Value;

use super::due_label::label;
use super::recurrence_label::repeats;
use super::task::{Due, Priority, Task};
use super::time::{CivilDate, Timestamp};
use crate::messages::dates;

/// Maximum characters of notes in a line.
const NOTES: usize = 80;
/// Separator between two fields.
const MARK: &str = " · ";

/// Fields of a task that a line shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskLine<'a> {
    pub title: &'a str,
    /// A due date in wire form.
    pub due: Option<&'a str>,
    /// A rule, or the phrase for it.
    pub recurrence: Option<&'a str>,
    pub project: Option<&'a str>,
    pub tags: Vec<&'a str>,
    pub priority: Option<Priority>,
    pub notes: Option<&'a str>,
}

impl<'a> TaskLine<'a> {
    /// Reads a task in wire form, as returned by tools. For a change, reads the task after it.
    pub fn of_value(value: &'a Value) -> Self {
        let value = value.get("after").filter(|after| after.is_object()).unwrap_or(value);
        let text = |field: &str| value.get(field).and_then(Value::as_str);
        let tags = value.get("tags").and_then(Value::as_array);
        Self {
            title: text("title").unwrap_or_default(),
            due: text("due"),
            recurrence: text("recurrence"),
            project: text("project"),
            tags: tags.into_iter().flatten().filter_map(Value::as_str).collect(),
            priority: text("priority").and_then(|level| Priority::parse(level).ok()),
            notes: text("description"),
        }
    }

    /// Returns the whole line.
    pub fn text(&self, now: &Timestamp, zone: &str) -> String {
        format!("{}{}", self.title, self.facts(now, zone))
    }

    /// Returns all fields but the title, each after a separator; empty for a task with only a title.
    pub fn facts(&self, now: &Timestamp, zone: &str) -> String {
        let level = self.priority.filter(|level| *level != Priority::None);
        let facts = [
            self.due.map(|due| day(due, now, zone)),
            self.recurrence.map(repeats),
            self.project.map(|name| format!("#{name}")),
            self.labels(),
            level.map(|level| level.as_str().to_owned()),
            self.notes.and_then(notes),
        ];
        facts.into_iter().flatten().map(|fact| format!("{MARK}{fact}")).collect()
    }

    fn labels(&self) -> Option<String> {
        let tags: Vec<String> = self.tags.iter().map(|tag| format!("@{tag}")).collect();
        (!tags.is_empty()).then(|| tags.join(" "))
    }
}

impl<'a> From<&'a Task> for TaskLine<'a> {
    fn from(task: &'a Task) -> Self {
        Self {
            title: task.title.as_str(),
            due: task.due.as_deref(),
            recurrence: task.recurrence.as_deref(),
            project: task.project.as_ref().map(|project| project.as_str()),
            tags: task.tags.iter().map(|tag| tag.as_str()).collect(),
            priority: Some(task.priority),
            notes: task.description.as_ref().map(|notes| notes.as_str()),
        }
    }
}

/// Returns a due date for use within a line: `tomorrow 14:30`, `Mon 30 Nov`. Returns an invalid text unchanged.
pub fn day(due: &str, now: &Timestamp, zone: &str) -> String {
    let parsed = if due.len() == DAY {
        CivilDate::parse(due).ok().map(Due::Date)
    } else {
        Timestamp::parse(due).ok().and_then(|at| Due::at(at, zone))
    };
    let Some(due) = parsed.as_ref() else { return due.to_owned() };
    let label = label(due, now, zone);
    let relative = [dates::TODAY, dates::TOMORROW, dates::YESTERDAY].into_iter().find(|word| label.starts_with(word));
    relative.map_or(label.clone(), |word| format!("{}{}", word.to_lowercase(), &label[word.len()..]))
}

/// Length in bytes of a date in wire form.
const DAY: usize = 10;

/// Returns the beginning of the notes, on one line.
fn notes(text: &str) -> Option<String> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown = match line.char_indices().nth(NOTES) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    };
    (!shown.is_empty()).then(|| format!("notes: {shown}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn line(task: &Value) -> String {
        TaskLine::of_value(task).text(&Timestamp::parse("2026-11-26T20:50:00Z").unwrap(), "Europe/London")
    }

    #[test]
    fn every_field_that_is_set_is_in_the_line() {
        let task = json!({"title": "call Łukasz", "due": "2026-11-27T14:30:00+00:00", "recurrence": "FREQ=WEEKLY", "project": "Work",
            "tags": ["phone", "home"], "priority": "high", "description": "ask for\nMiguel"});
        assert_eq!(
            line(&task),
            "call Łukasz · tomorrow 14:30 · every week · #Work · @phone @home · high · notes: ask for Miguel"
        );
        assert_eq!(line(&json!({"title": "x", "before": {"title": "y"}, "after": task})), line(&task));
    }

    #[test]
    fn what_is_not_set_is_left_out() {
        let empty = json!({"title": "milk", "due": null, "recurrence": null, "project": null, "tags": [], "priority": "none",
            "description": ""});
        assert_eq!(line(&empty), "milk");
        assert_eq!(line(&json!({"title": "milk", "due": "2026-11-26"})), "milk · today");
        assert_eq!(line(&json!({"title": "milk", "due": "2026-11-30"})), "milk · Mon 30 Nov");
        assert_eq!(line(&json!({"title": "dentist", "due": "2027-02-03T08:15:00Z"})), "dentist · 3 Feb 2027 08:15");
        let long = "a".repeat(100);
        assert!(line(&json!({"title": "milk", "description": long})).ends_with(&format!("{}…", "a".repeat(80))));
    }
}
