//! The task list: functions for the pages and for API clients.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use super::ApiError;
use super::approvals::FieldChange;
use super::integer_field::IntegerField;
use super::repeated_field::{OptionalRepeatedField, RepeatedField};
#[cfg(feature = "ssr")]
use super::{
    context,
    views::{self, Marks},
};
#[cfg(feature = "ssr")]
use crate::domain::id::TaskNumber;
use crate::domain::id::{ChangeId, TurnId};
use crate::domain::task::{Actor, Facets, Priority};
#[cfg(feature = "ssr")]
use crate::domain::{text::ClientKey, user::Scope, when};
#[cfg(feature = "ssr")]
use crate::usecases::{
    By, Commit, MANY, approvals, as_of as then, facets as filed, history, tasks as usecases, undo as back,
};

#[cfg(feature = "ssr")]
mod bulk;
#[cfg(feature = "ssr")]
mod edit;
mod fields;
#[cfg(feature = "ssr")]
mod lines;
mod order;
mod row;
mod samples;
pub use fields::{BulkAct, Counts, Fields, Search, View};
pub use order::{MoveTask, Moved};
pub use row::{TaskRow, due_input, tags_input};
pub use samples::{AddSamples, RemoveSamples};

/// A change of a task in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct PastLine {
    pub change_id: ChangeId,
    pub at_label: String,
    /// `Completed by Docket`.
    pub what: String,
    pub by: Actor,
    pub changes: Vec<FieldChange>,
    /// The turn that made the change, if any; the audit log shows it.
    pub turn_id: Option<TurnId>,
    /// True if the change was undone, and that undo was not.
    pub undone: bool,
    pub can_undo: bool,
}

/// A task and its history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct TaskLife {
    pub task: TaskRow,
    /// Changes, newest first.
    pub past: Vec<PastLine>,
}

/// A page of tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct TaskRows {
    pub tasks: Vec<TaskRow>,
    /// Number of matches on all pages.
    pub total: i64,
    pub next: Option<String>,
    /// Number of sample tasks that are still unchanged; 0 if the list has no task and samples can be added. Views only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<usize>,
}

/// A quick-add line as parsed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
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
    /// Parsed parts of the text: start and end in bytes.
    pub spans: Vec<(usize, usize)>,
    /// The recognised values, one by one.
    pub chips: Vec<Chip>,
}

/// A value that quick add recognised.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Chip {
    /// `due`, `recurrence`, `priority`, `project` or `tag`.
    pub kind: String,
    /// `Tomorrow 17:00`.
    pub label: String,
    /// Words of the line that gave the value; sent as `plain`, they are text.
    pub words: Vec<String>,
}

/// The tasks added from a text of several lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Added {
    /// Tasks in the order of the lines.
    pub tasks: Vec<TaskRow>,
}

/// Tasks of a view on one page. Small, since a phone has to render every row.
#[cfg(feature = "ssr")]
const ON_PAGE: i64 = 50;

/// Tasks in one answer to an API client.
#[cfg(feature = "ssr")]
const IN_ANSWER: i64 = 200;

/// Lists the tasks that match every given filter.
#[server(prefix = "/api/v1", endpoint = "tasks/list", input = GetUrl)]
pub async fn list(#[server(flatten)] search: Search) -> Result<TaskRows, ApiError> {
    let (state, caller) = context::caller(Scope::TasksRead)?;
    let now = state.ctx.now();
    let filter = search.filter(&now, &caller.user.zone)?;
    let limit = if search.view.is_some() { ON_PAGE } else { IN_ANSWER };
    let found = usecases::list(&state.ctx, &caller, &filter, search.cursor.as_deref(), limit).await?;
    let hands = history::hands(&state.ctx, &caller, &found.tasks).await?;
    let proposed = approvals::proposals(&state.ctx, &caller).await?;
    let samples = samples::left(&state.ctx, &caller, &search, found.total).await?;
    Ok(views::rows(found, &Marks { hands, proposed }, samples, &now, &caller.user.zone))
}

/// Returns one task, in the bin or not, and its history.
#[server(name = GetTask, prefix = "/api/v1", endpoint = "tasks/get", input = GetUrl)]
pub async fn get(task_id: String) -> Result<TaskLife, ApiError> {
    let (state, caller) = context::caller(Scope::TasksRead)?;
    let number = TaskNumber::parse(&task_id).map_err(ApiError::malformed)?;
    let life = history::of_task(&state.ctx, &caller, number).await?;
    Ok(views::life(life, &state.ctx.now(), &caller.user.zone))
}

/// Returns the projects and tags of the open tasks with their counts.
#[server(name = GetFacets, prefix = "/api/v1", endpoint = "tasks/facets", input = GetUrl)]
pub async fn facets() -> Result<Facets, ApiError> {
    let (state, caller) = context::caller(Scope::TasksRead)?;
    Ok(filed::of_open(&state.ctx, &caller).await?)
}

/// Returns the number of tasks in each view.
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

/// Parses a quick-add line without adding a task. Words in `plain` are always text.
#[server(prefix = "/api/v1", endpoint = "tasks/parse", input = GetUrl)]
pub async fn parse(text: String, plain: Option<RepeatedField>) -> Result<Understood, ApiError> {
    let (state, caller) = context::caller(Scope::TasksRead)?;
    let (now, zone) = (state.ctx.now(), &caller.user.zone);
    let read = lines::read_line(&text, plain, &now, zone)?;
    Ok(views::understood(read, &text, &now, zone))
}

/// Adds a task from fields, or from a quick-add line in `text`, where words in `plain` are always text. `client_key` is an
/// idempotency key.
#[server(prefix = "/api/v1", endpoint = "tasks/add")]
pub async fn add(
    text: Option<String>,
    plain: Option<RepeatedField>,
    #[server(flatten)] fields: Fields,
    tags: Option<RepeatedField>,
    client_key: Option<String>,
) -> Result<TaskRow, ApiError> {
    let (state, caller) = context::caller(Scope::TasksWrite)?;
    let new = fields.new_task(text, plain, tags, &state.ctx.now(), &caller.user.zone)?;
    let key = context::id(client_key, ClientKey::parse)?;
    let (mut tx, by) = (state.ctx.write().await?, By::person(&caller));
    let changed = match &key {
        Some(key) => usecases::add_idempotent(&state.ctx, &mut tx, by, key, new).await?,
        None => usecases::add(&state.ctx, &mut tx, by, new).await?,
    };
    state.ctx.commit_at(tx, Commit::Edit).await?;
    Ok(views::changed(changed, &state.ctx.now(), &caller.user.zone))
}

/// Adds one task per quick-add line: all of them or none. `client_key` is an idempotency key.
#[server(prefix = "/api/v1", endpoint = "tasks/add_lines")]
pub async fn add_lines(lines: String, client_key: Option<String>) -> Result<Added, ApiError> {
    let (state, caller) = context::caller(Scope::TasksWrite)?;
    let (now, by) = (state.ctx.now(), By::person(&caller));
    let lines = lines::of_lines(&lines, &now, &caller.user.zone)?;
    let key = context::id(client_key, ClientKey::parse)?;
    let mut tx = state.ctx.write().await?;
    let mut added = vec![];
    match &key {
        Some(key) => added = usecases::add_all_idempotent(&state.ctx, &mut tx, by, key, lines).await?,
        None => {
            for new in lines {
                added.push(usecases::add(&state.ctx, &mut tx, by, new).await?);
            }
        }
    }
    state.ctx.commit_at(tx, Commit::Edit).await?;
    let tasks = added.into_iter().map(|changed| views::changed(changed, &now, &caller.user.zone)).collect();
    Ok(Added { tasks })
}

/// Sets the given fields. Clears those that are sent empty or named by `clear`.
#[server(prefix = "/api/v1", endpoint = "tasks/update")]
pub async fn update(
    task_id: String,
    #[server(flatten)] fields: Fields,
    #[server(default)] tags: OptionalRepeatedField,
    clear: Option<RepeatedField>,
    version: Option<IntegerField>,
) -> Result<TaskRow, ApiError> {
    let (state, caller) = context::caller(Scope::TasksWrite)?;
    let number = TaskNumber::parse(&task_id).map_err(ApiError::malformed)?;
    let edit = edit::of(&state.ctx, &caller, number, (fields, tags.0, clear)).await?;
    let (mut tx, by, version) = (state.ctx.write().await?, By::person(&caller), version.and_then(|version| version.0));
    let changed = usecases::edit(&state.ctx, &mut tx, by, number, edit, version).await?;
    state.ctx.commit_at(tx, Commit::Edit).await?;
    Ok(views::changed(changed, &state.ctx.now(), &caller.user.zone))
}

/// The result of an action on several tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Bulk {
    /// `Completed 3 tasks`.
    pub done: String,
    pub tasks: Vec<TaskRow>,
}

/// Applies one action to all the tasks or to none. `act` is `complete`, `reopen`, `delete`, `restore`, or the field to set:
/// `due`, `priority` or `project`.
#[server(name = BulkTasks, prefix = "/api/v1", endpoint = "tasks/bulk")]
pub async fn bulk(
    task_ids: Option<RepeatedField>,
    act: String,
    due: Option<String>,
    priority: Option<String>,
    project: Option<String>,
) -> Result<Bulk, ApiError> {
    let act = BulkAct::parse(&act)?;
    let (state, caller) = context::caller(act.scope())?;
    let ctx = state.ctx.at_once();
    let (now, zone) = (ctx.now(), &caller.user.zone);
    // A time alone would move the tasks to another day.
    let timed = due.as_deref().filter(|due| when::only_time(due, &now, zone));
    timed.map(|due| when::resolve_with_day(due, &now, zone)).transpose()?;
    let edit = Fields { due, priority, project, ..Fields::default() }.edit(None, &now, zone)?;
    let numbers = bulk::several(task_ids)?;
    let (many, account, apart) = (numbers.len() > bulk::FEW, caller.id(), ctx.bulk.clone());
    let change = move || async move {
        let tasks = act.run_on(&ctx, &caller, &numbers, &edit).await?;
        Ok(Bulk { done: act.done(tasks.len()), tasks })
    };
    if many { apart.run(account, change).await } else { change().await }
}

#[server(prefix = "/api/v1", endpoint = "tasks/complete")]
pub async fn complete(task_id: String, version: Option<IntegerField>) -> Result<TaskRow, ApiError> {
    let (state, caller) = context::caller(Scope::TasksWrite)?;
    let number = TaskNumber::parse(&task_id).map_err(ApiError::malformed)?;
    let mut tx = state.ctx.write().await?;
    let changed =
        usecases::complete(&state.ctx, &mut tx, By::person(&caller), number, version.and_then(|it| it.0)).await?;
    state.ctx.commit_at(tx, Commit::Edit).await?;
    Ok(views::changed(changed, &state.ctx.now(), &caller.user.zone))
}

#[server(prefix = "/api/v1", endpoint = "tasks/reopen")]
pub async fn reopen(task_id: String, version: Option<IntegerField>) -> Result<TaskRow, ApiError> {
    let (state, caller) = context::caller(Scope::TasksWrite)?;
    let number = TaskNumber::parse(&task_id).map_err(ApiError::malformed)?;
    let mut tx = state.ctx.write().await?;
    let changed =
        usecases::reopen(&state.ctx, &mut tx, By::person(&caller), number, version.and_then(|it| it.0)).await?;
    state.ctx.commit_at(tx, Commit::Edit).await?;
    Ok(views::changed(changed, &state.ctx.now(), &caller.user.zone))
}

/// Moves a task to the bin, which keeps it for 30 days.
#[server(prefix = "/api/v1", endpoint = "tasks/delete")]
pub async fn delete(task_id: String, version: Option<IntegerField>) -> Result<TaskRow, ApiError> {
    let (state, caller) = context::caller(Scope::TasksDelete)?;
    let number = TaskNumber::parse(&task_id).map_err(ApiError::malformed)?;
    let mut tx = state.ctx.write().await?;
    let changed =
        usecases::delete(&state.ctx, &mut tx, By::person(&caller), number, version.and_then(|it| it.0)).await?;
    state.ctx.commit_at(tx, Commit::Edit).await?;
    Ok(views::changed(changed, &state.ctx.now(), &caller.user.zone))
}

/// Restores a task from the bin; with `as_of`, an instant, to its state at that time.
#[server(prefix = "/api/v1", endpoint = "tasks/restore")]
pub async fn restore(
    task_id: String,
    version: Option<IntegerField>,
    as_of: Option<String>,
) -> Result<TaskRow, ApiError> {
    let (state, caller) = context::caller(Scope::TasksDelete)?;
    let number = TaskNumber::parse(&task_id).map_err(ApiError::malformed)?;
    let at = context::id(as_of, |at| views::spans::moment(at, &caller.user.zone))?;
    let (mut tx, by) = (state.ctx.write().await?, By::person(&caller));
    let changed = match at {
        Some(at) => then::restore(&state.ctx, &mut tx, by, number, &at).await?,
        None => usecases::restore(&state.ctx, &mut tx, by, number, version.and_then(|it| it.0)).await?,
    };
    state.ctx.commit_at(tx, Commit::Edit).await?;
    Ok(views::changed(changed, &state.ctx.now(), &caller.user.zone))
}

/// The result of an undo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Undone {
    /// The tasks in their current state.
    pub undone: Vec<TaskRow>,
    /// Reasons why the other changes remain; only with `rest`.
    pub left: Vec<String>,
}

/// Undoes changes, a tool call, a turn or an import by new, logged changes. If later changes conflict, undoes nothing and names
/// them. With `rest`, undoes the independent changes and names the others.
#[server(prefix = "/api/v1", endpoint = "undo")]
pub async fn undo(
    change_id: Option<RepeatedField>,
    invocation_id: Option<String>,
    turn_id: Option<String>,
    import_id: Option<String>,
    rest: Option<bool>,
) -> Result<Undone, ApiError> {
    let (state, caller) = context::caller(Scope::TasksWrite)?;
    let targets = fields::undo_targets(change_id, invocation_id, turn_id, import_id)?;
    let is_bulk = targets.len() >= MANY || targets.iter().any(|target| matches!(target, back::Target::Import(_)));
    let (bulk, account) = (state.ctx.bulk.clone(), caller.id());
    let undo = move || async move {
        let ctx = &state.ctx;
        let mut tx = if is_bulk { ctx.write_many().await? } else { ctx.write().await? };
        let rest = rest.unwrap_or_default();
        let done = fields::take_back(&state.ctx, &mut tx, By::person(&caller), targets, rest).await?;
        state.ctx.commit_at(tx, Commit::Undo).await?;
        Ok(views::undone(done, &state.ctx.now(), &caller.user.zone))
    };
    if is_bulk { bulk.run(account, undo).await } else { undo().await }
}

/// Undoes the caller's last action of the past hour, made directly or by a message to Docket.
#[server(name = UndoLast, prefix = "/api/v1", endpoint = "undo/last")]
pub async fn undo_last() -> Result<Undone, ApiError> {
    let (state, caller) = context::caller(Scope::TasksWrite)?;
    let mut tx = state.ctx.write().await?;
    let done = back::last(&state.ctx, &mut tx, By::person(&caller)).await?;
    state.ctx.commit_at(tx, Commit::Undo).await?;
    Ok(views::undone(back::Undone { done, left: vec![] }, &state.ctx.now(), &caller.user.zone))
}
