//! Fuzz target of all external inputs: agents' requests and arguments, Telegram updates, cursors, searches and cookies.
//! Each gets an answer other than a server error. `FUZZ_DOOR` selects one input; without it, the first byte selects
//! one.
#![no_main]

use std::sync::LazyLock;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, Request, Response};
use docket::clock::Clock;
use docket::config::Config;
use docket::domain::user::{Role, Scope};
use docket::server;
use docket::state::AppState;
use docket::usecases::accounts;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt as _;

const SECRET: &str = "the-webhook-secret";

/// The inputs by name, in the order of their selecting bytes.
const DOORS: [(&str, Ask); 6] = [
    ("agents", |data| Some(agents(data.to_vec()))),
    ("arguments", |data| Some(tool(&String::from_utf8_lossy(data)))),
    ("telegram", |data| Some(telegram(data.to_vec()))),
    ("cursor", |data| Some(get(&format!("/api/v1/tasks/list?cursor={}", escaped(data))))),
    ("record", |data| Some(get(&format!("/api/v1/audit/list?cursor={0}&text={0}", escaped(data))))),
    ("cookie", cookie),
];

/// Converts bytes to a request; `None` if no client could send it.
type Ask = fn(&[u8]) -> Option<axum::http::Result<Request<Body>>>;

/// The selected input.
static ONLY: LazyLock<Option<Ask>> = LazyLock::new(|| {
    let name = std::env::var("FUZZ_DOOR").ok()?;
    let door = DOORS.into_iter().find(|(door, _)| *door == name);
    Some(door.unwrap_or_else(|| panic!("FUZZ_DOOR is one of {:?}", DOORS.map(|(door, _)| door))).1)
});

/// A server with one user and their token.
struct World {
    runtime: Runtime,
    router: Router,
    token: String,
}

static WORLD: LazyLock<World> = LazyLock::new(|| {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (router, token) = runtime.block_on(async {
        let config = Config::from(|name| match name {
            "DOCKET_RATE_LIMIT_PER_MINUTE" => Some("0".to_owned()),
            "DOCKET_TELEGRAM_TOKEN" => Some("1:token".to_owned()),
            "DOCKET_TELEGRAM_SECRET" => Some(SECRET.to_owned()),
            _ => None,
        });
        let state = AppState::in_memory(config.expect("a configuration"), Clock::Real).await.expect("a database");
        accounts::add_user(&state.ctx, "ada", "correct horse battery", Role::User, "Europe/London")
            .await
            .expect("a user");
        let (_, token) = accounts::create_token(&state.ctx, "ada", "fuzz", &Scope::ALL[..4], 0).await.expect("a token");
        (server::service(state, Default::default()), token)
    });
    World { runtime, router, token }
});

docket_fuzz::target!(|data| {
    let Some((door, data)) = data.split_first() else { return };
    let ask = ONLY.unwrap_or_else(|| DOORS[usize::from(*door) % DOORS.len()].1);
    let Some(request) = ask(data) else { return };
    let response = answer(request.expect("a request"));
    assert!(!response.status().is_server_error(), "{} to {:?}", response.status(), String::from_utf8_lossy(data));
});

fn answer(request: Request<Body>) -> Response<Body> {
    WORLD.runtime.block_on(WORLD.router.clone().oneshot(request)).expect("an answer")
}

fn post(path: &str, kind: &str) -> axum::http::request::Builder {
    Request::post(path).header("host", "127.0.0.1:3000").header("content-type", kind)
}

fn get(path: &str) -> axum::http::Result<Request<Body>> {
    Request::get(path).header("authorization", format!("Bearer {}", WORLD.token)).body(Body::empty())
}

fn agents(body: Vec<u8>) -> axum::http::Result<Request<Body>> {
    post("/mcp", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("authorization", format!("Bearer {}", WORLD.token))
        .body(body.into())
}

fn telegram(body: Vec<u8>) -> axum::http::Result<Request<Body>> {
    post("/telegram/webhook", "application/json").header("x-telegram-bot-api-secret-token", SECRET).body(body.into())
}

fn cookie(data: &[u8]) -> Option<axum::http::Result<Request<Body>>> {
    let cookie = HeaderValue::from_bytes(data).ok()?;
    Some(Request::get("/").header("cookie", cookie).body(Body::empty()))
}

/// Returns a tool call with arbitrary JSON arguments.
fn tool(text: &str) -> axum::http::Result<Request<Body>> {
    let tools = ["add_task", "complete_task", "delete_task", "get_task", "list_tasks", "update_task"];
    let name = tools[text.len() % tools.len()];
    let arguments: Value =
        serde_json::from_str(text).unwrap_or_else(|_| json!({ "title": text, "query": text, "due": text }));
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": name, "arguments": arguments } });
    agents(call.to_string().into_bytes())
}

/// Percent-encodes bytes for a query.
fn escaped(data: &[u8]) -> String {
    data.iter().map(|byte| format!("%{byte:02x}")).collect()
}
