//! Docket's decisions, actions and records; `lib.rs` has the interfaces. A layer names only layers that `architecture.rs` allows.
#![recursion_limit = "256"]
#![forbid(unsafe_code)]

/// The agent: decides the next step of a turn.
#[cfg(feature = "ssr")]
pub mod agent;
/// Channels besides the browser.
#[cfg(feature = "ssr")]
pub mod channels;
/// The current time.
#[cfg(feature = "ssr")]
pub mod clock;
/// Every environment variable, its default and its unit.
#[cfg(feature = "ssr")]
pub mod config;
/// Plain values and their invariants.
pub mod domain;
/// Planned faults of evaluations and tests.
#[cfg(feature = "ssr")]
pub mod fault;
/// Wakes listeners within the process.
#[cfg(feature = "ssr")]
pub mod live;
/// Engines: take a conversation and return the next action.
#[cfg(feature = "ssr")]
pub mod llm;
/// Memory: summaries of conversations, and recall.
#[cfg(feature = "ssr")]
pub mod memory;
/// The catalogue of English texts.
pub mod messages;
/// The composition root: builds the state of a process from its configuration.
#[cfg(feature = "ssr")]
pub mod state;
/// The only SQL: SQLite and PostgreSQL.
#[cfg(feature = "ssr")]
pub mod store;
/// Metrics and traces.
#[cfg(feature = "ssr")]
pub mod telemetry;
/// The use cases as MCP tools.
#[cfg(feature = "ssr")]
pub mod tools;
/// Use cases, with their permissions checked.
#[cfg(feature = "ssr")]
pub mod usecases;
/// From a trigger to its decision.
#[cfg(feature = "ssr")]
pub mod workflow;
