//! `/telegram/webhook`: updates from Telegram. Answered once they are durable; all replies go through the outbox.

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use subtle::ConstantTimeEq as _;

use crate::channels::telegram::read;
use crate::state::AppState;
use crate::workflow::telegram;

/// Path of the webhook.
pub const WEBHOOK: &str = "/telegram/webhook";
/// Header with the secret that was registered with the webhook.
const SECRET: &str = "x-telegram-bot-api-secret-token";

/// Processes one update. Telegram sends it again after any status other than 200.
pub async fn webhook(State(state): State<AppState>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let settings = &state.config.telegram;
    let (Some(secret), Some(_)) = (&settings.secret, &state.telegram) else { return StatusCode::NOT_FOUND };
    let shown = headers.get(SECRET).map(|value| value.as_bytes()).unwrap_or_default();
    // Checked in constant time, before any part of the body is parsed.
    if !bool::from(shown.ct_eq(secret.reveal().as_bytes())) {
        return StatusCode::UNAUTHORIZED;
    }
    let taken_in = match read(&body) {
        Ok(Some(update)) => telegram::receive(&state, update).await,
        Ok(None) => return StatusCode::OK,
        Err(unreadable) => telegram::give_up(&state, unreadable).await,
    };
    match taken_in {
        Ok(()) => StatusCode::OK,
        Err(error) => {
            tracing::error!(?error, "an update could not be processed");
            StatusCode::SERVICE_UNAVAILABLE
        }
    }
}
