//! Date phrases inside a sentence, where caution matters more than reach: titles are full of words that look like
//! dates.

use super::numbers::{cardinal, month, ordinal, plural_weekday, weekday};
use super::phrase::phrase;
use super::rule::Rule;
use super::title::in_name;
use super::tokens::{Moment, Token, Words, cut};
use super::{Stretch, Walk, When};
use crate::domain::time::Timestamp;

/// A date phrase in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Byte offsets, the preposition ("by", "on", "at") included.
    pub span: Stretch,
    pub when: When,
}

/// Every date phrase of `text`, in order and without overlap. Quoted text, addresses and links are never read.
pub fn find(text: &str, now: &Timestamp, zone: &str) -> Vec<Found> {
    let moment = Moment::new(now, zone);
    let mut literal = literals(text);
    let mut literal = Walk::along(&mut literal);
    let tokens = cut(text);
    let words = Words(&tokens);
    let mut found = vec![];
    let mut i = 0;
    while i < tokens.len() {
        let start = tokens[i].start;
        if let Some(inside) = literal.meets(&(start..start + 1)) {
            while i < tokens.len() && tokens[i].start < inside.end {
                i += 1;
            }
            continue;
        }
        // Phrases are short: a window keeps long texts linear.
        let window = Words(&tokens[..tokens.len().min(i + 24)]);
        let hit = words.may_begin(i).then(|| phrase(window, i, &moment)).flatten();
        let hit = hit.filter(|(end, _)| words.may_end(*end) && plausible(words, i, *end) && !in_name(words, i, *end));
        let Some((end, meaning)) = hit else {
            i += 1;
            continue;
        };
        if let Some(due) = meaning.due(&moment) {
            let recurrence = meaning.rule.as_ref().map(Rule::to_string);
            found.push(Found { span: start..tokens[end - 1].end, when: When { due, recurrence } });
        }
        i = end;
    }
    found
}

/// Stretches that are never read: quoted text, e-mail addresses, links.
fn literals(text: &str) -> Vec<Stretch> {
    let mut stretches = vec![];
    let mut open: Option<(usize, char)> = None;
    for (at, c) in text.char_indices() {
        match (open, c) {
            (None, '"') => open = Some((at, '"')),
            (None, '“') => open = Some((at, '”')),
            (Some((start, close)), c) if c == close => {
                stretches.push(start..at + c.len_utf8());
                open = None;
            }
            _ => {}
        }
    }
    let mut at = 0;
    for chunk in text.split_inclusive(char::is_whitespace) {
        let mail = chunk.find('@').is_some_and(|place| place > 0) && chunk.contains('.');
        if mail || chunk.contains("://") || chunk.starts_with("www.") {
            stretches.push(at..at + chunk.trim_end().len());
        }
        at += chunk.len();
    }
    stretches
}

/// Where a phrase stands in its sentence.
struct Place<'a> {
    words: Words<'a>,
    start: usize,
    end: usize,
    /// It begins with a preposition, or a word such as "next", that leads dates.
    led: bool,
    first: bool,
    last: bool,
    /// Its words without marks.
    content: Vec<&'a Token>,
}

/// Whether a phrase that could be a date is one in its sentence: short or common words need a preposition or an edge.
fn plausible(words: Words, start: usize, end: usize) -> bool {
    let tokens = words.0;
    let leads = ["by", "on", "due", "before", "this", "next", "every", "each", "until", "till", "in", "at"];
    let place = Place {
        words,
        start,
        end,
        led: leads.contains(&words.at(start)),
        first: tokens[..start].iter().all(|token| !token.is_word()),
        last: tokens[end..].iter().all(|token| !token.is_word()),
        content: tokens[start..end].iter().filter(|token| token.is_word()).collect(),
    };
    if place.bound() || place.owns() || place.train() || place.hours() || place.person() {
        return false;
    }
    if place.spelled() {
        return matches!(words.at(start), "by" | "on" | "before" | "until" | "till" | "due")
            && !tokens.get(end).is_some_and(Token::is_word);
    }
    match place.content.as_slice() {
        [_] => place.single(),
        [first, ..] if feast(&first.text) && !place.last => false,
        [.., suffix] if place.ordinal(&suffix.text) => {
            let followed = tokens.get(end).is_some_and(Token::is_word);
            place.led && !followed || place.last && place.content.len() == 2
        }
        [first, second] => place.pair(first, second),
        _ => true,
    }
}

/// First words of holidays, which are as often part of a title: "mother's day gift".
pub(super) fn feast(word: &str) -> bool {
    "christmas xmas boxing valentine's valentines mother's mothers father's fathers labor labour memorial thanksgiving \
     halloween easter black cyber good pancake shrove bonfire new"
        .split_whitespace()
        .any(|known| known == word)
}

impl Place<'_> {
    /// "3:10 to Yuma": a time that names a train.
    fn train(&self) -> bool {
        let time = !self.content.is_empty() && self.content.iter().all(|token| token.digits().is_some());
        self.first && time && self.words.at(self.end - 2) == ":" && matches!(self.words.at(self.end), "to" | "from")
    }

    /// "fetch tom at five", "Tom on friday": somebody, whom a verb has for its object, or a capital names.
    fn person(&self) -> bool {
        const VERBS: &[&str] = &[
            "collect",
            "fetch",
            "meet",
            "ring",
            "call",
            "phone",
            "text",
            "email",
            "message",
            "visit",
            "see",
            "ask",
            "tell",
            "thank",
            "help",
            "pay",
            "invite",
            "remind",
            "chase",
            "drive",
            "drop",
            "walk",
            "bath",
            "feed",
            "wake",
            "take",
            "babysit",
            "mind",
            "kiss",
            "hug",
            "marry",
            "interview",
            "congratulate",
            "join",
            "with",
        ];
        if !matches!(self.words.at(self.start), "tom" | "tod") || self.content.len() < 2 {
            return false;
        }
        let Some(before) = self.start.checked_sub(1) else { return false };
        let word = self.words.at(before);
        let verb = before.checked_sub(1).map_or("", |at| self.words.at(at));
        let phrasal =
            matches!(word, "up" | "off" | "over") && matches!(verb, "pick" | "drop" | "ring" | "wake" | "have");
        phrasal || VERBS.contains(&word) || self.words.0[self.start].capital
    }

    /// "before saturdays match": a day without its apostrophe that what follows belongs to, where "for saturdays" is each.
    fn owns(&self) -> bool {
        const GOES_ON: &[&str] = &[
            "at",
            "on",
            "in",
            "by",
            "from",
            "until",
            "till",
            "to",
            "and",
            "or",
            "but",
            "for",
            "with",
            "as",
            "please",
            "then",
            "so",
            "if",
            "when",
            "because",
            "this",
            "next",
            "starting",
            "only",
            "too",
            "also",
            "thanks",
            "every",
            "each",
            "around",
            "about",
            "before",
            "after",
            "i",
            "we",
            "it",
            "its",
            "morning",
            "mornings",
            "evening",
            "evenings",
            "afternoon",
            "afternoons",
            "night",
            "nights",
            "noon",
            "though",
            "instead",
            "now",
            "again",
            "weekly",
            "high",
            "low",
            "due",
            "is",
            "are",
        ];
        let one = plural_weekday(self.words.at(self.end - 1));
        if !one || self.content.len() > 2 {
            return false;
        }
        let lead = if self.content.len() == 2 { Some(self.start) } else { self.start.checked_sub(1) };
        let led =
            lead.is_some_and(|at| matches!(self.words.at(at), "before" | "after" | "for" | "until" | "till" | "by"));
        let next = self.words.at(self.end);
        led && next.starts_with(char::is_alphabetic) && !GOES_ON.contains(&next)
    }

    /// "nine on sunday", which a sentence may begin with, while "read chapter nine on sunday" names a chapter.
    fn hours(&self) -> bool {
        let number = cardinal(self.words, self.start).filter(|(at, _)| self.words.at(*at) == "on");
        number.is_some() && !self.first && self.start.checked_sub(1).is_none_or(|at| self.words.at(at) != "come")
    }

    /// "the twenty-first", which "the twenty-first birthday" holds too.
    fn spelled(&self) -> bool {
        let the = self.start + usize::from(self.words.at(self.start) != "the");
        let spelled = self.words.at(the + 1).starts_with(char::is_alphabetic);
        self.words.at(the) == "the" && spelled && ordinal(self.words, the + 1).is_some_and(|(end, _)| end == self.end)
    }

    /// The word before it holds it: "never on Sunday", "edge of tomorrow", "in the sun", "parents' evening", "black
    /// Sunday".
    fn bound(&self) -> bool {
        let Some(before) = self.start.checked_sub(1) else { return false };
        let word = self.words.at(before);
        let core = self.words.at(self.end - 1);
        let begins = self.words.at(self.start);
        let coloured = self.words.0[..before].iter().all(|token| !token.is_word()) && self.last && colour(word);
        let owner = matches!(word, "'" | "’") && self.words.glued(before) || word.ends_with("'s");
        let part = matches!(begins, "morning" | "evening" | "afternoon" | "arvo" | "night" | "eve");
        // "movie night on friday" is a night of some kind.
        let kind =
            part && word.starts_with(char::is_alphabetic) && matches!(self.words.at(self.start + 1), "on" | "at");
        let named = matches!(word, "good" | "black" | "easter" | "shrove" | "cyber" | "ash" | "palm" | "super");
        let some = matches!(word, "a" | "an" | "one" | "any" | "some" | "certain" | "given" | "another")
            || cardinal(self.words, before).is_some() && plural_weekday(core);
        // With its preposition it was read before, and was none.
        let led = matches!(word, "from" | "at" | "on" | "by" | "before" | "until" | "till");
        let held = matches!(word, "of" | "or" | "never" | "no" | "not") || word == "after" && feast(begins);
        held || led
            || coloured
            || weekday(begins).is_some() && (named || some)
            || owner && part
            || kind
            || matches!(core, "sun" | "mon" | "sat") && (word == "the" || self.words.at(self.end - 2) == "the")
    }

    /// "5th" or "the 5th", which "The 5th Wave" holds too.
    fn ordinal(&self, suffix: &str) -> bool {
        let bare = self.content.len() == 2 || self.content.len() == 3 && self.content[0].text == "the";
        bare && matches!(suffix, "st" | "nd" | "rd" | "th")
    }

    /// One word alone.
    fn single(&self) -> bool {
        let tokens = self.words.0;
        let core = self.words.at(self.end - 1);
        let name = tokens[self.end - 1].capital && !self.first;
        let goes_on = tokens.get(self.end).is_some_and(|next| next.capital && !next.glued);
        if name && goes_on && !self.led {
            return false;
        }
        match core {
            "tom" | "tod" | "tmw" => self.last && !name && !after_person(self.words, self.start),
            "sat" | "sun" | "mon" | "wed" | "thu" | "tue" | "fri" | "noon" | "midnight" | "weekend" => self.last,
            "now" | "eve" | "evening" | "morning" | "afternoon" | "arvo" | "night" | "nights" | "lunchtime"
            | "teatime" | "evenings" | "mornings" | "afternoons" | "eod" | "cob" => core == "eod" && self.last,
            "christmas" | "xmas" | "halloween" | "easter" | "thanksgiving" | "daily" | "weekly" | "monthly"
            | "yearly" | "quarterly" | "nightly" | "annually" | "fortnightly" | "biweekly" | "everyday" => self.last,
            _ if core.starts_with(|c: char| c.is_ascii_digit()) => self.last || self.first,
            _ => true,
        }
    }

    /// Two words, of which the first is often a preposition.
    fn pair(&self, first: &Token, second: &Token) -> bool {
        let part = matches!(second.text.as_str(), "now" | "night" | "evening" | "morning" | "afternoon");
        match first.text.as_str() {
            "every" => true,
            "this" | "tomorrow" if part => true,
            other if part => weekday(other).is_some(),
            "at" if second.digits().is_some() => bare_hour(self.words, self.end, self.last),
            "for" | "from" | "about" | "around" if month(&second.text).is_some() => false,
            "from" | "about" => self.last,
            "by" | "before" if second.digits().is_some() => self.last,
            _ => true,
        }
    }
}

/// Colours, of which nobody makes a task.
fn colour(word: &str) -> bool {
    matches!(
        word,
        "black"
            | "white"
            | "blue"
            | "red"
            | "green"
            | "yellow"
            | "purple"
            | "pink"
            | "grey"
            | "gray"
            | "golden"
            | "orange"
    )
}

/// "at 5": only where no noun follows the number ("at 5 Elm Street").
fn bare_hour(words: Words, end: usize, last: bool) -> bool {
    last || matches!(words.at(end), "to" | "," | "for" | "with" | "and" | ";")
}

/// "with tom", "call tom": a person, not the day after.
fn after_person(words: Words, start: usize) -> bool {
    start == 0
        || matches!(
            words.at(start - 1),
            "with"
                | "for"
                | "to"
                | "call"
                | "ask"
                | "tell"
                | "from"
                | "and"
                | "email"
                | "text"
                | "meet"
                | "see"
                | "ring"
                | "phone"
                | "message"
                | "thank"
                | "help"
                | "visit"
        )
}
