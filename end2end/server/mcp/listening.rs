//! Notifications of changes for an agent's client: streams (MCP 2026-07-28, subscriptions/listen), and over standard
//! output the individual subscriptions of earlier revisions.

use super::*;
use crate::app::PATIENCE;
use crate::browsing::Request;

/// Returns a request of revision 2026-07-28.
fn request(agent: &Client, id: i32, method: &str, mut params: Value) -> Request {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let request = agent.request("POST", "/mcp").header("accept", "application/json, text/event-stream");
    let request = request.header("mcp-protocol-version", "2026-07-28").header("mcp-method", method);
    let request = match params["uri"].as_str() {
        Some(uri) => request.header("mcp-name", uri),
        None => request,
    };
    request.json(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
}

/// An open stream.
struct Stream {
    response: reqwest::Response,
    buffer: String,
}

impl Stream {
    async fn open(agent: &Client, id: i32, notifications: Value) -> Self {
        let listen = request(agent, id, "subscriptions/listen", json!({ "notifications": notifications }));
        let response = listen.send().await.expect("an answer");
        assert_eq!(response.status().as_u16(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self { response, buffer: String::new() }
    }

    /// Returns the next message; `None` at the end of the stream.
    async fn next(&mut self) -> Option<Value> {
        loop {
            while let Some((block, rest)) = self.buffer.split_once("\n\n") {
                let data = block.lines().find_map(|line| line.strip_prefix("data:")).map(|data| data.trim().to_owned());
                self.buffer = rest.to_owned();
                if let Some(data) = data.filter(|data| !data.is_empty()) {
                    return Some(serde_json::from_str(&data).expect("a message is JSON"));
                }
            }
            let chunk =
                tokio::time::timeout(PATIENCE, self.response.chunk()).await.expect("a message in time").ok()??;
            self.buffer.push_str(std::str::from_utf8(&chunk).expect("messages are UTF-8"));
        }
    }

    /// Returns method and subject of the next message, which must name its stream.
    async fn told(&mut self, id: i32) -> (String, Value) {
        let message = self.next().await.expect("a message");
        let params = &message["params"];
        assert_eq!(params["_meta"]["io.modelcontextprotocol/subscriptionId"], id, "{message}");
        let about = if params["uri"].is_null() { &params["notifications"] } else { &params["uri"] };
        (message["method"].as_str().expect("a notification").to_owned(), about.clone())
    }

    async fn updated(&mut self, id: i32) -> String {
        let (method, uri) = self.told(id).await;
        assert_eq!(method, "notifications/resources/updated");
        uri.as_str().expect("a resource").to_owned()
    }
}

on_both! {
    async fn subscription_stream_sends_only_requested_updates_until_shutdown(app) {
        let mut app = app;
        let (ada, bob) = (app.user("ada"), app.user("bob"));
        for title in ["a", "b"] {
            ada.post("/api/v1/tasks/add", &[("title", title)]).await.ok();
        }
        let agent = app.token("ada", "tasks:read");
        let (one, list) = ("docket://tasks/1", "docket://tasks/pending");
        let wanted = json!({
            "toolsListChanged": true, "resourceSubscriptions": [one, list, "docket://tasks/never", "file:///etc/passwd"],
        });
        let mut stream = Stream::open(&agent, 7, wanted).await;
        let acknowledged = "notifications/subscriptions/acknowledged".to_owned();
        // Unsupported subscriptions are left out: the list of tools never changes.
        assert_eq!(stream.told(7).await, (acknowledged.clone(), json!({ "resourceSubscriptions": [one, list] })));
        ada.post("/api/v1/tasks/complete", &[("task_id", "2")]).await.ok();
        assert_eq!(stream.updated(7).await, list, "the other task is not asked for");
        bob.post("/api/v1/tasks/add", &[("title", "his")]).await.ok();
        ada.say("rename task 1 to \"c\", yes I am sure").await;
        assert_eq!([stream.updated(7).await, stream.updated(7).await], [one, list], "by whoever's hand, but of one's own");

        // Another stream in parallel, with unsupported subscriptions only.
        let mut silent = Stream::open(&agent, 8, json!({ "promptsListChanged": true })).await;
        assert_eq!(silent.told(8).await, (acknowledged, json!({})));
        app.server.terminate();
        for (mut stream, id) in [(stream, 7), (silent, 8)] {
            let last = stream.next().await.expect("an answer");
            assert_eq!((&last["id"], &last["result"]["resultType"]), (&json!(id), &json!("complete")), "{last}");
            assert_eq!(stream.next().await, None);
        }
    }

    async fn who_may_not_read_tasks_hears_nothing_of_them(app) {
        app.user("ada");
        let agent = app.token("ada", "tasks:write");
        let mut stream = Stream::open(&agent, 1, json!({ "resourceSubscriptions": ["docket://tasks/pending"] })).await;
        assert_eq!(stream.told(1).await.0, "notifications/subscriptions/acknowledged");
        let refused = stream.next().await.expect("an answer");
        assert!(refused["error"]["message"].as_str().unwrap().contains("tasks:read"), "{refused}");
        assert_eq!(stream.next().await, None);
    }

    async fn each_revision_is_offered_what_it_can_have(app) {
        app.user("ada");
        let agent = app.token("ada", ALL);
        let asked = request(&agent, 1, "server/discover", json!({})).send().await.expect("an answer");
        let now = Reply::of(asked).await.ok()["result"]["capabilities"].clone();
        assert_eq!((&now["resources"]["subscribe"], &now["tools"]["listChanged"]), (&json!(true), &Value::Null), "{now}");
        let uri = json!({ "uri": "docket://tasks/pending" });
        let gone = request(&agent, 1, "resources/subscribe", uri.clone()).send().await.expect("an answer");
        assert_eq!(Reply::of(gone).await.json()["error"]["code"], -32_601, "no more since 2026-07-28");

        // Earlier revisions need a session with its own stream, which is not supported.
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
        });
        let before = agent.method("initialize", params).await["capabilities"].clone();
        assert!(before["resources"].is_object() && before["resources"]["subscribe"].is_null(), "{before}");
        for method in ["resources/subscribe", "resources/unsubscribe"] {
            let told = agent.mcp(&json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": uri })).await.ok();
            assert_eq!(told["error"]["code"], -32_601, "{told}");
        }
    }

    async fn a_local_client_subscribes_to_single_resources(app) {
        let ada = app.user("ada");
        ada.post("/api/v1/tasks/add", &[("title", "a")]).await.ok();
        let mut command = docket(&app.database.url, &["mcp"]);
        command.env("DOCKET_TOKEN", ada.token.clone().unwrap());
        let mut child = command.spawn().expect("the binary runs");
        let (mut input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut lines = BufReader::new(output).lines();
        let mut say = |request: Value| writeln!(input, "{request}").unwrap();
        let mut hear = || -> Value { serde_json::from_str(&lines.next().expect("a line").unwrap()).expect("JSON") };
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
        say(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }));
        assert_eq!(hear()["result"]["capabilities"]["resources"]["subscribe"], true);
        say(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        let mut id = 0;
        let mut ask = |method: &str, uri: &str| {
            id += 1;
            say(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": { "uri": uri } }));
            id
        };
        ask("resources/subscribe", "docket://tasks/never");
        assert_eq!(hear()["error"]["code"], -32_002);
        let subscribed = ask("resources/subscribe", "docket://tasks/1");
        assert_eq!(hear()["id"], subscribed);
        // The server changes it; this process learns of it from the database.
        ada.post("/api/v1/tasks/complete", &[("task_id", "1")]).await.ok();
        let told = hear();
        assert_eq!(told["method"], "notifications/resources/updated", "{told}");
        assert_eq!(told["params"]["uri"], "docket://tasks/1");
        let ended = ask("resources/unsubscribe", "docket://tasks/1");
        assert_eq!(hear()["id"], ended);
        ada.post("/api/v1/tasks/reopen", &[("task_id", "1")]).await.ok();
        let read = ask("resources/read", "docket://tasks/1");
        assert_eq!(hear()["id"], read, "nothing was told in between");
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

#[tokio::test]
async fn a_stream_tells_of_what_another_process_did() {
    let Some(app) = TestApp::start(Db::Postgres).await else { return };
    let ada = app.user("ada");
    ada.post("/api/v1/tasks/add", &[("title", "a")]).await.ok();
    let other = app.another();
    let agent = app.token("ada", ALL).at(&other);
    let mut stream = Stream::open(&agent, 1, json!({ "resourceSubscriptions": ["docket://tasks/1"] })).await;
    stream.told(1).await;
    ada.post("/api/v1/tasks/complete", &[("task_id", "1")]).await.ok();
    assert_eq!(stream.updated(1).await, "docket://tasks/1");
}
