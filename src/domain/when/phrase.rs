//! Pieces put together: a day, a time, a part of the day and a recurrence become one meaning.

use jiff::Zoned;
use jiff::civil::Date;

use super::clock::{Clock, Part, clock, hours, part};
use super::day::day;
use super::numbers::weekday;
use super::openers::opens;
use super::recur::recurrence;
use super::rule::Rule;
use super::span::{Reach, plus_days, reach};
use super::tokens::{Moment, Words};
use crate::domain::task::Due;
use crate::domain::time::{CivilDate, Timestamp};

/// What has been said of a date so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Meaning {
    day: Option<Date>,
    clock: Option<Clock>,
    part: Option<Part>,
    instant: Option<Zoned>,
    pub rule: Option<Rule>,
    /// "later", "soon": no date at all, though said of time.
    pub vague: bool,
}

/// Words that may stand before or between pieces and mean nothing by themselves.
const JOINS: &[&str] = &[
    "@",
    "over",
    "during",
    "due by",
    "due on",
    "due at",
    "due in",
    "due",
    "no later than",
    "starting from",
    "starting on",
    "starting",
    "beginning",
    "sometime on",
    "some time on",
    "by no later than",
    "before the",
    "on or before",
    "at around",
    "at about",
    "around",
    "about",
    "by",
    "before",
    "on",
    "at",
    "for",
    "from",
    "until",
    "till",
    ",",
    "-",
    "in the",
];

/// The longest date phrase that starts at `i`, and the index after it.
pub(super) fn phrase(words: Words, i: usize, moment: &Moment) -> Option<(usize, Meaning)> {
    let mut meaning = Meaning::default();
    let mut end = None;
    let mut at = i;
    loop {
        let (start, joined) = joins(words, at, end.is_some());
        let mut found = None;
        for (from, led) in [(start, joined), (at, false)].into_iter().take(if start > at { 2 } else { 1 }) {
            found = meaning.extend(words, from, led, end.is_some(), moment);
            if found.is_some() {
                break;
            }
        }
        match found {
            Some(after) if after > at || end.is_none() => {
                let after = meaning.until(words, after);
                at = after;
                end = Some(after);
            }
            _ => break,
        }
    }
    end.filter(|end| *end > i).map(|end| (end, meaning))
}

/// The index after joining words at `i`, and whether a bare hour may follow them.
fn joins(words: Words, i: usize, inside: bool) -> (usize, bool) {
    let mut at = i;
    let mut led = false;
    while let Some(end) = words.any(at, JOINS) {
        let word = words.at(end - 1);
        led |= matches!(word, "at" | "@" | "by" | "around" | "about" | "before" | "from" | "until" | "till");
        if matches!(word, "," | "-") && !inside {
            break;
        }
        at = end;
    }
    (at, led)
}

impl Meaning {
    /// The index after the end of a stretch of time ("5pm to 6pm"): its beginning is what counts.
    fn until(&self, words: Words, i: usize) -> usize {
        let Some(clock) = self.clock.filter(|_| matches!(words.at(i), "to" | "until" | "till" | "-" | "–")) else {
            return i;
        };
        let from = i > 1 && words.at(i - 2) == "from";
        let other = super::clock::clock(words, i + 1, true).filter(|(_, other)| clock.sure && other.sure || from);
        other.map_or(i, |(end, _)| end)
    }

    /// Reads one more piece at `i` that says something new.
    fn extend(&mut self, words: Words, i: usize, led: bool, inside: bool, moment: &Moment) -> Option<usize> {
        if self.instant.is_some() || !opens(words, i) {
            return None;
        }
        if self.rule.is_none()
            && self.day.is_none()
            && let Some((end, rule)) = recurrence(words, i)
        {
            self.rule = Some(rule);
            return Some(end);
        }
        if !inside && let Some(end) = words.any(i, &["right now", "now", "immediately", "straight away", "right away"])
        {
            self.instant = Some(moment.now.clone());
            return (words.at(end - 1) == "now").then_some(end);
        }
        if self.day.is_none()
            && let Some((end, reach)) = reach(words, i, moment)
        {
            match reach {
                Reach::Day(date) => self.day = Some(date),
                Reach::Instant(at) if !inside => self.instant = Some(at),
                Reach::Instant(_) => return None,
            }
            return Some(end);
        }
        self.tonight(words, i, moment).or_else(|| self.piece(words, i, led, moment))
    }

    /// "tonight", "this morning": a day and a part at once.
    fn tonight(&mut self, words: Words, i: usize, moment: &Moment) -> Option<usize> {
        if self.day.is_some() || self.part.is_some() {
            return None;
        }
        let found = [
            ("tonight", Part::Evening),
            ("tonite", Part::Evening),
            ("2 nite", Part::Evening),
            ("this evening", Part::Evening),
            ("this afternoon", Part::Afternoon),
            ("this arvo", Part::Afternoon),
            ("this morning", Part::Morning),
            ("this lunchtime", Part::Noon),
        ];
        let (end, part) = found.iter().find_map(|(text, part)| Some((words.phrase(i, text)?, *part)))?;
        (self.day, self.part) = (Some(moment.today()), Some(part));
        Some(end)
    }

    fn piece(&mut self, words: Words, i: usize, led: bool, moment: &Moment) -> Option<usize> {
        let day = day(words, i, moment).filter(|_| self.day.is_none() && self.rule.is_none());
        let bare = led || self.day.is_some() && self.part.is_some();
        let placed = led || self.day.is_some() || self.rule.is_some();
        let clock = hours(words, i).filter(|_| placed).or_else(|| clock(words, i, bare));
        let clock = clock.filter(|_| self.clock.is_none());
        let trailing = clock.is_none() && self.clock.is_none();
        match (day, clock) {
            (Some((end, date)), clock) if clock.is_none_or(|(other, _)| end >= other) => {
                self.day = Some(date);
                Some(end)
            }
            (_, Some((end, clock))) => {
                self.clock = Some(clock);
                Some(end)
            }
            _ => {
                let hour = || hour_before_part(words, i).or_else(|| hour_before_day(words, i));
                if trailing && let Some((end, clock)) = hour().filter(|_| self.part.is_none()) {
                    self.clock = Some(clock);
                    return Some(end);
                }
                let (end, part) = part(words, i).filter(|_| self.part.is_none())?;
                self.part = Some(part);
                Some(end)
            }
        }
    }

    /// The due date that was meant; `None` for a time past the calendar's end.
    pub fn due(&self, moment: &Moment) -> Option<Due> {
        if let Some(instant) = &self.instant {
            return Due::at(Timestamp::from(instant.timestamp()), &moment.zone);
        }
        let clock = self.clock.map(|clock| clock.within(self.part));
        let today = moment.today();
        let Some(clock) = clock else {
            let date = match &self.rule {
                Some(rule) => rule.first(today)?,
                None => self.day.unwrap_or_else(|| self.part_day(moment)),
            };
            return Some(Due::Date(CivilDate::from(date)));
        };
        let passed = |date: Date, clock: Clock| {
            at(moment, date, clock).is_none_or(|at| at.timestamp() <= moment.now.timestamp())
        };
        let date = match (&self.rule, self.day) {
            (Some(rule), _) => {
                let first = rule.first(today)?;
                if first == today && passed(first, clock) { rule.first(plus_days(today, 1))? } else { first }
            }
            (None, Some(day)) => {
                let past_midnight = self.part == Some(Part::Evening) && clock.hour < 5;
                if past_midnight { plus_days(day, 1) } else { day }
            }
            (None, None) if passed(today, clock) => plus_days(today, 1),
            (None, None) => today,
        };
        let clock = if self.day.is_none() && self.rule.is_none() { self.sooner(clock, moment) } else { clock };
        let date = if self.day.is_none() && self.rule.is_none() {
            if passed(today, clock) { plus_days(today, 1) } else { today }
        } else {
            date
        };
        Due::at(Timestamp::from(at(moment, date, clock)?.timestamp()), &moment.zone)
    }

    /// An hour without its half of the day and without a day is the next time the clock shows it.
    fn sooner(&self, clock: Clock, moment: &Moment) -> Clock {
        if clock.sure || clock.hour == 0 {
            return clock;
        }
        let minutes = |hour: i8| i32::from(hour) * 60 + i32::from(clock.minute);
        let now = i32::from(moment.now.hour()) * 60 + i32::from(moment.now.minute());
        let (first, second) = (clock.hour % 12, clock.hour % 12 + 12);
        let waking = |hour: i8| hour >= 7;
        let hour = if minutes(first) > now && waking(first) || (minutes(second) <= now) && waking(first) {
            first
        } else {
            second
        };
        Clock { hour, sure: true, ..clock }
    }

    /// A part of the day alone: today while it can still come, else tomorrow.
    fn part_day(&self, moment: &Moment) -> Date {
        let over = match self.part {
            Some(Part::Morning) => 12,
            Some(Part::Noon) => 14,
            Some(Part::Afternoon) => 18,
            Some(Part::Evening) | None => 24,
        };
        plus_days(moment.today(), i64::from(moment.now.hour() >= over))
    }
}

/// "10 in the morning", "7 in the evening": the part says that the number is an hour.
fn hour_before_part(words: Words, i: usize) -> Option<(usize, Clock)> {
    let (end, hour) = clock(words, i, true)?;
    let says = words.at(end) == "in" && part(words, end).is_some() || matches!(words.at(end), "tonight" | "tomorrow");
    (says && words.any(end, &["tomorrow"]).is_none()).then_some((end, hour))
}

/// "nine on sunday": the day says that the number is an hour.
fn hour_before_day(words: Words, i: usize) -> Option<(usize, Clock)> {
    let (end, hour) = clock(words, i, true)?;
    (words.at(end) == "on" && weekday(words.at(end + 1)).is_some() && hour.hour <= 12).then_some((end, hour))
}

/// The instant of a civil time in the user's zone; a time that a clock change skips moves past the gap.
fn at(moment: &Moment, date: Date, clock: Clock) -> Option<Zoned> {
    date.to_datetime(clock.time()).to_zoned(moment.now.time_zone().clone()).ok()
}
