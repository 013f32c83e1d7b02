//! The use cases as MCP tools: what an agent may do, and how risky each call is.

/// Arguments as they come in, and their canonical form.
pub mod arguments;
/// Tools that do one thing to each task they name.
mod each;
/// How risky a call is.
pub mod gate;
/// The table of tools.
pub mod registry;
/// The structured output of tools that touch tasks.
mod reply;
/// The MCP server that one caller's calls go through.
pub mod server;

/// Makes a task.
mod add_task;
/// Ticks tasks off.
mod complete_task;
/// Moves tasks to the bin.
mod delete_task;
/// Shows one task.
mod get_task;
/// Lists tasks.
mod list_tasks;
/// Changes fields of tasks.
mod update_task;

#[cfg(test)]
mod tests;
