//! Fuzz target of streamed answers: any chunks are parsed into an action or rejected.
#![no_main]

use docket::domain::decision::Engine;
use docket::domain::time::Timestamp;
use docket::llm::openai::assembly::Assembly;
use docket::llm::openai::reply;
use docket::llm::{Entry, Request};
use serde_json::Value;

docket_fuzz::target!(|data| {
    let request = Request {
        now: Timestamp::parse("2026-03-11T09:30:00Z").expect("a time"),
        zone: "Europe/London".into(),
        prompt: String::new(),
        entries: vec![Entry::User { text: "buy milk".into() }],
        turn_start: 0,
        tools: [].into(),
        pending: vec![],
        carries_out: false,
        barred: vec![],
        memories: vec![],
        stood_in: false,
    };
    let mut assembly = Assembly::default();
    // One chunk per line, as in an event stream.
    for line in String::from_utf8_lossy(data).lines() {
        let Ok(chunk) = serde_json::from_str::<Value>(line) else { continue };
        if assembly.add(&chunk).is_err() {
            return;
        }
        // Any chunk may also be a complete answer.
        reply::read(Engine::Compatible, chunk, &request, line.len()).ok();
    }
    if let Ok(whole) = assembly.whole() {
        reply::read(Engine::Gemini, whole, &request, data.len()).ok();
    }
});
