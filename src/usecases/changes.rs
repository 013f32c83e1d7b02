//! Task changes: every change writes the task's row, the change with its record, and an event in one transaction.

use serde_json::json;

use super::{By, Error};
use crate::domain::id::{ChangeId, TaskNumber, UserId};
use crate::domain::live::EventKind;
use crate::domain::task::{Actor, Change, Due, Operation, Status, Task};
use crate::domain::time::Timestamp;
use crate::store::changes::{Entry, Undoing};
use crate::store::erasures::Changes as Which;
use crate::store::tasks::Stored;
use crate::store::{self, Tx};

/// Maximum number of later changes of a task beyond which an undo is refused.
const LATER: i64 = 200;

#[derive(Debug, Clone, PartialEq)]
pub struct Changed {
    /// Id for undo; `None` if the task already was as requested.
    pub change_id: Option<ChangeId>,
    /// `None` for a new task.
    pub before: Option<Task>,
    pub after: Task,
    /// Next occurrence of a recurring task: the one that completing added, or that reopening moved to the bin.
    pub next: Option<Task>,
}

/// A change that is ready to be stored.
pub(super) struct Step {
    pub id: ChangeId,
    pub operation: Operation,
    pub before: Option<Stored>,
    /// `version` and `updated_at` are set when it is stored.
    pub after: Stored,
    pub undoes: Option<ChangeId>,
    pub brought: Vec<ChangeId>,
}

impl Step {
    pub(super) fn new(operation: Operation, before: Option<Stored>, after: Stored) -> Self {
        Self { id: ChangeId::new(), operation, before, after, undoes: None, brought: vec![] }
    }
}

pub(super) async fn make(tx: &mut Tx, by: By<'_>, at: &Timestamp, step: Step) -> Result<Changed, Error> {
    let Step { id, operation, before, mut after, undoes, brought } = step;
    let user = by.caller.id();
    after.task.version = before.as_ref().map_or(1, |before| before.task.version + 1);
    after.task.updated_at = at.clone();
    after.task.due = after.due.as_ref().map(Due::to_string);
    let put_off = match &before {
        Some(before) if moves(before, &after) => put_off(tx, user, before).await?,
        _ => None,
    };
    match &before {
        None => store::tasks::insert(tx, user, &after).await?,
        Some(before) if !store::tasks::update(tx, user, &after).await? => {
            return Err(Error::Conflict(format!(
                "Task #{} was changed at the same moment. Try again.",
                before.task.task_id
            )));
        }
        Some(_) => {}
    }
    let entry = Entry {
        zone_before: before.as_ref().and_then(zone),
        zone_after: zone(&after),
        brought,
        put_off,
        action: by.action,
        change: Change {
            change_id: id,
            task_id: after.task.task_id,
            operation,
            actor: by.actor,
            agent: by.caller.agent.clone(),
            program: by.caller.program.clone().filter(|_| by.actor == Actor::User),
            by: Some(by.caller.credential()),
            invocation_id: by.invocation,
            undoes,
            before: before.map(|before| before.task),
            after: after.task,
            at: at.clone(),
        },
    };
    keep(tx, user, &entry).await?;
    let change = entry.change;
    Ok(Changed { change_id: Some(id), before: change.before, after: change.after, next: None })
}

/// True if the change ends the task's reminder.
fn moves(before: &Stored, after: &Stored) -> bool {
    before.due != after.due
        || before.task.status != after.task.status
        || before.task.deleted_at.is_some() != after.task.deleted_at.is_some()
}

/// Returns the time to which the task's reminder is snoozed.
async fn put_off(tx: &mut Tx, user: UserId, task: &Stored) -> Result<Option<Timestamp>, Error> {
    let reminder = store::reminders::of_task(tx, user, task.task.task_id).await?;
    Ok(reminder.filter(|reminder| !matches!(&task.due, Some(Due::At { at, .. }) if at == reminder)))
}

/// Restores the snooze that a pending task had before an undone change.
pub(super) async fn put_off_again(tx: &mut Tx, user: UserId, entry: &Entry, task: &Task) -> Result<(), Error> {
    let pending = task.status == Status::Pending && task.deleted_at.is_none();
    if let Some(at) = entry.put_off.as_ref().filter(|_| pending) {
        store::reminders::set(tx, user, task.task_id, at).await?;
    }
    Ok(())
}

/// Stores a change whose task row is written already, and its event.
pub(super) async fn keep(tx: &mut Tx, user: UserId, entry: &Entry) -> Result<(), Error> {
    store::changes::insert(tx, user, entry).await?;
    let change = &entry.change;
    let mut heard = json!({
        "task": change.after, "operation": change.operation, "actor": change.actor, "change_id": change.change_id,
    });
    if let Some(agent) = &change.agent {
        heard["agent"] = json!(agent.label);
    }
    if let Some(call) = change.invocation_id {
        heard["turn_id"] = json!(call.turn);
    }
    if let Some(undone) = change.undoes {
        heard["undoes"] = json!(undone);
    }
    store::events::append(tx, user, EventKind::TaskChanged, &heard, &change.at).await?;
    Ok(())
}

fn zone(stored: &Stored) -> Option<String> {
    stored.due.as_ref().and_then(Due::zone).map(str::to_owned)
}

/// Undoes a change and the changes that it caused, those first, with new changes. Refused if later changes build on either.
pub(super) async fn take_back(tx: &mut Tx, by: By<'_>, at: &Timestamp, entry: &Entry) -> Result<Vec<Changed>, Error> {
    let user = by.caller.id();
    let (mut done, mut brought) = (vec![], vec![]);
    for &id in &entry.brought {
        let Some(companion) = store::changes::get(tx, user, id).await? else { continue };
        let companion = match standing(tx, user, companion).await? {
            Standing::Through(companion) => companion,
            Standing::UndoneBy(id) => {
                brought.push(id);
                continue;
            }
        };
        let now = store::tasks::get(tx, user, companion.change.task_id).await?;
        let appeared = matches!(companion.change.operation, Operation::Add | Operation::Restore);
        if appeared && now.is_none_or(|now| now.task.deleted_at.is_some()) {
            continue;
        }
        let changed = take_back_alone(tx, by, at, &companion, vec![]).await?;
        brought.extend(changed.change_id);
        done.push(changed);
    }
    done.push(take_back_alone(tx, by, at, entry, brought).await?);
    Ok(done)
}

async fn take_back_alone(
    tx: &mut Tx,
    by: By<'_>,
    at: &Timestamp,
    entry: &Entry,
    brought: Vec<ChangeId>,
) -> Result<Changed, Error> {
    let (user, change) = (by.caller.id(), &entry.change);
    let number = change.task_id;
    if store::changes::undone_by(tx, user, change.change_id).await?.is_some() {
        return Err(Error::Conflict(format!("This change of task #{number} has already been undone.")));
    }
    let Some(before) = store::tasks::get(tx, user, number).await? else {
        return Err(Error::Conflict(gone(number)));
    };
    let since = change.after.version;
    if store::erasures::taken(tx, user, Which::Since(number, since)).await? > 0 {
        return Err(Error::Conflict(format!(
            "Task #{number} was changed later, and that change has been erased from the audit log, so this one cannot \
                 be undone."
        )));
    }
    let later = store::changes::undos(tx, user, number, since, LATER).await?;
    if let Some(id) = in_the_way(&later) {
        let later = store::changes::get(tx, user, id).await?;
        let (what, fields) = later.map(|later| (told(&later.change), fields(&later.change))).unwrap_or_default();
        return Err(Error::Conflict(format!("Task #{number} {what} since then{fields}. Undo that change first.")));
    }
    if i64::try_from(later.len()).is_ok_and(|count| count >= LATER) {
        return Err(Error::Conflict(format!(
            "Task #{number} was changed more than {LATER} times since then, so this change cannot be undone."
        )));
    }
    let mut after = before.clone();
    let operation = match (&change.before, change.operation) {
        (None, _) => {
            after.task.deleted_at = Some(at.clone());
            Operation::Delete
        }
        (Some(old), operation) => {
            after.due = entry.due_before()?;
            after.task = old.clone();
            match operation {
                Operation::Add => {
                    after.task.deleted_at = Some(at.clone());
                    Operation::Delete
                }
                // Keeps the earlier deletion time.
                Operation::Restore => Operation::Delete,
                Operation::Delete => Operation::Restore,
                Operation::Complete => Operation::Reopen,
                Operation::Reopen => Operation::Complete,
                Operation::Update => Operation::Update,
                Operation::Purge => return Err(Error::Conflict(gone(number))),
            }
        }
    };
    let step = Step { undoes: Some(change.change_id), brought, ..Step::new(operation, Some(before), after) };
    let changed = make(tx, by, at, step).await?;
    put_off_again(tx, user, entry, &changed.after).await?;
    Ok(changed)
}

/// State of a change after its undos.
pub(super) enum Standing {
    /// In effect, through itself or the change that undid its undo.
    Through(Box<Entry>),
    /// Undone by this change.
    UndoneBy(ChangeId),
}

/// Follows a change, its undo, the undo of that and so on to the end.
pub(super) async fn standing(tx: &mut Tx, user: UserId, mut entry: Entry) -> Result<Standing, Error> {
    while let Some(undo) = store::changes::undone_by(tx, user, entry.change.change_id).await? {
        let redo = store::changes::undone_by(tx, user, undo).await?;
        let Some(redo) = redo else { return Ok(Standing::UndoneBy(undo)) };
        let Some(redone) = store::changes::get(tx, user, redo).await? else { return Ok(Standing::UndoneBy(undo)) };
        entry = redone;
    }
    Ok(Standing::Through(Box::new(entry)))
}

/// Returns the newest of these changes (newest first) that was neither undone nor an undo of another of them.
pub(super) fn in_the_way(later: &[Undoing]) -> Option<ChangeId> {
    let mut undone: Vec<ChangeId> = vec![];
    let found = later.iter().find(|(id, undoes)| {
        if undone.contains(id) {
            return false;
        }
        let target = undoes.filter(|target| later.iter().any(|(other, _)| other == target));
        undone.extend(target);
        target.is_none()
    });
    found.map(|(id, _)| *id)
}

/// Returns the changed fields as ` (title, due)`; empty unless the operation is an update.
fn fields(change: &Change) -> String {
    let (Operation::Update, Some(before)) = (change.operation, &change.before) else { return String::new() };
    let after = &change.after;
    let fields = [
        ("title", before.title != after.title),
        ("notes", before.description != after.description),
        ("status", before.status != after.status),
        ("due", before.due != after.due),
        ("priority", before.priority != after.priority),
        ("project", before.project != after.project),
        ("tags", before.tags != after.tags),
        ("recurrence", before.recurrence != after.recurrence),
        ("order", before.rank != after.rank),
    ];
    let changed: Vec<_> = fields.into_iter().filter(|(_, changed)| *changed).map(|(name, _)| name).collect();
    if changed.is_empty() { String::new() } else { format!(" ({})", changed.join(", ")) }
}

/// Describes a change as the end of a sentence about its task.
pub(super) fn told(change: &Change) -> String {
    let what = what(change.operation);
    match (change.actor, &change.agent) {
        (Actor::System, _) => what.to_owned(),
        (Actor::User, _) => format!("{what} by you"),
        (Actor::Agent, _) => format!("{what} by Docket"),
        (Actor::External, Some(agent)) => format!("{what} by {}", agent.label),
        (Actor::External, None) => format!("{what} by an outside agent"),
    }
}

fn what(operation: Operation) -> &'static str {
    match operation {
        Operation::Add => "was added",
        Operation::Complete => "was completed",
        Operation::Reopen => "was reopened",
        Operation::Update => "was edited",
        Operation::Delete => "was moved to the bin",
        Operation::Restore => "was restored from the bin",
        Operation::Purge => "was deleted permanently after 30 days in the bin",
    }
}

pub(super) fn no_task(number: TaskNumber) -> Error {
    Error::NotFound(format!("There is no task #{number}."))
}

/// Returns the refusal for a purged task.
fn gone(number: TaskNumber) -> String {
    format!("Task #{number} {} and cannot be restored.", what(Operation::Purge))
}

/// Returns the user's task, in the bin or not; `NotFound` with a specific message for a purged one.
pub(super) async fn existing(tx: &mut Tx, user: UserId, number: TaskNumber) -> Result<Stored, Error> {
    match store::tasks::get(tx, user, number).await? {
        Some(stored) => Ok(stored),
        None if store::bin::was_purged(tx, user, number).await? => Err(Error::NotFound(gone(number))),
        None => Err(no_task(number)),
    }
}

/// True if the change completed its task.
pub(super) fn completed(change: &Change) -> bool {
    change.after.status == Status::Completed
        && change.before.as_ref().is_some_and(|before| before.status == Status::Pending)
}
