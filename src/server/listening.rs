//! Accepts connections: one task each, with a bounded number at a time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::response::Response;
use axum::routing::get;
use axum::serve::Listener;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::lane::Lane;
use super::timeouts::Timeouts;
use super::{errors, health};
use crate::api::ApiError;
use crate::api::error::Code;
use crate::config::Config;
use crate::messages::errors as messages;
use crate::telemetry::metrics::Metrics;

mod connection;
mod io;
mod lane;
mod os;

/// Number of spare places when all others are busy: each answers one request, with `/healthz` or a refusal.
const SPARE: usize = 32;
/// Seconds after which a rejected client may retry.
const RETRY_AFTER: i64 = 5;
/// Minimum interval between two warnings that the limit is reached.
const WARN_EVERY: Duration = Duration::from_secs(60);

/// Raises the limit on open files, and returns the number of connections that may be open at once.
pub fn capacity(config: &Config) -> usize {
    let (connections, problem) = os::connections(config.max_connections, config.workers, os::raise_open_files());
    if let Some(problem) = problem {
        tracing::warn!("{problem}");
    }
    connections
}

/// Serves `app` on at most `capacity` connections until `stopping`, then waits for the last requests.
///
/// At the limit, a new connection replaces the one that has waited longest for its request's headers, otherwise the one that has
/// been idle longest. If every connection has a request, [`refusals`] serves the new one.
pub async fn serve(
    mut listener: TcpListener,
    app: Router,
    capacity: usize,
    metrics: Arc<Metrics>,
    stopping: CancellationToken,
) {
    let connections = TaskTracker::new();
    // Prepared once instead of per request.
    let (app, refusals) = (app.with_state(()), refusals().with_state(()));
    let timeouts = Timeouts::default();
    let lane = Lane::new(capacity, timeouts.clone(), metrics.clone());
    let spare = Lane::new(SPARE, timeouts.clone(), metrics);
    let mut warned = None;
    loop {
        // The listener handles errors: a failed connection does not affect the next one.
        let (stream, peer) = tokio::select! {
            accepted = Listener::accept(&mut listener) => accepted,
            () = stopping.cancelled() => break,
        };
        os::drop_dead_peers(&stream, timeouts.write);
        if lane.is_full() && is_due(&mut warned) {
            tracing::warn!(
                limit = capacity,
                "the limit on connections is reached: connections without a request are closed, others are refused; \
                 DOCKET_MAX_CONNECTIONS raises it"
            );
        }
        let (slot, app, keep_alive) = match lane.enter().await {
            Some(slot) => (slot, app.clone(), true),
            None => match spare.enter().await {
                Some(slot) => (slot, refusals.clone(), false),
                None => continue,
            },
        };
        connections.spawn(connection::serve(stream, peer, app, keep_alive, slot, stopping.clone()));
    }
    drop(listener);
    connections.close();
    connections.wait().await;
}

/// Returns true at most once per [`WARN_EVERY`].
fn is_due(warned: &mut Option<Instant>) -> bool {
    let due = warned.is_none_or(|warned| warned.elapsed() >= WARN_EVERY);
    if due {
        *warned = Some(Instant::now());
    }
    due
}

/// Routes of a connection beyond the limit: the liveness check, and a refusal for everything else.
fn refusals() -> Router {
    let refuse = || async { refusal() };
    Router::new().route("/healthz", get(health::alive)).fallback(refuse)
}

fn refusal() -> Response {
    let mut error = ApiError::new(Code::Unavailable, messages::TOO_MANY_CONNECTIONS);
    error.retry_after = Some(RETRY_AFTER);
    errors::of(&error)
}

#[cfg(test)]
mod tests;
