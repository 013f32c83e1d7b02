//! Differences between two states of a task. Compares all fields by name, so a new field is included automatically.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::domain::task::Task;
use crate::domain::time::Timestamp;
use crate::domain::when;
use crate::messages::tasks as messages;

/// The fields of a task or the arguments of a call, by name.
pub type Fields = Map<String, Value>;

/// Fields that identify the task or its last change, and are not part of its content.
pub const BOOKKEEPING: [&str; 6] = ["task_id", "version", "created_at", "updated_at", "completed_at", "deleted_at"];

/// Names of fields, in display order; other fields follow.
const NAMES: [(&str, &str); 9] = [
    ("title", messages::FIELD_TITLE),
    ("description", messages::FIELD_NOTES),
    ("status", messages::FIELD_STATUS),
    ("due", messages::FIELD_DUE),
    ("priority", messages::FIELD_PRIORITY),
    ("project", messages::FIELD_PROJECT),
    ("tags", messages::FIELD_TAGS),
    ("recurrence", messages::FIELD_REPEATS),
    ("rank", messages::FIELD_ORDER),
];

/// Fields with a closed set of values, without user text.
const CLOSED: [&str; 4] = ["status", "due", "priority", "rank"];

/// One field that differs. A side is `None` if the field is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The field's name for people.
    pub field: String,
    pub before: Option<String>,
    pub after: Option<String>,
    /// True for text that somebody wrote, which is shown in quotes.
    pub quoted: bool,
}

/// Settings for displaying dates.
#[derive(Debug, Clone, Copy)]
pub struct Dates<'a> {
    /// The reader's IANA zone.
    pub zone: &'a str,
    /// `Some` allows relative days ("Tomorrow"). Without it, days are absolute, which stays true ("Thu 12 Mar 2026").
    pub now: Option<&'a Timestamp>,
}

/// Returns the fields of a task.
pub fn fields_of(task: &Task) -> Fields {
    match serde_json::to_value(task) {
        Ok(Value::Object(fields)) => fields,
        Ok(_) | Err(_) => unreachable!("a task is an object of plain values"),
    }
}

/// Returns all fields in which two states differ. With `None` for a missing task, returns the other side's set fields.
pub fn differences(before: Option<&Fields>, after: Option<&Fields>, dates: &Dates<'_>) -> Vec<Difference> {
    let known = NAMES.iter().map(|(key, _)| *key);
    let all: BTreeSet<&str> = before.into_iter().chain(after).flat_map(Map::keys).map(String::as_str).collect();
    let others = all.iter().copied().filter(|key| NAMES.iter().all(|(name, _)| name != key));
    let listed = known.chain(others).filter(|key| !BOOKKEEPING.contains(key));
    let alone = before.is_none() || after.is_none();
    let side = |fields: Option<&Fields>, key: &str| {
        let value = fields.and_then(|fields| fields.get(key)).filter(|value| !is_empty(key, value, alone));
        value.cloned()
    };
    listed.filter_map(|key| difference(key, side(before, key).as_ref(), side(after, key).as_ref(), dates)).collect()
}

/// Returns true for values that mean "not set". Pending is the default of a new task.
fn is_empty(key: &str, value: &Value, alone: bool) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => {
            text.is_empty() || key == "priority" && text == "none" || key == "status" && alone && text == "pending"
        }
        Value::Array(values) => values.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}

fn difference(key: &str, before: Option<&Value>, after: Option<&Value>, dates: &Dates<'_>) -> Option<Difference> {
    if before == after {
        return None;
    }
    let in_words = |value: &Value| text(key, value, dates);
    let (mut old, mut new) = (before.map(in_words), after.map(in_words));
    // Show stored values if their texts are equal.
    if old == new {
        (old, new) = match key {
            "rank" => (old, Some(messages::ELSEWHERE_BY_HAND.to_owned())),
            _ => (before.map(raw), after.map(raw)),
        };
    }
    let name = NAMES.iter().find(|(name, _)| *name == key).map(|(_, name)| (*name).to_owned());
    Some(Difference {
        field: name.unwrap_or_else(|| key.replace('_', " ")),
        before: old,
        after: new,
        quoted: !CLOSED.contains(&key),
    })
}

/// Returns a value as text for people.
fn text(key: &str, value: &Value, dates: &Dates<'_>) -> String {
    match (key, value) {
        ("due", Value::String(due)) => due_text(due, dates),
        ("priority", Value::String(name)) => messages::priority(name).to_owned(),
        ("project", Value::String(name)) => format!("#{name}"),
        ("tags", Value::Array(tags)) => tags.iter().map(tag).collect::<Vec<_>>().join(" "),
        ("recurrence", Value::String(rule)) => when::whole_repeats(rule),
        ("rank", _) => messages::BY_HAND.to_owned(),
        _ => raw(value),
    }
}

/// Returns a value as stored.
fn raw(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn tag(tag: &Value) -> String {
    let name = raw(tag);
    let plain = !name.contains(|c: char| c.is_whitespace() || c == '@');
    if plain { format!("@{name}") } else { format!("@“{name}”") }
}

fn due_text(due: &str, dates: &Dates<'_>) -> String {
    let read = match dates.now {
        Some(now) => when::resolve(due, now, dates.zone).ok().map(|due| when::label(&due, now, dates.zone)),
        None => when::whole_label(due, dates.zone),
    };
    read.unwrap_or_else(|| due.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ZONE: Dates<'_> = Dates { zone: "Europe/London", now: None };

    fn task() -> Task {
        let at = "2026-03-11T09:30:00Z";
        serde_json::from_value(json!({
            "task_id": 1, "title": "milk", "description": null, "status": "pending", "priority": "none", "due": null,
            "project": null, "tags": [], "recurrence": null, "version": 1, "created_at": at, "updated_at": at,
            "completed_at": null, "deleted_at": null,
        }))
        .unwrap()
    }

    fn with(changes: Value) -> Fields {
        let mut fields = fields_of(&task());
        fields.extend(changes.as_object().unwrap().clone());
        fields
    }

    fn told(before: &Fields, after: &Fields) -> Vec<String> {
        let side = |side: Option<String>| side.unwrap_or_else(|| "–".to_owned());
        let line = |it: Difference| format!("{}: {} → {}", it.field, side(it.before), side(it.after));
        differences(Some(before), Some(after), &ZONE).into_iter().map(line).collect()
    }

    #[test]
    fn every_field_that_differs_is_listed() {
        let plain = with(json!({}));
        for (changes, line) in [
            (json!({ "title": "eggs" }), "title: milk → eggs"),
            (json!({ "description": "two" }), "notes: – → two"),
            (json!({ "status": "completed" }), "status: pending → completed"),
            (json!({ "due": "2026-03-12" }), "due: – → Thu 12 Mar 2026"),
            (json!({ "due": "2026-03-12T17:00:00+00:00" }), "due: – → Thu 12 Mar 2026 17:00"),
            (json!({ "priority": "high" }), "priority: – → High (p1)"),
            (json!({ "project": "home" }), "project: – → #home"),
            (json!({ "tags": ["a", "b c"] }), "tags: – → @a @“b c”"),
            (json!({ "recurrence": "FREQ=WEEKLY;BYDAY=MO" }), "repeats: – → every Monday"),
            (json!({ "recurrence": "FREQ=WEEKLY;BYDAY=MO;COUNT=3" }), "repeats: – → every Monday for 3 times"),
            (
                json!({ "recurrence": "FREQ=WEEKLY;BYDAY=MO;BYHOUR=1;BYMINUTE=30" }),
                "repeats: – → every Monday (FREQ=WEEKLY;BYDAY=MO;BYHOUR=1;BYMINUTE=30)",
            ),
            (json!({ "a_new_field": { "depth": 2 } }), "a new field: – → {\"depth\":2}"),
        ] {
            let changed = with(changes.clone());
            assert_eq!(told(&plain, &changed), [line], "{changes}");
            assert_eq!(told(&changed, &plain).len(), 1, "{changes}, taken back");
            assert_eq!(told(&changed, &changed), Vec::<String>::new());
        }
        let both =
            with(json!({ "version": 2, "updated_at": "2027-01-01T00:00:00Z", "completed_at": "2027-01-01T00:00:00Z" }));
        assert_eq!(told(&plain, &both), Vec::<String>::new(), "bookkeeping is no content");
    }

    #[test]
    fn values_that_read_alike_are_shown_as_they_are_stored() {
        for (key, before, after) in [
            ("due", json!("2026-03-12T17:00:00+00:00"), json!("2026-03-12T17:00:30+00:00")),
            ("due", json!("2026-03-12T17:00:00+00:00"), json!("2026-03-12T18:00:00+01:00")),
            ("tags", json!(["a", "b"]), json!(["a @b"])),
        ] {
            let (before, after) = (with(json!({ key: before })), with(json!({ key: after })));
            let found = differences(Some(&before), Some(&after), &ZONE);
            assert!(found.len() == 1 && found[0].before != found[0].after, "{found:?}");
        }
    }

    #[test]
    fn each_field_of_a_task_is_content_or_bookkeeping() {
        for key in fields_of(&Task { rank: Some(crate::domain::rank::Rank::of(&task())), ..task() }).keys() {
            let named = NAMES.iter().any(|(name, _)| name == key);
            assert!(
                named != BOOKKEEPING.contains(&key.as_str()),
                "{key} has no name for people, and is shown by its own"
            );
        }
    }

    #[test]
    fn difference_with_a_missing_task_lists_its_set_fields() {
        let full = with(json!({ "due": "2026-03-12", "priority": "low", "status": "pending" }));
        let fields = |found: Vec<Difference>| found.into_iter().map(|it| it.field).collect::<Vec<_>>();
        assert_eq!(fields(differences(None, Some(&full), &ZONE)), ["title", "due", "priority"]);
        assert_eq!(fields(differences(Some(&full), None, &ZONE)), ["title", "due", "priority"]);
    }
}
