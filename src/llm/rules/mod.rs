//! The engine without a model: grammar, tables and no state. Parses the person's messages, never the prompt.

use async_trait::async_trait;
use tokio::runtime::{Handle, RuntimeFlavor};

use crate::domain::decision::Engine;
use crate::llm::{Llm, LlmError, Reply, Request};

/// Splitting of messages into requests by their form.
mod clauses;
pub mod confirmed;
/// Tokens and word lists.
mod lex;
/// Normalisation of typos, corrections and phrases.
mod normalise;
mod plan;
/// Parsing of intents, targets and fields.
mod read;
/// Resolution into calls and questions.
mod resolve;

pub use read::classifier;

/// The rules engine. Deterministic and total: every request gets an action.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rules;

#[async_trait]
impl Llm for Rules {
    fn engine(&self) -> Engine {
        Engine::Rules
    }

    fn model(&self) -> Option<&str> {
        None
    }

    async fn complete(&self, request: &Request) -> Result<Reply, LlmError> {
        let (act, intent) = aside(|| plan::decide(request));
        Ok(Reply::plain(act, intent))
    }
}

/// Runs a computation of many milliseconds so that other tasks of its thread go on, where the runtime has several threads.
fn aside<T>(compute: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(compute),
        Ok(_) | Err(_) => compute(),
    }
}

#[cfg(test)]
mod tests;
