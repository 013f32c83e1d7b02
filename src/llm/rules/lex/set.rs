//! Sets of words and phrases, each written as one text to keep long tables readable.

/// Phrases separated by `|`, with bit filters that reject most other words quickly.
#[derive(Debug, Clone, Copy)]
pub(in crate::llm::rules) struct Set {
    text: &'static str,
    beginnings: Beginnings,
    endings: u128,
}

/// Creates a set for a constant. Scans every letter, so use the macro of this name inside functions.
pub(in crate::llm::rules) const fn set(text: &'static str) -> Set {
    Set { text, beginnings: Beginnings::of_text(text.as_bytes()), endings: endings(text.as_bytes()) }
}

/// Creates a [`Set`] at compile time.
macro_rules! while_compiling {
    ($text:literal $(,)?) => {
        const { $crate::llm::rules::lex::set::set($text) }
    };
}
pub(in crate::llm::rules) use while_compiling as set;

/// Creates a [`Set`] at compile time from a file in the folder `lexicon`, one phrase per line.
macro_rules! of_file {
    ($file:literal) => {
        const {
            const TEXT: &str =
                include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../src/llm/rules/lexicon/", $file, ".txt"));
            const BYTES: [u8; TEXT.len()] = $crate::llm::rules::lex::set::joined(TEXT.as_bytes());
            $crate::llm::rules::lex::set::set(match std::str::from_utf8(&BYTES) {
                Ok(text) => text,
                Err(_) => panic!("a lexicon is UTF-8"),
            })
        }
    };
}
pub(in crate::llm::rules) use of_file as file_set;

/// Converts lines to phrases separated by `|`, dropping lines that begin with `#`.
pub(in crate::llm::rules) const fn joined<const N: usize>(lines: &[u8]) -> [u8; N] {
    let (mut text, mut at, mut comment) = ([b'|'; N], 0, false);
    while at < N {
        comment = lines[at] == b'#' && (at == 0 || lines[at - 1] == b'\n') || comment && lines[at] != b'\n';
        if !(comment || lines[at] == b'\n') {
            text[at] = lines[at];
        }
        at += 1;
    }
    text
}

impl Set {
    /// Returns true if the set contains exactly `phrase`.
    pub fn has(self, phrase: &str) -> bool {
        self.beginnings.allow(phrase)
            && self.may_end(phrase)
            && self.mentions(phrase)
            && self.iter().any(|known| same(known, phrase))
    }

    /// Returns every phrase that ends with `word`.
    pub fn ending(self, word: &str) -> impl Iterator<Item = &'static str> {
        let text = if self.may_end(word) && self.mentions(word) { self.text } else { "" };
        pieces(text, b'|').filter(move |phrase| ends(phrase, word))
    }

    /// Returns false if a long text does not contain `letters`. Substring search is fast on long texts, but not worth
    /// its setup on short ones.
    fn mentions(self, letters: &str) -> bool {
        self.text.len() < 160 || self.text.contains(letters)
    }

    /// Returns true if a phrase may end with these letters.
    fn may_end(self, letters: &str) -> bool {
        letters.len() < 2 || self.endings & last_two(letters.as_bytes(), letters.len()) != 0
    }

    /// Returns true if `text`, words with single spaces, begins with a phrase of the set.
    pub fn begins(self, text: &str) -> bool {
        self.leading(text).next().is_some()
    }

    /// Returns every phrase that is a prefix of `text`, words with single spaces.
    pub fn leading(self, text: &str) -> impl Iterator<Item = &'static str> {
        let known = if self.beginnings.allow(text) { self.text } else { "" };
        let follows = move |phrase: &&str| {
            text.strip_prefix(*phrase).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        pieces(known, b'|').filter(|phrase| !phrase.is_empty()).filter(follows)
    }

    /// Returns the number of words of the longest phrase with which `words` begin; 0 if there is none.
    pub fn leads(self, words: &[&str]) -> usize {
        const LONGEST: usize = 6;
        let beginning = words[..words.len().min(LONGEST)].join(" ");
        self.leading(&beginning).map(|phrase| phrase.split(' ').count()).max().unwrap_or_default()
    }

    /// Returns every phrase in order of definition.
    pub fn iter(self) -> impl Iterator<Item = &'static str> {
        pieces(self.text, b'|').filter(|phrase| !phrase.is_empty())
    }
}

/// Compares two words byte by byte. Most differ in the first byte, so this beats the general comparison.
pub(in crate::llm::rules) fn same(one: &str, other: &str) -> bool {
    one.len() == other.len() && one.bytes().zip(other.bytes()).all(|(one, other)| one == other)
}

fn ends(text: &str, word: &str) -> bool {
    text.len() >= word.len() && text.bytes().rev().zip(word.bytes().rev()).all(|(one, other)| one == other)
}

/// Returns a bit filter of the last two letters of all phrases.
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

/// Returns the bit of the two bytes before `end`.
const fn last_two(text: &[u8], end: usize) -> u128 {
    pair(text[end - 2], text[end - 1])
}

/// Maps two bytes to one of 128 bits.
const fn pair(one: u8, two: u8) -> u128 {
    1 << ((one as u32 * 31 + two as u32) % 128)
}

/// Splits a text at the first `mark`; the second part is empty without one.
///
/// Words are short, so a byte loop beats the general search. It dominates the cost of parsing a sentence.
pub(in crate::llm::rules) fn cut(text: &str, mark: u8) -> (&str, &str) {
    match text.bytes().position(|byte| byte == mark) {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, ""),
    }
}

/// Splits a text at every `mark`; an empty text has no pieces.
pub(in crate::llm::rules) fn pieces(mut text: &str, mark: u8) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let (piece, rest) = cut(text, mark);
        (!text.is_empty()).then(|| text = rest).map(|()| piece)
    })
}

/// A bit filter of the first two letters of a set's phrases. A word without its bit is not in the set.
#[derive(Debug, Clone, Copy)]
pub(in crate::llm::rules) struct Beginnings(u128);

impl Beginnings {
    /// A filter that accepts everything.
    pub const ANY: Self = Self(u128::MAX);
    /// A filter that accepts nothing.
    pub const NONE: Self = Self(0);

    pub const fn of(set: Set) -> Self {
        set.beginnings
    }

    /// Returns the filter of a set's text.
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

    /// Returns the filter of words.
    pub fn of_words<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        Self(words.filter(|word| !word.is_empty()).fold(0, |bits, word| bits | Self::bit(word.as_bytes(), 0)))
    }

    /// Returns the union.
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns true if a word may pass both filters.
    pub fn meet(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns true if a phrase of the set may begin with `word`.
    pub fn allow(self, word: &str) -> bool {
        !word.is_empty() && self.0 & Self::bit(word.as_bytes(), 0) != 0
    }

    const fn bit(text: &[u8], at: usize) -> u128 {
        let second = if at + 1 < text.len() && text[at + 1] != b'|' && text[at + 1] != b' ' { text[at + 1] } else { 0 };
        pair(text[at], second)
    }
}

/// A set whose phrases are sorted by first letter, so that a lookup scans only one letter.
#[derive(Debug, Clone, Copy)]
pub(in crate::llm::rules) struct Index {
    set: Set,
    /// Offsets of the phrases per letter, and of the end.
    starts: [u16; LETTERS],
}

/// Characters before "a", 26 letters, characters after "z", and the end.
const LETTERS: usize = 29;

impl Index {
    /// Creates the index. Fails to compile if the phrases are not sorted.
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

    /// Returns the phrases with the first letter of `word`.
    pub fn under(&self, word: &str) -> Set {
        let Some(first) = word.as_bytes().first() else { return set!("") };
        let letter = Self::letter(*first);
        Set { text: &self.set.text[usize::from(self.starts[letter])..usize::from(self.starts[letter + 1])], ..self.set }
    }

    /// Returns true if the set contains exactly `phrase`.
    pub fn has(&self, phrase: &str) -> bool {
        self.under(phrase).has(phrase)
    }

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
