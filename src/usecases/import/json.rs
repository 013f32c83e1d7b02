//! What `docket export --format json` writes, or a bare list of tasks.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::cells::{Cells, FIELDS};
use super::{Found, LINES, Place, too_many};
use crate::domain::Invalid;

/// Bytes of a field; that of a task's fields are some thousand.
const FIELD: usize = 256 * 1024;

/// An object with a list `tasks`, or that list alone; a task has the API's names. Nothing else of the file is made a value, so that it
/// takes no more memory than its tasks.
pub fn read(text: &str) -> Result<Found, Invalid> {
    let bad = |error: serde_json::Error| Invalid::because(format!("The file is not JSON: {error}."));
    let whole: &RawValue = serde_json::from_str(text).map_err(bad)?;
    let list = match whole.get().as_bytes().first() {
        Some(b'[') => whole,
        Some(b'{') => serde_json::from_str::<Export<'_>>(whole.get()).map_err(bad)?.tasks.ok_or_else(no_tasks)?,
        _ => return Err(no_tasks()),
    };
    if !list.get().starts_with('[') {
        return Err(no_tasks());
    }
    let List(entries) = serde_json::from_str(list.get()).map_err(|_| too_many())?;
    let mut found = Found::default();
    let mut binned = 0;
    for (entry, number) in entries.into_iter().zip(1..) {
        let entry = serde_json::from_str::<Entry<'_>>(entry.get()).ok();
        if entry.as_ref().is_some_and(|entry| given(entry.deleted_at).is_some()) {
            binned += 1;
            continue;
        }
        let cells = entry.map_or_else(|| Err("It is no object with a title.".into()), |entry| cells(&entry));
        found.push(Place::Entry(number), cells)?;
    }
    if binned > 0 {
        found.notes.push(format!("{binned} of the tasks are in the bin and stay there."));
    }
    Ok(found)
}

fn no_tasks() -> Invalid {
    Invalid::because("The JSON has no list of tasks; give an export of Docket, or a list of objects with a title.")
}

#[derive(Deserialize)]
struct Export<'a> {
    #[serde(borrow)]
    tasks: Option<&'a RawValue>,
}

/// Entries of a list, at most [`LINES`].
struct List<'a>(Vec<&'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for List<'a> {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        struct Entries;

        impl<'de> Visitor<'de> for Entries {
            type Value = List<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of tasks")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<List<'de>, A::Error> {
                let mut entries = vec![];
                while let Some(entry) = list.next_element::<&RawValue>()? {
                    if entries.len() == LINES {
                        return Err(A::Error::custom("too many entries"));
                    }
                    entries.push(entry);
                }
                Ok(List(entries))
            }
        }

        json.deserialize_seq(Entries)
    }
}

#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(borrow)]
    title: Option<&'a RawValue>,
    description: Option<&'a RawValue>,
    due: Option<&'a RawValue>,
    due_zone: Option<&'a RawValue>,
    priority: Option<&'a RawValue>,
    project: Option<&'a RawValue>,
    tags: Option<&'a RawValue>,
    recurrence: Option<&'a RawValue>,
    status: Option<&'a RawValue>,
    deleted_at: Option<&'a RawValue>,
}

fn given(value: Option<&RawValue>) -> Option<&str> {
    value.map(RawValue::get).filter(|value| *value != "null")
}

fn cells(entry: &Entry<'_>) -> Result<Cells, String> {
    let mut cells = Cells::default();
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
            return Err(format!("Its {name} is too long."));
        }
        if name == "tags" && value.starts_with('[') {
            cells.tags = serde_json::from_str(value).map_err(|_| format!("Its {name} is not text."))?;
        } else {
            let text: String = serde_json::from_str(value).map_err(|_| format!("Its {name} is not text."))?;
            cells.set(name, &text);
        }
    }
    Ok(cells)
}
