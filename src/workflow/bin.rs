//! Emptying the bin of what has lain there long enough, the outbox of what was sent long ago, and the paces of addresses from which
//! nothing came lately: looked at every hour by the clock, by one of all processes.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::Error;
use crate::domain::id::UserId;
use crate::state::AppState;
use crate::store::jobs::{self, Job};
use crate::store::{outbox, paces};
use crate::usecases::{Commit, bin};

/// Who does it, and how often.
const JOB: Job = Job { name: "empty_bin", every_s: 3_600 };
/// How long one waits until one looks at the clock again.
const LOOK_AGAIN: Duration = Duration::from_secs(60);
/// How long it is kept in which messages a card stood, in seconds: as long as what lies in the bin.
const SENT_S: i64 = 30 * 86_400;
/// How long it is kept how fast an address was, in seconds, after its share was free again; it says nothing any more from then on.
const PACED_S: i64 = 60;

/// Empties it, hour after hour, until `shutdown`; what it is at then is rolled back and done by the next.
pub(super) async fn keep_emptying(state: AppState, shutdown: CancellationToken) {
    let hours = async {
        loop {
            if let Err(error) = empty(&state).await {
                tracing::error!(%error, "looking for what lay in the bin too long failed");
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    };
    shutdown.run_until_cancelled(hours).await;
}

/// Empties everyone's bin, if that is due and nobody else does it. An hour in which nothing is to be done writes nothing.
pub(super) async fn empty(state: &AppState) -> Result<(), Error> {
    let ctx = &state.ctx;
    if !jobs::is_due(&mut ctx.peek().await?, JOB, &ctx.now()).await? {
        return Ok(());
    }
    let (owners, long_ago, lately) =
        (bin::owners(ctx).await?, ctx.now().plus_seconds(-SENT_S), ctx.now().plus_seconds(-PACED_S));
    let mut tx = ctx.peek().await?;
    let swept = outbox::any_over(&mut tx, &long_ago).await? || paces::any_over(&mut tx, &lately).await?;
    drop(tx);
    if owners.is_empty() && !swept {
        return Ok(());
    }
    let mut tx = ctx.write().await?;
    if !jobs::claim(&mut tx, JOB, &ctx.now()).await? {
        return Ok(());
    }
    outbox::sweep(&mut tx, &long_ago).await?;
    paces::sweep(&mut tx, &lately).await?;
    ctx.commit_at(tx, Commit::Job).await?;
    for user in owners {
        // One person's rows that fail do not keep the others' in the bin.
        if let Err(error) = empty_of(state, user).await {
            tracing::error!(%user, %error, "emptying a bin failed; it is tried again in an hour");
        }
    }
    Ok(())
}

async fn empty_of(state: &AppState, user: UserId) -> Result<(), Error> {
    loop {
        let mut tx = state.ctx.write().await?;
        let gone = bin::empty(&state.ctx, &mut tx, user).await?;
        if gone > 0 {
            state.ctx.commit_at(tx, Commit::Purge).await?;
            tracing::info!(%user, gone, "tasks went from the bin for good");
        }
        if gone < bin::AT_ONCE {
            return Ok(());
        }
    }
}
