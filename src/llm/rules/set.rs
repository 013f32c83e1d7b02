//! Sets of words and phrases, written as one text so that a table of a hundred words stays readable.

/// Phrases divided by `|`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Set(pub &'static str);

impl Set {
    /// Whether `phrase` is one of them, exactly.
    pub fn has(self, phrase: &str) -> bool {
        !phrase.is_empty() && self.iter().any(|known| known == phrase)
    }

    /// Whether `text`, words divided by single spaces, begins with one of them.
    pub fn begins(self, text: &str) -> bool {
        self.iter().any(|phrase| text.strip_prefix(phrase).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')))
    }

    /// Every phrase in the order in which it was written.
    pub fn iter(self) -> impl Iterator<Item = &'static str> {
        pieces(self.0, b'|').filter(|phrase| !phrase.is_empty())
    }
}

/// What stands before the first `mark` and what after it; the latter is empty where there is none.
///
/// Words have a few letters: looking at each is quicker than a search that was made for long texts, and this is most of what
/// reading a sentence costs.
pub(super) fn cut(text: &str, mark: u8) -> (&str, &str) {
    match text.bytes().position(|byte| byte == mark) {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, ""),
    }
}

/// What `mark` divides; nothing of an empty text.
pub(super) fn pieces(mut text: &str, mark: u8) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let (piece, rest) = cut(text, mark);
        (!text.is_empty()).then(|| text = rest).map(|()| piece)
    })
}

/// The first two letters of every phrase of a set, as bits of which a few are shared: what has none of them is not in the set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beginnings(u128);

impl Beginnings {
    /// What everything meets.
    pub const ANY: Self = Self(u128::MAX);

    pub const fn of(set: Set) -> Self {
        Self::of_text(set.0.as_bytes())
    }

    /// The same of a set that is not known as one.
    pub const fn of_text(text: &[u8]) -> Self {
        let (mut bits, mut at) = (0, 0);
        while at < text.len() {
            if at == 0 || text[at - 1] == b'|' {
                bits |= Self::bit(text, at);
            }
            at += 1;
        }
        Self(bits)
    }

    /// The beginnings of words.
    pub fn of_words<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        Self(words.filter(|word| !word.is_empty()).fold(0, |bits, word| bits | Self::bit(word.as_bytes(), 0)))
    }

    /// Whether some word may be in both.
    pub fn meet(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether a phrase of the set may begin with `word`.
    pub fn allow(self, word: &str) -> bool {
        !word.is_empty() && self.0 & Self::bit(word.as_bytes(), 0) != 0
    }

    const fn bit(text: &[u8], at: usize) -> u128 {
        let second = if at + 1 < text.len() && text[at + 1] != b'|' && text[at + 1] != b' ' { text[at + 1] } else { 0 };
        1 << ((text[at] as u32 * 31 + second as u32) % 128)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_rule_out_no_phrase_of_the_set() {
        for set in [Set("a|an|the|another|one more"), Set("é|über|ok"), Set("x")] {
            let beginnings = Beginnings::of(set);
            for phrase in set.iter() {
                assert!(beginnings.allow(phrase.split(' ').next().unwrap()), "{phrase}");
            }
        }
        assert!(!Beginnings::of(Set("add|put")).allow("delete"));
        assert!(!Beginnings::of(Set("")).allow("a"));
    }
}
