//! Tasks from files: what other programs and `docket export` write (R-1002). Reading a file stores nothing; what was read is then
//! taken over in one transaction.

use std::collections::HashMap;

use sha2::{Digest as _, Sha256};

use super::changes::make;
use super::{By, Ctx, Error, require, tasks};
use crate::domain::Invalid;
use crate::domain::id::ImportId;
use crate::domain::task::{NewTask, Status};
use crate::domain::time::Timestamp;
use crate::domain::user::{Caller, Scope};
use crate::store::{self, Tx};

/// The fields of a row as they stand in its file.
mod cells;
/// What `docket export --format json` writes.
mod json;
/// Tables with a head line.
mod table;
/// Todoist's tables.
mod todoist;

use cells::Cells;
pub use cells::listed;
pub use table::guarded;

/// Most rows of a file.
const MOST: usize = 5000;
/// Lines of a table or entries of a list, with those that are no tasks or lie in the bin.
const LINES: usize = 50_000;

/// What a file is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Json,
    Csv,
    TodoistCsv,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 3] = [Self::Json, Self::Csv, Self::TodoistCsv];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Csv => "csv",
            Self::TodoistCsv => "todoist-csv",
        }
    }

    /// What a text looks like: JSON begins with a brace, a table of Todoist has a first line of its own.
    pub fn of(text: &str) -> Self {
        let text = text.trim_start_matches('\u{feff}').trim_start();
        let head = text.lines().next().unwrap_or_default().to_lowercase();
        let names = |name: &str| head.split([',', ';', '\t']).any(|cell| cell.trim().trim_matches('"') == name);
        if text.starts_with(['{', '[']) {
            Self::Json
        } else if names("type") && names("content") {
            Self::TodoistCsv
        } else {
            Self::Csv
        }
    }

    pub fn parse(text: &str) -> Result<Self, Invalid> {
        Self::ALL
            .into_iter()
            .find(|format| format.as_str() == text)
            .ok_or_else(|| Invalid::because(format!("“{text}” is not a format; use json, csv or todoist-csv.")))
    }
}

/// A task that a file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub place: Place,
    pub task: NewTask,
    pub completed: bool,
    /// The same for the same row of the same file, whenever it comes.
    key: [u8; 32],
}

/// A row that cannot be taken, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    pub place: Place,
    pub why: String,
}

/// Where in a file something stands: `line 7`, or `entry 7` of JSON, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Line(u64),
    Entry(u64),
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Line(number) => write!(f, "line {number}"),
            Self::Entry(number) => write!(f, "entry {number}"),
        }
    }
}

/// What a file came to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    pub rows: Vec<Row>,
    pub refused: Vec<Refused>,
    /// What was left out or means something else here; sentences.
    pub notes: Vec<String>,
}

/// What an import did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// What Undo takes; `None` where nothing was added.
    pub import_id: Option<ImportId>,
    pub added: usize,
    /// Rows that an import before had added, whose tasks are still there.
    pub already: usize,
}

/// Rows as a format's reader finds them.
#[derive(Debug, Default)]
struct Found {
    rows: Vec<(Place, Result<Cells, String>)>,
    notes: Vec<String>,
}

impl Found {
    /// Takes one more row, up to [`MOST`].
    fn push(&mut self, place: Place, cells: Result<Cells, String>) -> Result<(), Invalid> {
        if self.rows.len() == MOST {
            return Err(too_many());
        }
        self.rows.push((place, cells));
        Ok(())
    }
}

fn too_many() -> Invalid {
    Invalid::because(format!("The file has more than {MOST} rows; split it."))
}

/// Reads a file as it is meant in the user's zone. The error is about the file as a whole; a row's own are in the reading.
pub fn read(format: Format, file: &[u8], now: &Timestamp, zone: &str) -> Result<Reading, Invalid> {
    let text =
        std::str::from_utf8(file).map_err(|_| Invalid::because("The file is not UTF-8 text; save it as UTF-8."))?;
    // A browser's form has line ends of its own: the same rows are to have the same keys by either way.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    let text = text.as_str();
    let found = match format {
        Format::Json => json::read(text)?,
        Format::Csv => table::read(text)?,
        Format::TodoistCsv => todoist::read(text)?,
    };
    let mut reading = Reading { notes: found.notes, ..Reading::default() };
    let mut alike: HashMap<Vec<u8>, u64> = HashMap::new();
    for (place, cells) in found.rows {
        let read = cells.and_then(|cells| {
            let (mut task, completed) = cells.task(now, zone).map_err(|Invalid(why)| why)?;
            task.tags = tasks::distinct(task.tags);
            let said = cells.said();
            let before = alike.entry(said.clone()).or_default();
            let key = Sha256::new().chain_update(&said).chain_update(before.to_be_bytes()).finalize().into();
            *before += 1;
            Ok(Row { place, task, completed, key })
        });
        match read {
            Ok(row) => reading.rows.push(row),
            Err(why) => reading.refused.push(Refused { place, why }),
        }
    }
    if reading.rows.is_empty() && reading.refused.is_empty() {
        return Err(Invalid::because("There are no tasks in the file."));
    }
    Ok(reading)
}

/// How many rows an import before has added already; their tasks are still there.
pub async fn already(ctx: &Ctx, caller: &Caller, reading: &Reading) -> Result<usize, Error> {
    require(caller, Scope::TasksRead)?;
    let (mut tx, mut already) = (ctx.read().await?, 0);
    for row in &reading.rows {
        already += usize::from(store::imports::has(&mut tx, caller.id(), &row.key).await?);
    }
    Ok(already)
}

/// Adds all rows that were read, in their order, but those whose tasks are there from an import before.
///
/// All or nothing: after an error the transaction must be dropped.
pub async fn run(ctx: &Ctx, tx: &mut Tx, by: By<'_>, reading: Reading) -> Result<Imported, Error> {
    require(by.caller, Scope::TasksWrite)?;
    let (user, at, import) = (by.caller.id(), ctx.now(), ImportId::new());
    store::tasks::lock(tx, user).await?;
    let (mut added, mut already) = (0, 0);
    for Row { task, completed, key, .. } in reading.rows {
        if store::imports::has(tx, user, &key).await? {
            already += 1;
            continue;
        }
        let mut step = tasks::addition(tx, by, &at, task).await?;
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
