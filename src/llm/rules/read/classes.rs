//! Word classes of the grammar by name, with fast lookup.

use crate::llm::rules::lex::set::{Beginnings, Index, Set, set};
use crate::llm::rules::read::lexicon::CLASSES;

/// First-letter filters of each class, computed at compile time; they rule out most classes without scanning.
const BEGINNINGS: [Beginnings; CLASSES.len()] = {
    let mut all = [Beginnings::of(set!("")); CLASSES.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = Beginnings::of(CLASSES[at].1);
        at += 1;
    }
    all
};

/// Phrases of each class, indexed by first letter.
const INDEXES: [Index; CLASSES.len()] = {
    let mut all = [Index::of(set!("")); CLASSES.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = Index::of(CLASSES[at].1);
        at += 1;
    }
    all
};

/// Hash table from slots to positions in `CLASSES`, since patterns look up classes at every step.
const PLACES: [u8; SLOTS] = {
    let (mut all, mut at) = ([u8::MAX; SLOTS], 0);
    while at < CLASSES.len() {
        all[slot(CLASSES[at].0.as_bytes())] = at as u8;
        at += 1;
    }
    all
};
const SLOTS: usize = 512;

/// Hashes a class name; collisions are possible.
const fn slot(name: &[u8]) -> usize {
    let (mut sum, mut at) = (name.len() % SLOTS, 0);
    while at < name.len() {
        sum = (sum * 31 + name[at] as usize) % SLOTS;
        at += 1;
    }
    sum
}

/// Returns the position of a class. An unknown name counts as an empty class; a test forbids it.
fn place(name: &str) -> Option<usize> {
    let near = usize::from(PLACES[slot(name.as_bytes())]);
    match CLASSES.get(near) {
        Some((known, _)) if *known == name => Some(near),
        Some(_) | None => CLASSES.iter().position(|(known, _)| *known == name),
    }
}

/// Returns the phrases of a class that may begin with `word`.
pub(in crate::llm::rules) fn class(name: &str, word: &str) -> Set {
    let at = place(name);
    at.filter(|at| BEGINNINGS[*at].allow(word)).map_or(set!(""), |at| INDEXES[at].under(word))
}

/// Returns the first-letter filter of a class.
pub(in crate::llm::rules) fn class_beginnings(name: &str) -> Beginnings {
    place(name).map_or(Beginnings::NONE, |at| BEGINNINGS[at])
}

/// Returns the first-letter filter of a class at compile time; `name` begins with `@`.
pub(in crate::llm::rules) const fn beginnings(name: &[u8]) -> Beginnings {
    let mut at = 0;
    while at < CLASSES.len() {
        let known = CLASSES[at].0.as_bytes();
        let mut same = 0;
        while same < known.len() && same + 1 < name.len() && known[same] == name[same + 1] {
            same += 1;
        }
        if same == known.len() && same + 1 == name.len() {
            return BEGINNINGS[at];
        }
        at += 1;
    }
    Beginnings::ANY
}

/// Returns true if a phrase of any class contains the word.
pub(in crate::llm::rules) fn mentions(key: &str) -> bool {
    CLASSES.iter().any(|(_, set)| set.iter().any(|phrase| phrase.split(' ').any(|word| word == key)))
}

#[cfg(test)]
pub(in crate::llm::rules) fn is_class(name: &str) -> bool {
    CLASSES.iter().any(|(known, set)| *known == name && set.iter().next().is_some())
}
