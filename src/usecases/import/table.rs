//! Generic CSV tables with a header that names Docket's fields.

use csv::{ReaderBuilder, StringRecord};

use super::cells::{Cells, FIELDS};
use super::text::separator;
use super::{Found, LINES, Place, too_many};
use crate::domain::Invalid;
use crate::domain::comparison::is_blank;
use crate::domain::text::shortened;

/// Columns of `docket export --format csv` that are ignored.
const OURS: [&str; 6] = ["task_id", "version", "created_at", "updated_at", "completed_at", "deleted_at"];

/// Maximum number of columns.
const COLUMNS: usize = 200;

const ALIASES: [(&str, &str); 26] = [
    ("task", "title"),
    ("task name", "title"),
    ("name", "title"),
    ("subject", "title"),
    ("todo", "title"),
    ("to do", "title"),
    ("content", "title"),
    ("notes", "description"),
    ("note", "description"),
    ("details", "description"),
    ("due date", "due"),
    ("due_date", "due"),
    ("duedate", "due"),
    ("deadline", "due"),
    ("date", "due"),
    ("importance", "priority"),
    ("list", "project"),
    ("list name", "project"),
    ("projects", "project"),
    ("labels", "tags"),
    ("categories", "tags"),
    ("repeat", "recurrence"),
    ("repeats", "recurrence"),
    ("repetition", "recurrence"),
    ("done", "status"),
    ("completed", "status"),
];
/// Maximum number of lines above the header, such as a title.
const ABOVE: usize = 5;

/// Maps a column name to its field.
fn field(name: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, field)| field)
}

/// Returns true if the names are those of a task table: `title`, or an alias of it and another field.
fn is_head(names: &[String]) -> bool {
    let known = names.iter().filter(|name| FIELDS.contains(&field(name))).count();
    names.iter().any(|name| name == "title") || known > 1 && names.iter().any(|name| field(name) == "title")
}

/// Returns the text from its header on, and the number of lines above.
fn from_head(text: &str) -> (&str, u64) {
    let (mut at, mut above) = (0, 0);
    for line in text.split_inclusive('\n').take(ABOVE) {
        if is_head(&cells(line).collect::<Vec<_>>()) {
            return (&text[at..], above);
        }
        at += line.len();
        above += 1;
    }
    (text, 0)
}

/// Reads a table whose header contains at least a title. Names may be in any case and order; the separator may be a comma, semicolon, tab
/// or bar.
pub fn read(text: &str) -> Result<Found, Invalid> {
    let (table, above) = if separator(text).is_some() { (text, 0) } else { from_head(text) };
    let (head, rows) = records(table)?;
    if !is_head(&head) {
        return Err(Invalid::because(unknown_file(text)));
    }
    let mut found = Found::default();
    let unknown = |name: &&String| !name.is_empty() && !FIELDS.contains(&field(name)) && !OURS.contains(&name.as_str());
    let unknown: Vec<_> = head.iter().filter(unknown).map(String::as_str).collect();
    if !unknown.is_empty() {
        found.notes.push(format!("Unknown columns were left out: {}.", unknown.join(", ")));
    }
    let binned = head.iter().position(|name| name == "deleted_at");
    let mut left = 0;
    for line in rows {
        let place = line.place.below(above);
        found.beyond(place, &line);
        let record = match line.record {
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
        let mut set: Vec<&str> = vec![];
        for (name, value) in head.iter().zip(&record).map(|(name, value)| (field(name), unguarded(value))) {
            if set.contains(&name) && !is_blank(value) {
                found.leave_out(place, format!("Another {name}: “{}”.", shortened(value.to_owned(), SHOWN)));
            } else if !is_blank(value) && cells.set(name, value) {
                set.push(name);
            }
        }
        let completed = head.iter().position(|name| name == "completed_at").and_then(|at| record.get(at));
        found.dated |= !cells.exported.created_at.is_empty();
        found.completion(place, completed.unwrap_or_default());
        found.push(place, Ok(cells))?;
    }
    if left > 0 {
        found.notes.push(format!("{left} of the tasks are in the bin and were not imported."));
    }
    Ok(found)
}

/// Explains why a text is no task table, by its content type.
fn unknown_file(text: &str) -> String {
    let begin = text.trim_start().get(..40).unwrap_or(text.trim_start()).to_lowercase();
    if begin.starts_with("begin:v") {
        return "Calendar files (ICS) are not supported. Use a CSV file with a column title.".to_owned();
    }
    if begin.starts_with("<!doctype") || begin.starts_with("<html") || begin.starts_with("<?xml") {
        return "The file is a web page. Download the export itself.".to_owned();
    }
    let plain = !text.lines().take(ABOVE).any(|line| line.contains([',', ';', '\t', '|']));
    let list = if plain { " A plain list can be pasted into “Add a task”: each line becomes a task." } else { "" };
    format!(
        "The first line must contain the column names, including title. Supported columns: {}.{list}",
        FIELDS.join(", ")
    )
}

/// Maximum length of a quoted value in a message, in characters.
const SHOWN: usize = 80;

/// A line of a table: its cells, or the reason why it is unreadable.
pub struct Line {
    pub place: Place,
    pub record: Result<StringRecord, String>,
    /// Number of columns that the header names.
    pub columns: usize,
}

impl Line {
    /// Returns the cells beyond the named columns.
    pub fn beyond(&self) -> Option<String> {
        let beyond = self.record.as_ref().ok()?.iter().skip(self.columns).map(str::trim);
        let cells: Vec<_> = beyond.filter(|cell| !is_blank(cell)).collect();
        (!cells.is_empty()).then(|| shortened(cells.join(", "), SHOWN))
    }
}

/// Returns the header's cells in lower case.
pub fn cells(line: &str) -> impl Iterator<Item = String> {
    line.split([',', ';', '\t', '|']).map(|cell| cell.trim().trim_matches('"').trim().to_lowercase())
}

/// Returns the header's names in lower case, and the non-blank lines below it.
pub fn records(text: &str) -> Result<(Vec<String>, Vec<Line>), Invalid> {
    let (named, text) = separator(text).map_or((None, text), |(named, rest)| (u8::try_from(named).ok(), rest));
    let above = u64::from(named.is_some());
    let first = text.lines().next().unwrap_or_default();
    let delimiter = named.or_else(|| {
        [b',', b';', b'\t', b'|'].into_iter().max_by_key(|mark| {
            // Prefers the comma if separators are equally frequent.
            (first.bytes().filter(|byte| byte == mark).count(), *mark == b',')
        })
    });
    let delimiter = delimiter.unwrap_or(b',');
    if let Some(line) = unclosed(text, delimiter) {
        let line = line + above;
        return Err(Invalid::because(format!(
            "The quote opened in line {line} is never closed. Close it or remove it."
        )));
    }
    let mut reader = ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(text.as_bytes());
    let bad = |error: csv::Error| Invalid::because(format!("The file is not valid CSV: {error}."));
    let columns = reader.headers().map_err(bad)?.len();
    if columns > COLUMNS {
        return Err(Invalid::because(format!("The file has {columns} columns; the limit is {COLUMNS}.")));
    }
    let head = reader.headers().map_err(bad)?.iter().map(|name| name.trim().to_lowercase()).collect();
    let place = |at: Option<&csv::Position>| Place::Line(at.map_or(0, csv::Position::line) + above);
    let lines = reader.records().map(|record| match record {
        Ok(record) if record.len() > COLUMNS => Line {
            place: place(record.position()),
            record: Err(format!("The line has {} cells; the limit is {COLUMNS}.", record.len())),
            columns,
        },
        Ok(record) => Line { place: place(record.position()), record: Ok(record), columns },
        Err(error) => Line {
            place: place(error.position()),
            record: Err(format!("The line is not valid CSV: {error}.")),
            columns,
        },
    });
    let blank = |line: &Line| line.record.as_ref().is_ok_and(|record| record.iter().all(is_blank));
    let lines: Vec<_> = lines.filter(|line| !blank(line)).take(LINES + 1).collect();
    if lines.len() > LINES { Err(too_many()) } else { Ok((head, lines)) }
}

/// Returns the line of a quote that opens a cell and is never closed.
fn unclosed(text: &str, delimiter: u8) -> Option<u64> {
    let (mut line, mut opened, mut begins) = (1, None, true);
    for byte in text.bytes() {
        match byte {
            b'"' if opened.is_some() => opened = None,
            // Also matches the second quote of an escaped pair.
            b'"' if begins => opened = Some(line),
            _ => {}
        }
        // A quote after a closing quote opens again.
        begins = byte == delimiter || byte == b'\n' || byte == b'"' && opened.is_none();
        line += u64::from(byte == b'\n');
    }
    opened
}

/// Escapes a cell that spreadsheets would read as a formula.
pub fn guarded(cell: String) -> String {
    if cell.trim_start_matches('\'').starts_with(FORMULA) {
        return format!("'{cell}");
    }
    cell
}

/// Removes the apostrophe with which [`guarded`] escapes formulas.
fn unguarded(cell: &str) -> &str {
    let formula = |rest: &&str| rest.trim_start_matches('\'').starts_with(FORMULA);
    cell.strip_prefix('\'').filter(formula).unwrap_or(cell)
}

/// First characters of spreadsheet formulas (OWASP, CSV Injection).
const FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];
