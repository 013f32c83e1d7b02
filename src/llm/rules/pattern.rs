//! A small pattern language, so that the grammar is a table that can be read.
//!
//! A pattern is words divided by spaces and fits a whole clause, punctuation aside: `word`; `one|other`; `@class` (a
//! set of
//! phrases of the lexicon); a trailing `?` makes any of these optional; `*x` captures one or more words, as few as
//! will do;
//! `:` demands a colon, dash or comma.

use std::cell::Cell;

use super::classes::{beginnings, class, class_beginnings};
use super::set::{Beginnings, cut, pieces, same};
use super::words::{Kind, Word};

/// Captured stretches by name, as indices into the clause.
pub(super) type Captures = Vec<(char, usize, usize)>;

/// Steps after which a match is given up: long clauses are titles, not grammar.
const BUDGET: u32 = 12_000;
/// Steps that looking at the captures of a whole match counts for: it may read dates.
const ACCEPT_COST: u32 = 60;

/// Fits `pattern` to the whole clause.
pub(super) fn fit(pattern: &str, clause: &[Word]) -> Option<Captures> {
    fit_where(pattern, clause, &Cell::new(BUDGET), &|_| true)
}

/// Fits `pattern` to the whole clause in the first way whose captures `accept` takes, within the `steps` that are left.
pub(super) fn fit_where(
    pattern: &str,
    clause: &[Word],
    steps: &Cell<u32>,
    accept: &dyn Fn(&Captures) -> bool,
) -> Option<Captures> {
    let budget = steps.get().min(BUDGET);
    let mut run = Run { clause, accept, captures: vec![], budget };
    let fits = run.step(pattern, 0);
    steps.set(steps.get() - (budget - run.budget));
    fits.then_some(run.captures)
}

/// What a clause must hold for a pattern to fit: of each part that is neither optional nor a capture, one of its beginnings;
/// and with what it must begin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Needs {
    parts: [Beginnings; PARTS],
    first: Beginnings,
    /// Whether it may begin with anything.
    anywhere: bool,
}

/// Parts of a pattern that are looked at; more only make it be tried more often.
const PARTS: usize = 6;

impl Needs {
    pub const NONE: Self = Self { parts: [Beginnings::ANY; PARTS], first: Beginnings::NONE, anywhere: true };

    pub const fn of(pattern: &'static str) -> Self {
        let text = pattern.as_bytes();
        let (mut needs, mut found, mut from) = (Self::NONE, 0, 0);
        let mut begun = false;
        while from < text.len() && found < PARTS {
            let mut to = from;
            while to < text.len() && text[to] != b' ' {
                to += 1;
            }
            let optional = text[to - 1] == b'?';
            let (_, part) = text.split_at(from);
            let (part, _) = part.split_at(to - from - optional as usize);
            let open = part[0] == b'*' || part[0] == b':';
            let beginnings = if open {
                Beginnings::ANY
            } else if part[0] == b'@' {
                beginnings(part)
            } else {
                Beginnings::of_text(part)
            };
            if !(begun || part[0] == b':') {
                needs.first = needs.first.or(beginnings);
                needs.anywhere = optional || open;
                begun = !optional;
            }
            if !(open || optional) {
                needs.parts[found] = beginnings;
                found += 1;
            }
            from = to + 1;
        }
        needs
    }

    pub fn met_by(&self, held: Held) -> bool {
        (self.anywhere || self.first.meet(held.first)) && self.parts.iter().all(|need| need.meet(held.all))
    }
}

/// The beginnings of a clause's plain words.
#[derive(Debug, Clone, Copy)]
pub(super) struct Held {
    all: Beginnings,
    /// Of the first word; none where that is quoted.
    first: Beginnings,
}

impl Held {
    pub fn by(clause: &[Word]) -> Self {
        let beginnings = |words: &[Word]| {
            let plain = words.iter().filter(|word| word.kind == Kind::Plain);
            Beginnings::of_words(plain.map(|word| word.key.as_str()))
        };
        let first = skip_marks(clause, 0);
        Self { all: beginnings(clause), first: clause.get(first..=first).map_or(Beginnings::NONE, beginnings) }
    }
}

/// Patterns with what they need, computed by the compiler.
pub(super) struct Patterns<const N: usize>([(&'static str, Needs); N]);

impl<const N: usize> Patterns<N> {
    pub const fn of(patterns: [&'static str; N]) -> Self {
        let (mut all, mut at) = ([("", Needs::NONE); N], 0);
        while at < N {
            all[at] = (patterns[at], Needs::of(patterns[at]));
            at += 1;
        }
        Self(all)
    }

    /// The captures of the first pattern that fits the whole clause.
    pub fn fit(&self, clause: &[Word]) -> Option<Captures> {
        let held = Held::by(clause);
        self.0.iter().filter(|(_, needs)| needs.met_by(held)).find_map(|(pattern, _)| fit(pattern, clause))
    }
}

/// One attempt to fit a pattern.
struct Run<'a> {
    clause: &'a [Word],
    accept: &'a dyn Fn(&Captures) -> bool,
    captures: Captures,
    budget: u32,
}

fn skip_marks(clause: &[Word], mut at: usize) -> usize {
    while clause.get(at).is_some_and(Word::is_mark) {
        at += 1;
    }
    at
}

impl Run<'_> {
    fn step(&mut self, parts: &str, at: usize) -> bool {
        if self.budget == 0 {
            return false;
        }
        self.budget -= 1;
        if parts.is_empty() {
            self.budget = self.budget.saturating_sub(ACCEPT_COST);
            return skip_marks(self.clause, at) == self.clause.len() && (self.accept)(&self.captures);
        }
        let (part, rest) = cut(parts, b' ');
        if let Some(name) = part.strip_prefix('*') {
            return self.capture(name.chars().next().unwrap_or('x'), rest, at);
        }
        let (part, optional) = part.strip_suffix('?').map_or((part, false), |part| (part, true));
        let here = skip_marks(self.clause, at);
        if part == ":" {
            let colon = |mark: &Word| matches!(mark.key.as_str(), ":" | "-" | "–" | "—" | ",");
            return (optional || self.clause[at.min(here)..here].iter().any(colon)) && self.step(rest, here);
        }
        if let Some(name) = part.strip_prefix('@') {
            let word = self.clause.get(here).map_or("", |word| word.key.as_str());
            for phrase in class(name, word).iter() {
                if let Some(end) = phrase_at(phrase, self.clause, here)
                    && self.step(rest, end)
                {
                    return true;
                }
            }
        } else if let Some(word) = self.clause.get(here)
            && word.kind == Kind::Plain
            && pieces(part, b'|').any(|option| same(option, &word.key))
            && self.step(rest, here + 1)
        {
            return true;
        }
        optional && self.step(rest, at)
    }

    /// As few words as let the rest fit.
    fn capture(&mut self, name: char, rest: &str, at: usize) -> bool {
        let start = skip_marks(self.clause, at);
        let depth = self.captures.len();
        let first = if rest.is_empty() { self.clause.len() } else { start + 1 };
        let next = opens(rest);
        for end in first.max(start + 1)..=self.clause.len() {
            let word = self.clause.get(skip_marks(self.clause, end));
            if next.is_some_and(|next| !word.is_some_and(|word| next.allow(&word.key))) {
                continue;
            }
            self.captures.push((name, start, end));
            if self.step(rest, end) {
                return true;
            }
            self.captures.truncate(depth);
        }
        false
    }
}

/// With what the first of `parts` begins; none where that may be anything.
fn opens(parts: &str) -> Option<Beginnings> {
    let (part, _) = cut(parts, b' ');
    match part.as_bytes() {
        [] | [.., b'?'] | [b'*' | b':', ..] => None,
        [b'@', ..] => Some(class_beginnings(&part[1..])),
        _ => Some(Beginnings::of_text(part.as_bytes())),
    }
}

/// The index after `phrase` if its words stand at `at` one after another.
pub(super) fn phrase_at(phrase: &str, clause: &[Word], at: usize) -> Option<usize> {
    let mut end = at;
    for part in pieces(phrase, b' ') {
        let word = clause.get(end)?;
        if word.kind != Kind::Plain || !same(&word.key, part) {
            return None;
        }
        end += 1;
    }
    Some(end)
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
