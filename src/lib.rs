//! Docket: a self-hosted todo assistant whose agent can be trusted with your list.
//!
//! The map, innermost first; a layer names only layers above it in this list (`architecture.rs` holds it to that).
#![recursion_limit = "256"]

/// Plain values and their invariants.
pub mod domain;
/// Engines: what turns a conversation into the next act.
#[cfg(feature = "ssr")]
pub mod llm;
