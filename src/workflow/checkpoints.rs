//! Signing the record now and then: the ends of all chains, by one of all processes.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::Error;
use crate::state::AppState;
use crate::usecases::checkpoints::{self, When};

/// How long one waits until one looks again whether there is something to sign.
const LOOK_AGAIN: Duration = Duration::from_secs(5);

/// Makes the key where there is none, logs what an operator has to know of it, and signs the record before anybody is served.
///
/// # Errors
/// Those of the database, and of a key or a log that cannot be used: nobody is served then.
pub async fn make_ready(state: &AppState) -> Result<(), Error> {
    if let Some(sentence) = checkpoints::make_ready(&state.ctx).await? {
        tracing::warn!("{sentence}");
    }
    Ok(checkpoints::begin(&state.ctx).await?)
}

/// Signs what was added, every minute or every 1,000 records, until `shutdown`.
pub(super) async fn keep_signing(state: AppState, shutdown: CancellationToken) {
    let rounds = async {
        let mut told = 0;
        loop {
            match sign(&state, told).await {
                Ok(last) => told = last,
                Err(error) => tracing::error!(%error, "signing the record failed; it is tried again"),
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    };
    shutdown.run_until_cancelled(rounds).await;
}

/// Makes a checkpoint if one is due, and tells in the log what it lacks: what a process that died has left out too.
pub(super) async fn sign(state: &AppState, told: i64) -> Result<i64, Error> {
    let told = checkpoints::keep_log(&state.ctx, told).await?;
    match checkpoints::make(&state.ctx, When::Due).await? {
        Some(number) => {
            tracing::debug!(number, "the record was signed");
            Ok(checkpoints::keep_log(&state.ctx, told).await?)
        }
        None => Ok(told),
    }
}
