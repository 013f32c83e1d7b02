//! The grammar: patterns of clauses, tried from top to bottom; the first that fits tells the intent.

use std::cell::Cell;

use super::pattern::{Captures, Held, Needs, fit_where};
use super::words::Word;
use super::{adding, changing, labelling, looking, rewording};

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
    /// A few words of a title change: `y` is put to it, or takes the place of `w`.
    Reword,
    /// `x` to `y`, which may be a date, a priority or a title.
    Change,
    Due,
    NoDue,
    /// The due date moves by the amount `n`.
    Shift,
    Priority,
    Describe,
    /// A task goes to the project `y` or `j`.
    Project,
    NoProject,
    /// A task gets the tags `y` or `g`.
    Tag,
    Untag,
    Get,
    NewList,
    /// A field of a task is to change, but not to what.
    EditWhat,
}

/// A rule with its patterns.
pub(super) type Row = (Rule, &'static [&'static str]);

/// The tables in the order in which they are tried: longer and more telling patterns first.
const TABLES: &[&[Row]] = &[
    adding::NOTHING,
    labelling::LABELS,
    changing::NOTES,
    looking::BEFORE,
    rewording::TABLE,
    adding::SURE,
    changing::CHANGES,
    adding::LOOSE,
    looking::REST,
];

/// How many patterns the tables have.
const PATTERNS: usize = {
    let (mut count, mut table) = (0, 0);
    while table < TABLES.len() {
        let mut row = 0;
        while row < TABLES[table].len() {
            count += TABLES[table][row].1.len();
            row += 1;
        }
        table += 1;
    }
    count
};

/// What a clause must hold for each pattern to fit, computed by the compiler: most are ruled out without being tried.
#[expect(clippy::large_const_arrays, reason = "it is used once, by reference")]
const NEEDS: [Needs; PATTERNS] = {
    let mut needs = [Needs::NONE; PATTERNS];
    let (mut at, mut table) = (0, 0);
    while table < TABLES.len() {
        let mut row = 0;
        while row < TABLES[table].len() {
            let mut pattern = 0;
            while pattern < TABLES[table][row].1.len() {
                needs[at] = Needs::of(TABLES[table][row].1[pattern]);
                at += 1;
                pattern += 1;
            }
            row += 1;
        }
        table += 1;
    }
    needs
};

/// The first rule that fits a clause and passes `accept`, which may look at what was captured; none once all `steps` are taken.
pub(super) fn read(
    clause: &[Word],
    steps: &Cell<u32>,
    accept: impl Fn(Rule, &Captures) -> bool,
) -> Option<(Rule, Captures)> {
    let held = Held::by(clause);
    let rows = TABLES.iter().copied().flatten();
    let patterns = rows.flat_map(|(rule, patterns)| patterns.iter().map(|pattern| (*rule, *pattern)));
    let mut possible = patterns.zip(&NEEDS).filter(|(_, needs)| needs.met_by(held));
    possible.find_map(|((rule, pattern), _)| {
        let captures = fit_where(pattern, clause, steps, &|captures| accept(rule, captures))?;
        Some((rule, captures))
    })
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
