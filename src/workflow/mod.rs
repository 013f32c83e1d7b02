//! From a cause to its decision: a message or a verdict becomes a durable turn, a worker runs it, and one transaction ends it.

/// Asking the engine, and passing on its words.
mod asking;
/// What model calls took that came to no reply.
mod bill;
/// Emptying the bin of what has lain there long enough.
mod bin;
/// What is said outside the browser.
mod cards;
/// Signing the record now and then.
pub mod checkpoints;
/// What a turn's last words are.
mod closing;
/// Erasing by age.
mod erasure;
/// The transaction that ends a turn.
mod finish;
/// What was said and done before, as a turn is told it.
mod history;
/// Accepting causes: rows and turn in one transaction.
pub mod inbox;
/// What is remembered, and what comes to mind.
pub mod memories;
/// Sending to doors other than the browser.
mod outbox;
/// Calls by outside agents, each a turn.
pub mod outside;
/// How fast one may send.
mod pace;
/// Questions of approvals as text.
pub mod question;
/// Telling people that the time of a task has come.
pub mod reminders;
/// A turn decided again from its record.
pub mod replay;
/// Rights of a turn, bounded by the tokens behind it.
mod rights;
/// A world put in place for an evaluation.
pub mod seed;
/// What the sender of a message could have seen.
mod sender_view;
/// Disabling an account, with all that it has under way.
pub mod shut_out;
/// Calls that may be tried again, and how often.
mod step;
/// A person's command to end a turn.
mod stop;
/// What people do on Telegram.
pub mod telegram;
/// Trying the engine.
pub mod trial;
/// One turn, from its claim to its decision.
mod turn;
/// What a turn does, counted and told.
mod watch;
/// Running turns: claims, leases, expiry.
pub mod worker;

use crate::{store, usecases};

/// Why a turn could not be brought forward; what was recorded stays, and a later attempt goes on from it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    UseCase(#[from] usecases::Error),
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error(transparent)]
    Tools(#[from] crate::agent::toolbox::Error),
    /// A recorded step that cannot be read.
    #[error("a recorded step cannot be read: {0}")]
    Step(#[from] serde_json::Error),
}

impl Error {
    /// Whether the turn is another worker's by now.
    fn is_fenced(&self) -> bool {
        use crate::agent::toolbox;
        matches!(self, Self::UseCase(usecases::Error::Fenced) | Self::Tools(toolbox::Error::Fenced))
    }
}

#[cfg(test)]
mod tests;
