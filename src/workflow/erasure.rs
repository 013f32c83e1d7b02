//! Erasing by age: what is older than the configured days goes by itself, looked at every hour by the clock, by one of all
//! processes; and whatever was erased, by whom it was, leaves the database's files soon after.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::Error;
use crate::state::AppState;
use crate::store::jobs::{self, Job};
use crate::usecases::{Commit, erasure};

/// Who does it, and how often.
const JOB: Job = Job { name: "retention", every_s: 3_600 };
/// How long one waits until one looks at the clock again.
const LOOK_AGAIN: Duration = Duration::from_secs(60);

/// Erases, hour after hour, until `shutdown`; what it is at then is rolled back and done by the next.
pub(super) async fn keep_erasing(state: AppState, shutdown: CancellationToken) {
    let minutes = async {
        loop {
            if let Err(error) = sweep(&state).await {
                tracing::error!(%error, "looking for texts that are too old failed");
            }
            match erasure::clean(&state.ctx).await {
                Ok(true) => tracing::info!("what was erased has left the database's files"),
                Ok(false) => {}
                Err(error) => tracing::warn!(%error, "what was erased is still in the database's files; trying again"),
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    };
    shutdown.run_until_cancelled(minutes).await;
}

/// Erases everyone's texts that are too old, if that is due and nobody else does it. An hour in which nothing is to be done writes
/// nothing.
pub(super) async fn sweep(state: &AppState) -> Result<(), Error> {
    let (ctx, days) = (&state.ctx, state.config.retention_days);
    if days == 0 || !jobs::is_due(&mut ctx.peek().await?, JOB, &ctx.now()).await? {
        return Ok(());
    }
    let overdue = erasure::overdue(ctx, days).await?;
    if overdue.is_empty() {
        return Ok(());
    }
    let mut tx = ctx.write().await?;
    if !jobs::claim(&mut tx, JOB, &ctx.now()).await? {
        return Ok(());
    }
    ctx.commit_at(tx, Commit::Job).await?;
    for user in overdue {
        // One person's rows that fail do not keep the others'.
        match erasure::retire(ctx, user, days).await {
            Ok(texts) => tracing::info!(%user, texts, days, "texts went since they were too old"),
            Err(error) => tracing::error!(%user, %error, "erasing old texts failed; it is tried again in an hour"),
        }
    }
    Ok(())
}
