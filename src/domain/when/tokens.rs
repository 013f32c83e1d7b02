//! Text cut into the words, numbers and marks of which dates are made.

use jiff::tz::TimeZone;
use jiff::{Zoned, civil::Date};

use crate::domain::time::Timestamp;

/// A run of letters, a run of digits, or one mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    /// Lower case, typographic apostrophes made plain.
    pub text: String,
    /// Byte offsets in the text that was cut.
    pub start: usize,
    pub end: usize,
    /// Whether it touches the token before it.
    pub glued: bool,
    /// Whether it began with a capital: names are no dates.
    pub capital: bool,
    /// Whether all of it is in capitals, which is how some write everything.
    pub loud: bool,
}

impl Token {
    /// The number that a run of digits spells.
    pub fn digits(&self) -> Option<i64> {
        (self.text.len() <= 6 && self.text.bytes().all(|b| b.is_ascii_digit()))
            .then(|| self.text.parse().ok())
            .flatten()
    }

    /// Whether it is letters or digits, so that nothing of the like may touch it.
    pub fn is_word(&self) -> bool {
        self.text.starts_with(|c: char| c.is_alphanumeric())
    }
}

/// What kind of run a character continues.
#[derive(PartialEq, Eq, Clone, Copy)]
enum Run {
    Letters,
    Digits,
    Mark,
}

fn run_of(c: char) -> Run {
    if c.is_ascii_digit() {
        Run::Digits
    } else if c.is_alphanumeric() {
        Run::Letters
    } else {
        Run::Mark
    }
}

/// Slips of the finger in the names of days, and what was meant. None of them is a word of its own.
const SLIPS: [(&str, &str); 42] = [
    ("saterday", "saturday"),
    ("saturaday", "saturday"),
    ("satuday", "saturday"),
    ("saturdy", "saturday"),
    ("sturday", "saturday"),
    ("wensday", "wednesday"),
    ("wendsday", "wednesday"),
    ("wendesday", "wednesday"),
    ("wednsday", "wednesday"),
    ("wedensday", "wednesday"),
    ("wednesay", "wednesday"),
    ("wednesdy", "wednesday"),
    ("thrusday", "thursday"),
    ("thurday", "thursday"),
    ("thirsday", "thursday"),
    ("thursdy", "thursday"),
    ("tusday", "tuesday"),
    ("teusday", "tuesday"),
    ("tuseday", "tuesday"),
    ("tuesdy", "tuesday"),
    ("firday", "friday"),
    ("frday", "friday"),
    ("fridy", "friday"),
    ("friady", "friday"),
    ("mondy", "monday"),
    ("mnoday", "monday"),
    ("moday", "monday"),
    ("sundy", "sunday"),
    ("snuday", "sunday"),
    ("sudnay", "sunday"),
    ("tomorow", "tomorrow"),
    ("tommorow", "tomorrow"),
    ("tommorrow", "tomorrow"),
    ("tomorrrow", "tomorrow"),
    ("tommorw", "tomorrow"),
    ("tomoz", "tomorrow"),
    ("tmoro", "tomorrow"),
    ("tmrow", "tomorrow"),
    ("tonite", "tonight"),
    ("tonihgt", "tonight"),
    ("febuary", "february"),
    ("decemeber", "december"),
];

/// What stands behind a 2 that is spoken: "2moro", "2nite".
const SPOKEN: [(&str, &str); 6] = [
    ("moro", "tomorrow"),
    ("morow", "tomorrow"),
    ("morrow", "tomorrow"),
    ("mrw", "tomorrow"),
    ("nite", "tonight"),
    ("day", "today"),
];

/// Undoes slips and "2moro", with the letters where they stand in the text.
fn mended(tokens: Vec<Token>) -> Vec<Token> {
    let meant = |known: &[(&str, &'static str)], word: &str| {
        known.iter().find(|(slip, _)| *slip == word).map(|(_, meant)| (*meant).to_owned())
    };
    let mut mended = Vec::with_capacity(tokens.len());
    let mut rest = tokens.into_iter().peekable();
    while let Some(mut token) = rest.next() {
        if let Some(word) = meant(&SLIPS, &token.text) {
            token.text = word;
        }
        let spoken = rest.peek().filter(|next| token.text == "2" && next.glued);
        if let Some((word, end)) = spoken.and_then(|next| Some((meant(&SPOKEN, &next.text)?, next.end))) {
            (token.text, token.end) = (word, end);
            rest.next();
        }
        mended.push(token);
    }
    mended
}

/// Cuts `text` into tokens. An apostrophe between letters stays in its word ("tomorrow's" is not "tomorrow").
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
            text: text[start..end].to_lowercase().replace('’', "'"),
            start,
            end,
            glued: tokens.last().is_some_and(|last| last.end == start),
            capital: first.is_uppercase(),
            loud: first.is_uppercase() && text[start..end].chars().skip(1).all(char::is_uppercase) && end - start > 1,
        });
    }
    mended(tokens)
}

/// The moment and place from which a phrase is read.
#[derive(Debug, Clone)]
pub(super) struct Moment {
    pub now: Zoned,
    /// The IANA name that dues are stored with.
    pub zone: String,
}

impl Moment {
    /// An unknown zone reads as UTC: a wrong hour is better than no answer, and settings refuse such names.
    pub fn new(now: &Timestamp, zone: &str) -> Self {
        let (place, zone) = match TimeZone::get(zone) {
            Ok(place) => (place, zone),
            Err(_) => (TimeZone::UTC, "UTC"),
        };
        Self { now: now.to_jiff().to_zoned(place), zone: zone.to_owned() }
    }

    pub fn today(&self) -> Date {
        self.now.date()
    }
}

/// A view of tokens from which pieces are read; every reader takes an index and gives the index after what it read.
#[derive(Clone, Copy)]
pub(super) struct Words<'a>(pub &'a [Token]);

impl<'a> Words<'a> {
    pub fn at(self, i: usize) -> &'a str {
        self.0.get(i).map_or("", |token| token.text.as_str())
    }

    /// Whether `words` stand one after another from `i`; gives the index after them.
    #[inline]
    pub fn phrase(self, i: usize, words: &str) -> Option<usize> {
        // Hundreds of phrases are tried at every word, and nearly all of them fail at their first letter.
        let first = self.0.get(i)?.text.as_bytes().first();
        if first == words.as_bytes().first() { self.stands(i, words) } else { None }
    }

    fn stands(self, i: usize, words: &str) -> Option<usize> {
        let mut at = i;
        // By bytes, since words are short: a search made for long texts costs more than the comparison.
        for word in words.as_bytes().split(|byte| *byte == b' ') {
            if self.at(at).as_bytes() != word {
                return None;
            }
            at += 1;
        }
        Some(at)
    }

    /// The first of `phrases` that stands at `i`; longer ones should come first.
    #[inline]
    pub fn any(self, i: usize, phrases: &[&str]) -> Option<usize> {
        phrases.iter().find_map(|phrase| self.phrase(i, phrase))
    }

    /// The index after a phrase if one stands at `i`, else `i`.
    pub fn skip(self, i: usize, phrases: &[&str]) -> usize {
        self.any(i, phrases).unwrap_or(i)
    }

    /// Whether the token at `i` touches the one before it.
    pub fn glued(self, i: usize) -> bool {
        self.0.get(i).is_some_and(|token| token.glued)
    }

    /// Whether a phrase may begin at `i`: nothing word-like touches it from the left.
    pub fn may_begin(self, i: usize) -> bool {
        i == 0 || !self.glued(i) || !(self.0[i - 1].is_word() || "/@#_-.:&+$€£%".contains(self.at(i - 1)))
    }

    /// Whether a phrase may end before `i`: nothing word-like touches it from the right.
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
