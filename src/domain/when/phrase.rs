//! Combination of pieces: a day, a time, a part of the day and a recurrence become one meaning.

use jiff::Zoned;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::calendar::connector;
use super::clock::{Clock, Part, clock, hours, part};
use super::day::{Day, Kind, day};
use super::joins::{joins, tails};
use super::numbers::{month_at, weekday};
use super::openers::opens;
use super::recur::{Limit, Repeat, limit, recurrence};
use super::span::{Reach, Sum, reach};
use super::tokens::{COUNTED, Moment, Words, lists};
use super::zone::zone;
use crate::domain::rule::Rule;

/// Reason for rejecting a phrase as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    /// Repeats several times a day.
    Often,
    /// Contradictory days, several times, or a limit that no rule expresses.
    Unclear,
}

/// The meaning of the pieces read so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Meaning {
    pub day: Option<Day>,
    pub clock: Option<Clock>,
    pub part: Option<Part>,
    /// The zone of the time, if it is not the user's.
    pub zone: Option<TimeZone>,
    pub instant: Option<Zoned>,
    pub rule: Option<Rule>,
    /// The earliest day of a recurrence.
    pub starts: Option<Date>,
    /// The duration of a recurrence.
    pub lasts: Option<Sum>,
    pub flaw: Option<Flaw>,
}

/// Maximum tokens of a phrase: a window keeps parsing linear.
pub(super) const LONGEST: usize = 24;

/// Parses the longest date phrase at `i` and returns the index after it.
pub(super) fn phrase(words: Words, i: usize, moment: &Moment) -> Option<(usize, Meaning)> {
    let mut meaning = Meaning::default();
    let mut end = None;
    let mut at = i;
    loop {
        if let Some(after) = meaning.limited(words, at, moment) {
            (at, end) = (after, Some(after));
            continue;
        }
        let iso = words.at(at) == "t" && words.glued(at) && words.glued(at + 1) && meaning.day.is_some();
        at += usize::from(iso);
        let (start, joined) = joins(words, at, end.is_some());
        let untimed = meaning.clock.is_none();
        let mut found = None;
        for (from, led) in [(start, joined), (at, false)].into_iter().take(if start > at { 2 } else { 1 }) {
            found = meaning.extend(words, from, led, end.is_some(), moment);
            if found.is_some() {
                break;
            }
        }
        match found {
            Some(after) if after > at || end.is_none() => {
                let after = if untimed { meaning.zoned(words, after, moment) } else { after };
                let after = tails(words, meaning.several(words, after, moment));
                at = after;
                end = Some(after);
            }
            _ => break,
        }
    }
    // "by midnight on sunday" is the end of that day.
    let midnight = (i + 1..end.unwrap_or(i)).find(|at| words.at(*at) == "midnight");
    if midnight.is_some_and(|at| lists("by before until till", words.at(at - 1))) && meaning.day.is_some() {
        meaning.part = meaning.part.or(Some(Part::Night));
    }
    let end = end.filter(|end| *end > i)?;
    Some((meaning.last_of_range(words, end, moment), meaning))
}

impl Meaning {
    /// Parses a limit of the recurrence at `i`.
    fn limited(&mut self, words: Words, i: usize, moment: &Moment) -> Option<usize> {
        let (end, limit) = limit(words, i, self.rule.as_ref()?, moment)?;
        match limit {
            Limit::Rule(rule) => self.rule = Some(rule),
            Limit::Starts(rule, day) => (self.rule, self.starts) = (Some(rule), Some(day)),
            Limit::Lasts(sum) => self.lasts = Some(sum),
            Limit::Unknown => self.flaw = Some(Flaw::Unclear),
        }
        Some(end)
    }

    /// Parses the zone of a time at `i` and returns the index after it. A recurrence must use the owner's zone.
    fn zoned(&mut self, words: Words, i: usize, moment: &Moment) -> usize {
        let Some((end, zone)) = zone(words, i, moment).filter(|_| self.clock.is_some()) else { return i };
        if zone.is_none() || self.rule.is_some() {
            self.flaw = Some(Flaw::Unclear);
        }
        self.zone = zone;
        end
    }

    /// Returns the index after further times or days at `i`, which make the phrase unclear: "8am and 8pm", "today or tomorrow".
    fn several(&mut self, words: Words, i: usize, moment: &Moment) -> usize {
        let mut at = i;
        while let Some(next) = words.any(at, ", and|, or|and at|and on|and|or at|or on|or|&|,|/|+") {
            let loose = words.at(next - 1) == ",";
            let other = if self.clock.is_some() {
                let bare = clock(words, next, true).filter(|(end, _)| {
                    let ends = words.0.get(*end).is_none_or(|after| !after.is_word() && !after.glued);
                    words.0[next].digits().is_some() && (ends || opens(words, *end)) && !loose
                });
                clock(words, next, false).filter(|(_, other)| other.sure).or(bare).map(|(end, _)| end)
            } else if self.day.is_some() && !loose {
                day(words, next, moment).filter(|(_, day)| day.kind != Kind::Month).map(|(end, _)| end)
            } else {
                None
            };
            let Some(end) = other else { break };
            self.flaw = Some(if self.rule.is_some() { Flaw::Often } else { Flaw::Unclear });
            at = end;
        }
        at
    }

    /// Parses one more piece at `i` that adds a meaning.
    fn extend(&mut self, words: Words, i: usize, led: bool, inside: bool, moment: &Moment) -> Option<usize> {
        if self.instant.is_some() || !opens(words, i) {
            return None;
        }
        if self.rule.is_none()
            && self.day.is_none()
            && let Some((end, repeat)) = recurrence(words, i)
        {
            match repeat {
                Repeat::Rule(rule) => {
                    // "nightly at 10"
                    self.part =
                        self.part.or((words.at(i) == "nightly" && words.at(i + 1) == "at").then_some(Part::Night));
                    self.rule = Some(rule);
                }
                Repeat::Often => self.flaw = Some(Flaw::Often),
            }
            if self.clock.is_some() && self.flaw == Some(Flaw::Unclear) {
                self.flaw = Some(Flaw::Often);
            }
            return Some(end);
        }
        if !inside && let Some(end) = words.any(i, "right now|now|immediately|straight away|right away") {
            self.instant = Some(moment.now.clone());
            return (words.at(end - 1) == "now").then_some(end);
        }
        if self.day.is_none()
            && self.rule.is_none()
            && !inside
            && let Some((end, Reach::Instant(at))) = reach(words, i, moment)
        {
            self.instant = Some(at);
            return Some(end);
        }
        self.part_of_day(words, i, led, moment).or_else(|| {
            let at = words.any(i, "early|late|later|mid -|mid").filter(|at| opens(words, *at))?;
            self.part_of_day(words, at, led, moment)
        })
    }

    fn part_of_day(&mut self, words: Words, i: usize, led: bool, moment: &Moment) -> Option<usize> {
        self.tonight(words, i, moment).or_else(|| self.piece(words, i, led, moment))
    }

    /// Parses "tonight", "this morning": a day and a part of it.
    fn tonight(&mut self, words: Words, i: usize, moment: &Moment) -> Option<usize> {
        let parts = [("tonight", Part::Night), ("tonite", Part::Night), ("2 nite", Part::Night)];
        let named = parts.iter().find_map(|(text, part)| Some((words.phrase(i, text)?, *part)));
        let of_today = || words.any(i, "this").and_then(|at| part(words, at, true));
        // "after dinner tonight" has its part already.
        let fits = self.part.is_none() || self.day.is_none() && self.clock.is_none();
        let (end, part) = named.or_else(of_today).filter(|_| fits && self.rule.is_none())?;
        let part = self.part.unwrap_or(part);
        let today = Day { date: moment.today(), kind: Kind::Whole };
        if self.day.is_some_and(|day| day.date != today.date) {
            self.flaw = Some(Flaw::Unclear);
        }
        (self.day, self.part) = (Some(today), Some(part));
        Some(end)
    }

    /// Parses a range's start with its end: "1pm to 2:30", "between 2 and 4pm", "5-6pm", with a day also "9 to 5".
    fn range(&self, words: Words, i: usize, led: bool, moment: &Moment) -> Option<(usize, Clock)> {
        let before = i.checked_sub(1).map_or("", |at| words.at(at));
        let (end, start) = clock(words, i, true).filter(|(end, _)| *end > i)?;
        let dash = matches!(words.at(end), "-" | "–" | "—");
        let last = words.skip(connector(words, end, before == "between")?, "at");
        // "at 6:45 until 18 dec"
        let (after, other) = clock(words, last, true).filter(|(after, _)| month_at(words, *after).is_none())?;
        if words.0.get(after).is_some_and(|next| next.glued && (next.is_word() || "-/:.".contains(next.text.as_str())))
        {
            return None;
        }
        let framed = matches!(before, "from" | "between");
        let goes_on = opens(words, after) || joins(words, after, true).0 > after;
        let counted =
            words.0.get(after).is_some_and(|next| next.is_word()) && !goes_on && !(other.sure || other.written);
        let near = || near_day(words, after, moment) && matches!(words.at(end), "till" | "until");
        let placed = (self.day.is_some() || self.rule.is_some() || near()) && !counted;
        let figures = start.written && other.written || other.sure && !other.written && (dash || start.sure);
        let figures = figures
            || words.at(end) == "and" && other.sure && !other.written
            || start.sure && (other.sure || other.written);
        if !(framed && !counted || placed || figures || led && dash) {
            return None;
        }
        let minutes = |clock: Clock| i32::from(clock.hour) * 60 + i32::from(clock.minute);
        // In "2 and 4pm" both are in the afternoon, in "11 and 2pm" only the second.
        let later = Clock { hour: start.hour % 12 + 12, sure: true, ..start };
        let afternoon = !start.sure && other.sure && other.hour >= 12 && minutes(later) <= minutes(other);
        let morning = !start.sure && other.sure && !afternoon && start.hour <= 12;
        Some((after, if afternoon { later } else { Clock { sure: start.sure || morning, ..start } }))
    }

    fn piece(&mut self, words: Words, i: usize, led: bool, moment: &Moment) -> Option<usize> {
        // "a ticket to The Day After Tomorrow for friday" names one day.
        let another = self.day.is_some() && i > 0 && words.at(i - 1) == "for";
        let day = day(words, i, moment).filter(|_| self.rule.is_none() && !another);
        let followed = || words.glued(i + 1) && near_day(words, i + 2, moment);
        let short = words.glued(i + 1) && matches!(words.at(i + 1), "a" | "p" | ".") && self.day.is_some()
            || i > 0 && matches!(words.at(i + 1), "a" | "p") && !counts(words.at(i - 1)) && followed();
        // "9.30 monday visa form"
        let first = words.0[..i].iter().all(|token| !token.is_word());
        let short = short || first && words.at(i + 1) == "." && words.glued(i + 1) && near_day(words, i + 3, moment);
        // "train 0745 tomorrow", but not "order 0815 tomorrow"
        let zero_led =
            words.at(i).len() == 4 && words.at(i).starts_with('0') && i > 0 && words.0[i - 1].digits().is_none();
        let zero_led = zero_led && words.0[i.saturating_sub(8)..i].iter().any(|word| lists(TIMED, &word.text));
        let zero_led = zero_led && (self.day.is_some() || near_day(words, i + 1, moment));
        let bare = led || short || zero_led || self.day.is_some() && self.part.is_some();
        let placed = || led || self.day.is_some() || self.rule.is_some() || followed();
        let range = self.range(words, i, led, moment);
        let clock = range.or_else(|| hours(words, i).filter(|_| placed()).or_else(|| clock(words, i, bare)));
        let clock = clock.filter(|_| self.clock.is_none());
        if let Some((end, day)) = day.filter(|(end, _)| clock.is_none_or(|(other, _)| *end >= other)) {
            return Some(self.on(day, self.through(words, i, end, moment)));
        }
        if let Some((end, clock)) = clock {
            self.clock = Some(clock);
            return Some(end);
        }
        if let Some((end, _)) = same_time(words, i).filter(|_| self.clock.is_none()) {
            self.clock =
                Some(Clock { hour: moment.now.hour(), minute: moment.now.minute(), sure: true, written: true });
            return Some(end);
        }
        let hour = || hour_before_part(words, i).or_else(|| hour_before_day(words, i));
        if self.clock.is_none()
            && self.part.is_none()
            && let Some((end, clock)) = hour()
        {
            self.clock = Some(clock);
            return Some(end);
        }
        if self.day.is_some() && self.part.is_none() && matches!(words.at(i), "am" | "pm") {
            self.part = Some(if words.at(i) == "am" { Part::Morning } else { Part::Afternoon });
            return Some(i + 1);
        }
        let near = |end: usize| self.day.is_some() || near_day(words, end, moment);
        let (end, part) = part(words, i, true).filter(|(end, _)| part(words, i, false).is_some() || near(*end))?;
        // "friday morning first thing"
        if self.part.is_some_and(|said| said != part) {
            return None;
        }
        self.part = Some(part);
        // "the evening of the 20th"
        Some(if words.at(end) == "of" && near_day(words, end + 1, moment) { end + 1 } else { end })
    }

    /// Returns the index after the end of a range that began before `end`: "from 10 dec 9am to 12 dec 5pm".
    fn last_of_range(&self, words: Words, end: usize, moment: &Moment) -> usize {
        let whole = |meaning: &Self| meaning.day.is_some() && meaning.clock.is_some() && meaning.rule.is_none();
        let at = connector(words, end, false).filter(|_| moment.ranges && whole(self));
        let last = at.and_then(|at| phrase(words, words.skip(at, "on|the"), moment));
        last.filter(|(_, last)| whole(last)).map_or(end, |(after, _)| after)
    }

    /// Combines a day with an earlier one, if any; returns `end`.
    fn on(&mut self, day: Day, end: usize) -> usize {
        match self.day.map(|said| said.and(day)) {
            _ if day.kind == Kind::Unclear => self.flaw = Some(Flaw::Unclear),
            None => self.day = Some(day),
            Some(Some(both)) => self.day = Some(both),
            Some(None) => self.flaw = Some(Flaw::Unclear),
        }
        end
    }

    /// Returns the index after the last day of a range that began at `i`: "mon-wed", "from 12 march to 14 march".
    fn through(&self, words: Words, i: usize, end: usize, moment: &Moment) -> usize {
        let before = i.checked_sub(1).map_or("", |at| words.at(at));
        let moved = before == "from" && !moment.ranges;
        let last = connector(words, end, before == "between").filter(|_| !moved);
        let day = last.and_then(|at| day(words, words.skip(at, "and|the"), moment).or_else(|| day(words, at, moment)));
        day.map_or(end, |(after, _)| after)
    }
}

/// Returns true if a day follows at `i`.
fn near_day(words: Words, i: usize, moment: &Moment) -> bool {
    let at = words.skip(i, "on|,");
    words.at(at) == "tonight" || day(words, at, moment).is_some()
}

/// Parses "10 in the morning", "7 in the evening": the part makes the number an hour.
fn hour_before_part(words: Words, i: usize) -> Option<(usize, Clock)> {
    let (end, hour) = clock(words, i, true).filter(|_| !amount(words, i))?;
    let says = matches!(words.at(end), "in" | "at") && part(words, end, false).is_some()
        || matches!(words.at(end), "tonight" | "tomorrow") && !numbers_a_name(words, i) && (5..12).contains(&hour.hour);
    (says && words.any(end, "tomorrow").is_none()).then_some((end, hour))
}

/// Events that have a time.
pub(super) const TIMED: &str = "call ring meet meeting dinner supper lunch breakfast drinks gig concert train bus flight class lesson gym party standup alarm dentist taxi ferry tram plane shift";

/// Returns true for words that numbers follow: "season", "bus".
fn counts(word: &str) -> bool {
    lists(COUNTED, word) || lists("lesson exercise gate table track lane row day week bus tram seat class house", word)
}

/// Returns true if the number at `i` belongs to the words before it: "season 3", "watch Rocky 4".
fn numbers_a_name(words: Words, i: usize) -> bool {
    let titled = || {
        words.0[i.saturating_sub(12)..i]
            .iter()
            .any(|word| lists("watch rewatch play read movie film stream", &word.text))
    };
    // "call Sam 7 tonight" is a time, "install Windows 11 tonight" is none.
    let named = || {
        words.0[i - 1].capital
            && i > 1
            && !lists("call ring phone meet see text dinner drinks lunch coffee", words.at(0))
    };
    words.0[i].digits().is_some() && i > 0 && (counts(words.at(i - 1)) || titled() || named())
}

/// "for 6 on sunday": a number of people.
fn amount(words: Words, i: usize) -> bool {
    i > 0 && words.at(i - 1) == "for"
}

/// Parses "nine on sunday": the day makes the number an hour.
fn hour_before_day(words: Words, i: usize) -> Option<(usize, Clock)> {
    let (end, hour) = clock(words, i, true).filter(|_| !amount(words, i))?;
    (words.at(end) == "on" && weekday(words.at(end + 1)).is_some() && hour.hour <= 12).then_some((end, hour))
}

/// Recognises "this time", "same time" before a day, which mean the current time.
fn same_time(words: Words, i: usize) -> Option<(usize, ())> {
    let end = words.any(words.skip(i, "the"), "same time|this time")?;
    let day = matches!(words.at(end), "tomorrow" | "next" | "on") || weekday(words.at(end)).is_some();
    day.then_some((end, ()))
}
