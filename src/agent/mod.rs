//! The agent: what to do next, decided from recorded inputs alone. Its only door to tasks is [`toolbox`], an MCP client.

/// Everything that a decision is made from.
pub mod context;
/// The pure state machine of a turn.
pub mod machine;
/// The system prompt, built anew for each call of a model.
pub mod prompt;
/// Replies that code writes from results.
pub mod render;
/// The MCP client.
pub mod toolbox;
