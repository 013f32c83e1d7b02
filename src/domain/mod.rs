//! Plain values and their invariants: what everything else talks about. Knows no clock, no database, no network.

/// Notices to an account's owner.
#[cfg(feature = "ssr")]
pub mod account_notice;
/// Requests to run something risky, and their one verdict.
pub mod approval;
/// Rows of the record as people read them.
pub mod audit;
/// What a decision rests on beside its turn's steps.
pub mod basis;
/// What is shown in doors other than the browser.
#[cfg(feature = "ssr")]
pub mod channel;
/// What counts as a yes, a no, and a confirmation inside a request.
#[cfg(feature = "ssr")]
pub mod consent;
/// Conversations and their immutable messages.
pub mod conversation;
/// The token or session behind an action.
pub mod credential;
/// How a turn ended.
pub mod decision;
/// What came of erasing texts.
pub mod erasure;
/// What tasks are filed under.
pub mod facet;
/// The record in figures.
pub mod figures;
/// Identifiers: newtypes over UUIDs, and a user's own task numbers.
pub mod id;
/// Linear models: features and their weights.
#[cfg(feature = "ssr")]
pub mod linear;
/// What the browser hears while things happen.
pub mod live;
/// What waits to be done.
#[cfg(feature = "ssr")]
pub mod load;
/// What is remembered of earlier conversations.
pub mod memory;
/// Tasks that a text speaks of by their numbers.
#[cfg(feature = "ssr")]
pub mod mention;
/// Passwords, and those that are tried first.
#[cfg(feature = "ssr")]
pub mod password;
/// What each kind of asker may have a tool do.
pub mod policy;
/// Changes that an approval would make, field by field.
#[cfg(feature = "ssr")]
pub mod proposal;
/// Where a task stands among those of its day.
pub mod rank;
/// A recorded turn decided again.
pub mod replay;
/// A whole turn as its record tells it.
pub mod story;
/// Tasks, the fields of a task, and changes to it.
pub mod task;
/// Bounded text.
pub mod text;
/// Instants and civil dates as text that sorts.
pub mod time;
/// The tools an agent may call, their risk, and calls of them.
pub mod tool;
/// Where a turn stands in a trace.
pub mod trace;
/// The processing of one cause, from acceptance to decision.
pub mod turn;
/// Accounts, roles, scopes, and who is calling.
pub mod user;
/// When something is due or recurs: the one date parser.
#[cfg(feature = "ssr")]
pub mod when;
/// Windows of time, by a clock that can be set back.
#[cfg(feature = "ssr")]
pub mod window;

/// A value that does not meet its type's rule. The text is one sentence that a person can act on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Invalid(pub String);

impl Invalid {
    /// Characters of a sentence: what it quotes may be of any length.
    const LONGEST: usize = 500;

    /// Wraps a sentence that says what was wrong and what to do. One that is too long is cut.
    pub fn because(sentence: impl Into<String>) -> Self {
        Self(text::shortened(sentence.into(), Self::LONGEST))
    }
}
