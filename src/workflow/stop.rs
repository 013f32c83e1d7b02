//! Stop: a stored command that a turn obeys before its next step, and while it waits for its engine.

use crate::state::AppState;
use crate::store::turns::TurnRow;
use crate::store::{self, Error};

use super::worker::LOOK_AGAIN;

/// Whether somebody asked the turn to stop.
pub async fn asked(state: &AppState, turn: &TurnRow) -> Result<bool, Error> {
    let mut tx = state.ctx.store.peek().await?;
    Ok(store::turns::get(&mut tx, turn.user, turn.id).await?.is_some_and(|turn| turn.stop_asked))
}

/// Waits until somebody does; for ever if nobody does. Signals are hints here too: a stop that was asked of another process is
/// found by looking.
pub async fn heard(state: &AppState, turn: &TurnRow) {
    // Listening begins before looking, so that nothing can happen in between.
    let mut listener = state.ctx.live.listen(turn.user);
    loop {
        match Box::pin(asked(state, turn)).await {
            Ok(true) => return,
            Ok(false) => {}
            Err(error) => tracing::warn!(turn = %turn.id, %error, "looking for a stop failed"),
        }
        if tokio::time::timeout(LOOK_AGAIN, listener.woken()).await == Ok(false) {
            std::future::pending::<()>().await;
        }
    }
}
