//! Clock skew between processes, and clock changes: nobody is locked out for longer than a rate-limit window.

use serde_json::Value;

use crate::app::{Client, Db, PASSWORD, Reply, Server, TestApp, complaint, until};

const DAY: i64 = 86_400;
/// TTL of an approval in seconds, longer than any clock change in these tests.
const TTL: i64 = 3 * DAY;

/// Returns the time `seconds` from now, in text form.
fn at(seconds: i64) -> String {
    let at = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(seconds);
    format!("{at:.3}")
}

/// Returns the environment of a server whose clock is ahead by `process` seconds, and its database's clock by `database`.
fn environment(process: i64, database: Option<i64>) -> Vec<(&'static str, String)> {
    let mut all = vec![
        ("DOCKET_CLOCK", at(process)),
        ("DOCKET_RATE_LIMIT_PER_MINUTE", "4".to_owned()),
        ("DOCKET_APPROVAL_TTL_SECONDS", TTL.to_string()),
    ];
    all.extend(database.map(|database| ("DOCKET_DATABASE_CLOCK", at(database))));
    all
}

fn serve(url: &str, environment: &[(&str, String)]) -> Server {
    let environment: Vec<(&str, &str)> = environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
    Server::start(url, &environment).unwrap_or_else(|output| panic!("{}", complaint(&output)))
}

async fn app(db: Db, environment: &[(&'static str, String)]) -> Option<TestApp> {
    let environment: Vec<(&str, &str)> = environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
    TestApp::start_with(db, &environment).await
}

async fn sign_in(browser: &Client) -> Reply {
    browser.post("/api/v1/session/sign-in", &[("name", "ada"), ("password", PASSWORD)]).await
}

/// Sends a message and waits for the turn.
async fn say(client: &Client, message: &str) -> Reply {
    client.post("/api/v1/chat", &[("message", message)]).await
}

/// Requests an approval and returns it.
async fn asked(client: &Client, task: &str) -> Value {
    client.post("/api/v1/tasks/add", &[("title", task)]).await.ok();
    let turn = say(client, &format!("delete {task}")).await.ok();
    assert_eq!(turn["decision"]["outcome"], "SUCCESS:APPROVAL_REQUESTED", "{turn}");
    turn["approval"].clone()
}

async fn approve(client: &Client, approval: &Value) {
    let id = approval["approval_id"].as_str().expect("an id");
    let decided = client.post("/api/v1/approvals/decide", &[("approval_id", id), ("verdict", "approve")]).await.ok();
    assert_eq!(decided["turn"]["decision"]["outcome"], "SUCCESS:TASK_COMPLETED", "{decided}");
}

async fn approval(client: &Client, approval: &Value) -> Value {
    let id = approval["approval_id"].as_str().expect("an id");
    client.get("/api/v1/approvals/get", &[("approval_id", id)]).await.ok()
}

/// Sends until the rate limit rejects a message; returns the number accepted. The delay must not exceed the window.
async fn fill(clients: &[Client]) -> usize {
    for taken in 0..9 {
        let reply = say(&clients[taken % clients.len()], "hello").await;
        if reply.status == 429 {
            let wait: i64 = reply.header("retry-after").parse().expect("seconds");
            assert!((1..=61).contains(&wait), "{wait}");
            return taken;
        }
        reply.ok();
    }
    panic!("no limit");
}

/// Tests replicas with different clocks that serve and rate-limit the same users.
async fn skewed(here: i64, there: i64) {
    let Some(app) = app(Db::Postgres, &environment(here, None)).await else { return };
    let other = serve(&app.database.url, &environment(there, None));
    let ada = app.user("ada");
    let ada_there = ada.at(&other);
    // An approval requested at one replica is answered at the other, and expires by the database's clock.
    let (first, second) = (asked(&ada, "milk").await, asked(&ada_there, "bread").await);
    for one in [&first, &second] {
        let ends = one["expires_at"].as_str().expect("a time");
        assert!(ends > at(TTL - 60).as_str() && ends < at(TTL + 60).as_str(), "{ends}");
    }
    approve(&ada_there, &first).await;
    approve(&ada, &second).await;
    // Two messages were sent; the others count at any replica.
    assert_eq!(fill(&[ada.clone(), ada_there.clone()]).await, 2);
    assert_eq!(say(&ada, "hello").await.status, 429);
    assert_eq!(say(&ada_there, "hello").await.status, 429);
    // A session started at one replica is valid at the other, including the recent password check, and no sign-in is delayed.
    for (from, to) in [(&app.server, &other), (&other, &app.server), (&app.server, &other)] {
        let browser = Client::browser(&from.base);
        sign_in(&browser).await.ok();
        let fields = [("name", "phone"), ("scopes", "tasks:read")];
        browser.at(to).post("/api/v1/settings/tokens/create", &fields).await.ok();
        sign_in(&browser.at(to)).await.ok();
    }
}

#[tokio::test]
async fn replicas_two_minutes_apart_serve_the_same_people() {
    skewed(-120, 120).await;
    skewed(120, -120).await;
}

#[tokio::test]
async fn replicas_two_days_apart_serve_the_same_people() {
    skewed(-DAY, DAY).await;
}

/// Tests a clock change between two starts of a server; users continue at once.
async fn stepped(db: Db) {
    let Some(mut app) = app(db, &environment(0, Some(0))).await else { return };
    let ada = app.user("ada");
    let browser = Client::browser(&app.server.base);
    sign_in(&browser).await.ok();
    let waiting = [asked(&ada, "milk").await, asked(&ada, "bread").await, asked(&ada, "eggs").await];
    fill(std::slice::from_ref(&ada)).await;
    for (step, one) in [(-DAY, &waiting[0]), (DAY, &waiting[1])] {
        app.server.terminate();
        app.server = serve(&app.database.url, &environment(step, Some(step)));
        let ada = ada.at(&app.server);
        let browser = browser.at(&app.server);
        // Session and token remain valid; the rate limit starts a new minute.
        browser.get("/api/v1/tasks/list", &[]).await.ok();
        sign_in(&Client::browser(&app.server.base)).await.ok();
        assert_eq!(fill(std::slice::from_ref(&ada)).await, 4, "{step}");
        approve(&ada, one).await;
        // A pending approval expires no later than a new one would.
        until("the approval's end", || async {
            let last = approval(&ada, &waiting[2]).await;
            assert_eq!(last["status"], "pending", "{last}");
            (last["expires_at"].as_str()? <= at(step + TTL).as_str()).then_some(())
        })
        .await;
    }
    // Its TTL has passed by any clock, counted from a day ago.
    app.server.terminate();
    app.server = serve(&app.database.url, &environment(TTL, Some(TTL)));
    let ada = ada.at(&app.server);
    until("the approval's expiry", || async {
        (approval(&ada, &waiting[2]).await["status"] == "expired").then_some(())
    })
    .await;
}

#[tokio::test]
async fn people_go_on_after_the_clock_was_set_on_sqlite() {
    stepped(Db::Sqlite).await;
}

#[tokio::test]
async fn people_go_on_after_the_clock_was_set_on_postgres() {
    stepped(Db::Postgres).await;
}
