//! Liveness and readiness of the process.

use axum::extract::State;
use axum::http::StatusCode;

use super::router::Served;

/// `/healthz`: the process responds.
pub async fn alive() -> &'static str {
    "ok\n"
}

/// `/readyz`: the database responds and the server is not stopping.
pub async fn ready(State(served): State<Served>) -> (StatusCode, &'static str) {
    if served.stopping.is_cancelled() {
        return (StatusCode::SERVICE_UNAVAILABLE, "stopping\n");
    }
    match served.state.ctx.read().await {
        Ok(_) => (StatusCode::OK, "ready\n"),
        Err(error) => {
            tracing::error!(error = ?error, "the database did not answer");
            (StatusCode::SERVICE_UNAVAILABLE, "the database does not answer\n")
        }
    }
}
