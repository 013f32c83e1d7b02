//! Tables with a head line that names Docket's fields, as spreadsheets write them.

use csv::{ReaderBuilder, StringRecord};

use super::cells::{Cells, FIELDS};
use super::{Found, LINES, Place, too_many};
use crate::domain::Invalid;

/// Columns of `docket export --format csv` that are not taken over.
const OURS: [&str; 6] = ["task_id", "version", "created_at", "updated_at", "completed_at", "deleted_at"];

/// Columns of a table.
const COLUMNS: usize = 200;

/// Reads a table whose head line has at least `title`; the names in any case and order, separated by commas, semicolons or tabs.
pub fn read(text: &str) -> Result<Found, Invalid> {
    let (head, rows) = records(text)?;
    if !head.iter().any(|name| name == "title") {
        return Err(Invalid::because(format!(
            "The first line must name the columns, title among them; known are {}.",
            FIELDS.join(", ")
        )));
    }
    let mut found = Found::default();
    let unknown =
        |name: &&String| !name.is_empty() && !FIELDS.contains(&name.as_str()) && !OURS.contains(&name.as_str());
    let unknown: Vec<_> = head.iter().filter(unknown).map(String::as_str).collect();
    if !unknown.is_empty() {
        found.notes.push(format!("Columns that Docket does not know were left out: {}.", unknown.join(", ")));
    }
    let binned = head.iter().position(|name| name == "deleted_at");
    let mut left = 0;
    for (place, record) in rows {
        let record = match record {
            Ok(record) => record,
            Err(why) => {
                found.push(place, Err(why))?;
                continue;
            }
        };
        if binned.and_then(|at| record.get(at)).is_some_and(|at| !at.is_empty()) {
            left += 1;
            continue;
        }
        let mut cells = Cells::default();
        for (name, value) in head.iter().zip(&record) {
            cells.set(name, unguarded(value));
        }
        found.push(place, Ok(cells))?;
    }
    if left > 0 {
        found.notes.push(format!("{left} of the tasks are in the bin and stay there."));
    }
    Ok(found)
}

/// A line's place and cells, or why it cannot be read.
pub type Line = (Place, Result<StringRecord, String>);

/// The names of the head line, in lower case, and the lines below it that are not blank.
pub fn records(text: &str) -> Result<(Vec<String>, Vec<Line>), Invalid> {
    let first = text.lines().next().unwrap_or_default();
    let delimiter = [b',', b';', b'\t'].into_iter().max_by_key(|mark| {
        // The first of those that are equally frequent.
        (first.bytes().filter(|byte| byte == mark).count(), *mark == b',')
    });
    let mut reader =
        ReaderBuilder::new().delimiter(delimiter.unwrap_or(b',')).flexible(true).from_reader(text.as_bytes());
    let bad = |error: csv::Error| Invalid::because(format!("The file is not CSV: {error}."));
    let columns = reader.headers().map_err(bad)?.len();
    if columns > COLUMNS {
        return Err(Invalid::because(format!("The file has {columns} columns; at most {COLUMNS} fit.")));
    }
    let head = reader.headers().map_err(bad)?.iter().map(|name| name.trim().to_lowercase()).collect();
    let lines = reader.records().map(|record| match record {
        Ok(record) => (Place::Line(record.position().map_or(0, csv::Position::line)), Ok(record)),
        Err(error) => {
            (Place::Line(error.position().map_or(0, csv::Position::line)), Err(format!("It is not CSV: {error}.")))
        }
    });
    let blank = |line: &Line| line.1.as_ref().is_ok_and(|record| record.iter().all(|cell| cell.trim().is_empty()));
    let lines: Vec<_> = lines.filter(|line| !blank(line)).take(LINES + 1).collect();
    if lines.len() > LINES { Err(too_many()) } else { Ok((head, lines)) }
}

/// The cell as no spreadsheet takes it for a formula.
pub fn guarded(cell: String) -> String {
    if cell.trim_start_matches('\'').starts_with(FORMULA) {
        return format!("'{cell}");
    }
    cell
}

/// What a spreadsheet takes for a formula stands behind an apostrophe in our exports ([`guarded`]).
fn unguarded(cell: &str) -> &str {
    let formula = |rest: &&str| rest.trim_start_matches('\'').starts_with(FORMULA);
    cell.strip_prefix('\'').filter(formula).unwrap_or(cell)
}

/// With what a spreadsheet's formulas begin (OWASP, CSV Injection).
const FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];
