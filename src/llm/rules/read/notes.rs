//! Cached results and counters of parsing one message.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use crate::domain::linear_model::hash;
use crate::domain::time::Timestamp;
use crate::domain::when;
use crate::llm::rules::normalise::words::Word;
use crate::llm::rules::read::intent::{Part, Target};
use crate::llm::rules::read::pattern::Captures;
use crate::llm::rules::read::rule::Rule;

/// The cache of one message.
#[derive(Debug)]
pub(in crate::llm::rules) struct Notes {
    /// The dates in the text.
    pub dates: Vec<when::Found>,
    /// Remaining grammar steps.
    pub steps: Cell<u32>,
    /// True if the classifier may parse what no rule does.
    pub guesses: bool,
    /// Parsed stretches.
    pub read: Known<Option<Part>>,
    pub targets: Known<Target>,
    /// Matched rules of stretches.
    pub recognised: Known<Option<(Rule, Captures)>>,
}

/// Grammar steps per message: about 100 times the usual need, and about 20 ms.
const STEPS: u32 = 2_000_000;

impl Notes {
    pub fn of(text: &str, now: &Timestamp, zone: &str) -> Self {
        Self {
            dates: when::find(text, now, zone),
            steps: Cell::new(STEPS),
            guesses: true,
            read: Known::default(),
            targets: Known::default(),
            recognised: Known::default(),
        }
    }

    /// Restricts parsing to the grammar.
    pub fn certain(self) -> Self {
        Self { guesses: false, ..self }
    }

    /// Returns the number of steps used.
    #[cfg(test)]
    pub fn taken(&self) -> u32 {
        STEPS - self.steps.get()
    }
}

/// A cache by stretch, since finding boundaries parses many stretches repeatedly.
#[derive(Debug)]
pub(in crate::llm::rules) struct Known<T>(RefCell<HashMap<Place, T>>);

/// Identity of a stretch: start, end, number of words, and the hash of its first key, since some words share a range.
type Place = (usize, usize, usize, u64);

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<T: Clone> Known<T> {
    /// Returns the cached value of a stretch, or computes it.
    pub fn once(&self, stretch: &[Word], find: impl FnOnce() -> T) -> T {
        let (Some(first), Some(last)) = (stretch.first(), stretch.last()) else { return find() };
        let place = (first.start, last.end, stretch.len(), hash(&first.key));
        if let Some(found) = self.0.borrow().get(&place) {
            return found.clone();
        }
        let found = find();
        self.0.borrow_mut().insert(place, found.clone());
        found
    }
}
