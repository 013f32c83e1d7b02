//! The agent: decides the next action from recorded inputs alone. Its only access to tasks is [`toolbox`], an MCP client.

/// Detection of claimed changes.
pub mod claims;
pub mod context;
/// Calls of engines.
pub mod engine;
pub mod machine;
pub mod prompt;
/// Replies written by code.
pub mod render;
/// Self-confirmation of a request.
pub mod self_confirmation;
pub mod toolbox;

/// Property tests of the machine against a model.
#[cfg(test)]
mod properties;
