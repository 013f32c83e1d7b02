//! Import of `docket export --format json`, or of a bare list of tasks.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::bounded::{Bounded, refusal};
use super::cells::{Cells, Exported, FIELDS};
use super::{Found, LINES, Place};
use crate::domain::Invalid;

/// Maximum length of a field, in bytes; a task's fields take a few thousand.
const FIELD: usize = 256 * 1024;

/// Reads an object with a list `tasks`, or the list alone, with the API's field names. Other parts of the file are not parsed into values,
/// which limits memory to the tasks.
pub fn read(text: &str) -> Result<Found, Invalid> {
    let bad = |error: serde_json::Error| refusal("", &error);
    let whole: &RawValue = serde_json::from_str(text).map_err(bad)?;
    let list = match whole.get().as_bytes().first() {
        Some(b'[') => whole,
        Some(b'{') => serde_json::from_str::<Export<'_>>(whole.get()).map_err(bad)?.tasks.ok_or_else(no_tasks)?,
        _ => return Err(no_tasks()),
    };
    if !list.get().starts_with('[') {
        return Err(no_tasks());
    }
    let Bounded::<&RawValue, LINES>(entries) = serde_json::from_str(list.get()).map_err(bad)?;
    let mut found = Found::default();
    let mut binned = 0;
    for (entry, number) in entries.into_iter().zip(1..) {
        if let Ok(title) = serde_json::from_str::<String>(entry.get()) {
            found.push(Place::Entry(number), Ok(Cells { title, ..Cells::default() }))?;
            continue;
        }
        let entry = serde_json::from_str::<Entry<'_>>(entry.get()).ok();
        if entry.as_ref().is_some_and(|entry| given(entry.deleted_at).is_some()) {
            binned += 1;
            continue;
        }
        let completed = entry.as_ref().and_then(|entry| given(entry.completed_at)).unwrap_or_default();
        found.completion(Place::Entry(number), completed.trim_matches('"'));
        found.dated |= entry.as_ref().is_some_and(|entry| given(entry.created_at).is_some());
        let cells = entry.map_or_else(|| Err("The entry is not an object with a title.".into()), |entry| cells(&entry));
        found.push(Place::Entry(number), cells)?;
    }
    if binned > 0 {
        found.notes.push(format!("{binned} of the tasks are in the bin and were not imported."));
    }
    Ok(found)
}

fn no_tasks() -> Invalid {
    Invalid::because("The JSON has no list of tasks. Use an export of Docket, or a list of objects with a title.")
}

#[derive(Deserialize)]
struct Export<'a> {
    #[serde(borrow)]
    tasks: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(borrow)]
    title: Option<&'a RawValue>,
    #[serde(alias = "notes")]
    description: Option<&'a RawValue>,
    due: Option<&'a RawValue>,
    due_zone: Option<&'a RawValue>,
    priority: Option<&'a RawValue>,
    project: Option<&'a RawValue>,
    tags: Option<&'a RawValue>,
    recurrence: Option<&'a RawValue>,
    status: Option<&'a RawValue>,
    task_id: Option<&'a RawValue>,
    created_at: Option<&'a RawValue>,
    deleted_at: Option<&'a RawValue>,
    completed_at: Option<&'a RawValue>,
}

fn given(value: Option<&RawValue>) -> Option<&str> {
    value.map(RawValue::get).filter(|value| *value != "null")
}

fn cells(entry: &Entry<'_>) -> Result<Cells, String> {
    let mut cells = Cells::default();
    if let (Some(number), Some(at)) = (given(entry.task_id), given(entry.created_at)) {
        cells.exported = Exported { task_id: number.to_owned(), created_at: at.trim_matches('"').to_owned() };
    }
    let values = [
        entry.title,
        entry.description,
        entry.due,
        entry.due_zone,
        entry.priority,
        entry.project,
        entry.tags,
        entry.recurrence,
        entry.status,
    ];
    for (name, value) in FIELDS.into_iter().zip(values) {
        let Some(value) = given(value) else { continue };
        if value.len() > FIELD {
            return Err(format!("The {name} is too long."));
        }
        if name == "tags" && value.starts_with('[') {
            cells.tags = serde_json::from_str(value).map_err(|_| format!("The {name} must be text."))?;
        } else {
            let text: String = serde_json::from_str(value).map_err(|_| format!("The {name} must be text."))?;
            cells.set(name, &text);
        }
    }
    Ok(cells)
}
