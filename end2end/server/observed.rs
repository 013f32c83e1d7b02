//! Observability: metrics and spans of turns (R-1005).

use serde_json::{Value, json};

use crate::app::{Client, Db, Server, TestApp, complaint, until};
use crate::collector::{Collector, Span};
use crate::mock::Mock;
use crate::on_both;

/// A caller's own trace and span.
const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const SPAN: &str = "b7ad6b7169203331";

const TURN: &str = "invoke_agent docket";

fn traceparent() -> String {
    format!("00-{TRACE}-{SPAN}-01")
}

async fn scrape(base: &str) -> String {
    let reply = Client::anonymous(base).get("/metrics", &[]).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert!(reply.header("content-type").starts_with("application/openmetrics-text"));
    assert!(reply.text.ends_with("# EOF\n"));
    reply.text
}

/// Returns the value of the metrics line with this name and labels.
fn value(text: &str, head: &str) -> f64 {
    let line = text.lines().find(|line| line.strip_prefix(head).is_some_and(|rest| rest.starts_with(' ')));
    let number = line.and_then(|line| line.rsplit(' ').next()).unwrap_or_else(|| panic!("no {head} in\n{text}"));
    number.parse().expect("a number")
}

async fn say_within(ada: &Client, message: &str) -> Value {
    let request = ada.request("POST", "/api/v1/chat").header("traceparent", traceparent());
    crate::app::Reply::of(request.form(&[("message", message)]).send().await.expect("an answer")).await.ok()
}

async fn trace_of(ada: &Client, turn: &Value) -> String {
    let story = ada.get("/api/v1/audit/turn", &[("turn_id", turn["turn_id"].as_str().unwrap())]).await.ok();
    story["trace_id"].as_str().expect("a trace").to_owned()
}

fn is(span: &Span, name: &str, expected: &str) {
    assert_eq!(span.attributes.get(name).map(String::as_str), Some(expected), "{name} of {span:?}");
}

on_both! {
    async fn metrics_count_work_per_process_and_the_queue_globally(app) {
        let ada = app.user("ada");
        let added = ada.say("add milk").await;
        let asked = ada.say_after(&added, "delete task 1").await;
        // A turn is counted after its commit, when its answer may be sent.
        let text = until("both are counted", || async {
            let text = scrape(&app.server.base).await;
            text.contains("docket_turn_duration_seconds_count{engine=\"rules\"} 2").then_some(text)
        })
        .await;
        for (head, expected) in [
            (r#"docket_turns_total{cause="message",engine="rules",outcome="SUCCESS:TASK_COMPLETED"}"#, 1.0),
            (r#"docket_turns_total{cause="message",engine="rules",outcome="SUCCESS:APPROVAL_REQUESTED"}"#, 1.0),
            (r#"docket_turn_duration_seconds_count{engine="rules"}"#, 2.0),
            (r#"docket_mcp_calls_total{tool="add_task",asker="rules",status="ok"}"#, 1.0),
            (r#"docket_mcp_calls_total{tool="delete_task",asker="rules",status="awaiting_approval"}"#, 1.0),
            (r#"docket_http_requests_total{route="/api/v1/chat",status="2xx"}"#, 2.0),
            (r#"docket_queue_turns{status="queued"}"#, 0.0),
            (r#"docket_queue_turns{status="running"}"#, 0.0),
            ("docket_approvals_pending", 1.0),
            ("docket_outbox_waiting", 0.0),
            ("docket_breaker_open", 0.0),
        ] {
            assert_eq!(value(&text, head), expected, "{head} in\n{text}");
        }
        assert!(!text.contains("milk") && !text.contains("ada"), "nobody's words, and nobody's name");
        // A plain form is answered by a page, but counted as an API call.
        app.browser("ada").await.form("/api/v1/tasks/add", &[("title", "eggs"), ("return_to", "/tasks")]).await;
        let head = r#"docket_http_requests_total{route="/api/v1/tasks/add",status="3xx"}"#;
        assert_eq!(value(&scrape(&app.server.base).await, head), 1.0);
        let approval = asked["approval"]["approval_id"].as_str().unwrap();
        ada.post("/api/v1/approvals/decide", &[("approval_id", approval), ("verdict", "reject")]).await.ok();
        let head = r#"docket_approvals_decided_total{verdict="rejected",via="api"}"#;
        assert_eq!(value(&scrape(&app.server.base).await, head), 1.0);
        // Routes are counted by pattern, since addresses contain ids.
        ada.get("/audit/019aa3c4-7d1e-7f7e-8d6c-3f0b8f0f4f8e", &[]).await;
        ada.get("/nowhere", &[]).await;
        let text = scrape(&app.server.base).await;
        assert!(!text.contains("019aa3c4") && !text.contains("nowhere"), "{text}");
        // SQLite has one server.
        if app.database.url.starts_with("postgres") {
            let text = scrape(&app.another().base).await;
            assert_eq!(value(&text, "docket_approvals_pending"), 0.0, "{text}");
            assert!(!text.contains("docket_turns_total{"), "it has decided none");
        }
    }
}

#[tokio::test]
async fn metrics_require_localhost_or_the_metrics_token() {
    let app = TestApp::start(Db::Sqlite).await.unwrap();
    let anyone = Client::anonymous(&app.server.base);
    for header in ["x-forwarded-for", "forwarded", "x-real-ip"] {
        let request = anyone.request("GET", "/metrics").header(header, "203.0.113.7");
        let reply = crate::app::Reply::of(request.send().await.unwrap()).await;
        reply.is_error(403, "forbidden", "DOCKET_METRICS_TOKEN");
    }
    // Host names of this machine, and another one that resolves to it.
    for (host, status) in [("localhost:3000", 200), ("[::1]:3000", 200), ("127.0.0.1", 200), ("docket.example", 403)] {
        let request = anyone.request("GET", "/metrics").header("host", host);
        assert_eq!(request.send().await.unwrap().status(), status, "{host}");
    }
    let environment = [("DOCKET_METRICS_TOKEN", "scrape-me")];
    let app = TestApp::start_with(Db::Sqlite, &environment).await.unwrap();
    let anyone = Client::anonymous(&app.server.base);
    anyone.get("/metrics", &[]).await.is_error(401, "unauthenticated", "DOCKET_METRICS_TOKEN");
    let wrong = Client { token: Some("scrape-you".into()), ..anyone.clone() };
    wrong.get("/metrics", &[]).await.is_error(401, "unauthenticated", "DOCKET_METRICS_TOKEN");
    let right = Client { token: Some("scrape-me".into()), ..anyone };
    let request = right.request("GET", "/metrics").header("x-forwarded-for", "203.0.113.7");
    assert_eq!(request.send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn model_failures_are_counted_and_open_the_circuit_breaker() {
    let mock = Mock::start();
    let app = mock.sqlite(&[]).await;
    let ada = app.user("ada");
    ada.say("add milk").await;
    mock.fail("500").await;
    for _ in 0..3 {
        ada.say("add tea").await;
    }
    let text = scrape(&app.server.base).await;
    assert!(value(&text, r#"docket_model_calls_total{engine="compatible",result="ok"}"#) >= 1.0, "{text}");
    assert_eq!(value(&text, r#"docket_model_calls_total{engine="compatible",result="unavailable"}"#), 3.0, "{text}");
    assert!(value(&text, r#"docket_model_tokens_total{engine="compatible",direction="in"}"#) > 0.0, "{text}");
    assert_eq!(value(&text, "docket_breaker_open"), 1.0, "{text}");
}

#[tokio::test]
async fn turn_span_joins_the_callers_trace_and_parents_its_calls() {
    let (collector, mock) = (Collector::start(), Mock::start());
    let app = mock.sqlite(&collector.environment(&[("OTEL_EXPORTER_OTLP_HEADERS", "x-team=docket")])).await;
    let ada = app.user("ada");
    let turn = say_within(&ada, "add xylophone").await;
    assert_eq!(turn["decision"]["outcome"], "SUCCESS:TASK_COMPLETED", "{turn}");
    let told = collector.named(TRACE, TURN, 1).await.remove(0);
    assert_eq!((told.parent.as_str(), told.kind, told.service.as_str()), (SPAN, 1, "docket"));
    is(&told, "gen_ai.operation.name", "invoke_agent");
    is(&told, "gen_ai.agent.name", "docket");
    is(&told, "gen_ai.conversation.id", turn["conversation_id"].as_str().unwrap());
    is(&told, "docket.turn.id", turn["turn_id"].as_str().unwrap());
    is(&told, "docket.decision.outcome", "SUCCESS:TASK_COMPLETED");
    assert_eq!(trace_of(&ada, &turn).await, TRACE, "the trace is kept with the turn");
    let page = app.browser("ada").await;
    let page = page.get(&format!("/audit/{}", turn["turn_id"].as_str().unwrap()), &[]).await.text;
    assert!(page.contains(TRACE), "and its story shows it");

    let chats: Vec<_> = collector.of(TRACE).into_iter().filter(|span| span.name == "chat mock-1").collect();
    assert!(!chats.is_empty());
    for chat in &chats {
        assert_eq!((chat.parent.as_str(), chat.kind, chat.status), (told.id.as_str(), 3, 0));
        is(chat, "gen_ai.operation.name", "chat");
        is(chat, "gen_ai.provider.name", "compatible");
        is(chat, "gen_ai.request.model", "mock-1");
        is(chat, "gen_ai.request.max_tokens", "1024");
        assert!(chat.attributes["gen_ai.usage.input_tokens"].parse::<i64>().unwrap() > 0);
    }
    let call = collector.named(TRACE, "tools/call add_task", 1).await.remove(0);
    assert_eq!((call.parent.as_str(), call.kind), (told.id.as_str(), 3));
    is(&call, "mcp.method.name", "tools/call");
    is(&call, "gen_ai.operation.name", "execute_tool");
    is(&call, "gen_ai.tool.name", "add_task");
    is(&call, "gen_ai.tool.call.id", turn["tool_calls"][0]["invocation_id"].as_str().unwrap());
    is(&call, "docket.call.status", "ok");

    let asked = mock.requests().await;
    let sent: Vec<_> = asked.iter().filter_map(|request| request["traceparent"].as_str()).collect();
    assert_eq!(sent.len(), chats.len(), "{asked:?}");
    for (sent, chat) in sent.iter().zip(&chats) {
        assert_eq!(*sent, format!("00-{TRACE}-{}-01", chat.id), "the provider hears of the call's span");
    }
    assert_eq!(collector.header("x-team").as_deref(), Some("docket"));
    assert!(!collector.heard("xylophone"), "no words");
}

on_both! {
    async fn without_a_collector_no_turn_has_a_trace(app) {
        let ada = app.user("ada");
        let turn = say_within(&ada, "add milk").await;
        let story = ada.get("/api/v1/audit/turn", &[("turn_id", turn["turn_id"].as_str().unwrap())]).await.ok();
        assert_eq!(story["trace_id"], Value::Null);
    }
}

async fn approved(db: Db) {
    let collector = Collector::start();
    let Some(app) = TestApp::start_with(db, &collector.environment(&[])).await else { return };
    let ada = app.user("ada");
    let added = ada.say("add milk").await;
    let asked = ada.say_after(&added, "delete task 1").await;
    let approval = asked["approval"]["approval_id"].as_str().unwrap();
    let decided = ada.post("/api/v1/approvals/decide", &[("approval_id", approval), ("verdict", "approve")]).await.ok();
    let trace = trace_of(&ada, &asked).await;
    assert_ne!(trace_of(&ada, &added).await, trace, "each message begins a trace of its own");
    assert_eq!(trace_of(&ada, &decided["turn"]).await, trace, "what was asked and what came of it are one");
    let turns = collector.named(&trace, TURN, 2).await;
    assert!(turns.iter().all(|turn| turn.parent.is_empty()), "{turns:?}");
    let wait = collector.named(&trace, "approval wait", 1).await.remove(0);
    assert_eq!(
        Some(&wait.parent),
        turns.iter().find(|it| it.attributes["docket.turn.cause"] == "approval").map(|it| &it.id)
    );
    is(&wait, "docket.approval.id", approval);
    is(&wait, "docket.approval.status", "approved");
    is(&wait, "docket.approval.via", "api");
    assert!(wait.links.is_empty());

    // A yes in words is a separate message; its trace links to the requesting one.
    ada.say("add tea").await;
    let asked = ada.say("delete task 2").await;
    let yes = ada.say_after(&asked, "yes").await;
    assert_eq!(yes["decision"]["outcome"], "SUCCESS:TASK_COMPLETED", "{yes}");
    let wait = collector.named(&trace_of(&ada, &yes).await, "approval wait", 1).await.remove(0);
    is(&wait, "docket.approval.via", "chat");
    assert_eq!(wait.links, [trace_of(&ada, &asked).await]);
}

#[tokio::test]
async fn a_persons_thinking_is_told_on_sqlite() {
    approved(Db::Sqlite).await;
}

#[tokio::test]
async fn a_persons_thinking_is_told_on_postgres() {
    approved(Db::Postgres).await;
}

#[tokio::test]
async fn agent_call_span_joins_its_clients_trace() {
    let collector = Collector::start();
    let app = TestApp::start_with(Db::Sqlite, &collector.environment(&[])).await.unwrap();
    app.user("ada");
    let agent = app.token("ada", "tasks:read,tasks:write");
    let call = |meta: Value| json!({ "name": "add_task", "arguments": { "title": "kumquat" }, "_meta": meta });
    let body = |params: Value| json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let send = async |body: &Value, header: Option<String>| {
        let mut request = agent.request("POST", "/mcp").header("accept", "application/json, text/event-stream");
        if let Some(header) = header {
            request = request.header("traceparent", header);
        }
        let reply = crate::app::Reply::of(request.json(body).send().await.expect("an answer")).await.ok();
        assert_eq!(reply["result"]["structuredContent"]["title"], "kumquat", "{reply}");
    };
    send(&body(call(json!({ "traceparent": traceparent() }))), None).await;
    send(&body(call(json!({}))), Some(traceparent())).await;
    // An invalid traceparent is ignored.
    send(&body(call(json!({ "traceparent": "00-00-00-00" }))), None).await;
    for told in collector.named(TRACE, "tools/call add_task", 2).await {
        assert_eq!((told.parent.as_str(), told.kind), (SPAN, 2));
        is(&told, "mcp.method.name", "tools/call");
        is(&told, "docket.decision.outcome", "SUCCESS:TASK_COMPLETED");
    }
    let alone = until("the third", || async {
        collector.all().into_iter().find(|span| span.trace != TRACE && span.name == "tools/call add_task")
    });
    assert_eq!(alone.await.parent, "");
    assert!(!collector.heard("kumquat"));
    let turns = app.token("ada", "audit").get("/api/v1/audit/list", &[("engine", "external")]).await.ok();
    assert_eq!(trace_of(&app.token("ada", "audit"), &turns["items"][2]).await, TRACE);
}

#[tokio::test]
async fn turn_resumed_after_a_crash_keeps_its_trace() {
    let collector = Collector::start();
    let plan = collector.environment(&[("DOCKET_CRASH", "after step"), ("DOCKET_LEASE_MS", "1000")]);
    let mut app = TestApp::start(Db::Sqlite).await.unwrap();
    let ada = app.user("ada");
    app.server.kill();
    let start = |url: &str, environment: &[(&str, &str)]| {
        Server::start(url, environment).unwrap_or_else(|output| panic!("{}", complaint(&output)))
    };
    app.server = start(&app.database.url, &plan);
    let there = ada.at(&app.server);
    let fields = [("message", "add milk"), ("client_key", "once")];
    let sent = there.request("POST", "/api/v1/chat").header("traceparent", traceparent()).form(&fields).send().await;
    assert!(sent.is_err(), "the server died before it answered");
    app.server.dies().await;
    app.server = start(&app.database.url, &collector.environment(&[]));
    let turn = ada.at(&app.server).post("/api/v1/chat", &fields).await.ok();
    assert_eq!(turn["decision"]["outcome"], "SUCCESS:TASK_COMPLETED", "{turn}");
    let told = collector.named(TRACE, TURN, 1).await.remove(0);
    assert_eq!(told.parent, SPAN);
    is(&told, "docket.turn.attempt", "2");
    is(&told, "docket.turn.id", turn["turn_id"].as_str().unwrap());
    assert_eq!(trace_of(&ada.at(&app.server), &turn).await, TRACE);
}

#[tokio::test]
async fn shutdown_flushes_spans_and_a_dead_collector_delays_nothing() {
    let collector = Collector::start();
    let slow = collector.environment(&[("OTEL_BSP_SCHEDULE_DELAY", "3600000")]);
    let mut app = TestApp::start_with(Db::Sqlite, &slow).await.unwrap();
    let ada = app.user("ada");
    say_within(&ada, "add milk").await;
    assert!(collector.all().is_empty(), "nothing is sent yet");
    assert!(app.server.terminate().success());
    assert_eq!(collector.named(TRACE, TURN, 1).await.len(), 1);

    // The port of a closed listener.
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let nobody = format!("http://{gone}");
    let environment = [("OTEL_EXPORTER_OTLP_ENDPOINT", nobody.as_str()), ("OTEL_BSP_SCHEDULE_DELAY", "20")];
    let mut app = TestApp::start_with(Db::Sqlite, &environment).await.unwrap();
    let ada = app.user("ada");
    let turn = say_within(&ada, "add milk").await;
    assert_eq!(turn["decision"]["outcome"], "SUCCESS:TASK_COMPLETED", "{turn}");
    assert!(app.server.terminate().success());
}
