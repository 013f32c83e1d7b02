//! First words of the pieces of a date phrase. Hundreds of phrases are possible at each word; one lookup excludes nearly all of
//! them.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::tokens::Words;

/// The first words of all pieces.
static OPENERS: LazyLock<HashSet<&str>> = LazyLock::new(|| include_str!("openers.txt").split_whitespace().collect());

/// Returns true if a piece of a date phrase may begin at `i`.
pub(super) fn opens(words: Words, i: usize) -> bool {
    let word = words.at(i);
    match word.as_bytes().first() {
        Some(first) if first.is_ascii_digit() => true,
        Some(first) if first.is_ascii_lowercase() => {
            // A weekday may be possessive: "monday's".
            OPENERS.contains(word.strip_suffix("'s").unwrap_or(word)) || OPENERS.contains(word)
        }
        Some(_) | None => false,
    }
}
