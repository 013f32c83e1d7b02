//! An engine for tests that replays prepared actions.

use async_trait::async_trait;

use super::{Act, Llm, LlmError, Reply, Request};
use crate::domain::decision::Engine;

/// Answers the n-th call of a turn with the n-th action; fails after the last one. Stateless like every engine: n is
/// counted from the request's entries.
#[derive(Debug, Clone)]
pub struct Scripted {
    replies: Vec<Act>,
}

impl Scripted {
    /// Creates a script with one action per model call of a turn.
    pub fn new(replies: Vec<Act>) -> Self {
        Self { replies }
    }
}

#[async_trait]
impl Llm for Scripted {
    fn engine(&self) -> Engine {
        Engine::Compatible
    }

    fn model(&self) -> Option<&str> {
        Some("scripted")
    }

    async fn complete(&self, request: &Request) -> Result<Reply, LlmError> {
        let rounds = request.entries[request.turn_start..]
            .iter()
            .filter(|entry| matches!(entry, super::Entry::Calls { .. }))
            .count();
        let act = self.replies.get(rounds).cloned();
        let act = act.ok_or_else(|| LlmError::Refused("the script has ended".into()))?;
        Ok(Reply::plain(act, "scripted"))
    }
}
