//! Domain values and their invariants, without access to a clock, a database or the network.

#[cfg(feature = "ssr")]
pub mod account_notice;
pub mod approval;
pub mod audit;
#[cfg(feature = "ssr")]
pub mod channel;
pub mod comparison;
#[cfg(feature = "ssr")]
pub mod consent;
pub mod conversation;
pub mod credential;
#[cfg(feature = "ssr")]
pub mod day_filter;
pub mod decision;
pub mod decision_inputs;
#[cfg(feature = "ssr")]
mod due_label;
#[cfg(feature = "ssr")]
mod duration;
pub mod erasure;
#[cfg(feature = "ssr")]
mod excision;
pub mod facet;
#[cfg(feature = "ssr")]
mod feasts;
pub mod id;
#[cfg(feature = "ssr")]
pub mod linear_model;
pub mod live;
pub mod memory;
#[cfg(feature = "ssr")]
pub mod password;
pub mod policy;
#[cfg(feature = "ssr")]
pub mod proposal;
#[cfg(feature = "ssr")]
pub mod queue_depth;
pub mod rank;
#[cfg(feature = "ssr")]
pub mod receipt;
#[cfg(feature = "ssr")]
mod recurrence_label;
pub mod replay;
#[cfg(feature = "ssr")]
mod rule;
#[cfg(feature = "ssr")]
mod series;
pub mod statistics;
pub mod task;
#[cfg(feature = "ssr")]
pub mod task_line;
#[cfg(feature = "ssr")]
pub mod task_mention;
#[cfg(test)]
pub mod testing;
pub mod text;
pub mod time;
#[cfg(feature = "ssr")]
mod time_of_day;
pub mod tool;
pub mod trace;
pub mod turn;
pub mod turn_detail;
pub mod user;
#[cfg(feature = "ssr")]
pub mod when;
#[cfg(feature = "ssr")]
pub mod window;

/// A value that violates its type's rule. The text is one sentence that a person can act on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Invalid(pub String);

impl Invalid {
    /// Maximum length of a sentence in characters, since it may quote text of any length.
    const LONGEST: usize = 500;

    /// Wraps a sentence that says what was wrong and what to do. Truncates a long one.
    pub fn because(sentence: impl Into<String>) -> Self {
        Self(text::shortened(sentence.into(), Self::LONGEST))
    }
}
