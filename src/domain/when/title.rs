//! Detection of titles of books, films and songs, which often contain date words: "Darkness at Noon". Titles are recognised by
//! capitals, since of all date words only weekdays, months and holidays have one otherwise.

use super::numbers::{month, weekday};
use super::sentence::feast;
use super::tokens::{Token, Words};

/// Maximum tokens of a title that are examined; the first words suffice for longer ones.
const REACH: usize = 16;

/// Words that titles write in lower case.
const SMALL: &[&str] = &[
    "a", "an", "the", "of", "and", "or", "nor", "but", "in", "on", "at", "to", "for", "with", "from", "by", "as", "is",
    "into", "when",
];

/// Words that begin titles but not notes to oneself.
const OPENERS: &[&str] = &[
    "a", "an", "the", "any", "every", "his", "her", "our", "their", "your", "all", "of", "under", "before", "after",
    "until", "from", "in", "on", "never", "if", "when", "once", "long", "last", "how", "what", "why", "who", "where",
    "i", "i'll", "i'm", "you", "you're", "we", "he", "she", "it", "it's", "they",
];

/// Words that have a capital in titles only, and are rare in notes to oneself.
const TELLING: &[&str] = &[
    "me", "you", "us", "him", "they", "we", "is", "are", "was", "were", "be", "not", "no", "never", "too", "so", "if",
    "there", "must",
];

/// Words that begin a note of something to do, even in title case: "Meet Anna at Noon". Excludes those that titles follow
/// ("watch", "read", "return").
const CHORES: &[&str] = &[
    "call", "ring", "phone", "text", "email", "message", "meet", "pay", "book", "pick", "send", "submit", "clean",
    "wash", "visit", "renew", "cancel", "schedule", "collect", "fix", "feed", "walk", "water", "drop", "attend",
    "prepare", "plan", "finish", "take", "buy", "get", "reply", "review", "remind",
];

/// A date phrase and the run of capitalised words around it.
struct Run<'a> {
    words: Words<'a>,
    /// Indexes of the phrase.
    start: usize,
    end: usize,
    /// Indexes of the run, including the phrase.
    from: usize,
    to: usize,
}

/// Returns true if the phrase from `start` to `end` is part of a title.
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

/// Verbs whose object is a titled work: "watch Freaky Friday".
const WORKS: &[&str] = &[
    "watch", "rewatch", "read", "reread", "learn", "sing", "play", "listen", "hear", "rehearse", "practise", "practice",
];

/// Returns the index after a title that follows such a verb and contains the phrase.
pub(super) fn work(words: Words, start: usize, end: usize) -> Option<usize> {
    let token = &words.0[start];
    let figures = token.digits().is_some();
    let verb = |i: usize| WORKS.contains(&words.at(i)) && (!words.0[i].capital || opens(words, i));
    let of = |i: usize| {
        i.checked_sub(1)
            .is_some_and(|at| verb(at) || matches!(words.at(at), "to" | "about" | "the") && at > 0 && verb(at - 1))
    };
    let named = |i: usize| {
        words.0[i].capital || words.0[i].digits().is_some() || words.at(i) == "," || SMALL.contains(&words.at(i))
    };
    let run = (start.saturating_sub(REACH)..start).rev().take_while(|i| named(*i) && !verb(*i)).last().unwrap_or(start);
    let right = start == run && of(start);
    let led =
        !token.capital && SMALL.contains(&token.text.as_str()) && !(token.text == "in" && words.0[start + 1].capital);
    let lower = (start..end).any(|i| {
        let token = &words.0[i];
        token.text.starts_with(char::is_alphabetic)
            && !token.glued
            && !token.capital
            && !SMALL.contains(&token.text.as_str())
    });
    let inside = !right && of(run) && words.0[run].capital && !led && !lower && !figures;
    let whole = right && (token.capital || figures && !lower);
    (whole || inside).then_some(if whole { end } else { start + 1 })
}

/// Returns true if the token at `i` is a date word that has no capital outside titles.
fn common(words: Words, i: usize) -> bool {
    let text = words.at(i);
    let lead = matches!(text, "next" | "this" | "every" | "each" | "due" | "st" | "nd" | "rd" | "th");
    let feast = feast(text) || matches!(text, "day" | "eve") && i > 0 && feast(words.at(i - 1));
    let named = feast || weekday(text).is_some() || month(text).is_some();
    text.starts_with(char::is_alphabetic) && !(lead || named || SMALL.contains(&text))
}

/// Returns true if a phrase has numbers in a format that only dates use: "5pm", "17:00", "2026-03-11".
fn exact(words: Words, start: usize, end: usize) -> bool {
    (start..end).any(|i| {
        let figure = words.0[i].digits().is_some();
        let half = matches!(words.at(i + 1), "am" | "pm") && i + 1 < end;
        let joined = matches!(words.at(i + 1), ":" | "/" | "-" | ".") && words.glued(i + 1) && words.glued(i + 2);
        figure && (half || joined && i + 2 < end)
    })
}

/// Returns true if a sentence begins at `i`, so that its capital is not significant.
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

    /// Returns true for a note of something to do: "Meet Anna at Noon".
    fn chore(&self) -> bool {
        self.from < self.start && CHORES.contains(&self.words.at(self.from)) && opens(self.words, self.from)
    }

    /// Returns true if a word is capitalised as only in titles: "See You Tomorrow".
    fn tells(&self) -> bool {
        let told = |i: usize| {
            let token = &self.words.0[i];
            token.capital && !token.loud && !opens(self.words, i) && TELLING.contains(&token.text.as_str())
        };
        (self.from..self.to).any(told) && self.words.at(self.from) != "remind"
    }

    /// Returns true if the phrase has a capital that only titles use.
    fn spoken_for(&self) -> bool {
        let capital = |i: usize| {
            let token = &self.words.0[i];
            token.capital && !token.loud && common(self.words, i) && !opens(self.words, i)
        };
        (self.start..self.end).any(capital) && !self.closing_day()
    }

    /// Returns true for notes in title case that end with a day: "Buy Birthday Cake Tomorrow", "Standup Monday Morning".
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

    /// Returns true if the phrase begins a longer title: "Tomorrow Never Dies", "Tuesdays with Morrie".
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

    /// Returns true if the phrase ends a title that began like one: "Any Given Sunday".
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
