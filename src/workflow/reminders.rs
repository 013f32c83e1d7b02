//! Reminders: when the time of a task comes, its owner is told once, in open tabs and on Telegram.

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

/// How long one waits until one looks at the clock again.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// How long a reminder is put off, in seconds.
const SNOOZE_S: i64 = 3_600;
/// Notices that are taken before one looks again what is due.
const AT_ONCE: i64 = 500;
/// Notices of one person in a transaction: one wait for the disk serves all, and the person's own edits wait no longer than that.
const TOGETHER: usize = 50;
/// People whose notices are written at once; commits are shared.
const PEOPLE: usize = 8;

/// Reminds until `shutdown`.
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

/// Tells everyone whose time has come. What came while no process ran is told late.
pub(super) async fn remind(state: &AppState) -> Result<(), Error> {
    loop {
        let due = store::reminders::due(&mut state.ctx.peek().await?, &state.ctx.now(), AT_ONCE).await?;
        if due.is_empty() {
            return Ok(());
        }
        let people = by_person(due).into_iter().map(|(user, tasks)| remind_all(state, user, tasks));
        let told: Vec<bool> = stream::iter(people).buffer_unordered(PEOPLE).collect().await;
        state.ctx.live.wake_senders();
        // What failed is still due, and would come round at once.
        if told.contains(&false) {
            return Ok(());
        }
    }
}

/// The notices of each person, who come in the order of their first and keep the order of theirs.
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

/// The notices of one person, many in a transaction; `false` where one of them failed, which keeps no other waiting.
async fn remind_all(state: &AppState, user: UserId, tasks: Vec<TaskNumber>) -> bool {
    let mut told = true;
    for together in tasks.chunks(TOGETHER) {
        let Err(error) = remind_of(state, user, together).await else { continue };
        tracing::warn!(%user, tasks = together.len(), %error, "reminding failed; each task is tried by itself");
        for number in together {
            if let Err(error) = remind_of(state, user, std::slice::from_ref(number)).await {
                tracing::warn!(%user, %number, %error, "a task did not remind; it is tried again");
                told = false;
            }
        }
    }
    told
}

/// The notices of these tasks, all or none: of several processes that see one due, the one that takes its row tells.
async fn remind_of(state: &AppState, user: UserId, tasks: &[TaskNumber]) -> Result<(), Error> {
    let ctx = &state.ctx;
    let caller = accounts::caller_of_user(ctx, user, Door::Web).await?;
    let (mut tx, now) = (ctx.write().await?, ctx.now());
    // Before the rows, as everyone does who changes the tasks.
    store::tasks::lock(&mut tx, user).await?;
    let linked = if state.telegram.is_some() { store::telegram::of_user(&mut tx, user).await? } else { None };
    let chat = linked.map(|link| link.chat);
    for number in tasks {
        let taken = store::reminders::take(&mut tx, user, *number, &now).await?;
        // Whoever is not let in is told nothing.
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

/// Whether the person could be told when the time of a task comes, as things stand: in a chat, or in an open tab.
pub(super) async fn reach(state: &AppState, tx: &mut Tx, user: UserId) -> Result<bool, Error> {
    let linked = state.telegram.is_some() && store::telegram::of_user(tx, user).await?.is_some();
    Ok(linked || accounts::is_here(tx, user, &state.ctx.now()).await?)
}

/// Has the caller reminded of an open task in an hour, or at the later time that is meant already; its due time stays. The time
/// that holds.
pub async fn snooze(state: &AppState, caller: &Caller, number: TaskNumber) -> Result<Timestamp, usecases::Error> {
    let mut tx = state.ctx.write().await?;
    let at = put_off(&state.ctx, &mut tx, caller, number).await?;
    state.ctx.commit_at(tx, Commit::Remind).await?;
    Ok(at)
}

/// The same in a transaction that is already open.
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
        // Putting off never brings a notice forward.
        Some(later) if later > soon => later,
        _ => soon,
    };
    store::reminders::set(tx, caller.id(), number, &at).await?;
    Ok(at)
}
