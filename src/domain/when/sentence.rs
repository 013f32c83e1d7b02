//! Date phrases inside a sentence. Precision matters more than recall: titles are full of words that look like dates.

use super::When;
use super::clock::clock;
use super::numbers::{cardinal, month, month_at, ordinal, plural_weekday, weekday};
use super::phrase::{LONGEST, Meaning, phrase};
use super::title::{in_name, work};
use super::tokens::{COUNTED, Moment, Token, Words, cut, lists};
use super::unread::{Read, Unread};
use super::whole::whole;
use crate::domain::excision::{Stretch, Walk, literals};
use crate::domain::task::Due;
use crate::domain::time::Timestamp;

/// A date phrase in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Byte offsets, including the preposition ("by", "on", "at").
    pub span: Stretch,
    pub when: When,
}

/// Returns all date phrases of `text`, in order and without overlap. Skips quoted text, addresses and links.
pub fn find(text: &str, now: &Timestamp, zone: &str) -> Vec<Found> {
    dates(text, &Moment { ranges: false, ..Moment::new(now, zone) }).0
}

/// Returns the date phrases of a text, and true if one with words was not fully understood.
pub(super) fn dates(text: &str, moment: &Moment) -> (Vec<Found>, bool) {
    let mut literal = literals(text);
    let mut literal = Walk::along(&mut literal);
    let tokens = cut(text);
    let words = Words(&tokens);
    let (mut found, mut broken) = (vec![], false);
    let (mut reads, mut free) = (vec![], vec![true; tokens.len()]);
    let mut i = 0;
    while i < tokens.len() {
        let start = tokens[i].start;
        if let Some(inside) = literal.meets(&(start..start + 1)) {
            while i < tokens.len() && tokens[i].start < inside.end {
                free[i] = false;
                i += 1;
            }
            continue;
        }
        let window = Words(&tokens[..tokens.len().min(i + LONGEST)]);
        let hit = words.may_begin(i).then(|| phrase(window, i, moment)).flatten();
        if let Some(next) = hit.as_ref().and_then(|(end, _)| work(words, i, *end)) {
            i = next;
            continue;
        }
        let Some((end, meaning)) = hit.and_then(|(end, meaning)| candidate(words, i, end, meaning)) else {
            i += 1;
            continue;
        };
        let when = meaning.when(moment);
        // "set the alarm to 6:30"
        let last = tokens[end..].iter().all(|token| !token.is_word());
        let to = moment.ranges && i > 1 && words.at(i - 1) == "to";
        let lead = moment.ranges && i > 1 && words.at(i - 1) == "deadline";
        if to && tokens[i].digits().is_some() && clock(window, i, false).is_some_and(|(after, _)| after == end)
            || moment.ranges && when.as_ref().is_some_and(|when| attributive(words, i, end, when))
        {
            i = end;
            continue;
        }
        match when {
            Some(when) if whole(words, i, end, &when, moment) => {
                // "move the class to tuesday"
                let from = if (to || lead) && last { tokens[i - 1].start } else { start };
                reads.push(Read::new(i, end, &meaning, &when));
                free[i..end].fill(false);
                found.push(Found { span: from..tokens[end - 1].end, when });
            }
            // Numbers alone may mean anything, unless they are a date.
            when => {
                let worded = tokens[i..end].iter().any(|token| token.text.starts_with(char::is_alphabetic));
                broken |= worded || when.is_some() && meaning.day.is_some();
            }
        }
        i = end;
    }
    let unread = Unread { words, reads: &reads, free: &free, today: moment.today() };
    broken |= moment.ranges && unread.any();
    if unread.day(false) {
        found.clear();
    }
    (found, broken)
}

/// Returns a phrase that may be a date in its sentence.
fn candidate(words: Words, start: usize, end: usize, meaning: Meaning) -> Option<(usize, Meaning)> {
    // Abbreviations are words too: "Half of a Yellow Sun tomorrow".
    let short = matches!(words.at(start), "sun" | "sat" | "mon" | "tom" | "may" | "march");
    let flawless = meaning.flaw.is_none() || !short;
    let fits = words.may_end(end) && plausible(words, start, end) && !in_name(words, start, end);
    (flawless && fits).then(|| (end, meaning.at_night(words, start, end)))
}

/// Words that may follow a date in a sentence and are not nouns.
const GOES_ON: &str = "to for with and at in on by from or then until till please so if when because this next starting only too also any all first sometime whenever \
    thanks every each around about before after i we it he she they its but as though instead now again weekly high low due is are \
    was morning mornings evening evenings afternoon afternoons night nights noon via per the my our a an re not without latest";

/// Returns true for a word that may follow a date and is no noun.
pub(super) fn goes_on(word: &str) -> bool {
    lists(GOES_ON, word)
}

/// Returns true if a noun follows at `i`, which the word before it modifies: "sunday roast".
fn noun(words: Words, i: usize) -> bool {
    words
        .0
        .get(i)
        .is_some_and(|next| next.text.starts_with(char::is_alphabetic) && !next.glued && !lists(GOES_ON, &next.text))
}

/// Returns true for a day or a time within a line, without a preposition, that modifies the noun after it: "buy sunday roast". A
/// day with a time, or relative to today, is a date.
fn attributive(words: Words, start: usize, end: usize, when: &When) -> bool {
    const LEADS: &str =
        "by on due before until till in at every each from between after around approx during over starting deadline";
    let tokens = &words.0[start..end];
    let first = words.0[..start].iter().all(|token| !token.is_word());
    let near = |token: &Token| lists("today tomorrow tonight tom tmrw tmr tod", &token.text) && !token.capital;
    let day = |token: &Token| weekday(&token.text).is_some() || month(&token.text).is_some();
    let timed = matches!(when.due, Due::At { .. });
    let is_led = first || lists(LEADS, &tokens[0].text);
    let is_date = when.recurrence.is_some() || tokens.iter().any(near) || timed && tokens.iter().any(day);
    // "finish the Tuesday 3pm slides"
    let article = |word: &str| lists("the my our your his her their a", word);
    let owned = !first && (article(words.at(start)) || article(words.at(start - 1)));
    noun(words, end) && !is_led && (!is_date || owned && timed && tokens.iter().any(day) && when.recurrence.is_none())
}

/// Returns true if a date is a part of the words around it: "a table for friday", "every monday report", "(back on friday)".
pub(super) fn belongs(text: &str, found: &Found) -> bool {
    let (before, after) = (&text[..found.span.start], &text[found.span.end..]);
    let led = |word: &str| matches!(word, "for" | "from" | "about" | "of" | "re" | "with");
    let word = before.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    let said = text[found.span.clone()].to_lowercase();
    let adjective = !matches!(found.when.due, Due::At { .. }) && noun(Words(&cut(after)), 0);
    adjective
        || led(&word)
        || said.split(' ').next().is_some_and(led)
        || after.starts_with(['\'', '’'])
        || bracketed(before)
}

/// Returns true if the text has an open bracket with words after it.
pub(super) fn bracketed(before: &str) -> bool {
    let open = before.rfind('(').filter(|at| !before[*at..].contains(')') && !before.trim_end().ends_with(','));
    open.is_some_and(|at| before[at..].contains(char::is_alphanumeric))
}

/// Position of a phrase in its sentence.
struct Place<'a> {
    words: Words<'a>,
    start: usize,
    end: usize,
    /// True if it begins with a preposition or a word such as "next" that introduces dates.
    led: bool,
    first: bool,
    last: bool,
    /// Its words without punctuation.
    content: Vec<&'a Token>,
}

/// Returns true if a possible date is one in its sentence: short or common words need a preposition or an edge.
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
    if place.figure() || place.bound() || place.owns() || place.hours() || place.person() {
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
            place.led && !followed || place.last
        }
        [first, second] => place.pair(first, second),
        _ => true,
    }
}

/// Returns true for first words of holidays, which are often part of a title: "mother's day gift".
pub(super) fn feast(word: &str) -> bool {
    "christmas xmas boxing valentine's valentines mother's mothers father's fathers labor labour memorial thanksgiving \
     halloween easter black cyber good pancake shrove bonfire new"
        .split_whitespace()
        .any(|known| known == word)
}

impl Place<'_> {
    /// Returns true for numbers that are a ratio, a score, a verse, an amount or a fraction, not a time or a date: "3:16",
    /// "7/16", "11-14", "12.50".
    fn figure(&self) -> bool {
        let (words, tokens) = (self.words, &self.words.0[self.start..self.end]);
        let digits = |at: usize| words.0.get(at).and_then(Token::digits);
        // "2 and 4pm"
        let linked =
            self.start > 1 && lists("and or & / - – to", words.at(self.start - 1)) && digits(self.start - 2).is_some();
        if linked && digits(self.start).is_some() {
            return true;
        }
        let mark = words.at(self.start + 1);
        let numbers = digits(self.start).zip(digits(self.start + 2));
        let (Some((first, second)), true) = (numbers, matches!(mark, ":" | "/" | "." | "-" | "–" | "to")) else {
            return false;
        };
        let behind = self.start + 3;
        let said = matches!(words.at(behind), "am" | "pm" | "a" | "p" | "h" | "o'clock") || words.at(behind) == mark;
        if said || month_at(words, words.skip(behind, "of")).is_some() {
            return false;
        }
        let bare = tokens.iter().all(|token| token.digits().is_some() || !token.is_word() || token.text == "to");
        let before = self.start.checked_sub(1).map(|at| &words.0[at]);
        let next = words.0.get(self.end);
        let counted = |token: &Token| lists(COUNTED, &token.text);
        // "John 3:16", "bugs 11-14"
        let named = before.is_some_and(|token| token.capital && !token.loud && self.start > 1);
        let plural = before.is_some_and(|token| token.text.ends_with('s') && !token.text.ends_with("ss"));
        let inside = bare && !self.first && next.is_some_and(|next| next.is_word() && !lists(GOES_ON, &next.text));
        let placed =
            tokens.get(3).is_some_and(|token| matches!(token.text.as_str(), "on" | "by" | "before" | "at" | "for"));
        let odd = match mark {
            ":" => {
                let scale = first == 1 && !matches!(second, 0 | 15 | 30 | 45);
                named && (bare || placed || second % 5 != 0)
                    || scale
                    || bare && second % 5 != 0 && tokens[0].text.len() < 2
            }
            "/" => bare && (first == second || matches!((first, second), (24, 7) | (_, 16 | 32 | 64))),
            "." => bare || !self.first && placed,
            _ => plural || words.at(self.start + 2).len() > 2,
        };
        // "3:10 to Yuma" is a train.
        let train = self.first && bare && mark == ":" && matches!(words.at(self.end), "to" | "from");
        let pointed = before.is_some_and(|token| matches!(token.text.as_str(), "to" | "the"));
        odd || inside
            || train
            || pointed && mark != "/"
            || before.is_some_and(counted)
            || bare && next.is_some_and(counted)
    }

    /// Returns true if "tom" is a person, as object of a verb or by its capital: "fetch tom at five", "Tom on friday".
    fn person(&self) -> bool {
        const VERBS: &str = "collect fetch meet ring call phone text email message visit see ask tell thank help pay invite remind \
            chase drive drop walk bath feed wake take babysit mind kiss hug marry interview congratulate join with for to from and email";
        if !matches!(self.words.at(self.start), "tom" | "tod" | "tmw") {
            return false;
        }
        let Some(before) = self.start.checked_sub(1) else { return self.content.len() == 1 };
        let word = self.words.at(before);
        let verb = before.checked_sub(1).map_or("", |at| self.words.at(at));
        let phrasal =
            matches!(word, "up" | "off" | "over") && matches!(verb, "pick" | "drop" | "ring" | "wake" | "have");
        phrasal || lists(VERBS, word) || self.words.0[self.start].capital
    }

    /// Returns true for a possessive day without its apostrophe: "before saturdays match". Otherwise the plural recurs.
    fn owns(&self) -> bool {
        let one = plural_weekday(self.words.at(self.end - 1));
        if !one || self.content.len() > 2 {
            return false;
        }
        let lead = if self.content.len() == 2 { Some(self.start) } else { self.start.checked_sub(1) };
        let led =
            lead.is_some_and(|at| matches!(self.words.at(at), "before" | "after" | "for" | "until" | "till" | "by"));
        led && noun(self.words, self.end)
    }

    /// Returns true for "nine on sunday" within a sentence, as in "read chapter nine on sunday".
    fn hours(&self) -> bool {
        let number = cardinal(self.words, self.start).filter(|(at, _)| self.words.at(*at) == "on");
        number.is_some() && !self.first && self.start.checked_sub(1).is_none_or(|at| self.words.at(at) != "come")
    }

    /// Returns true for "the twenty-first", as in "the twenty-first birthday".
    fn spelled(&self) -> bool {
        let the = self.start + usize::from(self.words.at(self.start) != "the");
        let spelled = self.words.at(the + 1).starts_with(char::is_alphabetic);
        self.words.at(the) == "the" && spelled && ordinal(self.words, the + 1).is_some_and(|(end, _)| end == self.end)
    }

    /// Returns true if the phrase belongs to the word before it: "never on Sunday", "edge of tomorrow", "in the sun", "parents'
    /// evening", "black Sunday".
    fn bound(&self) -> bool {
        let Some(before) = self.start.checked_sub(1) else { return false };
        let word = self.words.at(before);
        let core = self.words.at(self.end - 1);
        let begins = self.words.at(self.start);
        let coloured = self.words.0[..before].iter().all(|token| !token.is_word()) && self.last && lists(COLOURS, word);
        let owner = matches!(word, "'" | "’") && self.words.glued(before) || word.ends_with("'s");
        let part = matches!(begins, "morning" | "evening" | "afternoon" | "arvo" | "night" | "eve");
        // "movie night on friday" is a kind of night.
        let kind = part
            && word.starts_with(char::is_alphabetic)
            && self.words.at(self.start + 1) != "of"
            && self.content.len() > 1;
        let named = lists(NAMED, word);
        let some = matches!(word, "a" | "an" | "one" | "any" | "some" | "certain" | "given" | "another")
            || cardinal(self.words, before).is_some() && plural_weekday(core);
        // A phrase with this preposition was already rejected.
        let led = matches!(word, "from" | "at" | "on" | "by" | "before" | "until" | "till" | "about");
        let held = matches!(word, "of" | "or" | "never" | "no" | "not")
            || word == "the" && before > 0 && self.words.at(before - 1) == "of"
            || word == "after" && feast(begins);
        // "don't be late tomorrow"
        let adverb = lists("late early later", begins)
            && lists("be is are was were am too run running so up arrive leave", word);
        held || led
            || adverb
            || coloured
            || self.words.0[before].loud && !self.words.0[self.end - 1].loud && plural_weekday(core)
            || weekday(begins).is_some() && (named || some)
            || owner && part
            || kind
            || matches!(core, "sun" | "mon" | "sat") && (word == "the" || self.words.at(self.end - 2) == "the")
    }

    /// Returns true for "5th" or "the 5th", as in "The 5th Wave".
    fn ordinal(&self, suffix: &str) -> bool {
        let bare = self.content.len() == 2 || self.content.len() == 3 && self.content[0].text == "the";
        bare && matches!(suffix, "st" | "nd" | "rd" | "th")
    }

    /// Returns true if a single word is plausible.
    fn single(&self) -> bool {
        let tokens = self.words.0;
        let core = self.words.at(self.end - 1);
        let name = tokens[self.end - 1].capital && !self.first;
        let goes_on = tokens.get(self.end).is_some_and(|next| next.capital && !next.glued);
        if name && goes_on && !self.led {
            return false;
        }
        match core {
            "tom" | "tod" | "tmw" => self.last,
            "sat" | "sun" | "mon" | "wed" | "thu" | "tue" | "fri" | "noon" | "midnight" | "weekend" => self.last,
            "now" | "eve" | "evening" | "morning" | "afternoon" | "arvo" | "night" | "nights" | "lunchtime"
            | "teatime" | "evenings" | "mornings" | "afternoons" | "eod" | "cob" => core == "eod" && self.last,
            "christmas" | "xmas" | "halloween" | "easter" | "thanksgiving" | "daily" | "weekly" | "monthly"
            | "yearly" | "quarterly" | "nightly" | "annually" | "fortnightly" | "biweekly" | "everyday" => self.last,
            _ if core.starts_with(|c: char| c.is_ascii_digit()) => self.last || self.first,
            _ => true,
        }
    }

    /// Returns true if two words are plausible; the first is often a preposition.
    fn pair(&self, first: &Token, second: &Token) -> bool {
        let part = matches!(second.text.as_str(), "now" | "night" | "evening" | "morning" | "afternoon");
        match first.text.as_str() {
            "every" => true,
            "this" | "tomorrow" if part => true,
            other if part => weekday(other).is_some(),
            // "at 5", but not "at 5 elm street"
            "at" if second.digits().is_some() => self.last || lists("to , for with and ;", self.words.at(self.end)),
            "for" | "from" | "about" | "around" if month(&second.text).is_some() => false,
            "from" | "about" => self.last,
            "in" if second.digits().is_some() => self.last || self.first,
            "by" | "before" if second.digits().is_some() => self.last,
            _ => true,
        }
    }
}

/// Colours, which do not begin a task.
const COLOURS: &str = "black white blue red green yellow purple pink grey gray golden orange";

/// Words that form a name with a weekday.
const NAMED: &str =
    "good black easter shrove cyber ash palm super whit maundy remembrance giving advent mothering blue bloody holiday";
