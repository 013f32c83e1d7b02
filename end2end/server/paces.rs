//! Rate limits by address for all senders, and by user across processes.

use std::time::{Duration, Instant};

use futures::future::join_all;
use serde_json::{Value, json};

use crate::app::{Client, Db, PASSWORD, Reply, Server, TestApp, complaint};

/// Two messages per minute and address; the tests act as a trusted proxy.
const LIMITED: [(&str, &str); 2] =
    [("DOCKET_ADDRESS_RATE_LIMIT_PER_MINUTE", "2"), ("DOCKET_TRUSTED_PROXIES", "127.0.0.1")];

/// Two messages per minute and user, from any address.
const PERSONAL: [(&str, &str); 3] = [
    ("DOCKET_RATE_LIMIT_PER_MINUTE", "2"),
    ("DOCKET_ADDRESS_RATE_LIMIT_PER_MINUTE", "0"),
    ("DOCKET_TRUSTED_PROXIES", "127.0.0.1"),
];

/// The result of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sent {
    Taken,
    /// Refused, with a turn that says so.
    Refused,
    /// Far over the limit: nothing is stored.
    Counted,
}

async fn say(client: &Client, address: &str) -> Sent {
    let request = client.request("POST", "/api/v1/chat").header("x-forwarded-for", address);
    let request = request.form(&[("message", "add buy milk"), ("wait", "false")]);
    let reply = Reply::of(request.send().await.expect("an answer")).await;
    if reply.status == 200 {
        return Sent::Taken;
    }
    assert_eq!(reply.status, 429, "{}", reply.text);
    let wait: u32 = reply.header("retry-after").parse().expect("seconds");
    assert!((1..=300).contains(&wait), "{wait}");
    let told = reply.json();
    if told["decision"].is_null() {
        assert_eq!(told["error"]["code"], "rate_limited", "{told}");
        return Sent::Counted;
    }
    assert_eq!(told["decision"], json!({ "kind": "REFUSE", "outcome": "REFUSAL:RATE_LIMITED" }));
    Sent::Refused
}

async fn call(agent: &Client, address: &str) -> Value {
    let params = json!({ "name": "add_task", "arguments": { "title": "x" } });
    let request = agent.request("POST", "/mcp").header("accept", "application/json, text/event-stream");
    let request = request.header("x-forwarded-for", address);
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    Reply::of(request.json(&body).send().await.expect("an answer")).await.ok()
}

/// Starts two processes on one PostgreSQL; `None` if none is configured.
async fn two(environment: &[(&str, &str)]) -> Option<(TestApp, Server)> {
    let app = TestApp::start_with(Db::Postgres, environment).await?;
    let other = Server::start(&app.database.url, environment).unwrap_or_else(|output| panic!("{}", complaint(&output)));
    Some((app, other))
}

#[tokio::test]
async fn address_rate_limits_are_shared_across_processes() {
    let Some((app, other)) = two(&LIMITED).await else { return };
    let (ada, bob) = (app.user("ada"), app.user("bob"));
    let agent = app.token("bob", "tasks:read,tasks:write").at(&other);
    let here = "203.0.113.7";
    assert_eq!(say(&ada, here).await, Sent::Taken);
    assert!(call(&agent, here).await["result"]["structuredContent"]["error"].is_null());
    // Both limits are used up, for everyone at the address and through both interfaces.
    assert_eq!(say(&bob.at(&other), here).await, Sent::Refused);
    assert_eq!(say(&ada.at(&other), here).await, Sent::Refused);
    let refused = call(&agent.at(&app.server), here).await["result"]["structuredContent"].clone();
    assert_eq!(refused["error"], "forbidden", "{refused}");
    assert!(refused["message"].as_str().unwrap().starts_with("Too many requests. Wait "), "{refused}");
    // They may continue from other addresses, also if the proxy appends the address to a header it received.
    assert_eq!(say(&ada, "198.51.100.9").await, Sent::Taken);
    assert_eq!(say(&bob.at(&other), "203.0.113.7, 198.51.100.10").await, Sent::Taken);
    let from_there = app.user("eve");
    assert_eq!(
        say(&from_there, "1.1.1.1, 203.0.113.7").await,
        Sent::Refused,
        "what stands further left is anybody's word"
    );
}

#[tokio::test]
async fn burst_across_two_processes_stays_within_one_rate_limit() {
    let Some((app, other)) = two(&LIMITED).await else { return };
    let people = [app.user("ada"), app.user("bob"), app.user("eve")];
    let clients: Vec<Client> =
        people.iter().flat_map(|person| [person.clone(), person.at(&other)]).cycle().take(24).collect();
    let sent = join_all(clients.iter().map(|client| say(client, "203.0.113.9"))).await;
    let count = |what: Sent| sent.iter().filter(|sent| **sent == what).count();
    assert_eq!([count(Sent::Taken), count(Sent::Refused), count(Sent::Counted)], [2, 8, 14], "{sent:?}");
}

#[tokio::test]
async fn message_and_agent_rate_limits_are_per_user_across_processes() {
    let Some((app, other)) = two(&PERSONAL).await else { return };
    let (ada, bob) = (app.user("ada"), app.user("bob"));
    let here = "203.0.113.7";
    assert_eq!(say(&ada, here).await, Sent::Taken);
    assert_eq!(say(&ada.at(&other), "198.51.100.9").await, Sent::Taken);
    assert_eq!(say(&ada.at(&other), here).await, Sent::Refused);
    assert_eq!(say(&ada, "198.51.100.9").await, Sent::Refused, "from wherever");
    // Their agents have a separate limit of equal size, shared by all of them.
    let desk = app.token("ada", "tasks:read,tasks:write");
    let phone = app.token("ada", "tasks:read,tasks:write").at(&other);
    let error = async |agent: &Client| call(agent, here).await["result"]["structuredContent"]["error"].clone();
    assert!(error(&desk).await.is_null() && error(&phone).await.is_null());
    assert_eq!([error(&desk).await, error(&phone).await], ["forbidden", "forbidden"]);
    assert!(error(&app.token("bob", "tasks:write")).await.is_null());
    assert_eq!(say(&bob, here).await, Sent::Taken, "somebody else is not held up");
    assert_eq!(ada.tasks().await.len(), 4, "what was taken, and no more");
}

#[tokio::test]
async fn guesses_at_a_password_count_together_in_all_processes() {
    let Some((app, other)) = two(&PERSONAL).await else { return };
    let browsers = [Client::browser(&app.server.base), Client::browser(&other.base)];
    let try_it = async |browser: &Client, name: &str, password: &str| {
        let request = browser.request("POST", "/api/v1/session/sign-in").header("x-forwarded-for", "203.0.113.7");
        let request = request.form(&[("name", name), ("password", password)]);
        Reply::of(request.send().await.expect("an answer")).await
    };
    // The first delay lasts a second. If the machine took longer, the test tries another user.
    for name in ["ada", "bob", "cleo", "dan", "eve", "fay"] {
        app.user(name);
        // At most three at each: neither process alone would have reached the limit.
        for guess in 0..4 {
            try_it(&browsers[guess % 2], name, "wrong wrong wrong").await.is_error(401, "unauthenticated", "");
        }
        let begun = Instant::now();
        try_it(&browsers[0], name, "wrong wrong wrong").await.is_error(401, "unauthenticated", "");
        let mut answers = vec![try_it(&browsers[1], name, "wrong wrong wrong").await];
        for browser in &browsers {
            answers.push(try_it(browser, name, PASSWORD).await);
        }
        if begun.elapsed() >= Duration::from_secs(1) {
            continue;
        }
        for refused in answers {
            refused.is_error(429, "rate_limited", "Wait");
            assert_eq!(refused.header("retry-after"), "1");
        }
        return;
    }
    panic!("this machine takes longer than a second for four answers, whoever is tried");
}
