//! Planning of a turn's next action by replay of its recorded steps. Input: a request; output: an action.

/// Short messages about the last task.
pub(in crate::llm::rules) mod alike;
/// Answers that change what they answer.
pub(in crate::llm::rules) mod amending;
/// Turns without the scope to read tasks.
pub(in crate::llm::rules) mod barred;
/// Messages that continue the previous turn.
pub(in crate::llm::rules) mod carry;
pub(in crate::llm::rules) mod changes;
/// The last action of a turn.
pub(in crate::llm::rules) mod ending;
/// Messages that depend on the previous turn.
pub(in crate::llm::rules) mod follow;
/// Questions that offer to add a task.
pub(in crate::llm::rules) mod offer;
/// Pending approvals and short answers to them.
pub(in crate::llm::rules) mod open;
/// Wording of replies.
pub(in crate::llm::rules) mod phrase;
/// Context of earlier turns.
pub(in crate::llm::rules) mod recall;
pub(in crate::llm::rules) mod turn;
pub(in crate::llm::rules) mod undoing;

pub(in crate::llm::rules) use turn::decide;
