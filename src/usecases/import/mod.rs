//! Import of tasks from files of other programs and of `docket export` (R-1002). Reading a file stores nothing; the rows are then imported
//! in one transaction.

use std::collections::HashMap;

use sha2::{Digest as _, Sha256};

use super::changes::make;
use super::{By, Ctx, Error, require, tasks};
use crate::domain::Invalid;
use crate::domain::comparison::is_blank;
use crate::domain::id::{ImportId, TaskNumber, UserId};
use crate::domain::task::{NewTask, Status};
use crate::domain::time::Timestamp;
use crate::domain::user::{Caller, Scope};
use crate::store::{self, Tx};

mod bounded;
mod cells;
mod google;
mod html;
mod json;
mod microsoft;
mod table;
mod text;
mod ticktick;
mod todoist;

pub use cells::listed;
use cells::{Cells, Taken};
pub use table::guarded;
pub use text::{LARGEST, decoded};

/// Maximum number of rows in a file.
const MOST: usize = 5000;
/// Maximum number of lines or list entries, including those that are no tasks or in the bin.
const LINES: usize = 50_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Json,
    Csv,
    TodoistCsv,
    TickTickCsv,
    MicrosoftCsv,
    MicrosoftJson,
    GoogleJson,
}

impl Format {
    pub const ALL: [Self; 7] = [
        Self::Json,
        Self::Csv,
        Self::TodoistCsv,
        Self::TickTickCsv,
        Self::MicrosoftCsv,
        Self::MicrosoftJson,
        Self::GoogleJson,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Csv => "csv",
            Self::TodoistCsv => "todoist-csv",
            Self::TickTickCsv => "ticktick-csv",
            Self::MicrosoftCsv => "microsoft-csv",
            Self::MicrosoftJson => "microsoft-json",
            Self::GoogleJson => "google-json",
        }
    }

    /// Detects a file's format: JSON starts with a bracket, and each program has its own column names.
    pub fn of(text: &str) -> Self {
        let text = text.trim_start_matches('\u{feff}').trim_start();
        let table = text::separator(text).map_or(text, |(_, rest)| rest);
        let head = table.lines().next().unwrap_or_default();
        let names = |name: &str| table::cells(head).any(|cell| cell == name);
        if text.starts_with(['{', '[']) {
            if google::is_theirs(text) {
                Self::GoogleJson
            } else if microsoft::is_theirs(text) {
                Self::MicrosoftJson
            } else {
                Self::Json
            }
        } else if names("type") && names("content") {
            Self::TodoistCsv
        } else if ticktick::head(table).is_some() {
            Self::TickTickCsv
        } else if microsoft::is_head(head) {
            Self::MicrosoftCsv
        } else {
            Self::Csv
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        Self::ALL.into_iter().find(|format| format.as_str() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::as_str).join(", ");
            Invalid::because(format!("“{text}” is not a format; use one of {names}."))
        })
    }
}

/// A task read from a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub place: Place,
    pub task: NewTask,
    pub completed: bool,
    /// Idempotency key: equal for the same row of the same file in every import.
    key: [u8; 32],
    /// Task that the row was exported from.
    exported: Option<(TaskNumber, Timestamp)>,
}

/// A rejected row or detail, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    pub place: Place,
    pub why: String,
}

/// Position in a file, from 1: a line, or an entry of JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    Line(u64),
    Entry(u64),
}

impl Place {
    /// Returns the position in a file with that many lines above.
    fn below(self, lines: u64) -> Self {
        match self {
            Self::Line(number) => Self::Line(number + lines),
            Self::Entry(_) => self,
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Line(number) => write!(f, "line {number}"),
            Self::Entry(number) => write!(f, "entry {number}"),
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    pub rows: Vec<Row>,
    pub refused: Vec<Refused>,
    /// Details of imported rows that their tasks lack.
    pub left_out: Vec<Refused>,
    /// Sentences about columns that were skipped or changed.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// Id for undo; `None` if nothing was added.
    pub import_id: Option<ImportId>,
    pub added: usize,
    /// Rows whose tasks exist already, from an earlier import or as the export's own originals.
    pub already: usize,
}

/// Rows found by a format's reader.
#[derive(Debug, Default)]
struct Found {
    rows: Vec<(Place, Result<Cells, String>)>,
    /// Details without a field, by row.
    left_out: HashMap<Place, Vec<String>>,
    notes: Vec<String>,
    /// True if a row has a creation time.
    dated: bool,
}

impl Found {
    /// Adds a row, up to [`MOST`].
    fn push(&mut self, place: Place, cells: Result<Cells, String>) -> Result<(), Invalid> {
        if self.rows.len() == MOST {
            return Err(too_many());
        }
        self.rows.push((place, cells));
        Ok(())
    }

    /// Reports cells of a row beyond its named columns.
    fn beyond(&mut self, place: Place, line: &table::Line) {
        if let Some(cells) = line.beyond() {
            self.leave_out(place, format!("Cells without a column name: {cells}."));
        }
    }

    /// Reports a row's completion time: the import completes the task now.
    fn completion(&mut self, place: Place, at: &str) {
        if !is_blank(at) {
            self.leave_out(place, format!("Completion time: {}.", at.trim()));
        }
    }

    /// Reports a detail of a row that has no field.
    fn leave_out(&mut self, place: Place, what: String) {
        self.left_out.entry(place).or_default().push(what);
    }
}

fn too_many() -> Invalid {
    Invalid::because(format!("The file has more than {MOST} rows. Split it."))
}

/// Reads a file, with times in the user's zone. An error concerns the whole file; errors of rows are part of the result.
pub fn read(format: Format, file: &[u8], now: &Timestamp, zone: &str) -> Result<Reading, Invalid> {
    // Browsers change line endings in forms: normalising them gives a row the same key either way.
    let text = decoded(file)?.replace("\r\n", "\n").replace('\r', "\n");
    let text = text.as_str();
    if is_blank(text) {
        return Err(Invalid::because("The file is empty."));
    }
    let mut found = match format {
        Format::Json => json::read(text)?,
        Format::Csv => table::read(text)?,
        Format::TodoistCsv => todoist::read(text)?,
        Format::TickTickCsv => ticktick::read(text)?,
        Format::MicrosoftCsv => microsoft::read_table(text)?,
        Format::MicrosoftJson => microsoft::read_json(text, zone)?,
        Format::GoogleJson => google::read(text)?,
    };
    let mut reading = Reading { notes: found.notes, ..Reading::default() };
    if found.dated {
        reading.notes.push("Creation times were left out: imported tasks are created now.".to_owned());
    }
    let mut alike: HashMap<Vec<u8>, u64> = HashMap::new();
    for (place, cells) in found.rows {
        let mut details = found.left_out.remove(&place).unwrap_or_default();
        let read = cells.and_then(|cells| {
            let Taken { mut task, is_completed, left_out } = cells.task(now, zone).map_err(|Invalid(why)| why)?;
            details.extend(left_out);
            task.tags = tasks::distinct(task.tags);
            let said = cells.said();
            let before = alike.entry(said.clone()).or_default();
            let key = Sha256::new().chain_update(&said).chain_update(before.to_be_bytes()).finalize().into();
            *before += 1;
            Ok(Row { place, task, completed: is_completed, key, exported: cells.exported.task() })
        });
        match read {
            Ok(row) => {
                reading.rows.push(row);
                reading.left_out.extend(details.into_iter().map(|why| Refused { place, why }));
            }
            Err(why) => reading.refused.push(Refused { place, why }),
        }
    }
    if reading.rows.is_empty() && reading.refused.is_empty() {
        return Err(Invalid::because("There are no tasks in the file."));
    }
    Ok(reading)
}

/// Counts the rows whose tasks exist already, from an earlier import or as the export's originals.
pub async fn already(ctx: &Ctx, caller: &Caller, reading: &Reading) -> Result<usize, Error> {
    require(caller, Scope::TasksRead)?;
    let (mut tx, mut already) = (ctx.read().await?, 0);
    for row in &reading.rows {
        already += usize::from(is_there(&mut tx, caller.id(), row).await?);
    }
    Ok(already)
}

async fn is_there(tx: &mut Tx, user: UserId, row: &Row) -> Result<bool, Error> {
    if let Some((number, created_at)) = &row.exported {
        let task = store::tasks::get(tx, user, *number).await?.map(|stored| stored.task);
        if task.is_some_and(|task| task.deleted_at.is_none() && task.created_at == *created_at) {
            return Ok(true);
        }
    }
    Ok(store::imports::has(tx, user, &row.key).await?)
}

/// Adds all rows in order, except those whose tasks exist already.
///
/// After an error the caller must drop the transaction.
pub async fn run(ctx: &Ctx, tx: &mut Tx, by: By<'_>, reading: Reading) -> Result<Imported, Error> {
    require(by.caller, Scope::TasksWrite)?;
    let (user, at, import) = (by.caller.id(), ctx.now(), ImportId::new());
    store::tasks::lock(tx, user).await?;
    let (mut added, mut already, rows) = (0, 0, reading.rows.len());
    for row in reading.rows {
        if is_there(tx, user, &row).await? {
            already += 1;
            continue;
        }
        let Row { task, completed, key, .. } = row;
        let mut step = tasks::addition(tx, by, &at, task).await?;
        if added == 0 {
            tasks::keep_room(ctx, tx, user, step.after.task.task_id, rows - already - 1).await?;
        }
        if completed {
            step.after.task.status = Status::Completed;
            step.after.task.completed_at = Some(at.clone());
        }
        let change = step.id;
        make(tx, by, &at, step).await?;
        store::imports::keep(tx, user, &key, import, change).await?;
        added += 1;
    }
    Ok(Imported { import_id: (added > 0).then_some(import), added, already })
}

const SUB_TASK: &str = "Parent task: Docket has no sub-tasks.";

fn flattened(nested: usize) -> String {
    match nested {
        1 => "1 sub-task becomes a separate task, because Docket has no sub-tasks.".to_owned(),
        _ => format!("{nested} sub-tasks become separate tasks, because Docket has no sub-tasks."),
    }
}
