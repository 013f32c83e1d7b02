//! Worker: runs turns under a lease with a fence token, in order per conversation. Keeps no state between turns.

use std::time::{Duration, Instant};

use tokio::sync::OwnedSemaphorePermit;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::domain::approval::ApprovalStatus;
use crate::domain::id::{ApprovalId, UserId};
use crate::domain::live::EventKind;
use crate::domain::text::ClientKey;
use crate::domain::turn::TurnStatus;
use crate::domain::user::Door;
use crate::domain::window;
use crate::state::AppState;
use crate::store::listen_notify::Notice;
use crate::store::turns::TurnRow;
use crate::store::{self, Tx};
use crate::usecases::{self, Commit, accounts, approvals};

use super::{Error, bin, checkpoints, commit_turn, erasure, inbox, memories, outbox, reminders, turn, turn_telemetry};

/// Interval of database polls; wake-ups may be lost.
pub(super) const LOOK_AGAIN: Duration = Duration::from_millis(500);
/// Maximum number of approvals expired per query.
const EXPIRED_AT_ONCE: i64 = 50;
/// Number of workers that may fail on a turn before it ends with an apology.
const ATTEMPTS: i64 = 5;

/// Takes over turns and cards of a previous process, if the database is embedded. Must run before any turn is accepted.
pub async fn take_over(state: &AppState) -> Result<(), Error> {
    if !state.ctx.store.is_embedded() {
        // Other processes may be running; leases of dead ones expire.
        return Ok(());
    }
    let mut tx = state.ctx.write().await?;
    let left = store::turns::take_over(&mut tx).await?;
    store::outbox::take_over(&mut tx).await?;
    state.ctx.commit_at(tx, Commit::TakeOver).await?;
    if left > 0 {
        tracing::info!(left, "resuming turns left by the previous process");
    }
    Ok(())
}

/// Claims and runs turns until `shutdown`, then waits for the running ones.
pub async fn run(state: AppState, shutdown: CancellationToken) {
    let notices = tokio::spawn(relay(state.clone(), shutdown.clone()));
    let bin = tokio::spawn(bin::keep_emptying(state.clone(), shutdown.clone()));
    let erasure = tokio::spawn(erasure::keep_erasing(state.clone(), shutdown.clone()));
    let reminders = tokio::spawn(reminders::keep_reminding(state.clone(), shutdown.clone()));
    let checkpoints = tokio::spawn(checkpoints::keep_signing(state.clone(), shutdown.clone()));
    let outbox = state.telegram.as_ref().map(|_| tokio::spawn(outbox::keep_sending(state.clone(), shutdown.clone())));
    let memories = tokio::spawn(memories::keep_remembering(state.clone(), shutdown.clone()));
    let mut listener = state.ctx.live.listen_for_turns();
    let mut expired: Option<Instant> = None;
    while !shutdown.is_cancelled() {
        // Rate-limited, independent of the number of claims.
        if expired.is_none_or(|looked| looked.elapsed() >= LOOK_AGAIN) {
            expired = Some(Instant::now());
            if let Err(error) = expire(&state).await {
                tracing::error!(%error, "looking for expired approvals failed");
            }
        }
        match claim_one(&state).await {
            Ok(true) => continue,
            Ok(false) => {}
            Err(error) => tracing::error!(%error, "claiming a turn failed"),
        }
        tokio::select! {
            () = shutdown.cancelled() => {}
            _ = listener.woken() => {}
            () = tokio::time::sleep(LOOK_AGAIN) => expired = None,
        }
    }
    state.drain().await;
    notices.abort();
    bin.abort();
    erasure.abort();
    reminders.abort();
    memories.abort();
    checkpoints.abort();
    if let Some(outbox) = outbox {
        outbox.await.ok();
    }
}

/// Runs all pending turns and jobs until none is left, for evaluations and tests.
pub async fn settle(state: &AppState) -> Result<(), Error> {
    expire(state).await?;
    bin::empty(state).await?;
    erasure::sweep(state).await?;
    reminders::remind(state).await?;
    loop {
        // The end of a turn may unblock another one.
        state.wait_idle().await;
        if !claim_one(state).await? {
            return memories::remember(state).await;
        }
    }
}

/// Starts an accepted turn that this process has claimed; a queued turn is left to workers.
pub(super) fn start(state: &AppState, turn: TurnRow, slot: Option<OwnedSemaphorePermit>) {
    match slot {
        Some(slot) if turn.status == TurnStatus::Running => spawn(state, turn, slot),
        _ => state.ctx.live.wake_workers(),
    }
}

/// Announces a turn to the user's tabs; `key` is the message's idempotency key, by which its tab recognises it.
pub(super) async fn announce(
    state: &AppState,
    tx: &mut Tx,
    turn: &TurnRow,
    key: Option<&ClientKey>,
) -> Result<(), store::Error> {
    let mut heard =
        serde_json::json!({ "turn_id": turn.id, "conversation_id": turn.conversation, "cause": turn.cause });
    if let Some(key) = key {
        heard["client_key"] = key.as_str().into();
    }
    store::events::append(tx, turn.user, EventKind::TurnStarted, &heard, &state.ctx.now()).await?;
    Ok(())
}

async fn claim_one(state: &AppState) -> Result<bool, Error> {
    let Some(slot) = state.try_turn_slot() else { return Ok(false) };
    // Reads first: most often there is nothing to claim, and a write transaction would block writers.
    if !store::turns::any_claimable(&mut state.ctx.peek().await?).await? {
        return Ok(false);
    }
    let mut tx = state.ctx.write().await?;
    let Some(turn) = store::turns::claim(&mut tx, state.ctx.limits.lease_ms).await? else { return Ok(false) };
    state.ctx.commit_at(tx, Commit::Claim).await?;
    spawn(state, turn, slot);
    Ok(true)
}

fn spawn(state: &AppState, turn: TurnRow, slot: OwnedSemaphorePermit) {
    let state = state.clone();
    state.clone().track(async move {
        let id = turn.id;
        // Another task renews the lease, also while the run computes. It is aborted with the run, and a lost lease cancels the run.
        let mut renewal = Renewal::of(&state, &turn);
        let done = tokio::select! {
            // Boxed: the future is large, and spawning moves it.
            done = Box::pin(attempt(&state, &turn)) => done,
            _ = &mut renewal.0 => Err(usecases::Error::Fenced.into()),
        };
        drop(renewal);
        match done {
            Ok(()) => {}
            Err(error) if error.is_fenced() => tracing::info!(turn = %id, "another worker took over the turn"),
            // The lease expires, and another attempt resumes from the last recorded step.
            Err(error) => tracing::error!(turn = %id, %error, "the turn was left for another attempt"),
        }
        drop(slot);
        state.ctx.live.wake_workers();
    });
}

/// Runs the turn, or gives up after too many attempts. The fence token counts attempts, including those of dead workers.
async fn attempt(state: &AppState, turn: &TurnRow) -> Result<(), Error> {
    if turn.fence > ATTEMPTS { Box::pin(commit_turn::give_up(state, turn)).await } else { turn::run(state, turn).await }
}

/// The task that renews a turn's lease. Dropping it aborts the task, also when the run panics.
struct Renewal(JoinHandle<()>);

impl Renewal {
    fn of(state: &AppState, turn: &TurnRow) -> Self {
        let (state, turn) = (state.clone(), turn.clone());
        Self(tokio::spawn(async move { renew(&state, &turn).await }))
    }
}

impl Drop for Renewal {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Renews the lease until it is lost.
async fn renew(state: &AppState, turn: &TurnRow) {
    let lease_ms = state.ctx.limits.lease_ms;
    let third = Duration::from_millis(u64::try_from(lease_ms / 3).unwrap_or(1).max(1));
    loop {
        tokio::time::sleep(third).await;
        let renewed = async {
            let mut tx = state.ctx.write().await?;
            let held = store::turns::renew(&mut tx, turn.user, turn.id, turn.fence, lease_ms).await?;
            state.ctx.commit_at(tx, Commit::Renew).await?;
            Ok::<_, usecases::Error>(held)
        };
        match Box::pin(renewed).await {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => tracing::warn!(turn = %turn.id, %error, "renewing a lease failed"),
        }
    }
}

/// Expires overdue approvals, each with a turn. Also updates the clock to the database's time.
async fn expire(state: &AppState) -> Result<(), Error> {
    let ctx = &state.ctx;
    let now = ctx.now_in(&mut ctx.peek().await?).await?;
    let ahead = now.plus_ms(window::AHEAD_MS);
    let latest = ctx.limits.approval_ttl().end(&ahead);
    let due = store::approvals::expired(&mut ctx.peek().await?, [&now, &ahead, &latest], EXPIRED_AT_ONCE).await?;
    for (user, id) in due {
        // An error of one approval does not stop the others.
        if let Err(error) = expire_one(state, user, id).await {
            tracing::error!(approval = %id, %error, "processing an expired approval failed");
        }
    }
    Ok(())
}

async fn expire_one(state: &AppState, user: UserId, id: ApprovalId) -> Result<(), Error> {
    let ctx = &state.ctx;
    let Some(caller) = accounts::caller_of_user(ctx, user, Door::Web).await? else { return Ok(()) };
    let mut tx = ctx.write().await?;
    store::tasks::lock(&mut tx, user).await?;
    let Some(approval) = store::approvals::get(&mut tx, user, id).await? else { return Ok(()) };
    if approval.expires_at > ctx.now_in(&mut tx).await? {
        // The approval may have been extended since the query.
        if approvals::clamp(ctx, &mut tx, user, approval).await? {
            ctx.commit_at(tx, Commit::Extend).await?;
        }
        return Ok(());
    }
    if approvals::expire(ctx, &mut tx, &caller, &approval).await? {
        inbox::verdict_turn(state, &mut tx, &caller, approval.conversation_id, id, (None, false)).await?;
        ctx.commit_at(tx, Commit::Expire).await?;
        turn_telemetry::settled(state, ApprovalStatus::Expired, None);
    }
    Ok(())
}

/// Relays notifications of other processes on the database.
async fn relay(state: AppState, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        let heard = async {
            let mut notices = state.ctx.store.notices().await?;
            loop {
                match notices.next().await? {
                    Notice::Events { user, ended } => state.ctx.live.wake(user, ended),
                    Notice::Turns => state.ctx.live.wake_workers(),
                }
            }
        };
        let failed: Result<(), store::Error> = heard.await;
        if let Err(error) = failed {
            tracing::warn!(%error, "listening to other processes failed; retrying");
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }
}
