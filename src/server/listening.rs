//! Connections: one task each, from the first request to the last.

use std::net::SocketAddr;
use std::pin::pin;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use axum::serve::Listener;
use hyper::body::Incoming;
use hyper::server::conn::http1::Builder;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

/// Takes connections until `stopping`, and waits until those that are there have had the answers that they were waiting for.
pub async fn serve(mut listener: TcpListener, app: Router, stopping: CancellationToken) {
    let connections = TaskTracker::new();
    // Made ready once, and not at each request.
    let app = app.with_state(());
    loop {
        // The listener deals with errors: what was wrong with one connection is not with the next.
        let (stream, peer) = tokio::select! {
            accepted = Listener::accept(&mut listener) => accepted,
            () = stopping.cancelled() => break,
        };
        connections.spawn(connection(stream, peer, app.clone(), stopping.clone()));
    }
    drop(listener);
    connections.close();
    connections.wait().await;
}

async fn connection(stream: TcpStream, peer: SocketAddr, app: Router, stopping: CancellationToken) {
    // HTTP/1 alone, as browsers and proxies speak it without TLS: a connection that could be of either kind begins with a read after
    // which its buffer is made twice as large, and it keeps that.
    let http = Builder::new();
    let app = app.map_request(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(peer));
        request
    });
    let mut served = pin!(http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(app)));
    let done = tokio::select! {
        done = served.as_mut() => done,
        () = stopping.cancelled() => {
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
    if let Err(error) = done {
        tracing::trace!(%peer, %error, "a connection broke");
    }
}
