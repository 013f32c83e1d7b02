//! Hourly cleanup by one process: purges the bin, delivered outbox rows and idle rate limits of addresses.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::Error;
use crate::domain::id::UserId;
use crate::state::AppState;
use crate::store::jobs::{self, Job};
use crate::store::{outbox, rate_limits};
use crate::usecases::{Commit, bin};

const JOB: Job = Job { name: "empty_bin", every_s: 3_600 };
/// Interval at which a process checks whether the job is due.
const LOOK_AGAIN: Duration = Duration::from_secs(60);
/// Retention of a card's message ids, in seconds; equal to that of the bin.
const SENT_S: i64 = 30 * 86_400;
/// Retention of an address's rate limit after it is free again, in seconds.
const PACED_S: i64 = 60;

/// Runs the job every hour until `shutdown`. Interrupted work is rolled back and repeated by the next run.
pub(super) async fn keep_emptying(state: AppState, shutdown: CancellationToken) {
    let hours = async {
        loop {
            if let Err(error) = empty(&state).await {
                tracing::error!(%error, "searching for expired tasks in the bin failed");
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    };
    shutdown.run_until_cancelled(hours).await;
}

/// Purges everyone's bin if the job is due and unclaimed. Writes nothing if there is nothing to do.
pub(super) async fn empty(state: &AppState) -> Result<(), Error> {
    let ctx = &state.ctx;
    if !jobs::is_due(&mut ctx.peek().await?, JOB, &ctx.now()).await? {
        return Ok(());
    }
    let (owners, long_ago, lately) =
        (bin::owners(ctx).await?, ctx.now().plus_seconds(-SENT_S), ctx.now().plus_seconds(-PACED_S));
    let mut tx = ctx.peek().await?;
    let swept = outbox::any_over(&mut tx, &long_ago).await? || rate_limits::any_over(&mut tx, &lately).await?;
    drop(tx);
    if owners.is_empty() && !swept {
        return Ok(());
    }
    let mut tx = ctx.write().await?;
    if !jobs::claim(&mut tx, JOB, &ctx.now()).await? {
        return Ok(());
    }
    outbox::sweep(&mut tx, &long_ago).await?;
    rate_limits::sweep(&mut tx, &lately).await?;
    ctx.commit_at(tx, Commit::Job).await?;
    for user in owners {
        // An error of one user does not stop the others.
        if let Err(error) = empty_of(state, user).await {
            tracing::error!(%user, %error, "emptying a bin failed; retrying in an hour");
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
            tracing::info!(%user, gone, "permanently deleted tasks from the bin");
        }
        if gone < bin::AT_ONCE {
            return Ok(());
        }
    }
}
