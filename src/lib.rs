//! Docket: a self-hosted todo assistant whose agent can be trusted with your list.
//!
//! The map, innermost first; a layer names only layers above it in this list (`architecture.rs` holds it to that).
#![recursion_limit = "256"]

/// The rules of the map, as tests.
#[cfg(test)]
mod architecture;

/// The agent: what to do next.
#[cfg(feature = "ssr")]
pub mod agent;
/// Server functions: the browser's door and the API's.
pub mod api;
/// The html shell and the table of pages.
pub mod app;
/// Doors other than the browser.
#[cfg(feature = "ssr")]
pub mod channels;
/// The `docket` command.
#[cfg(feature = "ssr")]
pub mod cli;
/// What time it is for people.
#[cfg(feature = "ssr")]
pub mod clock;
/// Every environment variable, its default and its unit.
#[cfg(feature = "ssr")]
pub mod config;
/// Plain values and their invariants.
pub mod domain;
/// Faults that an evaluation or a test plans.
#[cfg(feature = "ssr")]
pub mod fault;
/// Wakes listeners.
#[cfg(feature = "ssr")]
pub mod live;
/// Engines: what turns a conversation into the next act.
#[cfg(feature = "ssr")]
pub mod llm;
/// What earlier conversations left behind: summing up, and what comes to mind.
#[cfg(feature = "ssr")]
pub mod memory;
/// Elements that Leptos does not escape.
pub mod raw_text;
/// The HTTP server: one router, the layers around it, starting and stopping.
#[cfg(feature = "ssr")]
pub mod server;
/// The composition root: configuration made into what use cases and doors need.
#[cfg(feature = "ssr")]
pub mod state;
/// The only SQL: SQLite and PostgreSQL.
#[cfg(feature = "ssr")]
pub mod store;
/// What operators watch: counters for whoever scrapes them, spans for whoever collects them.
#[cfg(feature = "ssr")]
pub mod telemetry;
/// The use cases as MCP tools.
#[cfg(feature = "ssr")]
pub mod tools;
/// What people see.
pub mod ui;
/// What a person may do, checked.
#[cfg(feature = "ssr")]
pub mod usecases;
/// What pages and messages say, in English: one catalogue.
pub mod words;
/// From a cause to its decision.
#[cfg(feature = "ssr")]
pub mod workflow;

/// Takes over the page that the server rendered.
#[cfg(feature = "hydrate")]
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    // Not in a release: the words for it are a part of the download.
    #[cfg(debug_assertions)]
    ui::browser::panics::tell();
    leptos::mount::hydrate_body(app::App);
}
