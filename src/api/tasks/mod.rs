//! The task list: what the pages, the checkbox, quick add and other programs use.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use super::ApiError;
use super::listed::Listed;
#[cfg(feature = "ssr")]
use super::{context, wording};
use crate::domain::id::ChangeId;
#[cfg(feature = "ssr")]
use crate::domain::id::TaskNumber;
use crate::domain::task::{Priority, Task};
#[cfg(feature = "ssr")]
use crate::domain::{text::ClientKey, user::Scope, when};
#[cfg(feature = "ssr")]
use crate::usecases::{By, Commit, tasks as usecases};

mod fields;
pub use fields::{Counts, Fields, Search, View};

/// A task with everything about time in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskRow {
    #[serde(flatten)]
    pub task: Task,
    /// `tomorrow 17:00`.
    pub due_label: Option<String>,
    pub overdue: bool,
    /// The heading under which a list shows it: `Overdue`, `Today`, `Friday, 13 March`, `No date`.
    pub group: String,
    /// `every Monday`.
    pub repeats: Option<String>,
    /// The edit that was just made, for Undo; absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change_id: Option<ChangeId>,
}

read_flat!(TaskRow { task: Task, due_label: Option<String>, overdue: bool, group: String, repeats: Option<String>, change_id: Option<ChangeId> });

/// A page of tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskRows {
    pub tasks: Vec<TaskRow>,
    /// How many match in all.
    pub total: i64,
    pub next: Option<String>,
}

/// What quick add understood of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Understood {
    pub title: String,
    /// Wire form of the due date.
    pub due: Option<String>,
    pub due_label: Option<String>,
    pub recurrence: Option<String>,
    pub repeats: Option<String>,
    pub priority: Priority,
    pub project: Option<String>,
    pub tags: Vec<String>,
    /// Which parts of the text were understood: start and end in bytes.
    pub spans: Vec<(usize, usize)>,
    /// What was understood, thing by thing.
    pub chips: Vec<Chip>,
}

/// One thing that quick add understood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chip {
    /// `due`, `recurrence`, `priority`, `project` or `tag`.
    pub kind: String,
    /// `Tomorrow 17:00`.
    pub label: String,
    /// The words of the line that said it; sent as `plain` they are text.
    pub words: Vec<String>,
}

/// What a text of several lines came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Added {
    /// In the order of the lines.
    pub tasks: Vec<TaskRow>,
}

/// Tasks that match every given filter.
#[server(prefix = "/api/v1", endpoint = "tasks/list", input = GetUrl)]
pub async fn list(#[server(flatten)] search: Search) -> Result<TaskRows, ApiError> {
    let (state, caller) = context::caller(Scope::TasksRead)?;
    let now = state.ctx.now();
    let filter = search.filter(&now, &caller.user.zone)?;
    let found = usecases::list(&state.ctx, &caller, &filter, search.cursor.as_deref(), 200).await?;
    let tasks: Vec<_> = found.tasks.into_iter().map(|task| wording::row(task, &now, &caller.user.zone)).collect();
    Ok(TaskRows { tasks: wording::in_order(tasks), total: found.total, next: found.next })
}

/// How many tasks each view holds.
#[server(name = GetCounts, prefix = "/api/v1", endpoint = "tasks/counts", input = GetUrl)]
pub async fn counts() -> Result<Counts, ApiError> {
    let (state, caller) = context::caller(Scope::TasksRead)?;
    let mut counts = Counts::default();
    for view in View::ALL {
        let filter = Search::of(view).filter(&state.ctx.now(), &caller.user.zone)?;
        counts.set(view, usecases::list(&state.ctx, &caller, &filter, None, 1).await?.total);
    }
    Ok(counts)
}

/// What quick add would make of a line. Words in `plain` are text wherever they stand.
#[server(prefix = "/api/v1", endpoint = "tasks/parse", input = GetUrl)]
pub async fn parse(text: String, plain: Option<Listed>) -> Result<Understood, ApiError> {
    let (state, caller) = context::caller(Scope::TasksRead)?;
    let (now, zone) = (state.ctx.now(), &caller.user.zone);
    let read = when::quick_add_but(&text, &plain.unwrap_or_default().0, &now, zone);
    Ok(wording::understood(read, &text, &now, zone))
}

/// Adds a task: from fields, or from a line of quick add in `text`, where words in `plain` are text wherever they stand. A
/// `client_key` makes a repeat answer as the first time.
#[server(prefix = "/api/v1", endpoint = "tasks/add")]
pub async fn add(
    text: Option<String>,
    plain: Option<Listed>,
    #[server(flatten)] fields: Fields,
    tags: Option<Listed>,
    client_key: Option<String>,
) -> Result<TaskRow, ApiError> {
    let (state, caller) = context::caller(Scope::TasksWrite)?;
    let new = fields.new_task(text, plain, tags, &state.ctx.now(), &caller.user.zone)?;
    let key = context::id(client_key, ClientKey::parse)?;
    let (mut tx, by) = (state.ctx.write().await?, By::person(&caller));
    let changed = match &key {
        Some(key) => usecases::add_once(&state.ctx, &mut tx, by, key, new).await?,
        None => usecases::add(&state.ctx, &mut tx, by, new).await?,
    };
    state.ctx.commit_at(tx, Commit::Edit).await?;
    Ok(wording::changed(changed, &state.ctx.now(), &caller.user.zone))
}

/// Adds a task for each line of a text, as quick add reads it; all of them or none.
#[server(prefix = "/api/v1", endpoint = "tasks/add_lines")]
pub async fn add_lines(lines: String) -> Result<Added, ApiError> {
    let (state, caller) = context::caller(Scope::TasksWrite)?;
    let (now, by) = (state.ctx.now(), By::person(&caller));
    let lines = fields::of_lines(&lines, &now, &caller.user.zone)?;
    let (mut tx, mut tasks) = (state.ctx.write().await?, vec![]);
    for new in lines {
        let changed = usecases::add(&state.ctx, &mut tx, by, new).await?;
        tasks.push(wording::changed(changed, &now, &caller.user.zone));
    }
    state.ctx.commit_at(tx, Commit::Edit).await?;
    Ok(Added { tasks })
}

/// Sets the fields that are given; an empty one is cleared.
#[server(prefix = "/api/v1", endpoint = "tasks/update")]
pub async fn update(
    task_id: String,
    #[server(flatten)] fields: Fields,
    tags: Option<Listed>,
    version: Option<i64>,
) -> Result<TaskRow, ApiError> {
    let (state, caller) = context::caller(Scope::TasksWrite)?;
    let number = TaskNumber::parse(&task_id).map_err(ApiError::malformed)?;
    let edit = fields.edit(tags, &state.ctx.now(), &caller.user.zone)?;
    let mut tx = state.ctx.write().await?;
    let changed = usecases::edit(&state.ctx, &mut tx, By::person(&caller), number, edit, version).await?;
    state.ctx.commit_at(tx, Commit::Edit).await?;
    Ok(wording::changed(changed, &state.ctx.now(), &caller.user.zone))
}

/// Marks a task as done.
#[server(prefix = "/api/v1", endpoint = "tasks/complete")]
pub async fn complete(task_id: String, version: Option<i64>) -> Result<TaskRow, ApiError> {
    let (state, caller) = context::caller(Scope::TasksWrite)?;
    let number = TaskNumber::parse(&task_id).map_err(ApiError::malformed)?;
    let mut tx = state.ctx.write().await?;
    let changed = usecases::complete(&state.ctx, &mut tx, By::person(&caller), number, version).await?;
    state.ctx.commit_at(tx, Commit::Edit).await?;
    Ok(wording::changed(changed, &state.ctx.now(), &caller.user.zone))
}

/// Makes a completed task pending again.
#[server(prefix = "/api/v1", endpoint = "tasks/reopen")]
pub async fn reopen(task_id: String, version: Option<i64>) -> Result<TaskRow, ApiError> {
    let (state, caller) = context::caller(Scope::TasksWrite)?;
    let number = TaskNumber::parse(&task_id).map_err(ApiError::malformed)?;
    let mut tx = state.ctx.write().await?;
    let changed = usecases::reopen(&state.ctx, &mut tx, By::person(&caller), number, version).await?;
    state.ctx.commit_at(tx, Commit::Edit).await?;
    Ok(wording::changed(changed, &state.ctx.now(), &caller.user.zone))
}

/// Puts a task into the bin, where it rests for 30 days.
#[server(prefix = "/api/v1", endpoint = "tasks/delete")]
pub async fn delete(task_id: String, version: Option<i64>) -> Result<TaskRow, ApiError> {
    let (state, caller) = context::caller(Scope::TasksDelete)?;
    let number = TaskNumber::parse(&task_id).map_err(ApiError::malformed)?;
    let mut tx = state.ctx.write().await?;
    let changed = usecases::delete(&state.ctx, &mut tx, By::person(&caller), number, version).await?;
    state.ctx.commit_at(tx, Commit::Edit).await?;
    Ok(wording::changed(changed, &state.ctx.now(), &caller.user.zone))
}

/// Takes a task out of the bin.
#[server(prefix = "/api/v1", endpoint = "tasks/restore")]
pub async fn restore(task_id: String, version: Option<i64>) -> Result<TaskRow, ApiError> {
    let (state, caller) = context::caller(Scope::TasksDelete)?;
    let number = TaskNumber::parse(&task_id).map_err(ApiError::malformed)?;
    let mut tx = state.ctx.write().await?;
    let changed = usecases::restore(&state.ctx, &mut tx, By::person(&caller), number, version).await?;
    state.ctx.commit_at(tx, Commit::Edit).await?;
    Ok(wording::changed(changed, &state.ctx.now(), &caller.user.zone))
}

/// What an undo came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undone {
    /// The tasks as they are now.
    pub undone: Vec<TaskRow>,
    /// Why the others were left; only where the rest was asked for.
    pub left: Vec<String>,
}

/// Takes back one edit or several, one tool call or one whole turn by new, logged edits. Where later edits are in the way it
/// does nothing and names them; with `rest` it takes back all that stands alone and names what it left.
#[server(prefix = "/api/v1", endpoint = "undo")]
pub async fn undo(
    change_id: Option<Listed>,
    invocation_id: Option<String>,
    turn_id: Option<String>,
    rest: Option<bool>,
) -> Result<Undone, ApiError> {
    let (state, caller) = context::caller(Scope::TasksWrite)?;
    let targets = fields::undo_targets(change_id, invocation_id, turn_id)?;
    let mut tx = state.ctx.write().await?;
    let done = fields::take_back(&state.ctx, &mut tx, By::person(&caller), targets, rest.unwrap_or_default()).await?;
    state.ctx.commit_at(tx, Commit::Undo).await?;
    Ok(wording::undone(done, &state.ctx.now(), &caller.user.zone))
}
