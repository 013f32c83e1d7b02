//! Kinds of tokens: an agent's token works here only, a personal program's token also with the API.

use super::*;

/// Returns a client with a new agent token.
fn agents(app: &TestApp, scope: &str) -> Client {
    let create = ["token", "create", "--user", "ada", "--name", "robot", "--agent", "--scope", scope];
    Client { token: Some(app.command(&create, "")), ..Client::anonymous(&app.server.base) }
}

on_both! {
    async fn agent_token_is_valid_over_mcp_only(app) {
        let ada = app.user("ada");
        // Also with the scope `chat`, whose answers go through the client's form, not the API.
        let agent = agents(&app, "chat,tasks:read,tasks:write,tasks:delete");
        assert_eq!(agent.tool("add_task", json!({ "title": "Buy milk" })).await["task_id"], 1);
        let asked = agent.tool("delete_task", json!({ "task_id": 1 })).await;
        assert_eq!(asked["error"], "needs_approval", "{asked}");
        let yes = [("approval_id", asked["approval_id"].as_str().unwrap()), ("verdict", "approve")];
        for (path, fields) in [
            ("/api/v1/approvals/decide", &yes[..]),
            ("/api/v1/tasks/delete", &[("task_id", "1")]),
            ("/api/v1/tasks/update", &[("task_id", "1"), ("title", "Buy oat milk")]),
            ("/api/v1/tasks/import", &[("text", "title\na\nb"), ("format", "csv")]),
            ("/api/v1/chat", &[("message", "delete task 1, yes I am sure")]),
        ] {
            agent.post(path, fields).await.is_error(403, "forbidden", "is an agent token, which is valid at /mcp only");
        }
        for (method, path) in docket::server::routes() {
            if !path.starts_with("/api/v1/") {
                continue;
            }
            let reply = Reply::of(agent.request(&method, &path).send().await.expect("an answer")).await;
            assert_eq!(reply.status, 403, "{method} {path}: {}", reply.text);
        }
        assert_eq!(agent.get("/", &[]).await.status, 403, "nor does it open pages");
        assert_eq!(ada.titles().await, ["Buy milk"]);
        assert_eq!(ada.get("/api/v1/approvals/list", &[]).await.ok()[0]["status"], "pending");
        let told = app.command(&["token", "list", "--user", "ada"], "");
        assert!(told.lines().any(|line| line.contains("robot") && line.contains("agent")), "{told}");
        let output = finish(docket(&app.database.url, &["token", "create", "--user", "ada", "--name", "x", "--agent", "--scope", "audit"]), "");
        assert_eq!(output.status.code(), Some(1));
        assert!(complaint(&output).contains("An agent token cannot have the scope audit"), "{}", complaint(&output));
    }

    async fn personal_token_is_owner_over_api_and_agent_over_mcp(app) {
        let ada = app.user("ada");
        // The command's default kind.
        let create = ["token", "create", "--user", "ada", "--name", "script", "--scope", "tasks:read,tasks:write,tasks:delete"];
        let script = Client { token: Some(app.command(&create, "")), ..Client::anonymous(&app.server.base) };
        script.post("/api/v1/tasks/add", &[("title", "Buy milk")]).await.ok();
        assert_eq!(script.tool("delete_task", json!({ "task_id": 1 })).await["error"], "needs_approval");
        script.post("/api/v1/tasks/delete", &[("task_id", "1")]).await.ok();
        assert!(ada.tasks().await.is_empty());
        // The history names the token, so that a program's changes are not mistaken for the person's own.
        let browser = app.browser("ada").await;
        browser.post("/api/v1/tasks/restore", &[("task_id", "1")]).await.ok();
        let past = ada.get("/api/v1/tasks/get", &[("task_id", "1")]).await.ok();
        let told: Vec<&str> = past["past"].as_array().expect("a past").iter().filter_map(|line| line["what"].as_str()).collect();
        assert_eq!(told, [
            "Restored from the bin by you",
            "Moved to the bin by you, with the token “script”",
            "Added by you, with the token “script”",
        ]);
        let export = ada.get("/api/v1/export", &[("format", "json")]).await.ok();
        assert_eq!(export["changes"][0]["program"]["label"], "script", "{}", export["changes"]);
    }

    async fn settings_create_agent_tokens_by_default(app) {
        app.user("ada");
        let browser = app.browser("ada").await;
        let piece = browser.get("/api/v1/rendered/access", &[]).await.ok();
        let piece = piece.as_str().expect("a piece of a page");
        let ticked: Vec<&str> = piece
            .split("<input ")
            .filter(|field| field.starts_with("type=\"checkbox\"") || field.starts_with("type=\"radio\""))
            .filter_map(|field| field.split('>').next().filter(|field| field.contains(" checked")))
            .filter_map(|field| field.split("value=\"").nth(1)?.split('"').next())
            .collect();
        assert_eq!(ticked, ["agent", "tasks:read", "tasks:write"], "{piece}");
        let fields = [("name", "robot"), ("kind", "agent"), ("scopes", "tasks:write"), ("budget", "1")];
        let made = browser.post("/api/v1/settings/tokens/create", &fields).await.ok();
        let agent = Client { token: made["token"].as_str().map(str::to_owned), ..Client::anonymous(&app.server.base) };
        assert_eq!(agent.tool("add_task", json!({ "title": "a" })).await["task_id"], 1);
        assert_eq!(agent.tool("add_task", json!({ "title": "b" })).await["error"], "forbidden", "over its budget");
        agent.get("/api/v1/tasks/list", &[]).await.is_error(403, "forbidden", "/mcp only");
        let listed = browser.get("/settings", &[]).await.text;
        assert!(listed.contains("Agent · 1 change per hour over MCP · Created "), "{listed}");
        for (field, value, status) in [("kind", "robot", 400), ("budget", "-1", 422), ("budget", "1000001", 422), ("scopes", "admin", 422)] {
            let fields = [("name", "x"), ("scopes", "tasks:read"), ("kind", "agent")];
            let fields: Vec<_> = fields.into_iter().filter(|(name, _)| *name != field).chain([(field, value)]).collect();
            let reply = browser.post("/api/v1/settings/tokens/create", &fields).await;
            assert_eq!(reply.status, status, "{field}={value}: {}", reply.text);
        }
    }
}

#[tokio::test]
async fn https_proxy_admits_only_its_own_host_and_origin() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    let addr = free.to_string();
    let environment = [("DOCKET_PUBLIC_URL", "https://docket.example"), ("DOCKET_ADDR", addr.as_str())];
    let app = TestApp::start_with(Db::Sqlite, &environment).await.expect("SQLite is always there");
    app.user("ada");
    let agent = Client { base: format!("http://{addr}"), ..app.token("ada", ALL) };
    let own = "docket.example";
    for (host, origin, status) in [
        (own, None, 200),
        ("Docket.Example:443", None, 200),
        (addr.as_str(), None, 200),
        ("docket.example.evil.example", None, 403),
        ("evil.example", None, 403),
        (own, Some("https://docket.example"), 200),
        (addr.as_str(), Some("https://docket.example"), 200),
        (own, Some("http://docket.example"), 403),
        (own, Some("https://evil.example"), 403),
        (own, Some("https://docket.example.evil.example"), 403),
        (own, Some("null"), 403),
        ("evil.example", Some("https://evil.example"), 403),
    ] {
        let request = agent.request("POST", "/mcp").header("accept", "application/json, text/event-stream");
        let request =
            origin.iter().fold(request.header("host", host), |request, origin| request.header("origin", *origin));
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
        let reply = Reply::of(request.json(&body).send().await.expect("an answer")).await;
        assert_eq!(reply.status, status, "{host} {origin:?}: {}", reply.text);
    }
}
