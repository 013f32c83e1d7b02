//! Servers killed under load: nothing acknowledged is lost or repeated, and another process finishes the open turns
//! (R-202, R-306, R-1004). `workflow/tests/crashes` crashes in process at every commit.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::Mutex;

use crate::app::{Client, Db, PATIENCE, Server, TestApp, complaint, until};
use crate::invariants;

/// Maximum time after a lease expires until a killed server's turn is done.
const GRACE: Duration = Duration::from_secs(5);
/// Number of kills at random moments.
const RANDOM: usize = 8;

/// Lease of a turn. The next server takes a turn over at once. A short lease would lose turns on a busy machine without a crash.
const LEASE: Duration = Duration::from_secs(3);

fn start(url: &str, crash: &str) -> Server {
    let lease = LEASE.as_millis().to_string();
    let environment = [("DOCKET_LEASE_MS", lease.as_str()), ("DOCKET_CRASH", crash), ("DOCKET_LOG", "error")];
    Server::start(url, &environment).unwrap_or_else(|output| panic!("{}", complaint(&output)))
}

/// Waits until every turn is done, without a request, and asserts that it was soon after the kill.
async fn all_done(url: &str, killed: Instant) {
    until("the turns of the dead", || async { (invariants::open_turns(url).await == 0).then_some(()) }).await;
    let took = killed.elapsed();
    assert!(took <= LEASE + GRACE, "{took:?}");
}

/// The current address of the server.
type Address = Arc<Mutex<String>>;

/// Load while servers crash.
#[derive(Default)]
struct Load {
    /// Number of answered messages.
    acknowledged: AtomicUsize,
    over: AtomicBool,
}

/// Sends messages until the end, repeating each until it is acknowledged. Returns the titles, and true for those whose
/// addition was confirmed.
async fn insist(ada: Client, address: Address, who: usize, load: Arc<Load>) -> Vec<(String, bool)> {
    let mut titles = vec![];
    while !load.over.load(Ordering::SeqCst) {
        let title = format!("w{who}x{}", titles.len());
        let begun = Instant::now();
        loop {
            assert!(begun.elapsed() < PATIENCE, "no answer to {title}");
            let there = Client { base: address.lock().await.clone(), ..ada.clone() };
            let fields = [("message", format!("add {title}")), ("client_key", title.clone())];
            let sent = there.request("POST", "/api/v1/chat").form(&fields).send().await;
            match sent {
                Ok(answer) if answer.status() == 200 => {
                    // The connection broke while the answer was read: retry.
                    let Ok(turn) = answer.json::<Value>().await else { continue };
                    match turn["decision"]["outcome"].as_str() {
                        Some("SUCCESS:TASK_COMPLETED") => break titles.push((title, true)),
                        // Every server that ran the turn was killed, and the turn reports it.
                        Some("ERROR:CANCELLED") => break titles.push((title, false)),
                        Some(other) => panic!("{other}: {turn}"),
                        None => {}
                    }
                }
                _ => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        }
        load.acknowledged.fetch_add(1, Ordering::SeqCst);
    }
    titles
}

#[tokio::test(flavor = "multi_thread")]
async fn random_crashes_under_load_lose_and_duplicate_nothing() {
    let Some(mut app) = TestApp::start(Db::Sqlite).await else { return };
    let ada = app.user("ada");
    app.server.kill();
    app.server = start(&app.database.url, "");
    let (address, load) = (Arc::new(Mutex::new(app.server.base.clone())), Arc::<Load>::default());
    let clients: Vec<_> =
        (0..4).map(|who| tokio::spawn(insist(ada.clone(), address.clone(), who, load.clone()))).collect();
    let mut killed = Instant::now();
    for kill in 0..RANDOM {
        // Kill only under load.
        until("a load", || async { (load.acknowledged.load(Ordering::SeqCst) > kill).then_some(()) }).await;
        // A random delay, so that runs differ.
        tokio::time::sleep(Duration::from_millis(20 + u64::from(uuid::Uuid::new_v4().as_bytes()[0]) * 2)).await;
        killed = Instant::now();
        app.server.kill();
        load.over.store(kill + 1 == RANDOM, Ordering::SeqCst);
        app.server = start(&app.database.url, "");
        *address.lock().await = app.server.base.clone();
    }
    all_done(&app.database.url, killed).await;
    let mut expected = BTreeMap::new();
    for client in clients {
        expected.extend(client.await.expect("a client"));
    }
    let mut found = BTreeMap::new();
    let mut query = vec![("status", "all".to_owned())];
    loop {
        let fields: Vec<_> = query.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let list = ada.at(&app.server).get("/api/v1/tasks/list", &fields).await.ok();
        for task in list["tasks"].as_array().expect("tasks") {
            *found.entry(task["title"].as_str().expect("a title").to_owned()).or_insert(0) += 1;
        }
        match list["next"].as_str() {
            Some(next) => query = vec![("status", "all".to_owned()), ("cursor", next.to_owned())],
            None => break,
        }
    }
    assert!(expected.len() >= RANDOM, "there was a load");
    for (title, told) in &expected {
        let there = found.remove(title).unwrap_or(0);
        assert!(there == 1 || there == 0 && !told, "{title} is there {there} times");
    }
    assert!(found.is_empty(), "{found:?}");
}

#[tokio::test]
async fn another_replica_takes_over_within_the_lease_and_a_second() {
    let Some(app) = TestApp::start(Db::Postgres).await else { return };
    let ada = app.user("ada");
    let lease = [("DOCKET_LEASE_MS", "2000"), ("DOCKET_CRASH", "before finish")];
    let mut dying = Server::start(&app.database.url, &lease).unwrap_or_else(|output| panic!("{}", complaint(&output)));
    let fields = [("message", "add milk"), ("client_key", "milk")];
    let cut = ada.at(&dying).request("POST", "/api/v1/chat").form(&fields).send().await;
    let killed = Instant::now();
    assert!(cut.is_err(), "the server dies before it answers");
    let turn = ada.post("/api/v1/chat", &fields).await.ok();
    let took = killed.elapsed();
    assert_eq!(turn["decision"]["outcome"], "SUCCESS:TASK_COMPLETED", "{turn}");
    assert_eq!(ada.titles().await, ["milk"]);
    assert_eq!(dying.was_killed(), Some(true));
    assert!(took <= Duration::from_secs(3), "{took:?}");
}

#[tokio::test]
async fn turn_that_crashes_every_server_ends_with_an_error_reply() {
    let Some(mut app) = TestApp::start(Db::Sqlite).await else { return };
    let ada = app.user("ada");
    let fields = [("message", "add milk"), ("client_key", "milk")];
    for _ in 0..5 {
        app.server.kill();
        app.server = start(&app.database.url, "before call");
        let cut = ada.at(&app.server).request("POST", "/api/v1/chat").form(&fields).send().await;
        assert!(cut.is_err(), "the server dies of it");
        assert_eq!(app.server.terminate().signal(), Some(9));
    }
    app.server = start(&app.database.url, "before call");
    let turn = ada.at(&app.server).post("/api/v1/chat", &fields).await.ok();
    assert_eq!(turn["decision"]["outcome"], "ERROR:CANCELLED", "{turn}");
    assert!(turn["reply"].as_str().expect("a reply").contains("Something went wrong"), "{turn}");
    assert!(ada.at(&app.server).tasks().await.is_empty());
}
