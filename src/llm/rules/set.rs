//! Sets of words and phrases, written as one text so that a table of a hundred words stays readable.

/// Phrases divided by `|`, with what tells at once that most words are none of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Set {
    text: &'static str,
    beginnings: Beginnings,
    endings: u128,
}

/// A set for a constant, since this looks at every letter; in the midst of code it is the macro of the same name.
pub(super) const fn set(text: &'static str) -> Set {
    Set { text, beginnings: Beginnings::of_text(text.as_bytes()), endings: endings(text.as_bytes()) }
}

/// A [`Set`] that was looked at while compiling.
macro_rules! while_compiling {
    ($text:literal $(,)?) => {
        const { $crate::llm::rules::set::set($text) }
    };
}
pub(super) use while_compiling as set;

impl Set {
    /// Whether `phrase` is one of them, exactly.
    pub fn has(self, phrase: &str) -> bool {
        self.beginnings.allow(phrase)
            && self.may_end(phrase)
            && self.mentions(phrase)
            && self.iter().any(|known| same(known, phrase))
    }

    /// Every phrase that ends with `word`.
    pub fn ending(self, word: &str) -> impl Iterator<Item = &'static str> {
        let text = if self.may_end(word) && self.mentions(word) { self.text } else { "" };
        pieces(text, b'|').filter(move |phrase| ends(phrase, word))
    }

    /// Whether `letters` stand somewhere in a long text, in which the library looks at many places at once; a short one is read
    /// before that has begun.
    fn mentions(self, letters: &str) -> bool {
        self.text.len() < 160 || self.text.contains(letters)
    }

    /// Whether one may end with these letters.
    fn may_end(self, letters: &str) -> bool {
        letters.len() < 2 || self.endings & last_two(letters.as_bytes(), letters.len()) != 0
    }

    /// Whether `text`, words divided by single spaces, begins with one of them.
    pub fn begins(self, text: &str) -> bool {
        self.leading(text).next().is_some()
    }

    /// Every phrase with which `text`, words divided by single spaces, begins.
    pub fn leading(self, text: &str) -> impl Iterator<Item = &'static str> {
        let known = if self.beginnings.allow(text) { self.text } else { "" };
        let follows = move |phrase: &&str| {
            text.strip_prefix(*phrase).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        pieces(known, b'|').filter(|phrase| !phrase.is_empty()).filter(follows)
    }

    /// Every phrase in the order in which it was written.
    pub fn iter(self) -> impl Iterator<Item = &'static str> {
        pieces(self.text, b'|').filter(|phrase| !phrase.is_empty())
    }
}

/// Whether two words are the same, byte by byte: nearly all differ in the first, before a comparison made for long texts begins.
pub(super) fn same(one: &str, other: &str) -> bool {
    one.len() == other.len() && one.bytes().zip(other.bytes()).all(|(one, other)| one == other)
}

/// Whether `text` ends with `word`, seen from its last byte.
fn ends(text: &str, word: &str) -> bool {
    text.len() >= word.len() && text.bytes().rev().zip(word.bytes().rev()).all(|(one, other)| one == other)
}

/// The last two letters of every phrase, as bits of which a few are shared.
const fn endings(text: &[u8]) -> u128 {
    let (mut bits, mut at) = (0, 0);
    while at < text.len() {
        at += 1;
        if (at == text.len() || text[at] == b'|') && at >= 2 {
            bits |= last_two(text, at);
        }
    }
    bits
}

/// The bit of the two bytes before `end`.
const fn last_two(text: &[u8], end: usize) -> u128 {
    pair(text[end - 2], text[end - 1])
}

/// One of 128 bits for two bytes.
const fn pair(one: u8, two: u8) -> u128 {
    1 << ((one as u32 * 31 + two as u32) % 128)
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
        set.beginnings
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
        pair(text[at], second)
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
        let text = set.text.as_bytes();
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
        let Some(first) = word.as_bytes().first() else { return set!("") };
        let letter = Self::letter(*first);
        Set { text: &self.set.text[usize::from(self.starts[letter])..usize::from(self.starts[letter + 1])], ..self.set }
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
        const SET: Set = set!("1st|#x|add|a b|bin|zap|é");
        const INDEX: Index = Index::of(SET);
        for phrase in SET.iter() {
            assert!(INDEX.has(phrase), "{phrase}");
        }
        assert!(!INDEX.has("bi") && !INDEX.has("") && !INDEX.has("y"));
    }

    #[test]
    fn beginnings_rule_out_no_phrase_of_the_set() {
        for set in [set!("a|an|the|another|one more"), set!("é|über|ok"), set!("x")] {
            let beginnings = Beginnings::of(set);
            for phrase in set.iter() {
                assert!(beginnings.allow(phrase.split(' ').next().unwrap()), "{phrase}");
            }
        }
        assert!(!Beginnings::of(set!("add|put")).allow("delete"));
        assert!(!Beginnings::of(set!("")).allow("a"));
    }
}
