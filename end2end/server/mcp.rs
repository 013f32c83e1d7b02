//! Agents at `/mcp`: authentication, allowed calls, and records (R-303, R-305, R-401 to R-406).

use std::io::{BufRead as _, BufReader, Write as _};

use serde_json::{Value, json};

use crate::app::{Client, Db, Reply, TestApp, complaint, docket, finish, until};
use crate::on_both;

/// Tokens of agents and of personal programs.
mod hands;
/// Notifications of changes.
mod listening;
/// State that a client carries while a person is asked.
mod sealed;

/// All scopes of an agent without `chat`.
const ALL: &str = "tasks:read,tasks:write,tasks:delete";

impl Client {
    async fn mcp(&self, body: &Value) -> Reply {
        let request = self.request("POST", "/mcp").header("accept", "application/json, text/event-stream");
        Reply::of(request.json(body).send().await.expect("an answer")).await
    }

    /// Calls a method that must succeed.
    pub async fn method(&self, method: &str, params: Value) -> Value {
        let reply = self.mcp(&json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })).await.ok();
        assert!(reply["error"].is_null(), "{reply}");
        reply["result"].clone()
    }

    /// Calls a tool; returns its structured result.
    pub async fn tool(&self, name: &str, arguments: Value) -> Value {
        let result = self.method("tools/call", json!({ "name": name, "arguments": arguments })).await;
        assert_eq!(result["isError"] == true, result["structuredContent"]["error"].is_string(), "{result}");
        let text = result["content"][0]["text"].as_str().expect("the same as text, for older clients");
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), result["structuredContent"]);
        result["structuredContent"].clone()
    }
}

/// Returns the turns triggered by agents, newest first.
async fn outside_turns(client: &Client) -> Vec<Value> {
    let list = client.get("/api/v1/audit/list", &[("engine", "external")]).await.ok();
    list["items"].as_array().expect("a list").clone()
}

/// Calls a tool as a client of revision 2026-07-28 with these capabilities.
pub async fn modern(agent: &Client, capabilities: &Value, params: Value) -> Value {
    let reply = modern_reply(agent, capabilities, params).await;
    assert!(reply["error"].is_null(), "{reply}");
    reply["result"].clone()
}

async fn modern_reply(agent: &Client, capabilities: &Value, mut params: Value) -> Value {
    let name = params["name"].as_str().unwrap().to_owned();
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    });
    let request = agent.request("POST", "/mcp").header("accept", "application/json, text/event-stream");
    let request = request
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", name);
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    Reply::of(request.json(&body).send().await.expect("an answer")).await.ok()
}

async fn decide(client: &Client, asked: &Value, verdict: &str) -> Value {
    let id = asked["approval_id"].as_str().unwrap_or_else(|| panic!("{asked}"));
    client.post("/api/v1/approvals/decide", &[("approval_id", id), ("verdict", verdict)]).await.ok()
}

on_both! {
    async fn each_agent_call_is_a_turn_with_one_decision(app) {
        let ada = app.user("ada");
        let agent = app.token("ada", ALL);
        let added = agent.tool("add_task", json!({ "title": "Buy milk", "due": "2030-03-01" })).await;
        assert_eq!((&added["task_id"], &added["status"]), (&json!(1), &json!("created")), "{added}");
        let listed = agent.tool("list_todo_tasks", json!({})).await;
        assert_eq!((&listed["total"], &listed["tasks"][0]["title"]), (&json!(1), &json!("Buy milk")), "{listed}");
        assert_eq!(ada.titles().await, ["Buy milk"]);

        let turns = outside_turns(&ada).await;
        assert_eq!(turns.len(), 2, "{turns:?}");
        let [list, add] = [&turns[0], &turns[1]];
        assert_eq!((&add["cause"], &add["engine"]), (&json!("mcp"), &json!("external")));
        assert_eq!(add["decision"], json!({ "kind": "INVOKE_TOOL", "outcome": "SUCCESS:TASK_COMPLETED" }));
        assert_eq!((&add["reply"], &add["said"]), (&json!("Created task: Buy milk (#1)"), &json!("test called add_task")));
        assert_eq!(add["tool_calls"].as_array().unwrap().len(), 1);
        assert_eq!(list["tool_calls"][0]["tool"], "list_tasks");
        let turn = add["turn_id"].as_str().unwrap();
        assert_eq!(add["tool_calls"][0]["invocation_id"], format!("{turn}.0.0"));
        assert_eq!(ada.get("/api/v1/turns/get", &[("turn_id", turn)]).await.ok()["status"], "done");
        // It can be undone like any other change.
        ada.post("/api/v1/undo", &[("turn_id", turn)]).await.ok();
        assert!(ada.tasks().await.is_empty());
    }

    async fn a_missing_scope_is_refused_by_its_name_and_kept(app) {
        let ada = app.user("ada");
        ada.post("/api/v1/tasks/add", &[("title", "Buy milk")]).await.ok();
        for (scope, tool, arguments, needs) in [
            ("tasks:write", "list_tasks", json!({}), "tasks:read"),
            ("tasks:write,tasks:delete", "get_task", json!({ "task_id": 1 }), "tasks:read"),
            ("tasks:read", "add_task", json!({ "title": "x" }), "tasks:write"),
            ("tasks:read", "complete_task", json!({ "task_id": 1 }), "tasks:write"),
            ("tasks:read", "update_task", json!({ "task_id": 1, "priority": "high" }), "tasks:write"),
            ("tasks:read,tasks:write", "delete_task", json!({ "task_id": 1 }), "tasks:delete"),
        ] {
            let refused = app.token("ada", scope).tool(tool, arguments).await;
            assert_eq!(refused["error"], "forbidden", "{tool}: {refused}");
            assert!(refused["message"].as_str().unwrap().contains(needs), "{refused}");
            let turn = outside_turns(&ada).await.remove(0);
            assert_eq!(turn["decision"]["kind"], "REFUSE", "{turn}");
            assert_eq!((&turn["tool_calls"][0]["tool"], &turn["tool_calls"][0]["status"]), (&json!(tool), &json!("error")));
        }
        let tasks = ada.tasks().await;
        assert_eq!((tasks.len(), &tasks[0]["version"]), (1, &json!(1)));
        assert!(ada.get("/api/v1/approvals/list", &[]).await.ok().as_array().unwrap().is_empty());
    }

    async fn a_foreign_task_is_not_found(app) {
        let ada = app.user("ada");
        ada.post("/api/v1/tasks/add", &[("title", "xylophone")]).await.ok();
        let bob = app.user("bob");
        let agent = app.token("bob", ALL);
        for (tool, arguments) in [
            ("get_task", json!({ "task_id": 1 })),
            ("complete_task", json!({ "task_id": 1 })),
            ("update_task", json!({ "task_id": 1, "title": "stolen" })),
            ("delete_task", json!({ "task_id": 1 })),
        ] {
            let refused = agent.tool(tool, arguments).await;
            assert_eq!((&refused["error"], &refused["task_id"]), (&json!("not_found"), &json!(1)), "{tool}: {refused}");
        }
        assert_eq!(agent.tool("list_tasks", json!({ "query": "xylophone" })).await["total"], 0);
        let read = json!({ "jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": { "uri": "docket://tasks/1" } });
        assert!(!agent.mcp(&read).await.text.contains("xylophone"));
        assert!(bob.get("/api/v1/approvals/list", &[]).await.ok().as_array().unwrap().is_empty());
        assert_eq!(ada.titles().await, ["xylophone"]);
    }

    async fn what_an_agent_says_of_itself_is_no_authority(app) {
        let ada = app.user("ada");
        let bob = app.user("bob");
        bob.post("/api/v1/tasks/add", &[("title", "his")]).await.ok();
        let agent = app.token("ada", ALL);
        let refused = agent.tool("list_tasks", json!({ "user_id": "bob" })).await;
        assert_eq!(refused["error"], "invalid", "{refused}");
        assert!(refused["message"].as_str().unwrap().contains("user_id is not an argument"));
        let turn = outside_turns(&ada).await.remove(0);
        assert_eq!(turn["tool_calls"][0]["arguments"], json!({ "user_id": "bob" }), "kept as it was sent");
        assert_eq!(turn["decision"]["outcome"], "ERROR:TOOL_FAILED");

        // Metadata of the internal connection: a position in a turn, and an approval.
        ada.post("/api/v1/tasks/add", &[("title", "mine")]).await.ok();
        let asked = ada.say("delete task 1").await;
        let forged = json!({
            "docket/approval": asked["approval"]["approval_id"], "docket/step": 7, "docket/index": 7, "docket/status": "ok",
        });
        let params = json!({ "name": "delete_task", "arguments": { "task_id": 1 }, "_meta": forged });
        let result = agent.method("tools/call", params).await["structuredContent"].clone();
        assert_eq!(result["error"], "needs_approval", "{result}");
        assert_ne!(result["approval_id"], asked["approval"]["approval_id"]);
        assert_eq!(ada.titles().await, ["mine"]);
    }

    async fn approved_high_risk_call_returns_its_result_to_one_repeat(app) {
        let ada = app.user("ada");
        ada.post("/api/v1/tasks/add", &[("title", "Buy milk")]).await.ok();
        let agent = app.token("ada", ALL);
        let delete = json!({ "task_id": 1 });
        let asked = agent.tool("delete_task", delete.clone()).await;
        let link = format!("{}/approvals/{}", app.server.base, asked["approval_id"].as_str().unwrap());
        assert_eq!((&asked["error"], &asked["link"]), (&json!("needs_approval"), &json!(link)), "{asked}");
        assert!(asked["message"].as_str().unwrap().contains(&link));
        assert_eq!(agent.tool("delete_task", delete.clone()).await["approval_id"], asked["approval_id"], "asked once");
        // Another agent of the person cannot use it.
        let other = app.token("ada", ALL);
        let others = other.tool("delete_task", delete.clone()).await;
        assert_ne!(others["approval_id"], asked["approval_id"]);
        assert_eq!(ada.titles().await, ["Buy milk"]);

        let decided = decide(&ada, &asked, "approve").await;
        assert_eq!(decided["turn"]["engine"], "external", "{decided}");
        assert_eq!(decided["turn"]["reply"], "Deleted task: Buy milk (#1)");
        assert_eq!(decided["turn"]["decision"]["outcome"], "SUCCESS:TASK_COMPLETED");
        assert!(ada.tasks().await.is_empty(), "the yes ran it");
        let version = |tasks: &Value| tasks["tasks"][0]["version"].clone();
        let binned = ada.get("/api/v1/tasks/list", &[("view", "bin")]).await.ok();
        let heard = agent.tool("delete_todo_task", json!({ "task_ids": [1] })).await;
        assert_eq!(heard, json!({ "task_id": 1, "status": "deleted", "title": "Buy milk" }), "by any name of the tool");
        assert_eq!(version(&ada.get("/api/v1/tasks/list", &[("view", "bin")]).await.ok()), version(&binned));

        // After the person's undo, an equal call is a new one and needs approval.
        ada.post("/api/v1/tasks/restore", &[("task_id", "1")]).await.ok();
        let again = agent.tool("delete_task", delete).await;
        assert_eq!(again["error"], "needs_approval", "{again}");
        assert_ne!(again["approval_id"], asked["approval_id"]);
        assert_eq!(ada.titles().await, ["Buy milk"]);
    }

    async fn rejection_is_returned_once_and_a_changed_task_asks_again(app) {
        let ada = app.user("ada");
        ada.post("/api/v1/tasks/add", &[("title", "Buy milk")]).await.ok();
        let agent = app.token("ada", ALL);
        let rename = json!({ "task_id": 1, "title": "Buy oat milk" });
        let asked = agent.tool("update_task", rename.clone()).await;
        decide(&ada, &asked, "reject").await;
        let heard = agent.tool("update_task", rename.clone()).await;
        assert_eq!(heard["error"], "forbidden", "{heard}");
        assert!(heard["message"].as_str().unwrap().contains("declined by ada"), "{heard}");

        let asked = agent.tool("update_task", rename.clone()).await;
        assert_eq!(asked["error"], "needs_approval", "a no is no ban: {asked}");
        ada.post("/api/v1/tasks/update", &[("task_id", "1"), ("priority", "high")]).await.ok();
        let void = decide(&ada, &asked, "approve").await;
        assert_eq!(void["turn"]["decision"]["outcome"], "REFUSAL:APPROVAL_VOID", "{void}");
        let fresh = agent.tool("update_task", rename.clone()).await;
        assert_eq!(fresh["error"], "needs_approval");
        assert_eq!(fresh["approval_id"], void["turn"]["approval"]["approval_id"], "the fresh question: {fresh}");
        decide(&ada, &fresh, "approve").await;
        assert_eq!(agent.tool("update_task", rename).await["after"]["title"], "Buy oat milk");
    }

    async fn a_client_that_can_puts_the_question_itself(app) {
        let ada = app.user("ada");
        for title in ["a", "b", "c"] {
            ada.post("/api/v1/tasks/add", &[("title", title)]).await.ok();
        }
        // The scope `chat` allows verdicts through any channel.
        let agent = app.token("ada", "chat,tasks:read,tasks:write,tasks:delete");
        let narrow = app.token("ada", ALL);
        let rival = app.token("ada", "chat,tasks:read,tasks:write,tasks:delete");
        let form = json!({ "elicitation": { "form": {}, "url": {} } });
        let asked = modern(&agent, &form, json!({ "name": "delete_task", "arguments": { "task_id": 1 } })).await;
        assert_eq!(asked["resultType"], "input_required", "{asked}");
        let question = &asked["inputRequests"]["approval"];
        let message = "Are you sure you want to delete task 1?\n- a (#1) goes to the bin";
        assert_eq!(question["params"]["message"], message, "{asked}");
        assert_eq!(ada.tasks().await.len(), 3);
        let again = |answer: Value| json!({
            "name": "delete_task", "arguments": { "task_id": 1 }, "requestState": asked["requestState"],
            "inputResponses": { "approval": answer },
        });
        let yes = json!({ "action": "accept", "content": { "approve": true } });
        // Neither another agent nor a closed form can approve.
        for foreign in [&narrow, &rival] {
            let refused = modern_reply(foreign, &form, again(yes.clone())).await;
            assert_eq!(refused["error"]["code"], -32_602, "{refused}");
            assert!(refused["error"]["message"].as_str().unwrap().starts_with("This requestState has expired or belongs to another call"));
        }
        let closed = modern(&agent, &form, again(json!({ "action": "cancel" }))).await;
        assert_eq!(closed["structuredContent"]["error"], "needs_approval", "{closed}");
        assert_eq!(ada.tasks().await.len(), 3);
        let done = modern(&agent, &form, again(yes.clone())).await;
        assert_eq!(done["structuredContent"]["status"], "deleted", "{done}");
        assert_eq!(ada.tasks().await.len(), 2);
        let approvals = ada.get("/api/v1/approvals/list", &[("status", "approved")]).await.ok();
        assert_eq!(approvals[0]["decided_via"], "mcp", "{approvals}");
        // A repeated answer decides nothing more.
        ada.post("/api/v1/tasks/restore", &[("task_id", "1")]).await.ok();
        let replayed = modern(&agent, &form, again(yes)).await;
        assert_eq!(replayed["structuredContent"]["error"], "needs_approval", "{replayed}");
        assert_eq!(ada.tasks().await.len(), 3);

        // Without the scope, the person is sent to the page; a client that supports neither gets the ordinary error.
        let delete = json!({ "name": "delete_task", "arguments": { "task_id": 2 } });
        let sent = modern(&narrow, &form, delete.clone()).await;
        let params = &sent["inputRequests"]["approval"]["params"];
        assert_eq!(params["mode"], "url", "{sent}");
        assert!(params["url"].as_str().unwrap().starts_with(&format!("{}/approvals/", app.server.base)), "{sent}");
        let plain = modern(&narrow, &json!({}), delete).await;
        assert_eq!(plain["structuredContent"]["error"], "needs_approval", "{plain}");
    }

    async fn agent_setting_a_due_time_is_warned_without_reminder_channels(app) {
        const NOBODY: &str = "no Docket tab is open, and no Telegram chat is linked";
        let ada = app.user("ada");
        let agent = app.token("ada", ALL);
        let add = async |due: &str| {
            let call = json!({ "name": "add_task", "arguments": { "title": "Call mum", "due": due } });
            agent.method("tools/call", call).await["content"].clone()
        };
        let told = add("tomorrow at 5pm").await;
        assert!(told[1]["text"].as_str().is_some_and(|note| note.contains(NOBODY)), "{told}");
        assert_eq!(add("2099-01-01").await.as_array().map(Vec::len), Some(1), "a day reminds of nothing");
        let turns = outside_turns(&ada).await;
        let reply = turns[1]["reply"].as_str().unwrap_or_default();
        assert!(reply.starts_with("Created task: Call mum (#1)") && reply.contains(NOBODY), "{turns:?}");
        app.browser("ada").await;
        assert_eq!(add("tomorrow at 5pm").await.as_array().map(Vec::len), Some(1), "a browser is there");
    }

    async fn the_same_is_served_over_standard_input(app) {
        let ada = app.user("ada");
        let agent = app.token("ada", ALL);
        let mut command = docket(&app.database.url, &["mcp", "--token-env", "AGENT_TOKEN"]);
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
        let call = |id: i32, tool: &str, arguments: Value| {
            json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool, "arguments": arguments } })
        };
        let nobody = finish(docket(&app.database.url, &["mcp"]), "");
        assert!(!nobody.status.success() && complaint(&nobody).contains("DOCKET_TOKEN is not set"), "{nobody:?}");
        let mut wrong = docket(&app.database.url, &["mcp"]);
        let wrong = finish({ wrong.env("DOCKET_TOKEN", "dkt_wrong"); wrong }, "");
        assert!(complaint(&wrong).contains("no longer valid"), "{wrong:?}");

        command.env("AGENT_TOKEN", agent.token.clone().unwrap());
        let mut child = command.spawn().expect("the binary runs");
        let (mut input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut lines = BufReader::new(output).lines();
        let mut ask = |request: Value| {
            writeln!(input, "{request}").unwrap();
            if request["id"].is_null() {
                return Value::Null;
            }
            // Each line belongs to the protocol; a log line would be no JSON.
            serde_json::from_str(&lines.next().expect("an answer").unwrap()).expect("JSON on standard output")
        };
        let hello: Value = ask(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello }));
        assert_eq!(hello["result"]["serverInfo"]["name"], "docket");
        ask(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        let added: Value = ask(call(1, "add_task", json!({ "title": "Buy milk" })));
        assert_eq!(added["result"]["structuredContent"]["task_id"], 1, "{added}");
        let asked: Value = ask(call(2, "delete_task", json!({ "task_id": 1 })));
        let asked = &asked["result"]["structuredContent"];
        assert_eq!(asked["error"], "needs_approval");
        // The server receives the verdict and runs the call; both use one database.
        decide(&ada, asked, "approve").await;
        let heard: Value = ask(call(3, "delete_task", json!({ "task_id": 1 })));
        assert_eq!(heard["result"]["structuredContent"]["status"], "deleted", "{heard}");
        let turns = outside_turns(&ada).await;
        assert_eq!(turns.len(), 4, "three calls and a verdict");
        drop(input);
        assert!(child.wait().unwrap().success(), "it ends with its input");
    }

    async fn several_tasks_at_once_are_one_question(app) {
        let ada = app.user("ada");
        for title in ["a", "b", "c"] {
            ada.post("/api/v1/tasks/add", &[("title", title)]).await.ok();
        }
        let agent = app.token("ada", ALL);
        let asked = agent.tool("complete_task", json!({ "task_ids": [1, 3] })).await;
        assert!(asked["message"].as_str().unwrap().contains("complete 2 tasks: a (#1), c (#3)"), "{asked}");
        decide(&ada, &asked, "approve").await;
        let done = agent.tool("complete_task", json!({ "task_ids": [1, 3] })).await;
        assert_eq!(done["tasks"].as_array().map(Vec::len), Some(2), "{done}");
        assert_eq!(agent.tool("list_tasks", json!({ "status": "completed" })).await["total"], 2);
    }

    async fn a_budget_counts_changes_and_not_reads(app) {
        let ada = app.user("ada");
        let create = ["token", "create", "--user", "ada", "--name", "desk", "--scope", ALL, "--budget", "3"];
        let agent = Client { token: Some(app.command(&create, "")), ..Client::anonymous(&app.server.base) };
        for title in ["a", "b"] {
            agent.tool("add_task", json!({ "title": title })).await;
            agent.tool("list_tasks", json!({})).await;
        }
        // Two tasks would exceed the budget, so not even an approval is requested.
        let refused = agent.tool("delete_task", json!({ "task_ids": [1, 2] })).await;
        assert_eq!(refused["error"], "forbidden", "{refused}");
        let told = "This would exceed the limit of 3 changes per hour for the token “desk”: 2 are made.";
        assert!(refused["message"].as_str().unwrap().starts_with(told), "{refused}");
        agent.tool("add_task", json!({ "title": "c" })).await;
        assert_eq!(agent.tool("add_task", json!({ "title": "d" })).await["error"], "forbidden");
        assert_eq!(agent.tool("list_tasks", json!({})).await["total"], 3);
        let turn = outside_turns(&ada).await.remove(1);
        assert_eq!(turn["decision"], json!({ "kind": "REFUSE", "outcome": "REFUSAL:RATE_LIMITED" }));
        // The person and their other agents have separate budgets.
        ada.post("/api/v1/tasks/add", &[("title", "e")]).await.ok();
        app.token("ada", ALL).tool("add_task", json!({ "title": "f" })).await;
        assert_eq!(ada.tasks().await.len(), 5);
    }

    async fn failed_calls_count_in_a_budget_and_are_kept_short(app) {
        let ada = app.user("ada");
        let create = ["token", "create", "--user", "ada", "--name", "desk", "--scope", ALL, "--budget", "3"];
        let agent = Client { token: Some(app.command(&create, "")), ..Client::anonymous(&app.server.base) };
        let long = "x".repeat(200_000);
        for (tool, arguments) in [
            ("list_tasks", json!({ "status": long })),
            ("add_task", json!({ "title": "a", "recurrence": long })),
            ("get_task", json!({ "task_id": 99 })),
        ] {
            let failed = agent.tool(tool, arguments).await;
            assert!(failed["message"].as_str().is_some_and(|told| told.len() < 2_000), "{tool}");
        }
        let refused = agent.tool("add_task", json!({ "title": long })).await;
        let told = refused["message"].as_str().expect("a sentence");
        assert!(told.contains("0 are made, and 3 calls failed"), "{told}");
        assert_eq!(agent.tool("add_task", json!({ "title": "b" })).await["error"], "forbidden");
        // Reading continues.
        assert_eq!(agent.tool("list_tasks", json!({})).await["total"], 0);
        let record = ada.get("/api/v1/audit/export", &[]).await.text;
        assert!(record.len() < 40_000 && record.contains("truncated"), "{}", record.len());
    }

    async fn a_stranger_is_refused_with_a_plain_challenge(app) {
        let stranger = Client::anonymous(&app.server.base);
        let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
        for (client, expected) in [
            (stranger.clone(), "Bearer"),
            (Client { token: Some("dkt_wrong".into()), ..stranger.clone() }, "Bearer error=\"invalid_token\""),
            (Client { token: Some("wrong".into()), ..stranger.clone() }, "Bearer error=\"invalid_token\""),
        ] {
            let refused = client.mcp(&list).await;
            assert_eq!((refused.status, refused.header("www-authenticate")), (401, expected));
            assert!(refused.json()["error"]["message"].is_string(), "{refused:?}");
        }
        assert_eq!(Reply::of(stranger.request("GET", "/mcp").send().await.unwrap()).await.status, 401);
        let ada = app.user("ada");
        let agent = app.token("ada", ALL);
        agent.mcp(&list).await.ok();
        let tokens = app.command(&["token", "list", "--user", "ada"], "");
        let id = tokens.lines().last().and_then(|line| line.split(' ').next()).expect("a token").to_owned();
        app.command(&["token", "revoke", &id], "");
        assert_eq!(agent.mcp(&list).await.status, 401, "from then on");
        app.command(&["user", "disable", "ada"], "");
        assert_eq!(ada.mcp(&list).await.status, 401);
    }

    async fn requests_from_other_places_are_refused(app) {
        app.user("ada");
        let agent = app.token("ada", ALL);
        let port = app.server.base.rsplit_once(':').unwrap().1;
        let own = [format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("[::1]:{port}")];
        let rows = own.iter().map(|host| ("host", host.clone(), 200)).chain([
            ("host", "evil.example".to_owned(), 403),
            ("host", format!("evil.example:{port}"), 403),
            ("host", "127.0.0.1.evil.example".to_owned(), 403),
            ("origin", format!("http://127.0.0.1:{port}"), 200),
            ("origin", format!("http://localhost:{port}"), 200),
            ("origin", "http://evil.example".to_owned(), 403),
            ("origin", format!("http://evil.example:{port}"), 403),
            ("origin", "http://localhost:1".to_owned(), 403),
            ("origin", "http://127.0.0.1".to_owned(), 403),
            ("origin", "null".to_owned(), 403),
            ("origin", "not an origin".to_owned(), 403),
        ]);
        for (header, value, status) in rows {
            let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
            let request = agent.request("POST", "/mcp").header("accept", "application/json, text/event-stream");
            let reply = Reply::of(request.header(header, &value).json(&body).send().await.expect("an answer")).await;
            assert_eq!(reply.status, status, "{header}: {value}: {}", reply.text);
            assert_eq!(reply.json()["jsonrpc"], "2.0");
        }
    }

    async fn what_is_no_request_is_told_so(app) {
        let ada = app.user("ada");
        let agent = app.token("ada", ALL);
        let send = async |body: Vec<u8>, kind: &str| {
            let request = agent.request("POST", "/mcp").header("accept", "application/json, text/event-stream");
            Reply::of(request.header("content-type", kind).body(body).send().await.expect("an answer")).await
        };
        let call = |params: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
        let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
        for (body, status, code) in [
            (String::new(), 400, -32_700),
            ("{".into(), 400, -32_700),
            ("nonsense".into(), 400, -32_700),
            (deep, 400, -32_700),
            ("[]".into(), 400, -32_600),
            ("7".into(), 400, -32_600),
            (r#"{"jsonrpc":"1.0","id":1,"method":"tools/list"}"#.into(), 400, -32_600),
            (format!("[{}]", call(r#"{"name":"list_tasks"}"#)), 400, -32_600),
            (r#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#.into(), 200, -32_601),
            (call("{}"), 200, -32_602),
            (call(r#"{"name":"add_task","arguments":"title"}"#), 200, -32_602),
            (call(r#"{"name":7}"#), 200, -32_602),
            ("x".repeat(3 << 20), 413, -32_600),
        ] {
            let reply = send(body.clone().into_bytes(), "application/json").await;
            let shown = &body[..body.len().min(80)];
            assert_eq!(reply.status, status, "{shown}: {}", reply.text);
            assert_eq!(reply.json()["error"]["code"], code, "{shown}: {}", reply.text);
            assert!(reply.json()["error"]["message"].as_str().is_some_and(|told| told.len() > 10), "{shown}: {}", reply.text);
        }
        assert_eq!(send(call(r#"{"name":"list_tasks"}"#).into_bytes(), "text/plain").await.status, 415);
        assert_eq!(send(b"\xff\xfe".to_vec(), "application/json").await.status, 400);
        for method in ["GET", "DELETE", "PUT"] {
            let reply = Reply::of(agent.request(method, "/mcp").send().await.unwrap()).await;
            assert_eq!((reply.status, reply.header("allow")), (405, "POST"), "{method}: {}", reply.text);
        }
        for name in ["", &"n".repeat(129), "add\u{1}task", "add\ntask"] {
            let told = agent.mcp(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": name } })).await.ok();
            assert_eq!(told["error"]["code"], -32_602, "{name:?}: {told}");
        }
        assert!(outside_turns(&ada).await.is_empty(), "nothing of these is kept");
        let unsearchable = agent.tool("list_tasks", json!({ "query": "mi\u{1}lk" })).await;
        assert_eq!(unsearchable["error"], "invalid", "{unsearchable}");
        // Known methods with invalid arguments return results and are recorded.
        for (tool, arguments) in [
            ("launch_rocket", json!({})),
            ("add_task", json!({})),
            ("add_task", json!({ "title": "x".repeat(201) })),
            ("get_task", json!({ "task_id": "one" })),
            ("complete_task", json!({ "task_ids": (1..=1001).collect::<Vec<_>>() })),
        ] {
            assert_eq!(agent.tool(tool, arguments).await["error"], "invalid", "{tool}");
        }
        assert_eq!(outside_turns(&ada).await.len(), 6);
        assert!(ada.tasks().await.is_empty());
    }

    async fn what_is_offered_is_complete(app) {
        let ada = app.user("ada");
        let agent = app.token("ada", ALL);
        for version in ["2025-03-26", "2025-06-18", "2025-11-25"] {
            let params = json!({
                "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
            });
            let hello = agent.method("initialize", params).await;
            assert_eq!((&hello["protocolVersion"], &hello["serverInfo"]["name"]), (&json!(version), &json!("docket")));
        }
        let tools = agent.method("tools/list", json!({})).await;
        let tools = tools["tools"].as_array().unwrap();
        let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["add_task", "complete_task", "delete_task", "get_task", "list_tasks", "undo", "update_task"]);
        for tool in tools {
            for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
                assert!(tool["annotations"][hint].is_boolean(), "{tool}");
            }
            assert_eq!((&tool["inputSchema"]["type"], &tool["outputSchema"]["type"]), (&json!("object"), &json!("object")));
            assert!(tool["description"].is_string() && tool["title"].is_string());
            // Strict clients validate errors against the output schema as well.
            let validator = jsonschema::validator_for(&tool["outputSchema"]).expect("a schema");
            let name = tool["name"].as_str().unwrap();
            let refused = agent.tool(name, json!({ "nonsense": 1 })).await;
            assert!(validator.is_valid(&refused) && !validator.is_valid(&json!({})), "{name}: {refused}");
        }
        // Successful results must validate too.
        for (name, arguments, status) in [
            ("add_task", json!({ "title": "Wash car", "description": "by hand", "due": "today", "priority": "high", "tags": ["home"] }), "created"),
            ("add_task", json!({ "title": "Water plants", "due": "2030-03-01", "recurrence": "weekly" }), "created"),
            ("update_task", json!({ "task_id": 1, "due": "2030-03-01T10:00" }), "updated"),
            ("complete_task", json!({ "task_id": 2 }), "completed"),
            ("get_task", json!({ "task_id": 1 }), ""),
            ("list_tasks", json!({}), ""),
            ("list_tasks", json!({ "status": "completed", "limit": 1 }), ""),
            ("list_tasks", json!({ "query": "nothing like it" }), ""),
            ("delete_task", json!({ "task_id": 1 }), "deleted"),
            ("delete_task", json!({ "task_ids": [2, 3] }), "deleted"),
        ] {
            let mut result = agent.tool(name, arguments.clone()).await;
            let tool = tools.iter().find(|tool| tool["name"] == name).expect("a tool");
            let validator = jsonschema::validator_for(&tool["outputSchema"]).expect("a schema");
            if result["error"] == "needs_approval" {
                assert!(validator.is_valid(&result), "{name}: {result}");
                decide(&ada, &result, "approve").await;
                result = agent.tool(name, arguments).await;
            }
            let wrong: Vec<_> = validator.iter_errors(&result).map(|error| error.to_string()).collect();
            assert!(wrong.is_empty(), "{name}: {wrong:?} in {result}");
            assert!(status.is_empty() || result["status"] == status || result["tasks"][0]["status"] == status, "{name}: {result}");
        }
        let prompts = agent.method("prompts/list", json!({})).await;
        assert_eq!(prompts["prompts"].as_array().map(Vec::len), Some(2));
        for prompt in ["plan_my_day", "weekly_review"] {
            let words = agent.method("prompts/get", json!({ "name": prompt })).await;
            assert!(words["messages"][0]["content"]["text"].as_str().unwrap().contains("Docket"));
        }
        agent.tool("add_task", json!({ "title": "Buy milk", "due": "today" })).await;
        let resources = agent.method("resources/list", json!({})).await;
        for resource in resources["resources"].as_array().unwrap() {
            let read = agent.method("resources/read", json!({ "uri": resource["uri"] })).await;
            let text = read["contents"][0]["text"].as_str().unwrap();
            let list: Value = serde_json::from_str(text).unwrap();
            assert_eq!(list["total"], i64::from(resource["name"] != "overdue"), "{resource}: {text}");
        }
        let one = agent.method("resources/read", json!({ "uri": "docket://tasks/4" })).await;
        assert!(one["contents"][0]["text"].as_str().unwrap().contains("Buy milk"));
        for uri in ["docket://tasks/9", "docket://tasks/never", "file:///etc/passwd", ""] {
            let read = json!({ "jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": { "uri": uri } });
            assert_eq!(agent.mcp(&read).await.ok()["error"]["code"], -32_002, "{uri}");
        }
    }
}

#[tokio::test]
async fn rate_limited_agent_calls_are_recorded_up_to_a_cap() {
    let app = TestApp::start_with(Db::Sqlite, &[("DOCKET_RATE_LIMIT_PER_MINUTE", "2")]).await.unwrap();
    let ada = app.user("ada");
    let agent = app.token("ada", ALL);
    for _ in 0..2 {
        assert!(agent.tool("list_tasks", json!({})).await["error"].is_null());
    }
    for _ in 2..10 {
        let refused = agent.tool("add_task", json!({ "title": "x" })).await;
        assert_eq!(refused["error"], "forbidden", "{refused}");
        assert!(refused["message"].as_str().unwrap().starts_with("Too many requests. Wait "), "{refused}");
    }
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "list_tasks" } });
    assert!(agent.mcp(&call).await.json()["error"]["message"].as_str().unwrap().contains("Too many requests"));
    let turns = outside_turns(&ada).await;
    assert_eq!(turns.len(), 10, "five times the limit is kept");
    assert_eq!(turns[0]["decision"]["outcome"], "REFUSAL:RATE_LIMITED");
    assert!(ada.tasks().await.is_empty());
    // The person is not delayed by their agent.
    ada.say("add milk").await;
    until("the task", async || (ada.tasks().await.len() == 1).then_some(())).await;
}
