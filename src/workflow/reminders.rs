//! Reminders: when the time of a task comes, its owner is told once, in open tabs and on Telegram.

use std::time::Duration;

use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::domain::channel::Card;
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
/// Notices that are taken one after another before one looks again what is due.
const AT_ONCE: i64 = 500;

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
        let mut failed = false;
        for (user, number) in due {
            // One task that fails does not keep the others' owners waiting.
            if let Err(error) = remind_of(state, user, number).await {
                tracing::warn!(%user, %number, %error, "a task did not remind; it is tried again");
                failed = true;
            }
        }
        state.ctx.live.wake_senders();
        // It is still due, and would come round at once.
        if failed {
            return Ok(());
        }
    }
}

/// The notice of one task: of several processes that see it due, the one that takes the row.
async fn remind_of(state: &AppState, user: UserId, number: TaskNumber) -> Result<(), Error> {
    let ctx = &state.ctx;
    let caller = accounts::caller_of_user(ctx, user, Door::Web).await?;
    let (mut tx, now) = (ctx.write().await?, ctx.now());
    // Before the row, as everyone does who changes the task.
    store::tasks::lock(&mut tx, user).await?;
    if !store::reminders::take(&mut tx, user, number, &now).await? {
        return Ok(());
    }
    // Whoever is not let in is told nothing.
    if let Some(caller) = caller {
        tell(state, &mut tx, &caller, number).await?;
    }
    Ok(ctx.commit_at(tx, Commit::Remind).await?)
}

async fn tell(state: &AppState, tx: &mut Tx, caller: &Caller, number: TaskNumber) -> Result<(), Error> {
    let now = state.ctx.now();
    let task = tasks::one(tx, caller, number).await?;
    let due = task.due.as_deref().and_then(|due| when::resolve(due, &now, &caller.user.zone).ok());
    let label = due.map(|due| when::label(&due, &now, &caller.user.zone));
    let heard = json!({ "task_id": number, "title": task.title, "version": task.version, "due_label": label });
    store::events::append(tx, caller.id(), EventKind::ReminderDue, &heard, &now).await?;
    if state.telegram.is_some()
        && let Some(link) = store::telegram::of_user(tx, caller.id()).await?
    {
        let new = NewCard { chat: link.chat, card: &Card::Reminder { task: number }, key: None };
        store::outbox::insert(tx, caller.id(), &new, &now).await?;
    }
    Ok(())
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
