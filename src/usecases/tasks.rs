//! Tasks: the operations of their owner, made directly or by an agent.

use std::collections::HashSet;

use super::changes::{self, Step, no_task, told};
use super::{By, Ctx, Error, recurrence, require};
use crate::domain::Invalid;
use crate::domain::comparison::key;
use crate::domain::id::{TaskNumber, UserId};
use crate::domain::task::{Description, Due, Edit, Filter, NewTask, Operation, Status, Tag, Task};
use crate::domain::text::grouped;
use crate::domain::time::Timestamp;
use crate::domain::user::{Caller, Scope};
use crate::domain::when;
use crate::store::tasks::Stored;
use crate::store::{self, Tx};

pub use super::changes::Changed;
pub use super::idempotency::{add_all_idempotent, add_idempotent};
pub use super::task_page::{TaskPage, list, page};

/// Returns the caller's task; `NotFound` if it is in the bin.
pub async fn get(ctx: &Ctx, caller: &Caller, number: TaskNumber) -> Result<Task, Error> {
    let mut tx = ctx.read().await?;
    one(&mut tx, caller, number).await
}

/// Does the work of [`get`] in an open transaction.
pub async fn one(tx: &mut Tx, caller: &Caller, number: TaskNumber) -> Result<Task, Error> {
    require(caller, Scope::TasksRead)?;
    Ok(present(tx, caller, number, None).await?.task)
}

/// Adds a task under the caller's next number.
pub async fn add(ctx: &Ctx, tx: &mut Tx, by: By<'_>, new: NewTask) -> Result<Changed, Error> {
    require(by.caller, Scope::TasksWrite)?;
    let at = ctx.now();
    let step = addition(tx, by, &at, new).await?;
    keep_room(ctx, tx, by.caller.id(), step.after.task.task_id, 0).await?;
    changes::make(tx, by, &at, step).await
}

/// Returns an error if the account cannot have `more` tasks in addition to the one that will get this number. Numbers count removed
/// tasks as well, so that short lists are not counted.
pub(super) async fn keep_room(
    ctx: &Ctx,
    tx: &mut Tx,
    user: UserId,
    number: TaskNumber,
    more: usize,
) -> Result<(), Error> {
    let (most, more) = (ctx.limits.tasks, i64::try_from(more).unwrap_or(i64::MAX));
    if number.0.saturating_add(more) <= most {
        return Ok(());
    }
    let binned = Filter { binned: true, ..Filter::default() };
    let present =
        store::tasks::count(tx, user, &Filter::default()).await? + store::tasks::count(tx, user, &binned).await?;
    if present.saturating_add(more) < most {
        return Ok(());
    }
    let most = grouped(most);
    Err(Invalid::because(format!(
        "An account can have at most {most} tasks, including those in the bin. Delete some first."
    ))
    .into())
}

/// Sets fields. A task that already has these values keeps its version, and no change is recorded (`change_id` is `None`). A change of only
/// the status is recorded as completing or reopening.
pub async fn edit(
    ctx: &Ctx,
    tx: &mut Tx,
    by: By<'_>,
    number: TaskNumber,
    edit: Edit,
    expected_version: Option<i64>,
) -> Result<Changed, Error> {
    require(by.caller, Scope::TasksWrite)?;
    let before = writable(tx, by, number, expected_version).await?;
    let after = edited(&before, edit, &ctx.now(), &by.caller.user.zone)?;
    store_edit(ctx, tx, by, before, after).await
}

/// Returns a task for a caller who is about to change it.
pub async fn to_change(ctx: &Ctx, caller: &Caller, number: TaskNumber) -> Result<Task, Error> {
    require(caller, Scope::TasksWrite)?;
    let mut tx = ctx.read().await?;
    Ok(present(&mut tx, caller, number, None).await?.task)
}

/// Completes a pending task. A recurring one adds its next occurrence as a new task.
pub async fn complete(
    ctx: &Ctx,
    tx: &mut Tx,
    by: By<'_>,
    number: TaskNumber,
    expected_version: Option<i64>,
) -> Result<Changed, Error> {
    let already = format!("Task #{number} is already completed.");
    set_status(ctx, tx, by, number, expected_version, Status::Completed, already).await
}

/// Reopens a completed task. The next occurrence that completing added goes to the bin, unless it was changed.
pub async fn reopen(
    ctx: &Ctx,
    tx: &mut Tx,
    by: By<'_>,
    number: TaskNumber,
    expected_version: Option<i64>,
) -> Result<Changed, Error> {
    let already = format!("Task #{number} is not completed.");
    set_status(ctx, tx, by, number, expected_version, Status::Pending, already).await
}

/// Sets a task's status; `already` is the error if it has that status.
async fn set_status(
    ctx: &Ctx,
    tx: &mut Tx,
    by: By<'_>,
    number: TaskNumber,
    expected_version: Option<i64>,
    status: Status,
    already: String,
) -> Result<Changed, Error> {
    require(by.caller, Scope::TasksWrite)?;
    let before = writable(tx, by, number, expected_version).await?;
    if before.task.status == status {
        return Err(Error::Conflict(already));
    }
    let mut after = before.clone();
    after.task.status = status;
    store_edit(ctx, tx, by, before, after).await
}

pub async fn delete(
    ctx: &Ctx,
    tx: &mut Tx,
    by: By<'_>,
    number: TaskNumber,
    expected_version: Option<i64>,
) -> Result<Changed, Error> {
    require(by.caller, Scope::TasksDelete)?;
    let before = writable(tx, by, number, expected_version).await?;
    let at = ctx.now();
    let mut after = before.clone();
    after.task.deleted_at = Some(at.clone());
    changes::make(tx, by, &at, Step::new(Operation::Delete, Some(before), after)).await
}

/// Restores a task from the bin.
pub async fn restore(
    ctx: &Ctx,
    tx: &mut Tx,
    by: By<'_>,
    number: TaskNumber,
    expected_version: Option<i64>,
) -> Result<Changed, Error> {
    require(by.caller, Scope::TasksWrite)?;
    store::tasks::lock(tx, by.caller.id()).await?;
    let before = changes::existing(tx, by.caller.id(), number).await?;
    if before.task.deleted_at.is_none() {
        return Err(Error::Conflict(format!("Task #{number} is not in the bin.")));
    }
    at_version(tx, by.caller, &before, expected_version).await?;
    let at = ctx.now();
    let mut after = before.clone();
    after.task.deleted_at = None;
    changes::make(tx, by, &at, Step::new(Operation::Restore, Some(before), after)).await
}

/// Stores a change of fields and status, and the consequences of the status.
async fn store_edit(ctx: &Ctx, tx: &mut Tx, by: By<'_>, before: Stored, mut after: Stored) -> Result<Changed, Error> {
    if after == before {
        let task = after.task;
        return Ok(Changed { change_id: None, before: Some(before.task), after: task, next: None });
    }
    let at = ctx.now();
    let (was, is) = (before.task.status, after.task.status);
    let same_but_status = Stored { task: Task { status: was, ..after.task.clone() }, ..after.clone() } == before;
    let operation = match is {
        _ if !same_but_status => Operation::Update,
        Status::Completed => Operation::Complete,
        Status::Pending => Operation::Reopen,
    };
    if was != is {
        after.task.completed_at = (is == Status::Completed).then(|| at.clone());
    }
    recurrence::make(tx, by, &at, Step::new(operation, Some(before), after)).await
}

/// Returns the addition of a task under the next number.
pub(super) async fn addition(tx: &mut Tx, by: By<'_>, at: &Timestamp, new: NewTask) -> Result<Step, Error> {
    let NewTask { title, description, due, priority, project, tags, recurrence } = new;
    // Validates before it takes a number.
    let (tags, recurrence) = (distinct(tags), recurrence.map(followable).transpose()?);
    let due = due.or_else(|| when::first_occurrence(recurrence.as_ref()?, at, &by.caller.user.zone));
    let number = store::tasks::next_number(tx, by.caller.id()).await?;
    let task = Task {
        task_id: number,
        title,
        description: description.filter(not_empty),
        status: Status::Pending,
        due: due.as_ref().map(Due::to_string),
        priority,
        project,
        tags,
        recurrence,
        rank: None,
        version: 1,
        created_at: at.clone(),
        updated_at: at.clone(),
        completed_at: None,
        deleted_at: None,
    };
    Ok(Step::new(Operation::Add, None, Stored { task, due }))
}

/// Returns the task with the edit applied. A task that becomes recurring without a date gets the first date of its rule.
fn edited(before: &Stored, edit: Edit, now: &Timestamp, zone: &str) -> Result<Stored, Error> {
    let Edit { title, description, due, priority, project, tags, recurrence, status } = edit;
    let mut after = before.clone();
    let task = &mut after.task;
    if let Some(title) = title {
        task.title = title;
    }
    if let Some(description) = description {
        task.description = description.filter(not_empty);
    }
    if let Some(due) = due {
        task.due = due.as_ref().map(Due::to_string);
        after.due = due;
    }
    if let Some(priority) = priority {
        task.priority = priority;
    }
    if let Some(project) = project {
        task.project = project;
    }
    if let Some(tags) = tags {
        task.tags = distinct(tags);
    }
    if let Some(recurrence) = recurrence {
        task.recurrence = recurrence.map(followable).transpose()?;
        if let (Some(rule), None) = (&task.recurrence, &after.due) {
            after.due = when::first_occurrence(rule, now, zone);
            task.due = after.due.as_ref().map(Due::to_string);
        }
    }
    if let Some(status) = status {
        task.status = status;
    }
    // The manual order applies only within a day and priority.
    if task.due != before.task.due || task.priority != before.task.priority {
        task.rank = None;
    }
    Ok(after)
}

/// Returns a recurrence rule in its stored form; `Invalid` if there is no next occurrence to compute.
fn followable(rule: String) -> Result<String, Invalid> {
    when::canonical(&rule)
        .ok_or_else(|| Invalid::because(format!("“{rule}” is not a recurrence; use a rule like FREQ=WEEKLY;BYDAY=MO.")))
}

fn not_empty(description: &Description) -> bool {
    !description.as_str().is_empty()
}

/// Removes tags that differ only in spelling from an earlier one.
pub(super) fn distinct(mut tags: Vec<Tag>) -> Vec<Tag> {
    let mut known = HashSet::new();
    tags.retain(|tag| known.insert(key(tag.as_str())));
    tags
}

/// Returns a task that is about to change, and locks the user's tasks.
pub(super) async fn writable(
    tx: &mut Tx,
    by: By<'_>,
    number: TaskNumber,
    expected: Option<i64>,
) -> Result<Stored, Error> {
    store::tasks::lock(tx, by.caller.id()).await?;
    present(tx, by.caller, number, expected).await
}

async fn present(tx: &mut Tx, caller: &Caller, number: TaskNumber, expected: Option<i64>) -> Result<Stored, Error> {
    let stored = changes::existing(tx, caller.id(), number).await?;
    if stored.task.deleted_at.is_some() {
        return Err(no_task(number));
    }
    at_version(tx, caller, &stored, expected).await?;
    Ok(stored)
}

/// Returns `Conflict` if the task is not at the expected version.
async fn at_version(tx: &mut Tx, caller: &Caller, stored: &Stored, expected: Option<i64>) -> Result<(), Error> {
    let (number, version) = (stored.task.task_id, stored.task.version);
    let Some(expected) = expected.filter(|expected| *expected != version) else { return Ok(()) };
    let later = store::changes::since(tx, caller.id(), number, expected, 1).await?;
    Err(Error::Conflict(match later.first() {
        Some(entry) => {
            format!("Task #{number} {} since you loaded it.", told(&entry.change))
        }
        None => format!("Task #{number} is at version {version}, not {expected}."),
    }))
}
