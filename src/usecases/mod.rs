//! Use cases: every rule about permissions, input and time, between the interfaces and the store.
//!
//! Parameter order: context, transaction if it writes, caller, arguments.

use std::sync::Arc;
use std::time::Instant;

use crate::clock::Clock;
use crate::domain::Invalid;
use crate::domain::id::{ActionId, InvocationId, TaskNumber};
use crate::domain::task::Actor;
use crate::domain::text::counted;
use crate::domain::time::Timestamp;
use crate::domain::tool::{ErrorCode, ToolError};
use crate::domain::user::{Caller, Scope};
use crate::domain::window::Window;
use crate::fault::{self, Faults};
use crate::live::Live;
use crate::store::{self, Store};

pub type Tx = store::Tx;
/// Name of a commit for fault injection.
pub type Commit = fault::Commit;

pub mod accounts;
pub mod approvals;
/// The list at a point in time.
pub mod as_of;
pub mod audit;
/// Backup and restore of a SQLite database.
pub mod backup;
/// Automatic purge of the bin.
pub mod bin;
/// Thread limits for bulk work.
mod bulk;
mod changes;
pub mod checkpoints;
pub mod conversations;
/// Migration between database kinds.
pub mod copying;
mod cursors;
pub mod erasure;
pub mod events;
pub mod export;
/// Projects and tags of open tasks.
pub mod facets;
mod hashing;
pub mod history;
/// Idempotency keys.
mod idempotency;
pub mod import;
/// Exactly-once tool calls.
pub mod invocations;
/// Server secrets.
pub mod keys;
/// Limits on reading lists.
mod lists;
pub mod memories;
/// Manual task order.
pub mod order;
pub mod policy;
pub mod private_files;
/// Queue depths.
pub mod queue_depth;
pub mod recurrence;
/// Redaction of turns and approvals for tokens without `tasks:read`.
mod redacted;
pub mod samples;
pub mod scopes;
/// Token usage of a user.
pub mod spending;
/// Statistics of the audit log.
pub mod statistics;
mod superseded;
pub mod task_page;
pub mod tasks;
/// Linking of Telegram chats.
pub mod telegram;
/// Turn details.
pub mod turn_detail;
pub mod undo;

/// Contexts, users and tasks for tests, also of other modules.
#[cfg(debug_assertions)]
pub mod testing;
#[cfg(test)]
mod tests;

pub use bulk::{Bulk, Lanes, MANY, apart};
pub use checkpoints::CheckpointSigner;
pub use hashing::Hashing;
pub use lists::Lists;

/// Dependencies of all use cases. Cheap to clone; contains no user data.
#[derive(Clone)]
pub struct Ctx {
    pub store: Store,
    pub live: Live,
    pub clock: Clock,
    pub limits: Limits,
    /// Injected faults; empty in production.
    pub faults: Faults,
    pub hashing: Hashing,
    pub bulk: Bulk,
    pub lists: Lists,
    /// Key and log of the checkpoints; `None` disables checkpoints and their verification.
    pub seal: Option<Arc<CheckpointSigner>>,
}

/// Configured limits.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Lifetime of an approval, in seconds.
    pub approval_ttl_s: i64,
    /// Messages per user and minute; 0 = unlimited.
    pub messages_per_minute: i64,
    /// Messages and agents' calls per IP address and minute, at most 60000; 0 = unlimited.
    pub messages_per_address: i64,
    /// Duration of a turn's lease, in milliseconds.
    pub lease_ms: i64,
    /// Turns searched at once by a text search of the audit log.
    pub search_turns: usize,
    /// Tasks of an account, including those in the bin.
    pub tasks: i64,
}

impl Limits {
    pub fn approval_ttl(&self) -> Window {
        Window::seconds(self.approval_ttl_s)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            approval_ttl_s: 86_400,
            messages_per_minute: 30,
            messages_per_address: 300,
            lease_ms: 10_000,
            search_turns: 5_000,
            tasks: 50_000,
        }
    }
}

/// Reason why a use case failed. The texts are shown to people.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// Missing, or owned by somebody else: the two are indistinguishable.
    #[error("{0}")]
    NotFound(String),
    /// Outdated: the state has changed since the caller read it.
    #[error("{0}")]
    Conflict(String),
    /// A part conflicts; the rest would succeed alone.
    #[error("{0}")]
    Partly(String),
    #[error("{0}")]
    Forbidden(String),
    #[error("{0}")]
    Unauthenticated(String),
    #[error("Too many requests. Wait {}.", counted(*.retry_after_s, "second", "seconds"))]
    RateLimited { retry_after_s: i64 },
    /// Another worker has claimed the turn: nothing of this one is written.
    #[error("Another worker has taken over this turn.")]
    Fenced,
    #[error("The database did not answer; nothing was changed. Try again in a moment.")]
    Store(#[from] store::Error),
}

impl Error {
    /// Returns an error with the store's text, for operators, who chose the file.
    fn verbatim(error: store::Error) -> Self {
        match error {
            store::Error::Open(text) => Self::Conflict(text),
            other => Self::Store(other),
        }
    }
}

impl Ctx {
    pub fn new(store: Store, live: Live, clock: Clock, limits: Limits) -> Self {
        let (faults, hashing) = (Faults::default(), Hashing::default());
        let (bulk, lists) = (Bulk::default(), Lists::default());
        Self { store, live, clock, limits, faults, hashing, bulk, lists, seal: None }
    }

    /// Returns a context with a fixed clock, so that a bulk operation has one timestamp and a stable order.
    #[must_use]
    pub fn at_once(&self) -> Self {
        Self { clock: Clock::set(self.now()), ..self.clone() }
    }

    /// Starts a read transaction with a snapshot.
    pub async fn read(&self) -> Result<Tx, Error> {
        Ok(self.store.read().await?)
    }

    /// Returns a connection for a single read statement.
    pub async fn peek(&self) -> Result<Tx, Error> {
        Ok(self.store.peek().await?)
    }

    /// Begins a write transaction. SQLite's writers share a commit, so it also reads data that is not durable yet. An answer from
    /// such data commits first.
    pub async fn write(&self) -> Result<Tx, Error> {
        Ok(self.store.write().await?)
    }

    /// Like [`write`](Self::write), for work on many rows: no other writer waits for its commit.
    pub async fn write_many(&self) -> Result<Tx, Error> {
        Ok(self.store.write_many().await?)
    }

    /// Commits and wakes listeners of the transaction's events. For accounts and other data outside turns; see [`Self::commit_at`].
    pub async fn commit(&self, tx: Tx) -> Result<(), Error> {
        for heard in tx.commit().await? {
            self.live.wake(heard.user, heard.ended);
        }
        Ok(())
    }

    /// Commits a part of a turn, a verdict or an undo. Tests can inject a crash before and after it.
    pub async fn commit_at(&self, tx: Tx, at: Commit) -> Result<(), Error> {
        self.faults.before(at).await;
        self.commit(tx).await?;
        self.faults.after(at).await;
        Ok(())
    }

    /// Returns the present time, by the last known database clock.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Returns the present time, asked from the database if the clock follows it. For decisions within that transaction.
    pub async fn now_in(&self, tx: &mut Tx) -> Result<Timestamp, Error> {
        if self.clock.follows_database() {
            let asked = Instant::now();
            self.hear(store::clock::now(tx).await?.as_ref(), asked);
        }
        Ok(self.now())
    }

    /// Adjusts the clock to the database's time, if the statement that started at `asked` returned it.
    pub fn hear(&self, now: Option<&Timestamp>, asked: Instant) {
        if let Some(now) = now {
            self.clock.hear(now, asked);
        }
    }
}

impl Error {
    /// Converts the error to a tool's result about `task`; `None` for database and fence errors, which are no result.
    pub fn to_tool_error(&self, task: Option<TaskNumber>) -> Option<ToolError> {
        let code = match self {
            Self::Invalid(_) => ErrorCode::Invalid,
            Self::NotFound(_) => ErrorCode::NotFound,
            Self::Conflict(_) | Self::Partly(_) => ErrorCode::Conflict,
            Self::Forbidden(_) | Self::Unauthenticated(_) | Self::RateLimited { .. } => ErrorCode::Forbidden,
            Self::Fenced | Self::Store(_) => return None,
        };
        Some(ToolError { error: code, message: self.to_string(), task_id: task })
    }
}

/// Caller and actor of a change.
#[derive(Debug, Clone, Copy)]
pub struct By<'a> {
    pub caller: &'a Caller,
    pub actor: Actor,
    /// Tool call that makes the change.
    pub invocation: Option<InvocationId>,
    /// Groups the changes of one action by a person.
    pub action: Option<ActionId>,
}

impl<'a> By<'a> {
    /// A change by the account's owner, on a page or through the API.
    pub fn person(caller: &'a Caller) -> Self {
        Self { caller, actor: Actor::User, invocation: None, action: Some(ActionId::new()) }
    }

    /// A change by Docket's agent or an MCP agent, in a tool call.
    pub fn agent(caller: &'a Caller, invocation: InvocationId) -> Self {
        let actor = if caller.agent.is_some() { Actor::External } else { Actor::Agent };
        Self { caller, actor, invocation: Some(invocation), action: None }
    }
}

/// Returns `Forbidden` if the caller lacks the scope.
pub fn require(caller: &Caller, scope: Scope) -> Result<(), Error> {
    if caller.may(scope) {
        Ok(())
    } else {
        Err(Error::Forbidden(format!(
            "This requires the scope {}, which the token or account does not have.",
            scope.as_str()
        )))
    }
}
