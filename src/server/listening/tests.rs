//! Clients that are slow in every phase of a connection, with a timer that tests advance.

use std::net::SocketAddr;

use axum::body::Body;
use futures::FutureExt as _;
use futures::stream::{self, StreamExt as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};

use super::*;
use crate::server::timeouts::testing::{Clock, settle};

const REQUEST: &str = "GET /healthz HTTP/1.1\r\nHost: docket\r\n\r\n";
const EVENTS: &str = "GET /events HTTP/1.1\r\nHost: docket\r\n\r\n";
/// Capacity of the pipe between the two ends of a connection, in bytes.
const PIPE: usize = 1024;
const LARGE: usize = 16 * 1024;

struct Server {
    clock: Clock,
    lane: Arc<Lane>,
    app: Router,
}

impl Server {
    fn with_places(places: usize) -> Self {
        let clock = Clock::new();
        let timeouts = Timeouts { timer: Arc::new(clock.clone()), ..Timeouts::default() };
        let open =
            || async { Body::from_stream(stream::iter([Ok::<_, std::io::Error>("hello")]).chain(stream::pending())) };
        let app = Router::new()
            .route("/healthz", get(health::alive))
            .route("/large", get(|| async { "#".repeat(LARGE) }))
            .route("/events", get(open));
        Self { clock, lane: Lane::new(places, timeouts, Arc::default()), app }
    }

    async fn connect(&self) -> Option<DuplexStream> {
        let slot = self.lane.enter().await?;
        let (near, far) = duplex(PIPE);
        let peer = SocketAddr::from(([127, 0, 0, 1], 1));
        tokio::spawn(connection::serve(far, peer, self.app.clone(), true, slot, CancellationToken::new()));
        settle().await;
        Some(near)
    }

    async fn connected(&self) -> DuplexStream {
        self.connect().await.expect("a place")
    }

    /// Opens a connection whose request was answered.
    async fn idle(&self) -> DuplexStream {
        let mut client = self.connected().await;
        is_answered(&mut client, REQUEST).await;
        client
    }
}

async fn send(client: &mut DuplexStream, text: &str) {
    client.write_all(text.as_bytes()).await.expect("an open connection");
    settle().await;
}

/// Sends the rest of a request for `/healthz`, and expects its answer.
async fn is_answered(client: &mut DuplexStream, rest: &str) {
    send(client, rest).await;
    let mut bytes = [0; PIPE];
    let size = client.read(&mut bytes).now_or_never().expect("an answer").expect("an open connection");
    let text = String::from_utf8_lossy(&bytes[..size]);
    assert!(text.starts_with("HTTP/1.1 200 OK") && text.ends_with("ok\n"), "{text}");
    settle().await;
}

/// Reads all available bytes; returns true if the server then closed the connection.
async fn is_closed(client: &mut DuplexStream) -> bool {
    let mut bytes = [0; PIPE];
    loop {
        settle().await;
        match client.read(&mut bytes).now_or_never() {
            Some(Ok(0) | Err(_)) => return true,
            Some(Ok(_)) => {}
            None => return false,
        }
    }
}

#[tokio::test]
async fn headers_are_complete_within_10_seconds() {
    let server = Server::with_places(9);
    let (mut silent, mut drips, mut late) =
        (server.connected().await, server.connected().await, server.connected().await);
    for byte in ["G", "E", "T", " ", "/", "h", "e", "a", "l"] {
        send(&mut drips, byte).await;
        server.clock.pass(1).await;
    }
    assert!(!is_closed(&mut silent).await && !is_closed(&mut drips).await);
    is_answered(&mut late, REQUEST).await;
    server.clock.pass(1).await;
    assert!(is_closed(&mut silent).await && is_closed(&mut drips).await);
    is_answered(&mut late, REQUEST).await;
}

#[tokio::test]
async fn idle_connection_is_closed_after_75_seconds() {
    let server = Server::with_places(9);
    let mut client = server.idle().await;
    for _ in 0..3 {
        server.clock.pass(74).await;
        is_answered(&mut client, REQUEST).await;
    }
    server.clock.pass(75).await;
    assert!(is_closed(&mut client).await);
}

#[tokio::test]
async fn later_requests_also_have_10_seconds_for_their_headers() {
    let server = Server::with_places(9);
    let (mut fast, mut slow) = (server.idle().await, server.idle().await);
    server.clock.pass(30).await;
    for client in [&mut fast, &mut slow] {
        send(client, "GET /healthz HTTP/1.1\r\n").await;
    }
    server.clock.pass(9).await;
    is_answered(&mut fast, "Host: docket\r\n\r\n").await;
    server.clock.pass(1).await;
    assert!(is_closed(&mut slow).await && !is_closed(&mut fast).await);
}

#[tokio::test]
async fn event_stream_outlives_every_timeout() {
    let server = Server::with_places(1);
    let mut client = server.connected().await;
    send(&mut client, EVENTS).await;
    for _ in 0..10 {
        server.clock.pass(3600).await;
        assert!(!is_closed(&mut client).await);
    }
    assert!(server.connect().await.is_none(), "its place is taken");
    drop(client);
    settle().await;
    assert!(server.connect().await.is_some());
}

#[tokio::test]
async fn client_that_reads_nothing_is_closed_after_30_seconds() {
    let server = Server::with_places(1);
    let mut client = server.connected().await;
    send(&mut client, "GET /large HTTP/1.1\r\nHost: docket\r\n\r\n").await;
    server.clock.pass(29).await;
    assert!(
        server.lane.is_full() && server.connect().await.is_none(),
        "an answer that is being written is no idle time"
    );
    server.clock.pass(1).await;
    assert!(!server.lane.is_full() && is_closed(&mut client).await);
}

#[tokio::test]
async fn client_that_reads_slowly_receives_everything() {
    let server = Server::with_places(1);
    let mut client = server.connected().await;
    send(&mut client, "GET /large HTTP/1.1\r\nHost: docket\r\n\r\n").await;
    let (mut seen, mut bytes) = (0, [0; PIPE]);
    while seen < LARGE {
        server.clock.pass(29).await;
        let size = client.read(&mut bytes).now_or_never().expect("bytes").expect("an open connection");
        // No header contains a `#`.
        seen += bytes[..size].iter().filter(|byte| **byte == b'#').count();
    }
    settle().await;
    // The idle time began with the last write, 29 s before the read.
    server.clock.pass(45).await;
    is_answered(&mut client, REQUEST).await;
}

#[tokio::test]
async fn full_server_closes_the_longest_wait_and_no_request() {
    let server = Server::with_places(4);
    let (first, idle, mut second) = (server.connected().await, server.idle().await, server.connected().await);
    send(&mut second, "GET /").await;
    let mut busy = vec![server.connected().await];
    send(&mut busy[0], EVENTS).await;
    let mut waits = [first, second, idle];
    for at in 0..waits.len() {
        let mut client = server.connected().await;
        send(&mut client, EVENTS).await;
        busy.push(client);
        for (other, wait) in waits.iter_mut().enumerate() {
            assert_eq!(is_closed(wait).await, other <= at, "connection {other} after {at}");
        }
    }
    assert!(server.connect().await.is_none());
    for client in &mut busy {
        assert!(!is_closed(client).await);
    }
}

#[tokio::test]
async fn evicted_connection_serves_no_request() {
    let server = Server::with_places(1);
    let slot = server.lane.enter().await.expect("a place");
    assert!(server.connect().now_or_never().is_none(), "it waits for the place");
    assert!(!slot.begin());
}

#[test]
fn refused_clients_learn_when_to_come_back() {
    let refused = refusal();
    assert_eq!((refused.status().as_u16(), &refused.headers()["retry-after"]), (503, &"5".parse().unwrap()));
}
