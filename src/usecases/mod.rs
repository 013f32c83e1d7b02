//! What a person may do, checked: every rule about who, what and when stands here, between the doors and the store.
//!
//! Signatures read: context, transaction if it writes, caller, arguments.

use std::sync::Arc;
use std::time::Instant;

use crate::clock::Clock;
use crate::domain::Invalid;
use crate::domain::id::{ActionId, InvocationId, TaskNumber};
use crate::domain::task::Actor;
use crate::domain::time::Timestamp;
use crate::domain::tool::{ErrorCode, ToolError};
use crate::domain::user::{Caller, Scope};
use crate::domain::window::Window;
use crate::fault::{self, Faults};
use crate::live::Live;
use crate::store::{self, Store};

/// A transaction, as use cases and tools pass it on.
pub type Tx = store::Tx;
/// The name of a commit.
pub type Commit = fault::Commit;

/// Accounts, sessions and tokens.
pub mod accounts;
/// Requests for a yes, and verdicts.
pub mod approvals;
/// The list as it was.
pub mod as_of;
/// The record.
pub mod audit;
/// Copies of a SQLite database, made and put back.
pub mod backup;
/// The end of what lies in the bin.
pub mod bin;
/// Work that takes as long as there is data.
mod bulk;
/// The one way in which a task changes.
mod changes;
/// Checkpoints of the record.
pub mod checkpoints;
/// Conversations, read back.
pub mod conversations;
/// A whole database into one of the other kind.
pub mod copying;
/// Where pages of lists end.
mod cursors;
/// What was said and done, erased.
pub mod erasure;
/// A user's own event stream.
pub mod events;
/// Everything of a user, to take along.
pub mod export;
/// What open tasks are filed under.
pub mod facets;
/// The record in figures.
pub mod figures;
/// Password hashes.
mod hashing;
/// What happened to tasks, and by whose hand.
pub mod history;
/// Tasks from files of other programs.
pub mod import;
/// Tool calls, each exactly once.
pub mod invocations;
/// Secrets of the server.
pub mod keys;
/// What waits to be done.
pub mod load;
/// What is remembered.
pub mod memories;
/// What is sent again under its key.
mod once;
/// The order of tasks by hand.
pub mod order;
/// What each kind of asker may have a tool do.
pub mod policy;
/// Files that only their owner can use.
pub mod private_files;
/// Recurring tasks.
mod recurrence;
/// Turns and requests as a token without `tasks:read` sees them.
mod redacted;
/// A list to try things with.
pub mod samples;
/// Scopes of a turn's calls.
pub mod scopes;
/// What a user's turns have cost.
pub mod spending;
/// One whole turn of the record.
pub mod story;
/// Verdicts that a later one superseded.
mod superseded;
/// Tasks.
pub mod tasks;
/// Linking with a chat on Telegram.
pub mod telegram;
/// Taking changes back.
pub mod undo;

/// What tests begin with.
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub use bulk::Bulk;
pub use checkpoints::Seal;
pub use hashing::Hashing;

/// What every use case needs. Cheap to clone; holds nothing about any user, conversation or task.
#[derive(Clone)]
pub struct Ctx {
    pub store: Store,
    pub live: Live,
    pub clock: Clock,
    pub limits: Limits,
    /// What is planned to fail; nothing in production.
    pub faults: Faults,
    pub hashing: Hashing,
    pub bulk: Bulk,
    /// The key and the log of the record's checkpoints; `None` where none are made and none can be checked against them.
    pub seal: Option<Arc<Seal>>,
}

/// The configured bounds that use cases enforce.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How long an approval waits, in seconds.
    pub approval_ttl_s: i64,
    /// Messages per user and minute; 0 is off.
    pub messages_per_minute: i64,
    /// Messages and outside agents' calls per address and minute, at most 60000; 0 is off.
    pub messages_per_address: i64,
    /// A turn's lease, in milliseconds.
    pub lease_ms: i64,
    /// Turns of the record that are looked through for words at once.
    pub search_turns: usize,
}

impl Limits {
    /// The window in which an approval waits.
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
        }
    }
}

/// Why a use case did not do it. The texts are for people.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// What was asked for does not exist, or belongs to someone else: the two look alike.
    #[error("{0}")]
    NotFound(String),
    /// It was true when you looked, but no longer is.
    #[error("{0}")]
    Conflict(String),
    /// Some of it is in conflict; the rest could be done alone.
    #[error("{0}")]
    Partly(String),
    #[error("{0}")]
    Forbidden(String),
    #[error("{0}")]
    Unauthenticated(String),
    #[error("That was too fast; wait {retry_after_s} seconds.")]
    RateLimited { retry_after_s: i64 },
    /// The turn is another worker's by now: whatever this one meant to write is void.
    #[error("This turn goes on elsewhere.")]
    Fenced,
    #[error("The database did not answer; nothing was changed. Try again in a moment.")]
    Store(#[from] store::Error),
}

impl Ctx {
    /// The use cases of one process.
    pub fn new(store: Store, live: Live, clock: Clock, limits: Limits) -> Self {
        let (faults, hashing, bulk) = (Faults::default(), Hashing::default(), Bulk::default());
        Self { store, live, clock, limits, faults, hashing, bulk, seal: None }
    }

    /// The same at this one moment: what is done to several tasks at once is done at the same time, and lists know one order of it.
    #[must_use]
    pub fn at_once(&self) -> Self {
        Self { clock: Clock::set(self.now()), ..self.clone() }
    }

    /// Begins to read: a snapshot of one moment.
    pub async fn read(&self) -> Result<Tx, Error> {
        Ok(self.store.read().await?)
    }

    /// For one statement that reads.
    pub async fn peek(&self) -> Result<Tx, Error> {
        Ok(self.store.peek().await?)
    }

    /// Begins to write.
    pub async fn write(&self) -> Result<Tx, Error> {
        Ok(self.store.write().await?)
    }

    /// Makes a transaction durable, then wakes those whom its events concern. For accounts and other things on which no turn
    /// rests; all else says what it commits.
    pub async fn commit(&self, tx: Tx) -> Result<(), Error> {
        for heard in tx.commit().await? {
            self.live.wake(heard.user, heard.ended);
        }
        Ok(())
    }

    /// The same for a part of a turn, a verdict or an undo: a test can let the process die on either side of it.
    pub async fn commit_at(&self, tx: Tx, at: Commit) -> Result<(), Error> {
        self.faults.before(at).await;
        self.commit(tx).await?;
        self.faults.after(at).await;
        Ok(())
    }

    /// Returns the present time: by the database's clock as it was last heard.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Returns the present time by the database's clock, asked within the transaction that decides something by it.
    pub async fn now_in(&self, tx: &mut Tx) -> Result<Timestamp, Error> {
        if self.clock.follows_database() {
            let asked = Instant::now();
            self.hear(store::clock::now(tx).await?.as_ref(), asked);
        }
        Ok(self.now())
    }

    /// Takes in the database's time, if a statement that began at `asked` has brought it along.
    pub fn hear(&self, now: Option<&Timestamp>, asked: Instant) {
        if let Some(now) = now {
            self.clock.hear(now, asked);
        }
    }
}

impl Error {
    /// The same as a tool reports it, about `task` if about one; `None` where the database failed, which is no result.
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

/// On whose behalf, and by whose hand, something is done.
#[derive(Debug, Clone, Copy)]
pub struct By<'a> {
    pub caller: &'a Caller,
    pub actor: Actor,
    /// The tool call that does it, if one does.
    pub invocation: Option<InvocationId>,
    /// What a person does at once.
    pub action: Option<ActionId>,
}

impl<'a> By<'a> {
    /// The owner's own hand, on a page or through the API.
    pub fn person(caller: &'a Caller) -> Self {
        Self { caller, actor: Actor::User, invocation: None, action: Some(ActionId::new()) }
    }

    /// Docket's agent or an outside one, in one tool call.
    pub fn agent(caller: &'a Caller, invocation: InvocationId) -> Self {
        let actor = if caller.agent.is_some() { Actor::External } else { Actor::Agent };
        Self { caller, actor, invocation: Some(invocation), action: None }
    }
}

/// Refuses a caller whose token was not made for this.
pub fn require(caller: &Caller, scope: Scope) -> Result<(), Error> {
    if caller.may(scope) {
        Ok(())
    } else {
        Err(Error::Forbidden(format!("This needs the scope {}, which the token or account lacks.", scope.as_str())))
    }
}
