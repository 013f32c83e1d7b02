//! The task list: what the pages, the checkbox, quick add and other programs use.

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use super::ApiError;
use super::approvals::FieldChange;
use super::listed::Listed;
#[cfg(feature = "ssr")]
use super::{
    context,
    wording::{self, Marks},
};
#[cfg(feature = "ssr")]
use crate::domain::id::TaskNumber;
use crate::domain::id::{ChangeId, TurnId};
use crate::domain::task::{Actor, Facets, Priority};
#[cfg(feature = "ssr")]
use crate::domain::{text::ClientKey, user::Scope};
#[cfg(feature = "ssr")]
use crate::usecases::{
    By, Commit, approvals, as_of as then, facets as filed, history, tasks as usecases, undo as back,
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

/// One change of a task in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct PastLine {
    pub change_id: ChangeId,
    pub at_label: String,
    /// `Completed by Docket`.
    pub what: String,
    pub by: Actor,
    pub changes: Vec<FieldChange>,
    /// The turn that made it, if one did: its story is in the record.
    pub turn_id: Option<TurnId>,
    /// It was taken back, and that was not.
    pub undone: bool,
    pub can_undo: bool,
}

/// One task and all that happened to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct TaskLife {
    pub task: TaskRow,
    /// Newest first.
    pub past: Vec<PastLine>,
}

/// A page of tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct TaskRows {
    pub tasks: Vec<TaskRow>,
    /// How many match in all.
    pub total: i64,
    pub next: Option<String>,
    /// How many of the sample list stand in it as they came; 0 where a list without any task could be given some. Of views only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<usize>,
}

/// What quick add understood of a line.
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
    /// Which parts of the text were understood: start and end in bytes.
    pub spans: Vec<(usize, usize)>,
    /// What was understood, thing by thing.
    pub chips: Vec<Chip>,
}

/// One thing that quick add understood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Added {
    /// In the order of the lines.
    pub tasks: Vec<TaskRow>,
}

/// Tasks of a view on one page: the rest is a link away, and every row is work for a telephone.
#[cfg(feature = "ssr")]
const ON_PAGE: i64 = 50;

/// Tasks in one answer to a program.
#[cfg(feature = "ssr")]
const IN_ANSWER: i64 = 200;

/// Tasks that match every given filter.
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
    Ok(wording::rows(found, &Marks { hands, proposed }, samples, &now, &caller.user.zone))
}

/// One task, in the bin or not, and all that happened to it.
#[server(name = GetTask, prefix = "/api/v1", endpoint = "tasks/get", input = GetUrl)]
pub async fn get(task_id: String) -> Result<TaskLife, ApiError> {
    let (state, caller) = context::caller(Scope::TasksRead)?;
    let number = TaskNumber::parse(&task_id).map_err(ApiError::malformed)?;
    let life = history::of_task(&state.ctx, &caller, number).await?;
    Ok(wording::life(life, &state.ctx.now(), &caller.user.zone))
}

/// The projects and tags of the open tasks, and how many each has.
#[server(name = GetFacets, prefix = "/api/v1", endpoint = "tasks/facets", input = GetUrl)]
pub async fn facets() -> Result<Facets, ApiError> {
    let (state, caller) = context::caller(Scope::TasksRead)?;
    Ok(filed::of_open(&state.ctx, &caller).await?)
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
    let read = lines::read_line(&text, plain, &now, zone)?;
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

/// Adds a task for each line of a text, as quick add reads it; all of them or none. A `client_key` makes a repeat answer as the first
/// time.
#[server(prefix = "/api/v1", endpoint = "tasks/add_lines")]
pub async fn add_lines(lines: String, client_key: Option<String>) -> Result<Added, ApiError> {
    let (state, caller) = context::caller(Scope::TasksWrite)?;
    let (now, by) = (state.ctx.now(), By::person(&caller));
    let lines = lines::of_lines(&lines, &now, &caller.user.zone)?;
    let key = context::id(client_key, ClientKey::parse)?;
    let mut tx = state.ctx.write().await?;
    let mut added = vec![];
    match &key {
        Some(key) => added = usecases::add_all_once(&state.ctx, &mut tx, by, key, lines).await?,
        None => {
            for new in lines {
                added.push(usecases::add(&state.ctx, &mut tx, by, new).await?);
            }
        }
    }
    state.ctx.commit_at(tx, Commit::Edit).await?;
    let tasks = added.into_iter().map(|changed| wording::changed(changed, &now, &caller.user.zone)).collect();
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
    let edit = edit::of(&state.ctx, &caller, number, fields, tags).await?;
    let (mut tx, by) = (state.ctx.write().await?, By::person(&caller));
    let changed = usecases::edit(&state.ctx, &mut tx, by, number, edit, version).await?;
    state.ctx.commit_at(tx, Commit::Edit).await?;
    Ok(wording::changed(changed, &state.ctx.now(), &caller.user.zone))
}

/// What was done to several tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
pub struct Bulk {
    /// `Completed 3 tasks`.
    pub done: String,
    pub tasks: Vec<TaskRow>,
}

/// Does one thing to several tasks of the list, to all of them or to none. `act` is `complete`, `reopen`, `delete`, `restore`, or
/// the field to set: `due`, `priority` or `project`.
#[server(name = BulkTasks, prefix = "/api/v1", endpoint = "tasks/bulk")]
pub async fn bulk(
    task_ids: Option<Listed>,
    act: String,
    due: Option<String>,
    priority: Option<String>,
    project: Option<String>,
) -> Result<Bulk, ApiError> {
    let act = BulkAct::parse(&act)?;
    let (state, caller) = context::caller(act.scope())?;
    let ctx = state.ctx.at_once();
    let (now, zone, by) = (ctx.now(), &caller.user.zone, By::person(&caller));
    let edit = Fields { due, priority, project, ..Fields::default() }.edit(None, &now, zone)?;
    let (mut tx, mut tasks) = (ctx.write().await?, vec![]);
    for number in bulk::several(task_ids)? {
        let changed = act.run(&ctx, &mut tx, by, number, &edit).await?;
        tasks.push(wording::changed(changed, &now, zone));
    }
    state.ctx.commit_at(tx, Commit::Edit).await?;
    Ok(Bulk { done: act.done(tasks.len()), tasks })
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

/// Takes a task out of the bin; with `as_of`, an instant, makes it again what it was then.
#[server(prefix = "/api/v1", endpoint = "tasks/restore")]
pub async fn restore(task_id: String, version: Option<i64>, as_of: Option<String>) -> Result<TaskRow, ApiError> {
    let (state, caller) = context::caller(Scope::TasksDelete)?;
    let number = TaskNumber::parse(&task_id).map_err(ApiError::malformed)?;
    let at = context::id(as_of, |at| wording::spans::moment(at, &caller.user.zone))?;
    let (mut tx, by) = (state.ctx.write().await?, By::person(&caller));
    let changed = match at {
        Some(at) => then::restore(&state.ctx, &mut tx, by, number, &at).await?,
        None => usecases::restore(&state.ctx, &mut tx, by, number, version).await?,
    };
    state.ctx.commit_at(tx, Commit::Edit).await?;
    Ok(wording::changed(changed, &state.ctx.now(), &caller.user.zone))
}

/// What an undo came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
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
    import_id: Option<String>,
    rest: Option<bool>,
) -> Result<Undone, ApiError> {
    let (state, caller) = context::caller(Scope::TasksWrite)?;
    let targets = fields::undo_targets(change_id, invocation_id, turn_id, import_id)?;
    let is_bulk = targets.iter().any(|target| matches!(target, back::Target::Import(_)));
    let (bulk, account) = (state.ctx.bulk.clone(), caller.id());
    let undo = move || async move {
        let mut tx = state.ctx.write().await?;
        let rest = rest.unwrap_or_default();
        let done = fields::take_back(&state.ctx, &mut tx, By::person(&caller), targets, rest).await?;
        state.ctx.commit_at(tx, Commit::Undo).await?;
        Ok(wording::undone(done, &state.ctx.now(), &caller.user.zone))
    };
    if is_bulk { bulk.run(account, undo).await } else { undo().await }
}

/// Takes back what the caller did last, by hand or by a message to Docket, as far as it is of the last hour.
#[server(name = UndoLast, prefix = "/api/v1", endpoint = "undo/last")]
pub async fn undo_last() -> Result<Undone, ApiError> {
    let (state, caller) = context::caller(Scope::TasksWrite)?;
    let mut tx = state.ctx.write().await?;
    let done = back::last(&state.ctx, &mut tx, By::person(&caller)).await?;
    state.ctx.commit_at(tx, Commit::Undo).await?;
    Ok(wording::undone(back::Undone { done, left: vec![] }, &state.ctx.now(), &caller.user.zone))
}
