//! Files of other programs, in words.

use crate::api::ApiError;
use crate::api::error::Code;
use crate::api::import::{ImportPreview, ImportProblem, ImportRow};
use crate::domain::time::Timestamp;
use crate::domain::when;
use crate::usecases::import::{Format, Reading, Refused, Row};
use crate::words::import as words;

/// Rows that a preview shows.
const SHOWN: usize = 10;
/// Problems that a preview shows.
const PROBLEMS: usize = 100;

/// What a file would come to.
pub fn import_preview(format: Format, read: &Reading, already: usize, now: &Timestamp, zone: &str) -> ImportPreview {
    let row = |Row { place, task, completed, .. }: &Row| ImportRow {
        place: place.to_string(),
        title: task.title.to_string(),
        due: task.due.as_ref().map(|due| when::label(due, now, zone)),
        priority: task.priority.as_str().to_owned(),
        project: task.project.as_ref().map(ToString::to_string),
        completed: *completed,
    };
    let problem = |Refused { place, why }: &Refused| ImportProblem { place: place.to_string(), why: why.clone() };
    ImportPreview {
        format: format.as_str().to_owned(),
        add: read.rows.len().saturating_sub(already),
        already,
        rows: read.rows.iter().take(SHOWN).map(row).collect(),
        notes: read.notes.clone(),
        refused: read.refused.len(),
        problems: read.refused.iter().take(PROBLEMS).map(problem).collect(),
    }
}

/// Refuses a file with rows that cannot be taken, unless they are to be left out.
pub fn nothing_refused(read: &Reading, skip: bool) -> Result<(), ApiError> {
    let Some(first) = read.refused.first().filter(|_| !skip) else { return Ok(()) };
    let message = words::nothing_was_added(read.refused.len(), &first.place.to_string(), &first.why);
    Err(ApiError::new(Code::Invalid, message))
}
