//! Signs of a day, a time or a limit that was not read. A line with one is left alone rather than used by half.

use std::collections::HashSet;
use std::sync::LazyLock;

use jiff::civil::Date;

use super::When;
use super::calendar::{connector, date, figures};
use super::numbers::{amount, month_at, weekday};
use super::phrase::{Meaning, TIMED};
use super::recur::recurrence;
use super::sentence::goes_on;
use super::span::unit;
use super::tokens::{COUNTED, Token, Words, lists};
use crate::domain::task::Due;

/// A phrase that was read, as indexes of tokens.
pub(super) struct Read {
    pub start: usize,
    pub end: usize,
    /// True if it names a time and no day.
    pub only_time: bool,
    pub timed: bool,
    pub repeats: bool,
}

impl Read {
    pub fn new(start: usize, end: usize, meaning: &Meaning, when: &When) -> Self {
        let timed = matches!(when.due, Due::At { .. });
        Self { start, end, only_time: meaning.only_time(), timed, repeats: when.recurrence.is_some() }
    }
}

/// A line, the phrases read from it, and the tokens that are neither quoted nor read.
pub(super) struct Unread<'a> {
    pub words: Words<'a>,
    pub reads: &'a [Read],
    pub free: &'a [bool],
    pub today: Date,
}

/// Weekdays and near days in other languages.
static FOREIGN: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("foreign_days.txt").split_whitespace().collect());

/// Months in other languages, next to the number of a day.
static FOREIGN_MONTHS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("foreign_months.txt").split_whitespace().collect());

/// Days without a fixed date, and feasts that the calendar does not know.
const FEASTS: &str =
    "diwali ramadan eid hanukkah chanukah passover purim holi nowruz lent advent anniversary payday kwanzaa vesak";

/// Programs and devices, which are used "on" and name no day.
const PLACES: &str = "zoom teams skype slack discord whatsapp signal facetime facebook instagram twitch youtube netflix hulu sky bbc itv espn disney prime tv";

/// Verbs that report what others do or what is the case.
const REPORTS: &str = "tell ask email text message inform warn remind let explain confirm mention announce reply check find see know wonder say whatsapp";

/// Finite verbs, which make the words after a reporting verb a clause.
const FINITE: &str = "is are was were can could would should i'm we're he's she's they're it's has have had will won't can't cannot couldn't isn't aren't wasn't doesn't didn't \
    don't moved moves opens closes works starts begins ends leaves arrives comes goes got been cancelled suits needs wants happens fits changed";

impl Unread<'_> {
    /// Returns true if a day, a time or a limit was not read, so that the phrases are only a part of what was written.
    pub fn any(&self) -> bool {
        // A line of many dates has no due date. The limit keeps parsing linear.
        self.reads.len() > 8
            || self.day(true)
            || self.reads.iter().any(|read| self.hour_follows(read) || self.limited(read))
            || self.reads.iter().any(|read| !read.only_time && (self.reported(read) || self.second(read)))
    }

    /// Returns true if only times were read although an unread word looks like a day. `named` includes names of weekdays and feasts.
    pub fn day(&self, named: bool) -> bool {
        let only_times = !self.reads.is_empty() && self.reads.iter().all(|read| read.only_time);
        let name = |i: usize| weekday(self.words.at(i)).is_some() || self.feast(i);
        let sign = |i: usize| self.free[i] && (self.is_day(i) || named && name(i));
        only_times && (0..self.words.0.len()).any(sign)
    }

    /// Returns true if the token at `i` begins something like a day.
    fn is_day(&self, i: usize) -> bool {
        let words = self.words;
        let before = i.checked_sub(1).map_or("", |at| words.at(at));
        let number =
            |at: usize| words.0.get(at).and_then(|token| token.digits()).is_some_and(|n| (1..=31).contains(&n));
        let numbered = i > 0 && number(i - 1)
            || i > 1 && number(i - 2) && lists(". st nd rd th of de", before)
            || month_at(words, i).is_some_and(|(end, _)| number(end));
        let figure = figures(words, i).is_some_and(|end| !lists(COUNTED, words.at(end)) && !words.glued(end));
        let figure =
            figure || words.glued(i + 1) && words.glued(i + 2) && number(i) && date(words, i, self.today).is_some();
        figure && words.may_begin(i) && !lists(COUNTED, before)
            || FOREIGN.contains(words.at(i))
            || (i > 0 && number(i - 1) || i > 1 && number(i - 2) && before == ".")
                && FOREIGN_MONTHS.contains(words.at(i))
            || self.shortened(i, before)
            || words.any(i, "last day of|first day of|new year").is_some()
            || month_at(words, i).is_some() && numbered
            || lists("every each", words.at(i)) && recurrence(words, i).is_some()
            || self.slip(i)
            || self.german(i)
            || self.initials(i)
    }

    /// Recognises "9.12", "13-12", "Dec-4", "20261204" and "4 XII".
    fn shortened(&self, i: usize, before: &str) -> bool {
        let words = self.words;
        let two = |at: usize, most: i64| {
            words.at(at).len() == 2 && words.0[at].digits().is_some_and(|number| (1..=most).contains(&number))
        };
        let day = |at: usize| words.0.get(at).and_then(Token::digits).is_some_and(|day| (1..=31).contains(&day));
        let joined = words.glued(i + 1) && words.glued(i + 2) && words.may_begin(i);
        let pair = lists(". -", words.at(i + 1)) && day(i) && two(i + 2, 12) && !lists(COUNTED, before);
        let named = words.at(i + 1) == "-" && month_at(words, i).is_some() && day(i + 2);
        let stamp =
            words.at(i).len() == 8 && words.at(i).starts_with("20") && words.at(i).bytes().all(|b| b.is_ascii_digit());
        let roman = i > 0 && words.0[i].loud && lists("ii iii iv vi vii viii ix xi xii", words.at(i)) && day(i - 1);
        joined && (pair || named) || stamp || roman
    }

    /// Recognises "on Diwali", "after Ramadan", "Australia Day" and "on our anniversary" before the time.
    fn feast(&self, i: usize) -> bool {
        let words = self.words;
        let named = |at: usize| words.0.get(at).is_some_and(|token| token.capital && !lists(PLACES, &token.text));
        let next = self.reads.partition_point(|read| read.start <= i);
        let ahead = self.reads.get(next).map_or(i, |read| read.start);
        let led = lists("on after before until", words.at(i));
        let near = |list: &str| (i + 1..(i + 4).min(ahead)).any(|at| lists(list, words.at(at)));
        let own = led && near("birthday wedding graduation");
        let within = led && (i + 2..i + 5).contains(&ahead);
        let name = within && (i + 1..ahead).all(|at| named(at) || words.at(at) == "the" && at == i + 1);
        let feast = (led || words.at(i) == "for") && near(FEASTS);
        let day = words.at(i) == "day"
            && ahead == i + 1
            && i > 0
            && !lists("watch see read movie film play", words.at(0))
            && !lists("a the one per of every all each first last", words.at(i - 1));
        name || own || feast || day || lists(FEASTS, words.at(i)) && ahead == i + 1
    }

    /// Recognises "Sa 20:00", "Fr. 20:15", "mo, 9:00".
    fn german(&self, i: usize) -> bool {
        let end = i + 1 + usize::from(lists(". ,", self.words.at(i + 1)) && self.words.glued(i + 1));
        let capital = self.words.0[i].capital && lists("do so", self.words.at(i));
        (capital || lists("mo di mi fr sa", self.words.at(i)))
            && self.reads.binary_search_by_key(&end, |read| read.start).is_ok()
    }

    /// Recognises "in two weaks": a misspelt unit.
    fn slip(&self, i: usize) -> bool {
        const UNITS: [&str; 8] = ["days", "week", "weeks", "month", "months", "hours", "minutes", "fortnight"];
        let counted = amount(self.words, i + 1).filter(|_| lists("in within", self.words.at(i)));
        counted.is_some_and(|(end, _)| {
            let word = self.words.at(end);
            let alike = |unit: &&str| strsim::osa_distance(unit, word) <= if unit.len() > 6 { 2 } else { 1 };
            word.len() > 3 && unit(self.words, end).is_none() && UNITS.iter().any(alike)
        })
    }

    /// Recognises "M/W/F", "tu/th" and "MWF".
    fn initials(&self, i: usize) -> bool {
        let day = |at: usize| lists("m t w f s tu th sa su", self.words.at(at));
        let joined =
            |at: usize| lists("/ + & -", self.words.at(at)) && self.words.glued(at) && self.words.glued(at + 1);
        day(i) && joined(i + 1) && i + 2 < self.words.0.len() && day(i + 2)
            || lists("mwf tth tuth mtwtf", self.words.at(i))
    }

    /// Recognises a number that may be an hour, or the end of a range: "… tomorrow 10", "tomorrow 9 dentist", "from 9 to 5 answer phones".
    fn hour_follows(&self, read: &Read) -> bool {
        let words = self.words;
        let hour = |at: usize| words.0.get(at).filter(|token| !token.glued).and_then(|token| token.digits());
        let next = words.0.get(read.end + 1).filter(|next| next.is_word() || next.glued);
        let first = read.start == 0;
        let opens = next.is_some_and(|next| next.text == "for" || first && next.is_word() && !next.text.ends_with('s'));
        let bare =
            !read.timed && (next.is_none() || opens) && hour(read.end).is_some_and(|hour| (1..=24).contains(&hour));
        let range = connector(words, read.end, false).filter(|_| read.timed);
        // "call 9.30 tomorrow"
        let dotted = |at: usize| {
            let minutes = words.0.get(at + 3).filter(|token| token.glued && token.text.len() == 2);
            let clock = minutes
                .and_then(Token::digits)
                .zip(hour(at + 1))
                .is_some_and(|(minutes, hour)| minutes < 60 && hour < 24);
            self.free[at] && clock && self.free[at + 1] && words.at(at + 2) == "." && lists(TIMED, words.at(at))
        };
        !read.timed && (0..words.0.len()).any(dotted) || bare || range.is_some_and(|at| hour(at).is_some())
    }

    /// Recognises another interval or an exception elsewhere in the line: "biweekly 1:1 mondays", "every day at lunch but not …".
    fn limited(&self, read: &Read) -> bool {
        let words = self.words;
        let interval =
            |at: usize| words.any(at, "biweekly|bi - weekly|fortnightly|bimonthly|alternate|alternating").is_some();
        let exception = |at: usize| {
            at > read.end && words.any(at, "but not|but never|but skip|except|unless|excluding|apart from").is_some()
        };
        read.repeats && (0..words.0.len()).any(|at| self.free[at] && (interval(at) || exception(at)))
    }

    /// Recognises a day of a clause: "tell Marco that the meeting on thursday …", "ask if friday works", "don't call before monday".
    fn reported(&self, read: &Read) -> bool {
        let words = self.words;
        let first = words.0.iter().position(|token| token.is_word()).unwrap_or(0);
        let head = words.skip(first, "please|remember to|need to|must");
        let not =
            words.any(head, "don't|do not|dont|never").filter(|at| !lists("forget miss let be skip", words.at(*at)));
        // "if it rains on sunday cancel the picnic", "friday is a holiday"
        let after = words.at(read.end);
        let condition = lists("if when whenever unless once because while", words.at(head)) && words.0.len() > read.end;
        let led = lists("on by due before at for in", words.at(read.start));
        if condition || !led && lists("is was works suits isn't wasn't would", after) {
            return true;
        }
        if not.is_some() {
            return lists("before until till after", words.at(read.start));
        }
        let own = words.any(head, "remind me|remind us|let me").is_some();
        if own || !lists(REPORTS, words.at(head)) || read.start <= head + 1 {
            return false;
        }
        let finite =
            |from: usize, to: usize| (from..to).any(|at| lists(FINITE, words.at(at)) && words.at(at - 1) != "to");
        let conj = (head + 1..read.start).find(|at| lists("that if whether when how", words.at(*at)));
        let near =
            lists("check find see confirm", words.at(head)) && lists("today tomorrow tonight", words.at(read.start));
        match conj {
            Some(at) => !near && finite(at + 1, words.0.len()),
            None => !lists("check find see know", words.at(head)) && finite(head + 1, read.start),
        }
    }

    /// Recognises a day that begins a second clause: "buy milk and tomorrow buy bread", "buy milk, tomorrow eggs".
    fn second(&self, read: &Read) -> bool {
        let words = self.words;
        let Some(before) = read.start.checked_sub(1) else { return false };
        let joined = lists("and & , ; then", words.at(before)) && words.0[..before].iter().any(|token| token.is_word());
        let next = words.0.get(read.end).filter(|next| next.is_word() && !next.glued);
        joined && !read.repeats && next.is_some_and(|next| !goes_on(&next.text))
    }
}
