//! A small pattern language, so that the grammar is a table that can be read.
//!
//! A pattern is words divided by spaces and fits a whole clause, punctuation aside: `word`; `one|other`; `@class` (a set of
//! phrases of the lexicon); a trailing `?` makes any of these optional; `*x` captures one or more words, as few as will do;
//! `:` demands a colon, dash or comma.

use super::lexicon::class;
use super::words::{Kind, Word};

/// Captured stretches by name, as indices into the clause.
pub(super) type Captures = Vec<(char, usize, usize)>;

/// Steps after which a match is given up: long clauses are titles, not grammar.
const BUDGET: u32 = 60_000;

/// Fits `pattern` to the whole clause.
pub(super) fn fit(pattern: &str, clause: &[Word]) -> Option<Captures> {
    let parts: Vec<&str> = pattern.split(' ').collect();
    let mut captures = vec![];
    let mut budget = BUDGET;
    step(&parts, clause, 0, &mut captures, &mut budget).then_some(captures)
}

fn skip_marks(clause: &[Word], mut at: usize) -> usize {
    while clause.get(at).is_some_and(Word::is_mark) {
        at += 1;
    }
    at
}

fn step(parts: &[&str], clause: &[Word], at: usize, captures: &mut Captures, budget: &mut u32) -> bool {
    if *budget == 0 {
        return false;
    }
    *budget -= 1;
    let Some((part, rest)) = parts.split_first() else {
        return skip_marks(clause, at) == clause.len();
    };
    if let Some(name) = part.strip_prefix('*') {
        return capture(name.chars().next().unwrap_or('x'), rest, clause, at, captures, budget);
    }
    let (part, optional) = part.strip_suffix('?').map_or((*part, false), |part| (part, true));
    let here = skip_marks(clause, at);
    if part == ":" {
        let colon = clause[at.min(clause.len())..here].iter().any(|mark| matches!(mark.key.as_str(), ":" | "-" | "–" | "—" | ","));
        return (colon || optional) && step(rest, clause, here, captures, budget);
    }
    if let Some(name) = part.strip_prefix('@') {
        for phrase in class(name) {
            if let Some(end) = phrase_at(phrase, clause, here)
                && step(rest, clause, end, captures, budget)
            {
                return true;
            }
        }
    } else if let Some(word) = clause.get(here)
        && word.kind == Kind::Plain
        && part.split('|').any(|option| option == word.key)
        && step(rest, clause, here + 1, captures, budget)
    {
        return true;
    }
    optional && step(rest, clause, at, captures, budget)
}

/// As few words as let the rest fit.
fn capture(name: char, rest: &[&str], clause: &[Word], at: usize, captures: &mut Captures, budget: &mut u32) -> bool {
    let start = skip_marks(clause, at);
    let depth = captures.len();
    for end in start + 1..=clause.len() {
        if clause[end - 1].is_mark() && end < clause.len() && rest.is_empty() {
            continue;
        }
        captures.push((name, start, end));
        if step(rest, clause, end, captures, budget) {
            return true;
        }
        captures.truncate(depth);
    }
    false
}

/// The index after `phrase` if its words stand at `at` one after another.
pub(super) fn phrase_at(phrase: &str, clause: &[Word], at: usize) -> Option<usize> {
    let mut end = at;
    for part in phrase.split(' ') {
        let word = clause.get(end)?;
        if word.kind != Kind::Plain || word.key != part {
            return None;
        }
        end += 1;
    }
    Some(end)
}

/// The index after the longest phrase of a class at `at`.
pub(super) fn class_at(name: &str, clause: &[Word], at: usize) -> Option<usize> {
    class(name).iter().filter_map(|phrase| phrase_at(phrase, clause, at)).max()
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;

    #[test]
    fn a_pattern_captures_as_little_as_will_do() {
        let clause = words("mark buy milk as done");
        let captures = fit("mark *x as? done", &clause).unwrap();
        assert_eq!(captures, vec![('x', 1, 3)]);
        assert!(fit("mark *x", &words("unmark it")).is_none());
    }
}
