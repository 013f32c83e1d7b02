//! Clients that open connections and send little: the server keeps answering and closes idle connections.

use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::app::{Client, Database, Db, PATIENCE, Reply, Server, TestApp, complaint, docket, until};
use crate::events::Stream;

/// Half-open connections that a server must withstand.
const HALF_OPEN: u64 = 5000;
/// The server's limit of open files; 384 of them are its reserve.
const FILES: u32 = 1100;

/// Raises this process's limit of open files; returns how many half-open connections it can hold.
fn most_half_open() -> u64 {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).expect("a soft limit can be raised");
    maximum.map_or(HALF_OPEN, |most| HALF_OPEN.min(most.saturating_sub(2000)))
}

/// Starts a server with at most [`FILES`] open files.
async fn with_few_files(environment: &[(&str, &str)]) -> (Server, Database) {
    let database = Database::fresh(Db::Sqlite).await.expect("SQLite is always there");
    let plain = docket(&database.url, &[]);
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("ulimit -n {FILES} && exec \"$0\" serve")).arg(plain.get_program());
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.envs(environment.iter().copied()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let server = Server::of(command).unwrap_or_else(|output| panic!("{}", complaint(&output)));
    (server, database)
}

/// Opens a connection that sends only `text`.
async fn half_open(server: &Server, text: &str) -> TcpStream {
    let address = server.base.strip_prefix("http://").expect("an http address");
    let connecting = tokio::time::timeout(PATIENCE, TcpStream::connect(address)).await;
    let mut stream = connecting.expect("the server accepts connections").expect("a connection");
    stream.write_all(text.as_bytes()).await.ok();
    stream
}

/// Returns true if the server closes the connection within `patience`.
async fn is_closed(stream: &mut TcpStream, patience: Duration) -> bool {
    tokio::time::timeout(patience, stream.read(&mut [0; 1])).await.is_ok_and(|read| !matches!(read, Ok(1)))
}

async fn get(server: &Server, path: &str) -> Reply {
    Client::anonymous(&server.base).get(path, &[]).await
}

#[tokio::test]
async fn healthz_answers_under_5000_half_open_connections() {
    let most = most_half_open();
    let (server, _database) = with_few_files(&[("DOCKET_MAX_CONNECTIONS", "5000")]).await;
    let limit = "DOCKET_MAX_CONNECTIONS is 5000, but the limit of 1100 open files allows only 716 connections";
    until("the limit", || async { server.said().contains(limit).then_some(()) }).await;
    let mut held = vec![];
    for at in 0..most {
        let text = ["", "GET /healthz HTTP/1.1\r\n", "POST /api/v1/chat HTTP/1.1\r\nHost: docket\r\nContent-"]
            [at as usize % 3];
        held.push(half_open(&server, text).await);
    }
    assert_eq!(get(&server, "/healthz").await.text, "ok\n");
    assert_eq!(get(&server, "/readyz").await.text, "ready\n", "an ordinary request has a place too");
    assert!(is_closed(&mut held[0], PATIENCE).await, "it has waited longest");
    assert!(server.said().contains("the limit on connections is reached"), "{}", server.said());
}

#[tokio::test]
async fn healthz_answers_while_every_connection_sends_its_body() {
    let (server, _database) = with_few_files(&[("DOCKET_MAX_CONNECTIONS", "20")]).await;
    let request = "POST /api/v1/session/sign-in HTTP/1.1\r\nHost: docket\r\nContent-Type: application/x-www-form-urlencoded\r\n\
                   Content-Length: 1000\r\n\r\nname=";
    let mut held = vec![];
    for _ in 0..400 {
        held.push(half_open(&server, request).await);
    }
    assert_eq!(get(&server, "/healthz").await.text, "ok\n");
    let refused = get(&server, "/readyz").await;
    refused.is_error(503, "unavailable", "too many open connections");
    assert_eq!(refused.header("retry-after"), "5");
}

#[tokio::test]
async fn event_streams_count_and_are_never_closed_for_others() {
    let app =
        TestApp::start_with(Db::Sqlite, &[("DOCKET_MAX_CONNECTIONS", "6")]).await.expect("SQLite is always there");
    let ada = app.user("ada");
    let mut streams = vec![];
    for _ in 0..5 {
        streams.push(Stream::open(&ada, &[], None).await);
    }
    assert!(get(&app.server, "/metrics").await.text.contains("docket_http_connections 6\n"));
    // The slot of the earlier request becomes free once the server notices that it was closed.
    streams.push(until("a free place", || Stream::attempt(&ada, &[], None)).await);
    get(&app.server, "/readyz").await.is_error(503, "unavailable", "too many open connections");
    let mut held = vec![];
    for _ in 0..200 {
        held.push(half_open(&app.server, "GET /healthz HTTP/1.1\r\n").await);
    }
    assert_eq!(get(&app.server, "/healthz").await.text, "ok\n");
    streams.pop();
    until("a free place", || async { (get(&app.server, "/readyz").await.status == 200).then_some(()) }).await;
    // The place of that request becomes free in the same way.
    let add = || async { (ada.post("/api/v1/tasks/add", &[("title", "milk")]).await.status == 200).then_some(()) };
    until("a free place", add).await;
    for stream in &mut streams {
        stream.until("task.changed").await;
    }
}

#[tokio::test]
async fn account_has_64_event_streams_and_others_have_theirs() {
    let app = TestApp::start(Db::Sqlite).await.expect("SQLite is always there");
    let (ada, bob) = (app.user("ada"), app.user("bob"));
    let mut streams = vec![];
    for _ in 0..64 {
        streams.push(Stream::open(&ada, &[], None).await);
    }
    let refused = ada.get("/api/v1/events", &[]).await;
    refused.is_error(429, "rate_limited", "64 open event streams");
    assert_eq!(refused.header("retry-after"), "30");
    Stream::open(&bob, &[], None).await;
    streams.pop();
    until("a free stream", || async {
        let request = ada.request("GET", "/api/v1/events").send().await.expect("an answer");
        (request.status() == 200).then_some(())
    })
    .await;
}

#[tokio::test]
async fn slow_uploads_of_one_account_keep_no_other_waiting() {
    let app = TestApp::start(Db::Sqlite).await.expect("SQLite is always there");
    let (ada, bob) = (app.user("ada"), app.user("bob"));
    let mut held = vec![];
    for _ in 0..10 {
        let token = ada.token.as_deref().expect("a token");
        let request = format!(
            "POST /api/v1/tasks/import/preview HTTP/1.1\r\nHost: docket\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100000\r\n\r\ntext="
        );
        held.push(half_open(&app.server, &request).await);
    }
    let preview = bob.post("/api/v1/tasks/import/preview", &[("text", "title\nmilk")]);
    tokio::time::timeout(PATIENCE, preview).await.expect("another account has a place").ok();
}
