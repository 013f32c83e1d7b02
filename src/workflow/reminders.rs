//! Reminders: a due task notifies its owner once, in open tabs and on Telegram.

use std::collections::HashMap;
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::domain::channel::{Card, ChatId};
use crate::domain::id::{TaskNumber, UserId};
use crate::domain::live::EventKind;
use crate::domain::task::Status;
use crate::domain::time::Timestamp;
use crate::domain::user::{Caller, Door, Scope};
use crate::domain::when;
use crate::state::AppState;
use crate::store::outbox::NewCard;
use crate::store::{self, Tx};
use crate::usecases::{self, Commit, Ctx, accounts, tasks};

use super::Error;

/// Interval of checks for due tasks.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
const SNOOZE_S: i64 = 3_600;
/// Maximum number of due tasks per query.
const AT_ONCE: i64 = 500;
/// Maximum number of a user's reminders per transaction: enough to share a commit, few enough not to block the user's changes.
const TOGETHER: usize = 50;
/// Maximum number of users processed concurrently; their commits are grouped.
const PEOPLE: usize = 8;

/// Sends reminders until `shutdown`.
pub(super) async fn keep_reminding(state: AppState, shutdown: CancellationToken) {
    let seconds = async {
        loop {
            if let Err(error) = remind(&state).await {
                tracing::error!(%error, "reminding failed");
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    };
    shutdown.run_until_cancelled(seconds).await;
}

/// Sends all due reminders, including overdue ones from a downtime.
pub(super) async fn remind(state: &AppState) -> Result<(), Error> {
    loop {
        let due = store::reminders::due(&mut state.ctx.peek().await?, &state.ctx.now(), AT_ONCE).await?;
        if due.is_empty() {
            return Ok(());
        }
        let people = by_person(due).into_iter().map(|(user, tasks)| remind_all(state, user, tasks));
        let told: Vec<bool> = stream::iter(people).buffer_unordered(PEOPLE).collect().await;
        state.ctx.live.wake_senders();
        // Failed reminders are still due: waits for the next check.
        if told.contains(&false) {
            return Ok(());
        }
    }
}

/// Groups due tasks by user; users and tasks keep their order.
fn by_person(due: Vec<(UserId, TaskNumber)>) -> Vec<(UserId, Vec<TaskNumber>)> {
    let mut people: Vec<(UserId, Vec<TaskNumber>)> = vec![];
    let mut places = HashMap::new();
    for (user, number) in due {
        let place = *places.entry(user).or_insert_with(|| {
            people.push((user, vec![]));
            people.len() - 1
        });
        people[place].1.push(number);
    }
    people
}

/// Sends a user's reminders in batches; false if one failed. After a failed batch, its reminders are sent individually.
async fn remind_all(state: &AppState, user: UserId, tasks: Vec<TaskNumber>) -> bool {
    let mut told = true;
    for together in tasks.chunks(TOGETHER) {
        let Err(error) = remind_of(state, user, together).await else { continue };
        tracing::warn!(%user, tasks = together.len(), %error, "sending reminders failed; retrying each task \
             separately");
        for number in together {
            if let Err(error) = remind_of(state, user, std::slice::from_ref(number)).await {
                tracing::warn!(%user, %number, %error, "a reminder failed; retrying");
                told = false;
            }
        }
    }
    told
}

/// Sends reminders of these tasks in one transaction. Of several processes, the one that takes a row sends the reminder.
async fn remind_of(state: &AppState, user: UserId, tasks: &[TaskNumber]) -> Result<(), Error> {
    let ctx = &state.ctx;
    let caller = accounts::caller_of_user(ctx, user, Door::Web).await?;
    let (mut tx, now) = (ctx.write().await?, ctx.now());
    // Locks the user before the rows, as every task change does.
    store::tasks::lock(&mut tx, user).await?;
    let linked = if state.telegram.is_some() { store::telegram::of_user(&mut tx, user).await? } else { None };
    let chat = linked.map(|link| link.chat);
    for number in tasks {
        let taken = store::reminders::take(&mut tx, user, *number, &now).await?;
        // Disabled users get no reminders.
        if let (true, Some(caller)) = (taken, &caller) {
            tell(&mut tx, caller, *number, chat, &now).await?;
        }
    }
    Ok(ctx.commit_at(tx, Commit::Remind).await?)
}

async fn tell(
    tx: &mut Tx,
    caller: &Caller,
    number: TaskNumber,
    chat: Option<ChatId>,
    now: &Timestamp,
) -> Result<(), Error> {
    let task = tasks::one(tx, caller, number).await?;
    let due = task.due.as_deref().and_then(|due| when::resolve(due, now, &caller.user.zone).ok());
    let label = due.map(|due| when::label(&due, now, &caller.user.zone));
    let heard = json!({
        "task_id": number, "title": task.title, "version": task.version, "due": task.due, "due_label": label,
    });
    store::events::append(tx, caller.id(), EventKind::ReminderDue, &heard, now).await?;
    if let Some(chat) = chat {
        let new = NewCard { chat, card: &Card::Reminder { task: number }, key: None };
        store::outbox::insert(tx, caller.id(), &new, now).await?;
    }
    Ok(())
}

/// True if a reminder can reach the user now: in a linked chat or an open tab.
pub(super) async fn reach(state: &AppState, tx: &mut Tx, user: UserId) -> Result<bool, Error> {
    let linked = state.telegram.is_some() && store::telegram::of_user(tx, user).await?.is_some();
    Ok(linked || accounts::is_here(tx, user, &state.ctx.now()).await?)
}

/// Snoozes an open task's reminder by an hour, or keeps a later one; the due date stays. Returns the reminder's time.
pub async fn snooze(state: &AppState, caller: &Caller, number: TaskNumber) -> Result<Timestamp, usecases::Error> {
    let mut tx = state.ctx.write().await?;
    let at = put_off(&state.ctx, &mut tx, caller, number).await?;
    state.ctx.commit_at(tx, Commit::Remind).await?;
    Ok(at)
}

/// Snoozes a reminder in an open transaction.
pub(super) async fn put_off(
    ctx: &Ctx,
    tx: &mut Tx,
    caller: &Caller,
    number: TaskNumber,
) -> Result<Timestamp, usecases::Error> {
    usecases::require(caller, Scope::TasksWrite)?;
    store::tasks::lock(tx, caller.id()).await?;
    let task = tasks::one(tx, caller, number).await?;
    if task.status == Status::Completed {
        return Err(usecases::Error::Conflict(format!("Task #{number} is already completed.")));
    }
    let soon = ctx.now().plus_seconds(SNOOZE_S);
    let at = match store::reminders::of_task(tx, caller.id(), number).await? {
        // Snoozing never moves a reminder forward.
        Some(later) if later > soon => later,
        _ => soon,
    };
    store::reminders::set(tx, caller.id(), number, &at).await?;
    Ok(at)
}
