//! View models of imports.

use crate::api::ApiError;
use crate::api::error::Code;
use crate::api::import::{ImportDone, ImportPreview, ImportProblem, ImportRow};
use crate::domain::text::shortened;
use crate::domain::time::Timestamp;
use crate::domain::when;
use crate::messages::import as messages;
use crate::usecases::import::{Format, Reading, Refused, Row};

/// Largest number of rows in a preview.
const SHOWN: usize = 100;
/// Largest number of problems in a preview.
const PROBLEMS: usize = 100;
/// Largest number of characters of a row's notes in a preview.
const NOTES: usize = 80;

pub fn import_preview(format: Format, read: &Reading, already: usize, now: &Timestamp, zone: &str) -> ImportPreview {
    let row = |Row { place, task, completed, .. }: &Row| ImportRow {
        place: place.to_string(),
        title: task.title.to_string(),
        due: task.due.as_ref().map(|due| when::label(due, now, zone)),
        repeats: task.recurrence.as_deref().map(when::repeats),
        priority: task.priority.as_str().to_owned(),
        project: task.project.as_ref().map(ToString::to_string),
        tags: task.tags.iter().map(ToString::to_string).collect(),
        notes: task.description.as_ref().map(|notes| shortened(notes.as_str().replace('\n', " "), NOTES)),
        completed: *completed,
    };
    ImportPreview {
        format: format.as_str().to_owned(),
        add: read.rows.len().saturating_sub(already),
        already,
        rows: read.rows.iter().take(SHOWN).map(row).collect(),
        notes: read.notes.clone(),
        refused: read.refused.len(),
        problems: problems(&read.refused),
        details: read.left_out.len(),
        left_out: problems(&read.left_out),
    }
}

/// Returns the result of an import without the tasks added.
pub fn import_done(read: &Reading) -> ImportDone {
    ImportDone {
        import_id: None,
        added: 0,
        already: 0,
        left_out: read.refused.len(),
        details: read.left_out.len(),
        problems: [problems(&read.refused), problems(&read.left_out)].concat(),
        notes: read.notes.clone(),
    }
}

fn problems(all: &[Refused]) -> Vec<ImportProblem> {
    let problem = |Refused { place, why }: &Refused| ImportProblem { place: place.to_string(), why: why.clone() };
    all.iter().take(PROBLEMS).map(problem).collect()
}

/// Rejects a file with rows that cannot be imported, unless `skip` leaves them out.
pub fn nothing_refused(read: &Reading, skip: bool) -> Result<(), ApiError> {
    let Some(first) = read.refused.first().filter(|_| !skip) else { return Ok(()) };
    let message = messages::nothing_was_added(read.refused.len(), &first.place.to_string(), &first.why);
    Err(ApiError::new(Code::Invalid, message))
}
