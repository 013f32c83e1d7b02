//! The words of the grammar by the name of their class: which of a class may stand where a word does.

use super::lexicon::CLASSES;
use super::set::{Beginnings, Index, Set, set};

/// How the phrases of each class begin, computed by the compiler: most classes are ruled out by it without being read.
const BEGINNINGS: [Beginnings; CLASSES.len()] = {
    let mut all = [Beginnings::of(set!("")); CLASSES.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = Beginnings::of(CLASSES[at].1);
        at += 1;
    }
    all
};

/// The phrases of each class by their first letters.
const INDEXES: [Index; CLASSES.len()] = {
    let mut all = [Index::of(set!("")); CLASSES.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = Index::of(CLASSES[at].1);
        at += 1;
    }
    all
};

/// Where a class with a name of that slot stands: patterns name classes at every step.
const PLACES: [u8; SLOTS] = {
    let (mut all, mut at) = ([u8::MAX; SLOTS], 0);
    while at < CLASSES.len() {
        all[slot(CLASSES[at].0.as_bytes())] = at as u8;
        at += 1;
    }
    all
};
const SLOTS: usize = 512;

/// A number for a name, of which a few are shared.
const fn slot(name: &[u8]) -> usize {
    let (mut sum, mut at) = (name.len() % SLOTS, 0);
    while at < name.len() {
        sum = (sum * 31 + name[at] as usize) % SLOTS;
        at += 1;
    }
    sum
}

/// Where a class stands. An unknown name is a class without phrases, which a test forbids.
fn place(name: &str) -> Option<usize> {
    let near = usize::from(PLACES[slot(name.as_bytes())]);
    match CLASSES.get(near) {
        Some((known, _)) if *known == name => Some(near),
        Some(_) | None => CLASSES.iter().position(|(known, _)| *known == name),
    }
}

/// The phrases of a class that may begin with `word`.
pub(super) fn class(name: &str, word: &str) -> Set {
    let at = place(name);
    at.filter(|at| BEGINNINGS[*at].allow(word)).map_or(set!(""), |at| INDEXES[at].under(word))
}

/// How the phrases of a class begin, by its name.
pub(super) fn class_beginnings(name: &str) -> Beginnings {
    place(name).map_or(Beginnings::NONE, |at| BEGINNINGS[at])
}

/// The same for the compiler, by its name after an `@`.
pub(super) const fn beginnings(name: &[u8]) -> Beginnings {
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

/// Whether there is a class of that name.
#[cfg(test)]
pub(super) fn is_class(name: &str) -> bool {
    CLASSES.iter().any(|(known, set)| *known == name && set.iter().next().is_some())
}
