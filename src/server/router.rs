//! Every route in one place, and the layers around them.

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio_util::sync::CancellationToken;

use super::assets::Site;
use super::health;
use crate::state::AppState;

/// What handlers share.
#[derive(Clone)]
pub struct Served {
    pub state: AppState,
    pub site: Site,
    /// Cancelled when the process was asked to stop.
    pub stopping: CancellationToken,
}

/// The whole server.
pub fn router(served: Served) -> Router {
    Router::new()
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .fallback(elsewhere)
        .with_state(served)
}

/// A file of the site.
async fn elsewhere(State(served): State<Served>, request: Request) -> Response {
    match served.site.serve(request.uri().path(), request.headers()).await {
        Some(file) => file,
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
