//! The use cases as MCP tools, with the risk assessment of each call.

pub mod arguments;
/// Tools that apply one action to each named task.
mod bulk;
/// Risk assessment of calls.
pub mod gate;
/// Normalisation of argument types.
mod normalise;
pub mod registry;
/// Structured output of tools that touch tasks.
mod reply;
pub mod server;

mod add_task;
mod complete_task;
mod delete_task;
mod get_task;
mod list_tasks;
mod undo;
mod update_task;

#[cfg(test)]
mod tests;
