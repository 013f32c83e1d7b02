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

mod assets;
mod audit_export;
mod body;
mod compressed;
mod errors;
mod export;
mod forms;
mod health;
mod inputs;
mod listening;
mod live;
pub mod lock;
pub mod mcp;
mod metrics;
mod permissions;
mod reading;
mod reference;
#[cfg(test)]
mod rendering;
mod router;
mod security;
mod session;
mod telegram;
mod timeouts;
mod upload;
mod visitor;

pub use router::routes;

/// Time that running requests and turns get to finish when the server stops.
const DRAIN: Duration = Duration::from_secs(10);

/// Time to close the database after that.
const CLOSE: Duration = Duration::from_secs(2);

/// An error that stops the server: a sentence for the operator.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{0} is in use by another program; stop it, or choose another port with DOCKET_ADDR.")]
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
        tracing::warn!("turns were still running; the next start resumes them");
    }
    state.telemetry.close().await;
    if tokio::time::timeout(CLOSE, state.ctx.store.close()).await.is_err() {
        tracing::warn!("the database was still in use");
    }
    Ok(())
}

/// Builds the whole service, without a port.
pub fn service(state: AppState, stopping: CancellationToken) -> Router {
    let site = assets::Site::of(state.config.site_dir.as_deref());
    router::router(router::Served { state, site, stopping })
}

/// Prints the server's address and, while there is no admin, the set-up link.
async fn announce(state: &AppState) -> Result<(), Error> {
    let url = &state.config.public_url;
    let token = accounts::first_link(&state.ctx).await.map_err(|error| Error::State(error.to_string()))?;
    println!("Docket is at {url}");
    if let Some(token) = token {
        println!("Open {url}/setup?token={token} to create the first admin.");
    }
    if state.config.hides_addresses() {
        tracing::warn!(
            "DOCKET_TRUSTED_PROXIES is empty although DOCKET_PUBLIC_URL uses https: rate limits by address see only \
                 the proxy"
        );
    }
    tracing::info!(%url, database = state.config.database_name(), "serving");
    Ok(())
}

/// Resolves [`DRAIN`] after `stopping` is cancelled.
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
    tracing::info!("stopping: no new turns start; running turns may finish");
    stopping.cancel();
}
