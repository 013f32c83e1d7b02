//! The HTTP server: one router, the layers around it, starting and stopping.

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::state::AppState;
use crate::usecases::accounts;
use crate::workflow::{checkpoints, worker};

/// The site's files.
mod assets;
/// The record as a file.
mod audit_export;
/// How much a request may carry.
mod body;
/// Long answers, compressed on their way.
mod compressed;
/// Honest statuses and one shape for every error of the API.
mod errors;
/// Everything of a user, as a file.
mod export;
/// Plain forms: answers become redirects.
mod forms;
/// Whether the process lives, and whether it can serve.
mod health;
/// Limits on what a request may consist of.
mod inputs;
/// Connections, from the first request to the last.
mod listening;
/// Server-sent events.
mod live;
/// One server per SQLite file.
pub mod lock;
/// `/mcp`: the tools for outside agents.
pub mod mcp;
/// What operators watch.
mod metrics;
/// Permissions of the server's files.
mod permissions;
/// Reading bodies.
mod reading;
/// The API described.
mod reference;
/// How pages are rendered while their data arrives.
#[cfg(test)]
mod rendering;
/// Every route in one place.
mod router;
/// What browsers are told to refuse.
mod security;
/// Who is calling.
mod session;
/// What Telegram tells.
mod telegram;
/// Limits on the time that clients may take.
mod timeouts;
/// Forms with a file.
mod upload;
/// Where requests come from.
mod visitor;

pub use router::routes;

/// How long requests and turns that are under way may still take when the server stops.
const DRAIN: Duration = Duration::from_secs(10);

/// How long what is left after that may hold the database.
const CLOSE: Duration = Duration::from_secs(2);

/// Why the server does not run. A sentence for the person who starts it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{0} is in use by another program: stop it, or choose another port with DOCKET_ADDR.")]
    PortInUse(SocketAddr),
    #[error("Cannot listen on {0}: {1}.")]
    Listen(SocketAddr, std::io::Error),
    #[error("{0}")]
    Locked(String),
    #[error("{0}")]
    State(String),
}

/// Serves until SIGTERM or SIGINT, then drains.
pub async fn serve(config: Config) -> Result<(), Error> {
    let listener = TcpListener::bind(config.addr).await.map_err(|error| match error.kind() {
        std::io::ErrorKind::AddrInUse => Error::PortInUse(config.addr),
        _ => Error::Listen(config.addr, error),
    })?;
    let addr = listener.local_addr().map_err(|error| Error::Listen(config.addr, error))?;
    let config = config.listening_on(addr);
    // Held until the process ends.
    let _lock = lock::take(&config)?;
    let tightened = permissions::tighten(&config);
    let mut state = AppState::open(config).await.map_err(|error| Error::State(error.to_string()))?;
    permissions::log(&tightened);
    state.telemetry = state.telemetry.clone().exporting(state.config.otlp_endpoint.as_deref()).map_err(Error::State)?;
    let capacity = listening::capacity(&state.config);
    let stopping = CancellationToken::new();
    let app = service(state.clone(), stopping.clone());
    checkpoints::make_ready(&state).await.map_err(|error| Error::State(error.to_string()))?;
    worker::take_over(&state).await.map_err(|error| Error::State(error.to_string()))?;
    announce(&state).await?;
    let worker = tokio::spawn(worker::run(state.clone(), stopping.clone()));
    tokio::spawn(stop_on_signal(stopping.clone()));
    tokio::select! {
        () = listening::serve(listener, app, capacity, state.telemetry.metrics.clone(), stopping.clone()) => {}
        () = late(&stopping) => {}
    }
    stopping.cancel();
    if tokio::time::timeout(DRAIN, worker).await.is_err() {
        tracing::warn!("turns were still running; another start goes on with them");
    }
    state.telemetry.close().await;
    if tokio::time::timeout(CLOSE, state.ctx.store.close()).await.is_err() {
        tracing::warn!("the database was still in use");
    }
    Ok(())
}

/// All that the server answers, without a port to listen at.
pub fn service(state: AppState, stopping: CancellationToken) -> Router {
    let site = assets::Site::of(state.config.site_dir.as_deref());
    router::router(router::Served { state, site, stopping })
}

/// Says where the server is and, while there is no admin, how to make one.
async fn announce(state: &AppState) -> Result<(), Error> {
    let url = &state.config.public_url;
    let token = accounts::first_link(&state.ctx).await.map_err(|error| Error::State(error.to_string()))?;
    println!("Docket is at {url}");
    if let Some(token) = token {
        println!("Open {url}/setup?token={token} to create the first admin.");
    }
    if state.config.hides_addresses() {
        tracing::warn!(
            "DOCKET_TRUSTED_PROXIES is empty though DOCKET_PUBLIC_URL is https: limits by address take everybody for the proxy"
        );
    }
    tracing::info!(%url, database = state.config.database_name(), "serving");
    Ok(())
}

/// Resolves [`DRAIN`] after the signal.
async fn late(stopping: &CancellationToken) {
    stopping.cancelled().await;
    tokio::time::sleep(DRAIN).await;
    tracing::warn!("requests were still running");
}

async fn stop_on_signal(stopping: CancellationToken) {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())
            .expect("a signal handler can be installed");
        tokio::select! {
            _ = interrupt => {}
            _ = terminate.recv() => {}
        }
    }
    #[cfg(not(unix))]
    {
        interrupt.await.ok();
    }
    tracing::info!("stopping: no new turns; what runs may finish");
    stopping.cancel();
}
