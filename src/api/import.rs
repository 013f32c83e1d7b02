//! Tasks from files of other programs: looked at first, then added, and taken back as a whole (R-1002).

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::ApiError;
#[cfg(feature = "ssr")]
use super::{context, wording};
use crate::domain::id::ImportId;
#[cfg(feature = "ssr")]
use crate::domain::user::Scope;
#[cfg(feature = "ssr")]
use crate::usecases::{By, Commit, import};

/// What a file would come to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct ImportPreview {
    /// As what it was read: json, csv or todoist-csv.
    pub format: String,
    /// Tasks that would be added.
    pub add: usize,
    /// Rows whose tasks are there from an import before.
    pub already: usize,
    /// The first rows, 10 at most.
    pub rows: Vec<ImportRow>,
    /// What was left out or means something else here; sentences.
    pub notes: Vec<String>,
    /// Rows that cannot be taken.
    pub refused: usize,
    /// The first of them, 100 at most.
    pub problems: Vec<ImportProblem>,
}

/// A task that a file holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct ImportRow {
    /// `line 7`, or `entry 7` of JSON.
    pub place: String,
    pub title: String,
    pub due: Option<String>,
    pub priority: String,
    pub project: Option<String>,
    pub completed: bool,
}

/// A row that cannot be taken, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct ImportProblem {
    pub place: String,
    pub why: String,
}

/// What an import did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct ImportDone {
    /// What undo takes; none where nothing was added.
    pub import_id: Option<ImportId>,
    pub added: usize,
    /// Rows whose tasks were there from an import before.
    pub already: usize,
    /// Rows that could not be taken.
    pub left_out: usize,
}

/// What the text of a file would come to. Nothing is stored.
#[server(name = PreviewImport, prefix = "/api/v1", endpoint = "tasks/import/preview")]
pub async fn preview(text: String, format: Option<String>) -> Result<ImportPreview, ApiError> {
    let (state, caller) = context::caller(Scope::TasksRead)?;
    let (bulk, account) = (state.ctx.bulk.clone(), caller.id());
    let look = move || async move {
        let (format, reading) = context::reading(&state, &caller, &text, format.as_deref())?;
        let already = import::already(&state.ctx, &caller, &reading).await?;
        Ok(wording::import_preview(format, &reading, already, &state.ctx.now(), &caller.user.zone))
    };
    bulk.run(account, look).await
}

/// Adds the tasks of a file: all of them or none, unless `skip` leaves out rows that cannot be taken.
#[server(name = RunImport, prefix = "/api/v1", endpoint = "tasks/import")]
pub async fn run(text: String, format: Option<String>, skip: Option<bool>) -> Result<ImportDone, ApiError> {
    let (state, caller) = context::caller(Scope::TasksWrite)?;
    let (bulk, account) = (state.ctx.bulk.clone(), caller.id());
    let add = move || async move {
        let (_, reading) = context::reading(&state, &caller, &text, format.as_deref())?;
        let left_out = reading.refused.len();
        wording::nothing_refused(&reading, skip.unwrap_or_default())?;
        let mut tx = state.ctx.write().await?;
        let done = import::run(&state.ctx, &mut tx, By::person(&caller), reading).await?;
        state.ctx.commit_at(tx, Commit::Edit).await?;
        Ok(ImportDone { import_id: done.import_id, added: done.added, already: done.already, left_out })
    };
    bulk.run(account, add).await
}
