//! Hourly erasure of texts older than the configured retention, by one process. A vacuum then removes all erased texts from the database's
//! files.

use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::Error;
use crate::state::AppState;
use crate::store::jobs::{self, Job};
use crate::usecases::{Commit, erasure};

const JOB: Job = Job { name: "retention", every_s: 3_600 };
/// Interval at which a process checks whether the job is due.
const LOOK_AGAIN: Duration = Duration::from_secs(60);

/// Runs the job every hour until `shutdown`. Interrupted work is rolled back and repeated by the next run.
pub(super) async fn keep_erasing(state: AppState, shutdown: CancellationToken) {
    let minutes = async {
        loop {
            if let Err(error) = sweep(&state).await {
                tracing::error!(%error, "searching for expired texts failed");
            }
            let started = Instant::now();
            match erasure::clean(&state.ctx).await {
                Ok(true) => tracing::info!("erased texts were removed from the database files"),
                Ok(false) => {}
                Err(error) => tracing::warn!(%error, "erased texts are still in the database files; retrying"),
            }
            // Writers wait for a vacuum of a large file: it may take a twentieth of the time.
            tokio::time::sleep(LOOK_AGAIN.max(started.elapsed() * 20)).await;
        }
    };
    shutdown.run_until_cancelled(minutes).await;
}

/// Erases everyone's old texts if the job is due and unclaimed. Writes nothing if there is nothing to do.
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
        // An error of one user does not stop the others.
        match erasure::retire(ctx, user, days).await {
            Ok(texts) => tracing::info!(%user, texts, days, "erased expired texts"),
            Err(error) => tracing::error!(%user, %error, "erasing expired texts failed; retrying in an hour"),
        }
    }
    Ok(())
}
