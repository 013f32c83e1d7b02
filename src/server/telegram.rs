//! `/telegram/webhook`: what Telegram tells of its chats. Answered once it is durable; everything that is said in return goes by the
//! outbox.

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use subtle::ConstantTimeEq as _;

use crate::channels::telegram::read;
use crate::state::AppState;
use crate::workflow::telegram;

/// Where Telegram tells what people write.
pub const WEBHOOK: &str = "/telegram/webhook";
/// Where Telegram shows the secret that it was told with the webhook.
const SECRET: &str = "x-telegram-bot-api-secret-token";

/// Takes in one update. An answer other than 200 has Telegram tell it again.
pub async fn webhook(State(state): State<AppState>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let settings = &state.config.telegram;
    let (Some(secret), Some(_)) = (&settings.secret, &state.telegram) else { return StatusCode::NOT_FOUND };
    let shown = headers.get(SECRET).map(|value| value.as_bytes()).unwrap_or_default();
    // Before anything of the body is looked at, and as long for a good guess as for a bad one.
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
            tracing::error!(?error, "an update could not be taken in");
            StatusCode::SERVICE_UNAVAILABLE
        }
    }
}
