//! The grammar: patterns of clauses in order of priority; the first match determines the rule.

use std::cell::Cell;

use crate::llm::rules::normalise::words::Word;
use crate::llm::rules::read::pattern::{Captures, Held, Needs, fit_where};
use crate::llm::rules::read::rule::{Row, Rule};
use crate::llm::rules::read::{adding, changing, classes, clearing, labelling, looking, rewording};

/// Tables in order of priority: longer and more specific patterns first.
const TABLES: &[&[Row]] = &[
    adding::NOTHING,
    clearing::TABLE,
    labelling::LABELS,
    changing::NOTES,
    looking::BEFORE,
    rewording::TABLE,
    adding::SURE,
    changing::CHANGES,
    adding::LOOSE,
    looking::REST,
];

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

/// Requirements of each pattern, computed at compile time; they rule out most patterns without matching.
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

/// Returns the first rule that matches a clause and passes `accept`; `None` once all `steps` are used.
pub(in crate::llm::rules) fn read(
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

/// Returns true if a pattern or class of the grammar contains the word.
pub(in crate::llm::rules) fn speaks(key: &str) -> bool {
    let patterns = TABLES.iter().copied().flatten().flat_map(|(_, patterns)| patterns.iter());
    let literal =
        |token: &str| !token.starts_with(['@', '*']) && token.trim_end_matches('?').split('|').any(|word| word == key);
    patterns.into_iter().any(|pattern| pattern.split(' ').any(literal)) || classes::mentions(key)
}

/// Returns the names of the classes that the tables use.
#[cfg(test)]
pub(in crate::llm::rules) fn classes() -> impl Iterator<Item = &'static str> {
    let words = TABLES
        .iter()
        .copied()
        .flatten()
        .flat_map(|(_, patterns)| patterns.iter())
        .flat_map(|pattern| pattern.split(' '));
    words.filter_map(|word| word.strip_prefix('@')).map(|name| name.trim_end_matches('?'))
}
