//! Resolution of parts and looked-up tasks into calls or questions. Input: [`steps::Known`]; output: [`steps::Step`]s.

/// Changes that depend on a task's current values.
pub(in crate::llm::rules) mod changed;
/// Names that a guess must not shorten.
pub(in crate::llm::rules) mod narrowing;
pub(in crate::llm::rules) mod new_task;
pub(in crate::llm::rules) mod queries;
/// The task that a remark means.
pub(in crate::llm::rules) mod remarks;
/// The boundary between an old and a new title.
pub(in crate::llm::rules) mod renaming;
/// Skipping of an occurrence.
pub(in crate::llm::rules) mod skipping;
pub(in crate::llm::rules) mod steps;
pub(in crate::llm::rules) mod undoing;
