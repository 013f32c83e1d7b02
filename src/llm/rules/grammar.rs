//! The grammar: patterns of clauses, tried from top to bottom; the first that fits tells the intent.

use super::pattern::{Captures, fit_where};
use super::words::Word;
use super::{adding, changing};

/// What a clause asks for. The captures of its pattern are `x` (a task, or a new title), `y` (a new value), `d` (a
/// date).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    Add,
    /// Add unless it is there already.
    AddIfAbsent,
    /// A reminder or task without anything to be reminded of.
    AddNothing,
    Complete,
    /// A statement in the past tense, which completes only the task that it repeats: "I washed the dog".
    Happened,
    Reopen,
    Delete,
    /// A wish not to have something, which deletes only if a task fits.
    Unneeded,
    Rename,
    /// `x` to `y`, which may be a date, a priority or a title.
    Change,
    Due,
    NoDue,
    Priority,
    Describe,
    Get,
    NewList,
    /// A field of a task is to change, but not to what.
    EditWhat,
}

/// A rule with its patterns.
pub(super) type Row = (Rule, &'static [&'static str]);

/// The tables in the order in which they are tried: longer and more telling patterns first.
const TABLES: &[&[Row]] =
    &[adding::NOTHING, changing::NOTES, adding::SURE, changing::CHANGES, adding::LOOSE, changing::REST];

/// The first rule that fits a clause and passes `accept`, which may look at what was captured.
pub(super) fn read(clause: &[Word], accept: impl Fn(Rule, &Captures) -> bool) -> Option<(Rule, Captures)> {
    for (rule, patterns) in TABLES.iter().copied().flatten() {
        for pattern in *patterns {
            if let Some(captures) = fit_where(pattern, clause, &|captures| accept(*rule, captures)) {
                return Some((*rule, captures));
            }
        }
    }
    None
}

/// The names of the classes that the table uses.
#[cfg(test)]
pub(super) fn classes() -> impl Iterator<Item = &'static str> {
    let words = TABLES
        .iter()
        .copied()
        .flatten()
        .flat_map(|(_, patterns)| patterns.iter())
        .flat_map(|pattern| pattern.split(' '));
    words.filter_map(|word| word.strip_prefix('@')).map(|name| name.trim_end_matches('?'))
}
