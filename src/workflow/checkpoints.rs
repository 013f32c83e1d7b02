//! Periodic checkpoints of all chains by one process.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::Error;
use crate::state::AppState;
use crate::usecases::checkpoints::{self, When};

/// Interval at which a process checks whether a checkpoint is due.
const LOOK_AGAIN: Duration = Duration::from_secs(5);

/// Creates the key if it is missing, logs warnings for the operator, and signs the audit log before the server accepts requests.
///
/// # Errors
/// Errors of the database, and of an unusable key or log: the server must not start then.
pub async fn make_ready(state: &AppState) -> Result<(), Error> {
    if let Some(sentence) = checkpoints::make_ready(&state.ctx).await? {
        tracing::warn!("{sentence}");
    }
    Ok(checkpoints::begin(&state.ctx).await?)
}

/// Signs new records every minute or every 1,000 records until `shutdown`.
pub(super) async fn keep_signing(state: AppState, shutdown: CancellationToken) {
    let rounds = async {
        let mut told = 0;
        loop {
            match sign(&state, told).await {
                Ok(last) => told = last,
                Err(error) => tracing::error!(%error, "signing the audit log failed; retrying"),
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    };
    shutdown.run_until_cancelled(rounds).await;
}

/// Creates a checkpoint if one is due, and appends missing ones to the log, also those of a process that died.
pub(super) async fn sign(state: &AppState, told: i64) -> Result<i64, Error> {
    let told = checkpoints::keep_log(&state.ctx, told).await?;
    match checkpoints::make(&state.ctx, When::Due).await? {
        Some(number) => {
            tracing::debug!(number, "the audit log was signed");
            Ok(checkpoints::keep_log(&state.ctx, told).await?)
        }
        None => Ok(told),
    }
}
