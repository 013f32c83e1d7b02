//! Servers that are killed, at every commit of a turn and at any moment under load: nothing acknowledged is lost, nothing is done
//! twice, and another process finishes what was begun (R-202, R-306, R-1004).

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::Mutex;

use crate::app::{Client, Db, PATIENCE, Reply, Server, TestApp, complaint, until};
use crate::invariants;

/// How long after its lease a turn that a killed server held may take to be done.
const GRACE: Duration = Duration::from_secs(5);
/// Commits at which a server of these tests kills itself, the last one first: that one leaves a turn behind.
const COMMITS: [&str; 11] =
    ["call", "accept", "step", "finish", "verdict", "carry_out", "approved", "inline", "yes", "edit", "undo"];
/// Kills at random moments on each database.
const RANDOM: usize = 8;

/// How long a turn is owned. On PostgreSQL what a killed server held has to wait for the end of that; on SQLite the next start takes
/// it over at once. Where it is short, a busy machine loses it to nobody's death, and after a few of those a turn is given up.
fn lease(url: &str) -> Duration {
    Duration::from_millis(if url.starts_with("sqlite") { 3000 } else { 1000 })
}

fn start(url: &str, crash: &str) -> Server {
    let lease = lease(url).as_millis().to_string();
    let environment = [("DOCKET_LEASE_MS", lease.as_str()), ("DOCKET_CRASH", crash), ("DOCKET_LOG", "error")];
    Server::start(url, &environment).unwrap_or_else(|output| panic!("{}", complaint(&output)))
}

/// Waits until every turn is done, and checks that it was not long after the kill; nobody has to ask for them.
async fn all_done(url: &str, killed: Instant) {
    until("the turns of the dead", || async { (invariants::open_turns(url).await == 0).then_some(()) }).await;
    let took = killed.elapsed();
    assert!(took <= lease(url) + GRACE, "{took:?}");
}

/// Somebody who sends again, under the same key, until there is an answer.
struct Stubborn {
    app: TestApp,
    ada: Client,
    /// Where the next servers are to die.
    plans: Vec<String>,
    plan: String,
    killed: usize,
}

impl Stubborn {
    async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Reply {
        let begun = Instant::now();
        loop {
            let sent = self.ada.at(&self.app.server).request("POST", path).form(fields).send().await;
            if let Ok(answer) = sent
                && let (status, headers, Ok(text)) =
                    (answer.status().as_u16(), answer.headers().clone(), answer.text().await)
            {
                return Reply { status, headers, text };
            }
            assert!(begun.elapsed() < PATIENCE, "no answer to {fields:?}");
            self.next_server().await;
        }
    }

    /// The server is dead, by the plan; the next one dies elsewhere.
    async fn next_server(&mut self) {
        let killed = Instant::now();
        while self.app.server.was_killed().is_none() {
            assert!(killed.elapsed() < PATIENCE, "a server that does not answer died");
            std::thread::yield_now();
        }
        assert_eq!(self.app.server.was_killed(), Some(true));
        self.killed += 1;
        self.plan = self.plans.pop().unwrap_or_default();
        let url = &self.app.database.url;
        if self.plan.is_empty() {
            assert_eq!(invariants::open_turns(url).await, 1, "the last one leaves a turn behind");
        }
        self.app.server = start(url, &self.plan);
        if self.plan.is_empty() {
            all_done(url, killed).await;
        }
    }

    async fn say(&mut self, key: &str, message: &str, before: Option<&Value>) -> Value {
        let mut fields = vec![("message", message), ("client_key", key)];
        if let Some(before) = before {
            fields.push(("conversation_id", before["conversation_id"].as_str().expect("a conversation")));
        }
        self.post("/api/v1/chat", &fields).await.ok()
    }

    /// Adds, asks and is asked, answers and takes back, in every way there is; the titles that then are left.
    async fn live(&mut self, round: usize) -> [String; 2] {
        let key = |at: usize| format!("{round}-{at}");
        let kept = format!("grape{round}");
        let turn = self.say(&key(0), &format!("add {kept}"), None).await;
        let done = |turn: &Value| assert_eq!(turn["decision"]["outcome"], "SUCCESS:TASK_COMPLETED", "{turn}");
        done(&turn);
        let mut numbers = vec![];
        for (at, title) in ["apple", "berry", "cherry", "damson"].iter().enumerate() {
            let turn = self.say(&key(1 + at), &format!("add {title}{round}"), None).await;
            done(&turn);
            numbers.push((turn["tool_calls"][0]["result"]["task_id"].clone(), turn));
        }
        let asked = self.say(&key(5), &format!("delete task {}", numbers[0].0), None).await;
        let id = asked["approval"]["approval_id"].as_str().expect("an approval").to_owned();
        let decided = self.post("/api/v1/approvals/decide", &[("approval_id", &id), ("verdict", "approve")]).await;
        // It was decided, and the answer did not arrive.
        assert!([200, 409].contains(&decided.status), "{}", decided.text);
        let asked = self.say(&key(6), &format!("delete task {}", numbers[1].0), None).await;
        done(&self.say(&key(7), "yes", Some(&asked)).await);
        done(&self.say(&key(8), &format!("delete task {}, yes I'm sure", numbers[2].0), None).await);
        let turn = numbers[3].1["turn_id"].as_str().expect("a turn").to_owned();
        let undone = self.post("/api/v1/undo", &[("turn_id", &turn)]).await;
        assert!([200, 409].contains(&undone.status), "{}", undone.text);
        let by_hand = format!("lemon{round}");
        self.post("/api/v1/tasks/add", &[("title", &by_hand), ("client_key", &key(9))]).await.ok();
        [kept, by_hand]
    }
}

async fn die_at_every_point(db: Db) {
    let Some(mut app) = TestApp::start(db).await else { return };
    let ada = app.user("ada");
    let mut plans: Vec<String> =
        COMMITS.iter().flat_map(|commit| [format!("before {commit}"), format!("after {commit}")]).collect();
    let kills = plans.len();
    let plan = plans.pop().expect("plans");
    app.server.kill();
    app.server = start(&app.database.url, &plan);
    let mut ada = Stubborn { app, ada, plans, plan, killed: 0 };
    let mut left = vec![];
    for round in 0.. {
        left.extend(ada.live(round).await);
        if ada.killed == kills {
            break;
        }
        assert!(round < kills, "no server died at {}", ada.plan);
    }
    let client = ada.ada.at(&ada.app.server);
    // What a dead server had accepted is finished by the last one, waited for or not.
    until("the tasks", || async {
        let mut titles = client.titles().await;
        let mut left = left.clone();
        titles.sort();
        left.sort();
        (titles == left).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_server_that_dies_at_any_commit_loses_and_doubles_nothing_on_sqlite() {
    die_at_every_point(Db::Sqlite).await;
}

#[tokio::test]
async fn a_server_that_dies_at_any_commit_loses_and_doubles_nothing_on_postgres() {
    die_at_every_point(Db::Postgres).await;
}

/// Where the server is at the moment.
type Address = Arc<Mutex<String>>;

/// What goes on while servers die.
#[derive(Default)]
struct Load {
    /// Messages that were answered.
    acknowledged: AtomicUsize,
    over: AtomicBool,
}

/// Sends messages until it is over, each again until it is acknowledged; the titles asked for, and whether they were
/// told to be there.
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
                    // Cut off while it was being read: ask again.
                    let Ok(turn) = answer.json::<Value>().await else { continue };
                    match turn["decision"]["outcome"].as_str() {
                        Some("SUCCESS:TASK_COMPLETED") => break titles.push((title, true)),
                        // Every server that ran it was killed, and it said so.
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

async fn die_at_any_moment(db: Db) {
    let Some(mut app) = TestApp::start(db).await else { return };
    let ada = app.user("ada");
    app.server.kill();
    app.server = start(&app.database.url, "");
    let (address, load) = (Arc::new(Mutex::new(app.server.base.clone())), Arc::<Load>::default());
    let clients: Vec<_> =
        (0..4).map(|who| tokio::spawn(insist(ada.clone(), address.clone(), who, load.clone()))).collect();
    let mut killed = Instant::now();
    for kill in 0..RANDOM {
        // A server that does nothing yet would lose nothing.
        until("a load", || async { (load.acknowledged.load(Ordering::SeqCst) > kill).then_some(()) }).await;
        // Any moment is as good as another; these differ from run to run.
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

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_dies_at_any_moment_under_load_loses_and_doubles_nothing_on_sqlite() {
    die_at_any_moment(Db::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_dies_at_any_moment_under_load_loses_and_doubles_nothing_on_postgres() {
    die_at_any_moment(Db::Postgres).await;
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
async fn a_turn_that_kills_every_server_ends_with_a_clear_reply() {
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
