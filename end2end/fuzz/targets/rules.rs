//! Fuzz target of the rules engine after a list was shown: every message gets an action within the time limit.
#![no_main]

use docket::domain::decision::DecisionKind;
use docket::domain::time::Timestamp;
use docket::domain::tool::{Call, CallResult, CallStatus, Risk, ToolSpec};
use docket::llm::rules::Rules;
use docket::llm::{Act, Entry, Llm, Request};
use docket_fuzz::{soon, text};
use serde_json::{Value, json};
use tokio::runtime::Builder;

/// Maximum rounds of calls of a turn.
const ROUNDS: usize = 5;

docket_fuzz::target!(|data| {
    let text = text(data);
    let runtime = Builder::new_current_thread().build().expect("a runtime");
    let mut request = request(&text);
    for _ in 0..=ROUNDS {
        let reply = soon(&text, || runtime.block_on(Rules.complete(&request))).expect("an act");
        match reply.act {
            Act::Calls { text, calls } => {
                let results = calls.iter().map(result).collect();
                request.entries.push(Entry::Calls { text, calls, results, raw: None });
            }
            Act::Say { text: said } | Act::Ask { question: said, .. } | Act::Refuse { text: said } => {
                assert!(!said.trim().is_empty(), "nothing was said");
                return;
            }
            // Code writes the question.
            Act::AskAgain { .. } => return,
        }
    }
    panic!("no end after {ROUNDS} rounds");
});

/// Returns a conversation with a list of three tasks, followed by the message.
fn request(text: &str) -> Request {
    let asked = Call { tool: "list_tasks".into(), arguments: json!({}), provider_id: None };
    let listed = result(&asked);
    let tool =
        ToolSpec { name: asked.tool.clone(), description: String::new(), risk: Risk::Low, schema: Value::Null.into() };
    Request {
        now: Timestamp::parse("2026-03-11T09:30:00Z").expect("a time"),
        zone: "Europe/London".into(),
        prompt: String::new(),
        entries: vec![
            Entry::User { text: "show my tasks".into() },
            Entry::Calls { text: String::new(), calls: vec![asked], results: vec![listed], raw: None },
            Entry::Assistant { text: "You have 3 tasks.".into(), kind: DecisionKind::InvokeTool },
            Entry::User { text: text.into() },
        ],
        turn_start: 3,
        tools: [tool].into(),
        pending: vec![],
        carries_out: false,
        barred: vec![],
        memories: vec![],
        stood_in: false,
    }
}

/// Simulates the tools, as far as the engine reads their results.
fn result(call: &Call) -> CallResult {
    let value = if call.tool == "list_tasks" {
        let tasks = [task(1, "buy milk"), task(2, "call mum"), task(3, "post the report")];
        json!({"total": tasks.len(), "tasks": tasks})
    } else {
        task(call.arguments["task_id"].as_i64().unwrap_or(4), call.arguments["title"].as_str().unwrap_or("a task"))
    };
    CallResult { status: CallStatus::Ok, value }
}

fn task(number: i64, title: &str) -> Value {
    let at = "2026-03-11T09:00:00.000Z";
    json!({"task_id": number, "title": title, "description": null, "status": "pending", "due": null,
        "priority": "none", "project": null, "tags": [], "recurrence": null, "version": 1, "created_at": at,
        "updated_at": at, "completed_at": null, "deleted_at": null})
}
