//! Import of files from other programs: preview, run, undo as a whole (R-1002).

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::ApiError;
#[cfg(feature = "ssr")]
use super::{context, views};
use crate::domain::id::ImportId;
#[cfg(feature = "ssr")]
use crate::domain::user::Scope;
#[cfg(feature = "ssr")]
use crate::usecases::{By, Commit, import};

/// The effect that importing a file would have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct ImportPreview {
    /// Format in which the file was read: json, csv, todoist-csv, ticktick-csv, microsoft-csv, microsoft-json or google-json.
    pub format: String,
    /// Number of tasks that would be added.
    pub add: usize,
    /// Number of rows whose tasks are on the list already.
    pub already: usize,
    /// The first rows, at most 100.
    pub rows: Vec<ImportRow>,
    /// Sentences about fields that were left out or changed.
    pub notes: Vec<String>,
    /// Number of rows that cannot be imported.
    pub refused: usize,
    /// The first rows that cannot be imported, at most 100.
    pub problems: Vec<ImportProblem>,
    /// Number of details in the rows that the tasks would lack.
    pub details: usize,
    /// The first of those details, at most 100.
    pub left_out: Vec<ImportProblem>,
}

/// A task of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct ImportRow {
    /// `line 7`, or `entry 7` of JSON.
    pub place: String,
    pub title: String,
    pub due: Option<String>,
    /// The recurrence in words.
    pub repeats: Option<String>,
    pub priority: String,
    pub project: Option<String>,
    pub tags: Vec<String>,
    /// The beginning of the notes.
    pub notes: Option<String>,
    pub completed: bool,
}

/// A row that cannot be imported, or a detail of a row, and the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct ImportProblem {
    pub place: String,
    pub why: String,
}

/// The result of an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct ImportDone {
    /// Id by which the import is undone; `None` if nothing was added.
    pub import_id: Option<ImportId>,
    pub added: usize,
    /// Number of rows whose tasks were on the list already.
    pub already: usize,
    /// Number of rows that could not be imported.
    pub left_out: usize,
    /// Number of details in the rows that the tasks lack.
    pub details: usize,
    /// Rows that could not be imported, then details, at most 100 of each.
    pub problems: Vec<ImportProblem>,
    /// Sentences about fields that were left out or changed.
    pub notes: Vec<String>,
}

/// Previews the import of a file. Stores nothing.
#[server(name = PreviewImport, prefix = "/api/v1", endpoint = "tasks/import/preview")]
pub async fn preview(text: Option<String>, format: Option<String>) -> Result<ImportPreview, ApiError> {
    let (state, caller) = context::caller(Scope::TasksRead)?;
    let (bulk, account) = (state.ctx.bulk.clone(), caller.id());
    let look = move || async move {
        let (format, reading) =
            context::reading(&state, &caller, text.as_deref().unwrap_or_default(), format.as_deref())?;
        let already = import::already(&state.ctx, &caller, &reading).await?;
        Ok(views::import_preview(format, &reading, already, &state.ctx.now(), &caller.user.zone))
    };
    bulk.run(account, look).await
}

/// Adds the tasks of a file: all or none, unless `skip` leaves out rows that cannot be imported.
#[server(name = RunImport, prefix = "/api/v1", endpoint = "tasks/import")]
pub async fn run(text: Option<String>, format: Option<String>, skip: Option<bool>) -> Result<ImportDone, ApiError> {
    let (state, caller) = context::caller(Scope::TasksWrite)?;
    let (bulk, account) = (state.ctx.bulk.clone(), caller.id());
    let add = move || async move {
        let (_, reading) = context::reading(&state, &caller, text.as_deref().unwrap_or_default(), format.as_deref())?;
        views::nothing_refused(&reading, skip.unwrap_or_default())?;
        let told = views::import_done(&reading);
        let mut tx = state.ctx.write_many().await?;
        let done = import::run(&state.ctx, &mut tx, By::person(&caller), reading).await?;
        state.ctx.commit_at(tx, Commit::Edit).await?;
        Ok(ImportDone { import_id: done.import_id, added: done.added, already: done.already, ..told })
    };
    bulk.run(account, add).await
}
