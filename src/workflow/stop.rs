//! Stop requests, stored in the database. A turn obeys before its next step and during a model call.

use crate::state::AppState;
use crate::store::turns::TurnRow;
use crate::store::{self, Error};

use super::worker::LOOK_AGAIN;

/// True if the turn was asked to stop.
pub async fn asked(state: &AppState, turn: &TurnRow) -> Result<bool, Error> {
    let mut tx = state.ctx.store.peek().await?;
    Ok(store::turns::get(&mut tx, turn.user, turn.id).await?.is_some_and(|turn| turn.stop_asked))
}

/// Waits until the turn is asked to stop. Wake-ups may be lost, so the database is polled too.
pub async fn heard(state: &AppState, turn: &TurnRow) {
    // Subscribes before the first read, so that no event is missed.
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
