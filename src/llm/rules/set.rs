//! Sets of words and phrases, written as one text so that a table of a hundred words stays readable.

/// Phrases divided by `|`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Set(pub &'static str);

impl Set {
    /// Whether `phrase` is one of them, exactly.
    pub fn has(self, phrase: &str) -> bool {
        !phrase.is_empty() && self.mentions(phrase) && self.iter().any(|known| known == phrase)
    }

    /// Every phrase that ends with `word`.
    pub fn ending(self, word: &str) -> impl Iterator<Item = &'static str> {
        let text = if self.mentions(word) { self.0 } else { "" };
        Set(text).iter().filter(move |phrase| phrase.ends_with(word))
    }

    /// Whether `letters` stand somewhere in the text, for nearly all that is asked for does not. The library looks at many places
    /// at once; a short text is read before that has begun.
    fn mentions(self, letters: &str) -> bool {
        self.0.len() < 48 || self.0.contains(letters)
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
    /// What meets nothing.
    pub const NONE: Self = Self(0);

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

    /// Both.
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
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

/// A set whose phrases stand in the order of their first letters, so that only those of one letter need be looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Index {
    set: Set,
    /// Where the phrases of each letter begin, of all others before them, and where the last ends.
    starts: [u16; LETTERS],
}

/// Anything before "a", each letter, anything after "z", and the end.
const LETTERS: usize = 29;

impl Index {
    /// Fails to compile where the phrases are not in order.
    pub const fn of(set: Set) -> Self {
        let text = set.0.as_bytes();
        let mut starts = [text.len() as u16; LETTERS];
        let (mut at, mut last) = (0, 0);
        starts[0] = 0;
        while at < text.len() {
            if at == 0 || text[at - 1] == b'|' {
                let letter = Self::letter(text[at]);
                assert!(letter >= last, "phrases stand in the order of their first letters");
                while last < letter {
                    last += 1;
                    starts[last] = at as u16;
                }
            }
            at += 1;
        }
        Self { set, starts }
    }

    const fn letter(byte: u8) -> usize {
        match byte {
            b'a'..=b'z' => (byte - b'a') as usize + 1,
            0..b'a' => 0,
            _ => LETTERS - 2,
        }
    }

    /// The phrases with the first letter of `word`.
    pub fn under(&self, word: &str) -> Set {
        let Some(first) = word.as_bytes().first() else { return Set("") };
        let letter = Self::letter(*first);
        Set(&self.set.0[usize::from(self.starts[letter])..usize::from(self.starts[letter + 1])])
    }

    /// Whether `phrase` is one of them, exactly.
    pub fn has(&self, phrase: &str) -> bool {
        self.under(phrase).has(phrase)
    }

    /// Every phrase that ends with `word`.
    pub fn ending(&self, word: &str) -> impl Iterator<Item = &'static str> {
        self.set.ending(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_finds_what_the_set_has() {
        const SET: Set = Set("1st|#x|add|a b|bin|zap|é");
        const INDEX: Index = Index::of(SET);
        for phrase in SET.iter() {
            assert!(INDEX.has(phrase), "{phrase}");
        }
        assert!(!INDEX.has("bi") && !INDEX.has("") && !INDEX.has("y"));
    }

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
