//! What is known of one message, and counted while it is read.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use super::grammar::Rule;
use super::intent::{Part, Target};
use super::pattern::Captures;
use super::words::Word;
use crate::domain::linear::hash;
use crate::domain::time::Timestamp;
use crate::domain::when;

/// The notes of one message.
#[derive(Debug)]
pub(super) struct Notes {
    /// The dates in the text.
    pub dates: Vec<when::Found>,
    /// Steps of the grammar that are left for it.
    pub steps: Cell<u32>,
    /// Whether a model may tell what no rule reads.
    pub guesses: bool,
    /// What stretches were read as.
    pub read: Known<Option<Part>>,
    /// What they refer to.
    pub targets: Known<Target>,
    /// Which rules fitted them.
    pub recognised: Known<Option<(Rule, Captures)>>,
}

/// Steps of the grammar for one message: some hundred times what people need, and some 20 ms.
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

    /// The same for a message that is to be read by the grammar alone.
    pub fn certain(self) -> Self {
        Self { guesses: false, ..self }
    }

    /// Steps that were taken so far.
    #[cfg(test)]
    pub fn taken(&self) -> u32 {
        STEPS - self.steps.get()
    }
}

/// What was found for stretches of the message: to see where it is cut, many are read that are read again.
#[derive(Debug)]
pub(super) struct Known<T>(RefCell<HashMap<Place, T>>);

/// Which words a stretch has: where it begins and ends, how many, and the hash of its first, since some words stand for two.
type Place = (usize, usize, usize, u64);

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<T: Clone> Known<T> {
    /// What was found for a stretch before, or is found now.
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
