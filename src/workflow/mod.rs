//! Durable turns: a message or a verdict becomes a turn, a worker runs it, and one transaction ends it with a decision.

/// Calls of MCP agents.
pub mod agent_call;
/// Hourly cleanup.
mod bin;
pub mod checkpoints;
/// Commit of a turn.
mod commit_turn;
/// Disabling of accounts.
pub mod disable_account;
mod erasure;
/// Inputs of a turn from earlier turns.
mod history;
/// Accepting triggers.
pub mod inbox;
/// Summaries, embedding and recall.
pub mod memories;
/// Test of the configured model.
pub mod model_check;
/// Delivery to Telegram.
mod outbox;
/// Questions of approvals as text.
pub mod question;
/// Rate limits.
mod rate_limit;
pub mod reminders;
pub mod replay;
/// Replies of turns.
mod reply;
/// Rights of a turn, bounded by the tokens behind it.
mod rights;
/// Seeding of test data for evaluations.
pub mod seed;
/// Events visible to the sender of a message.
mod sender_view;
/// Retries of model calls.
mod step;
mod stop;
/// Model calls with streamed replies.
mod stream_reply;
/// Updates from Telegram.
pub mod telegram;
/// Contents of Telegram messages.
mod telegram_messages;
/// A turn from its claim to its decision.
mod turn;
/// Telemetry of turns.
mod turn_telemetry;
/// Usage of model calls that produced no reply.
mod usage_meter;
pub mod worker;

use crate::{store, usecases};

/// Reason why a turn could not continue. Recorded steps stay, and a later attempt resumes from them.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    UseCase(#[from] usecases::Error),
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error(transparent)]
    Tools(#[from] crate::agent::toolbox::Error),
    #[error("a recorded step cannot be read: {0}")]
    Step(#[from] serde_json::Error),
}

impl Error {
    /// True if another worker has claimed the turn.
    fn is_fenced(&self) -> bool {
        use crate::agent::toolbox;
        matches!(self, Self::UseCase(usecases::Error::Fenced) | Self::Tools(toolbox::Error::Fenced))
    }
}

#[cfg(test)]
mod tests;
