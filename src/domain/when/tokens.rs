//! Tokens of dates: words, numbers and punctuation.

use jiff::tz::TimeZone;
use jiff::{Zoned, civil::Date};

use crate::domain::time::Timestamp;

/// A run of letters, a run of digits, or one mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    /// Lower case, with plain apostrophes.
    pub text: String,
    /// Byte offsets in the original text.
    pub start: usize,
    pub end: usize,
    /// True if it touches the token before it.
    pub glued: bool,
    /// True if it begins with a capital, as names do.
    pub capital: bool,
    /// True if it is all capitals.
    pub loud: bool,
}

impl Token {
    /// Returns the value of a run of digits.
    pub fn digits(&self) -> Option<i64> {
        (self.text.len() <= 6 && self.text.bytes().all(|b| b.is_ascii_digit()))
            .then(|| self.text.parse().ok())
            .flatten()
    }

    /// Returns true for letters or digits, which must not touch another such token.
    pub fn is_word(&self) -> bool {
        self.text.starts_with(|c: char| c.is_alphanumeric())
    }
}

/// Kind of run that a character belongs to.
#[derive(PartialEq, Eq, Clone, Copy)]
enum Run {
    Letters,
    Digits,
    Mark,
}

/// Returns the ASCII form of a full-width character.
pub(super) fn narrow(c: char) -> char {
    let ascii = u32::from(c).checked_sub(0xFEE0).filter(|code| (0x21..=0x7E).contains(code)).and_then(char::from_u32);
    ascii.unwrap_or(c)
}

fn run_of(c: char) -> Run {
    let c = narrow(c);
    if c.is_ascii_digit() {
        Run::Digits
    } else if c.is_alphanumeric() {
        Run::Letters
    } else {
        Run::Mark
    }
}

/// Names of days and months that are long enough for correcting misspellings.
const NAMES: &str = "monday tuesday wednesday thursday friday saturday sunday today tomorrow tonight january february august \
    september october november december";

/// Abbreviations and misspellings with their meanings. Words that map to themselves are never corrected.
const SPELLINGS: &str = "tomoz:tomorrow tmoro:tomorrow tmrow:tomorrow tmrrw:tomorrow tomm:tomorrow evry:every evrey:every nxt:next moring:morning tonite:tonight \
    wednes:wednesday te:the teh:the hte:the sundae:sundae sundry:sundry toddy:toddy toady:toady tokay:tokay augusta:augusta augustan:augustan nonmember:nonmember";

/// Suffixes of words that begin with a spoken 2, with their meanings: "2moro", "2nite".
const SPOKEN: &str = "moro:tomorrow morow:tomorrow morrow:tomorrow mrw:tomorrow nite:tonight day:today";

/// Returns the meaning of a word in a list of pairs.
fn meant(pairs: &'static str, word: &str) -> Option<&'static str> {
    pairs.split(' ').filter_map(|pair| pair.split_once(':')).find(|(key, _)| *key == word).map(|(_, meant)| meant)
}

/// Returns the day or month that a misspelt word means: one typo away, or two for a long name.
fn misspelt(word: &str) -> Option<&'static str> {
    if let Some(meant) = meant(SPELLINGS, word) {
        return Some(meant);
    }
    let stem = word.trim_end_matches("'s").trim_end_matches('s');
    if word.len() < 5 || NAMES.split(' ').any(|name| name == word || name == stem) {
        return None;
    }
    let slips = |name: &str| if name.len() >= 8 { 2 } else { 1 };
    let alike = |name: &&str| {
        let near = name.as_bytes()[0] == word.as_bytes()[0] && name.len().abs_diff(word.len()) <= slips(name);
        near && strsim::osa_distance(name, word) <= slips(name)
    };
    NAMES.split(' ').find(alike)
}

/// Words next to numbers that are no date or time: ratios, scores, verses, parts, seasons and versions.
pub(super) const COUNTED: &str = include_str!("counted.txt").trim_ascii();

/// Returns true if the word is in the list.
pub(super) fn lists(list: &str, word: &str) -> bool {
    // Nearly all words are in no list. A substring search excludes them faster than comparisons.
    list.contains(word) && list.split(' ').any(|known| known == word)
}

/// Corrects misspellings and "2moro". Offsets still refer to the original text.
fn mended(tokens: Vec<Token>) -> Vec<Token> {
    let mut mended = Vec::with_capacity(tokens.len());
    let mut rest = tokens.into_iter().peekable();
    while let Some(mut token) = rest.next() {
        // A short word with a capital is rather a name: "call Frida".
        let named = token.capital && token.text.len() < 7;
        if let Some(word) = misspelt(&token.text).filter(|_| !named) {
            token.text = word.to_owned();
        }
        let spoken = rest.peek().filter(|next| token.text == "2" && next.glued);
        let spoken = spoken.and_then(|next| Some((meant(SPOKEN, &next.text)?, next.end)));
        if let Some((word, end)) = spoken {
            (token.text, token.end) = (word.to_owned(), end);
            rest.next();
        }
        mended.push(token);
    }
    mended
}

/// Splits `text` into tokens. An apostrophe between letters stays in its word ("tomorrow's" is not "tomorrow").
pub(super) fn cut(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = vec![];
    let mut chars = text.char_indices().peekable();
    while let Some((start, first)) = chars.next() {
        if first.is_whitespace() {
            continue;
        }
        let run = run_of(first);
        let mut end = start + first.len_utf8();
        while let Some(&(at, c)) = chars.peek() {
            let inner = run == Run::Letters
                && matches!(c, '\'' | '’')
                && text[at + c.len_utf8()..].starts_with(|next: char| next.is_alphabetic());
            if c.is_whitespace() || run == Run::Mark || !(run_of(c) == run || inner) {
                break;
            }
            end = at + c.len_utf8();
            chars.next();
        }
        tokens.push(Token {
            text: text[start..end].chars().map(narrow).collect::<String>().to_lowercase().replace('’', "'"),
            start,
            end,
            glued: tokens.last().is_some_and(|last| last.end == start),
            capital: first.is_uppercase(),
            loud: first.is_uppercase() && text[start..end].chars().skip(1).all(char::is_uppercase) && end - start > 1,
        });
    }
    mended(tokens)
}

/// Time and zone for interpreting a phrase.
#[derive(Debug, Clone)]
pub(super) struct Moment {
    pub now: Zoned,
    /// True if "from monday to friday" is a range of days, not a move from one day to another.
    pub ranges: bool,
    /// IANA name to store with due dates.
    pub zone: String,
}

impl Moment {
    /// Creates a moment. An unknown zone is read as UTC: a wrong hour is better than no answer, and settings reject such names.
    pub fn new(now: &Timestamp, zone: &str) -> Self {
        let (place, zone) = match TimeZone::get(zone) {
            Ok(place) => (place, zone),
            Err(_) => (TimeZone::UTC, "UTC"),
        };
        Self { now: now.to_jiff().to_zoned(place), ranges: true, zone: zone.to_owned() }
    }

    pub fn today(&self) -> Date {
        self.now.date()
    }

    /// Returns true if a time without "am" or "pm" is usually on a 24-hour clock.
    pub fn twenty_four(&self) -> bool {
        const TWELVE: &str = "America/ Australia/ Canada/ US/ NZ Pacific/Auckland Pacific/Honolulu Asia/Kolkata Asia/Calcutta \
            Asia/Manila Asia/Karachi Asia/Dhaka Asia/Singapore";
        !TWELVE.split(' ').any(|zone| self.zone.starts_with(zone))
    }
}

/// A view of the tokens. Every parser takes an index and returns the index after the parsed part.
#[derive(Clone, Copy)]
pub(super) struct Words<'a>(pub &'a [Token]);

impl<'a> Words<'a> {
    pub fn at(self, i: usize) -> &'a str {
        self.0.get(i).map_or("", |token| token.text.as_str())
    }

    /// Returns the index after `words` if they are at `i`.
    #[inline]
    pub fn phrase(self, i: usize, words: &str) -> Option<usize> {
        // Fast path: hundreds of phrases are tried at every word, and nearly all fail at their first letter.
        let first = self.0.get(i)?.text.as_bytes().first();
        if first == words.as_bytes().first() { self.stands(i, words.as_bytes()) } else { None }
    }

    fn stands(self, i: usize, words: &[u8]) -> Option<usize> {
        let mut at = i;
        // Compares bytes: words are too short for a substring search to pay off.
        for word in words.split(|byte| *byte == b' ') {
            if self.at(at).as_bytes() != word {
                return None;
            }
            at += 1;
        }
        Some(at)
    }

    /// Returns the index after the first of `phrases`, separated by bars, that is at `i`. Longer ones should come first.
    #[inline]
    pub fn any(self, i: usize, phrases: &str) -> Option<usize> {
        let (first, phrases) = (self.0.get(i)?.text.as_bytes().first(), phrases.as_bytes());
        let mut from = 0;
        while from < phrases.len() {
            let mut to = from;
            while to < phrases.len() && phrases[to] != b'|' {
                to += 1;
            }
            if first == phrases.get(from)
                && let Some(end) = self.stands(i, &phrases[from..to])
            {
                return Some(end);
            }
            from = to + 1;
        }
        None
    }

    /// Returns the index after a phrase if one is at `i`, otherwise `i`.
    pub fn skip(self, i: usize, phrases: &str) -> usize {
        self.any(i, phrases).unwrap_or(i)
    }

    /// Returns true if the token at `i` touches the one before it.
    pub fn glued(self, i: usize) -> bool {
        self.0.get(i).is_some_and(|token| token.glued)
    }

    /// Returns true if a phrase may begin at `i`: nothing word-like touches it from the left.
    pub fn may_begin(self, i: usize) -> bool {
        i == 0 || !self.glued(i) || !(self.0[i - 1].is_word() || "/@#_-.:&+$€£%".contains(self.at(i - 1)))
    }

    /// Returns true if a phrase may end before `i`: nothing word-like touches it from the right.
    pub fn may_end(self, i: usize) -> bool {
        let Some(next) = self.0.get(i) else { return true };
        if !next.glued {
            return true;
        }
        let joins = "/@_-.:&+%'’\u{2019}".contains(next.text.as_str())
            && self.0.get(i + 1).is_some_and(|after| after.glued && after.is_word());
        !next.is_word() && !joins
    }
}
