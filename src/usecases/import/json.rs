//! What `docket export --format json` writes, or a bare list of tasks.

use serde_json::Value;

use super::cells::{Cells, FIELDS};
use super::{Found, Place};
use crate::domain::Invalid;

/// An object with a list `tasks`, or that list alone; a task has the API's names.
pub fn read(text: &str) -> Result<Found, Invalid> {
    let value: Value =
        serde_json::from_str(text).map_err(|error| Invalid::because(format!("The file is not JSON: {error}.")))?;
    let tasks = match &value {
        Value::Array(tasks) => tasks,
        Value::Object(export) => export.get("tasks").and_then(Value::as_array).ok_or_else(no_tasks)?,
        _ => return Err(no_tasks()),
    };
    let mut found = Found::default();
    let mut binned = 0;
    for (task, number) in tasks.iter().zip(1..) {
        if task.get("deleted_at").is_some_and(|at| !at.is_null()) {
            binned += 1;
            continue;
        }
        found.rows.push((Place::Entry(number), cells(task)));
    }
    if binned > 0 {
        found.notes.push(format!("{binned} of the tasks are in the bin and stay there."));
    }
    Ok(found)
}

fn no_tasks() -> Invalid {
    Invalid::because("The JSON has no list of tasks; give an export of Docket, or a list of objects with a title.")
}

fn cells(task: &Value) -> Result<Cells, String> {
    let Value::Object(task) = task else { return Err("It is no object with a title.".into()) };
    let mut cells = Cells::default();
    for name in FIELDS {
        match task.get(name) {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) => {
                cells.set(name, text);
            }
            Some(Value::Array(tags)) if name == "tags" && tags.iter().all(Value::is_string) => {
                cells.tags = tags.iter().filter_map(Value::as_str).map(str::to_owned).collect();
            }
            Some(_) => return Err(format!("Its {name} is not text.")),
        }
    }
    Ok(cells)
}
