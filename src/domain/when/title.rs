//! Names of books, films and songs, which are full of words that look like dates: "Darkness at Noon". They are known
//! by their capitals, since of the words that make dates only weekdays, months and holidays have one by themselves.

use super::numbers::{month, weekday};
use super::sentence::feast;
use super::tokens::{Token, Words};

/// How far a name is followed: longer ones are told by their first words.
const REACH: usize = 16;

/// Words that a name writes small.
const SMALL: &[&str] = &[
    "a", "an", "the", "of", "and", "or", "nor", "but", "in", "on", "at", "to", "for", "with", "from", "by", "as", "is",
    "into", "when",
];

/// Words with which names begin and people's notes to themselves do not.
const OPENERS: &[&str] = &[
    "a", "an", "the", "any", "every", "his", "her", "our", "their", "your", "all", "of", "under", "before", "after",
    "until", "from", "in", "on", "never", "if", "when", "once", "long", "last", "how", "what", "why", "who", "where",
    "i", "i'll", "i'm", "you", "you're", "we", "he", "she", "it", "it's", "they",
];

/// Words that have a capital in a name only; notes to oneself that like capitals seldom hold one.
const TELLING: &[&str] = &[
    "me", "you", "us", "him", "they", "we", "is", "are", "was", "were", "be", "not", "no", "never", "too", "so", "if",
    "there", "must",
];

/// Words with which a note of something to do begins, even with capitals everywhere: "Meet Anna at Noon". Those that
/// names follow ("watch", "read", "return") are not among them.
const CHORES: &[&str] = &[
    "call", "ring", "phone", "text", "email", "message", "meet", "pay", "book", "pick", "send", "submit", "clean",
    "wash", "visit", "renew", "cancel", "schedule", "collect", "fix", "feed", "walk", "water", "drop", "attend",
    "prepare", "plan", "finish", "take", "buy", "get", "reply", "review", "remind",
];

/// A date phrase and the run of capitals in which it stands.
struct Run<'a> {
    words: Words<'a>,
    /// The phrase.
    start: usize,
    end: usize,
    /// The run, the phrase included.
    from: usize,
    to: usize,
}

/// Whether the phrase from `start` to `end` is a part of a name rather than a date.
pub(super) fn in_name(words: Words, start: usize, end: usize) -> bool {
    let plain = |i: usize| {
        let token = &words.0[i];
        let letters = token.text.starts_with(char::is_alphabetic) && !token.glued;
        letters && !token.capital && !SMALL.contains(&token.text.as_str())
    };
    if (start..end).any(plain) || exact(words, start, end) {
        return false;
    }
    let run = Run::around(words, start, end);
    run.tells() || !run.chore() && (run.spoken_for() || run.begins() || run.ends())
}

/// Whether the token at `i` is one of the words of which dates are made that have no capital by themselves.
fn common(words: Words, i: usize) -> bool {
    let text = words.at(i);
    let lead = matches!(text, "next" | "this" | "every" | "each" | "due" | "st" | "nd" | "rd" | "th");
    let feast = feast(text) || matches!(text, "day" | "eve") && i > 0 && feast(words.at(i - 1));
    let named = feast || weekday(text).is_some() || month(text).is_some();
    text.starts_with(char::is_alphabetic) && !(lead || named || SMALL.contains(&text))
}

/// Whether a phrase is written with figures that only dates have: "5pm", "17:00", "2026-03-11".
fn exact(words: Words, start: usize, end: usize) -> bool {
    (start..end).any(|i| {
        let figure = words.0[i].digits().is_some();
        let half = matches!(words.at(i + 1), "am" | "pm") && i + 1 < end;
        let joined = matches!(words.at(i + 1), ":" | "/" | "-" | ".") && words.glued(i + 1) && words.glued(i + 2);
        figure && (half || joined && i + 2 < end)
    })
}

/// Whether a sentence begins at `i`, so that its capital says nothing.
fn opens(words: Words, i: usize) -> bool {
    i == 0 || !words.0[i - 1].is_word() && !matches!(words.at(i - 1), "," | "&" | "'" | "’" | "-")
}

impl<'a> Run<'a> {
    fn around(words: Words<'a>, start: usize, end: usize) -> Self {
        let belongs = |token: &Token| {
            let digits = token.text.starts_with(|c: char| c.is_ascii_digit());
            token.capital || digits || SMALL.contains(&token.text.as_str()) || matches!(token.text.as_str(), "," | "&")
        };
        let back = words.0[..start].iter().rev().take(REACH).take_while(|token| belongs(token)).count();
        let ahead = words.0[end..].iter().take(REACH).take_while(|token| belongs(token)).count();
        let capital = |token: &&Token| token.capital || token.digits().is_some();
        let small = words.0[start - back..start].iter().take_while(|token| !capital(token)).count();
        Self { words, start, end, from: start - back + small, to: end + ahead }
    }

    /// A note of something to do: "Meet Anna at Noon".
    fn chore(&self) -> bool {
        self.from < self.start && CHORES.contains(&self.words.at(self.from)) && opens(self.words, self.from)
    }

    /// Capitals as only names have them: "See You Tomorrow".
    fn tells(&self) -> bool {
        let told = |i: usize| {
            let token = &self.words.0[i];
            token.capital && !token.loud && !opens(self.words, i) && TELLING.contains(&token.text.as_str())
        };
        (self.from..self.to).any(told) && self.words.at(self.from) != "remind"
    }

    /// A capital where nothing but a name has one.
    fn spoken_for(&self) -> bool {
        let capital = |i: usize| {
            let token = &self.words.0[i];
            token.capital && !token.loud && common(self.words, i) && !opens(self.words, i)
        };
        (self.start..self.end).any(capital) && !self.closing_day()
    }

    /// "Buy Birthday Cake Tomorrow", "Standup Monday Morning": people who like capitals end their notes so.
    fn closing_day(&self) -> bool {
        let day = |word: &str| {
            matches!(word, "tomorrow" | "today" | "tonight" | "next" | "this" | "every") || weekday(word).is_some()
        };
        let before = self.start.checked_sub(1).map_or("", |i| self.words.at(i));
        self.start > self.from
            && self.end == self.to
            && day(self.words.at(self.start))
            && !day(self.words.at(self.from))
            && !SMALL.contains(&before)
            && !OPENERS.contains(&self.words.at(self.from))
    }

    /// The phrase begins a name that goes on: "Tomorrow Never Dies", "Tuesdays with Morrie".
    fn begins(&self) -> bool {
        if self.start != self.from || !opens(self.words, self.start) {
            return false;
        }
        let after: Vec<&Token> = self.words.0[self.end..self.to].iter().filter(|token| token.is_word()).collect();
        let [next, ..] = after.as_slice() else { return false };
        let whole = self.words.0.get(self.to).is_none_or(|token| !token.is_word());
        // From one day to another: "Monday Begins on Saturday".
        let again =
            after.len() > 1 && weekday(self.words.at(self.to - 1)).is_some() && self.words.0[self.to - 1].capital;
        let small = SMALL.contains(&next.text.as_str());
        let wordy = (self.start..self.end).any(|i| common(self.words, i)) && after.len() > 1;
        whole && !CHORES.contains(&next.text.as_str()) && (small || wordy || again)
            || self.words.at(self.start) == "the" && next.capital
    }

    /// The phrase ends a name that began like one: "Any Given Sunday".
    fn ends(&self) -> bool {
        let opener = self.from < self.start && OPENERS.contains(&self.words.at(self.from));
        let others = self.words.0[self.from..self.start].iter().filter(|token| token.is_word()).count();
        let bare = !matches!(self.words.at(self.start), "on" | "by" | "at" | "due" | "next" | "this");
        // "Sun" is a word too.
        let article =
            self.words.0[self.from..self.start].iter().any(|token| matches!(token.text.as_str(), "the" | "a"));
        let short = self.end == self.start + 1 && self.words.at(self.start).len() == 3 && article;
        let again = others > 1 && weekday(self.words.at(self.from)).is_some() && opens(self.words, self.from);
        ((opener && others > 1 || short) && bare || again) && self.end == self.to
    }
}
