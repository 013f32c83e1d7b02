//! Docket: a self-hosted todo assistant whose agent can be trusted with your list.
//!
//! This crate has the interfaces: pages, API, commands and the server. Everything below is the crate `kernel.rs`, re-exported here.
//! A layer names only the layers that `architecture.rs` allows it.
#![recursion_limit = "256"]
#![deny(unsafe_code)]

/// Tests of the layer map.
#[cfg(test)]
mod architecture;

#[cfg(feature = "ssr")]
pub use docket_kernel::{
    agent, channels, clock, config, fault, live, llm, memory, state, store, telemetry, tools, usecases, workflow,
};
pub use docket_kernel::{domain, messages};

/// Server functions of the browser and the API.
pub mod api;
/// The HTML shell and the table of pages.
pub mod app;
/// The `docket` command.
#[cfg(feature = "ssr")]
pub mod cli;
/// Elements that Leptos does not escape.
pub mod raw_text;
/// The HTTP server: one router, the layers around it, starting and stopping.
#[cfg(feature = "ssr")]
pub mod server;
/// The user interface.
pub mod ui;

/// Hydrates the page that the server rendered.
#[cfg(feature = "hydrate")]
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    // Debug builds only: the messages would enlarge the download.
    #[cfg(debug_assertions)]
    ui::browser::panics::tell();
    leptos::mount::hydrate_body(app::App);
}
