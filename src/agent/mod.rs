//! The agent: what to do next, decided from recorded inputs alone. Its only door to tasks is [`toolbox`], an MCP client.

/// Whether a reply says that something was changed.
pub mod claims;
/// Everything that a decision is made from.
pub mod context;
/// Asking an engine, and what its replies tell.
pub mod engine;
/// Confirmation inside a request.
pub mod inline;
/// The pure state machine of a turn.
pub mod machine;
/// The system prompt, built anew for each call of a model.
pub mod prompt;
/// Replies that code writes from results.
pub mod render;
/// The MCP client.
pub mod toolbox;

/// The machine in a model of its world.
#[cfg(test)]
mod properties;
