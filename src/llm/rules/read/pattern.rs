//! A small pattern language, so that the grammar is a readable table.
//!
//! A pattern is a sequence of elements separated by spaces. It matches a whole clause, ignoring punctuation. Elements
//! are `word`, `one|other`, `@class` (a set of phrases of the lexicon), `*x` and `:`. A trailing `?` makes any of them
//! but `*x` optional. `*x` captures one or more words, as few as possible; `:` requires a colon, dash or comma.

use std::cell::Cell;

use crate::llm::rules::lex::set::{Beginnings, cut, pieces, same};
use crate::llm::rules::normalise::words::{Kind, Word};
use crate::llm::rules::read::classes::{beginnings, class, class_beginnings};

/// Captured stretches by name, as indices into the clause.
pub(in crate::llm::rules) type Captures = Vec<(char, usize, usize)>;

/// Step limit of one match: long clauses are titles, not grammar.
const BUDGET: u32 = 12_000;
/// Steps charged for checking the captures of a match, which may parse dates.
const ACCEPT_COST: u32 = 60;

/// Matches `pattern` against the whole clause.
pub(in crate::llm::rules) fn fit(pattern: &str, clause: &[Word]) -> Option<Captures> {
    fit_where(pattern, clause, &Cell::new(BUDGET), &|_| true)
}

/// Returns the first match of `pattern` with the whole clause that `accept` takes, within the remaining `steps`.
pub(in crate::llm::rules) fn fit_where(
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

/// Necessary conditions of a pattern: a first-letter filter for each mandatory element, and one for the first word.
#[derive(Debug, Clone, Copy)]
pub(in crate::llm::rules) struct Needs {
    parts: [Beginnings; PARTS],
    first: Beginnings,
    /// True if the clause may begin with anything.
    anywhere: bool,
}

/// Maximum elements checked; further ones only weaken the filter.
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

/// First-letter filters of a clause's plain words.
#[derive(Debug, Clone, Copy)]
pub(in crate::llm::rules) struct Held {
    all: Beginnings,
    /// Filter of the first word; none if it is quoted.
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

/// Patterns with their conditions, computed at compile time.
pub(in crate::llm::rules) struct Patterns<const N: usize>([(&'static str, Needs); N]);

impl<const N: usize> Patterns<N> {
    pub const fn of(patterns: [&'static str; N]) -> Self {
        let (mut all, mut at) = ([("", Needs::NONE); N], 0);
        while at < N {
            all[at] = (patterns[at], Needs::of(patterns[at]));
            at += 1;
        }
        Self(all)
    }

    /// Returns the captures of the first pattern that matches the whole clause.
    pub fn fit(&self, clause: &[Word]) -> Option<Captures> {
        let held = Held::by(clause);
        self.0.iter().filter(|(_, needs)| needs.met_by(held)).find_map(|(pattern, _)| fit(pattern, clause))
    }
}

/// One attempt to match a pattern.
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

    /// Captures the fewest words that let the rest match.
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

/// Returns the first-letter filter of the first element; `None` if it may be anything.
fn opens(parts: &str) -> Option<Beginnings> {
    let (part, _) = cut(parts, b' ');
    match part.as_bytes() {
        [] | [.., b'?'] | [b'*' | b':', ..] => None,
        [b'@', ..] => Some(class_beginnings(&part[1..])),
        _ => Some(Beginnings::of_text(part.as_bytes())),
    }
}

/// Returns the index after `phrase` if its words are consecutive at `at`.
pub(in crate::llm::rules) fn phrase_at(phrase: &str, clause: &[Word], at: usize) -> Option<usize> {
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

/// Returns the words captured by a name.
pub(in crate::llm::rules) fn take<'a>(captures: &Captures, name: char, clause: &'a [Word]) -> Option<&'a [Word]> {
    captures.iter().find(|(found, _, _)| *found == name).map(|(_, start, end)| &clause[*start..*end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::rules::normalise::words::words;

    #[test]
    fn a_pattern_captures_as_little_as_will_do() {
        let clause = words("mark buy milk as done");
        let captures = fit("mark *x as? done", &clause).unwrap();
        assert_eq!(captures, vec![('x', 1, 3)]);
        assert!(fit("mark *x", &words("unmark it")).is_none());
    }
}
