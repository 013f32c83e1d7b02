//! Computes due dates from the meanings of phrases: day, time and first occurrence.

use jiff::Zoned;
use jiff::civil::Date;

use super::When;
use super::clock::{Clock, Part};
use super::phrase::Meaning;
use super::span::plus_days;
use super::tokens::{Moment, Token, Words, lists};
use crate::domain::rule::End;
use crate::domain::series::shifted;
use crate::domain::task::Due;
use crate::domain::time::{CivilDate, Timestamp};

impl Meaning {
    /// Returns true if the phrase names a time and no day.
    pub fn only_time(&self) -> bool {
        let timed = self.clock.is_some() || self.part.is_some();
        timed && self.day.is_none() && self.rule.is_none() && self.instant.is_none() && self.flaw.is_none()
    }

    /// Reads a bare hour with a day as one of the evening, if the line names an evening's event: "drinks friday 9ish".
    pub fn at_night(self, words: Words, start: usize, end: usize) -> Self {
        const EVENTS: &str = "drinks dinner pub party supper gig concert cocktails beers cinema clubbing";
        let event = |token: &Token| lists(EVENTS, &token.text);
        let bare = self.clock.is_some_and(|clock| !clock.sure && !clock.written && (5..12).contains(&clock.hour));
        let placed = self.day.is_some() && self.part.is_none() && (start..end).all(|at| words.at(at) != "at");
        let evening =
            bare && placed && words.0[start.saturating_sub(16)..(end + 16).min(words.0.len())].iter().any(event);
        Self { part: if evening { Some(Part::Evening) } else { self.part }, ..self }
    }

    /// Returns the due date and the recurrence; `None` for a time beyond the calendar, or a phrase with a flaw.
    pub fn when(&self, moment: &Moment) -> Option<When> {
        let contradicts = |part: Part, clock: Clock| match part {
            Part::Morning => clock.hour >= 12,
            Part::Noon | Part::Afternoon => clock.hour < 11,
            Part::Evening | Part::Night => (5..12).contains(&clock.hour),
        };
        let contradicted =
            self.part.zip(self.clock).is_some_and(|(part, clock)| clock.sure && contradicts(part, clock));
        if self.flaw.is_some() || contradicted || self.zone.is_some() && self.rule.is_some() {
            return None;
        }
        let due = self.due(moment)?;
        let Some(mut rule) = self.rule.clone() else { return Some(When { due, recurrence: None }) };
        if let Some(length) = self.lasts {
            let first = CivilDate::parse(due.day()).ok()?.to_jiff();
            rule.end = Some(End::Until(length.past(first, false)?.yesterday().ok()?));
        }
        rule.time = shifted(&due, self.clock(moment).map(|clock| (clock.time().hour(), clock.time().minute())));
        Some(When { due, recurrence: Some(rule.to_string()) })
    }

    /// Returns the time of day, if given. With minutes, reads it as 24-hour where that is usual.
    fn clock(&self, moment: &Moment) -> Option<Clock> {
        let clock = self.clock.map(|clock| clock.within(self.part)).or(self.part.map(Part::clock))?;
        let placed = self.day.is_some() || self.rule.is_some();
        Some(Clock { sure: clock.sure || clock.written && placed && moment.twenty_four(), ..clock })
    }

    /// Returns the due date, or the first one of the recurrence.
    fn due(&self, moment: &Moment) -> Option<Due> {
        if let Some(instant) = &self.instant {
            return Due::at(Timestamp::from(instant.timestamp()), &moment.zone);
        }
        if let Some(zone) = &self.zone {
            let there = Moment { now: moment.now.with_time_zone(zone.clone()), ..moment.clone() };
            return Self { zone: None, ..self.clone() }.due(&there);
        }
        let today = moment.today();
        let said = self.day.map(|day| day.date).or(self.starts);
        let first = |from: Date| match &self.rule {
            Some(rule) => rule.first(from),
            None => Some(from),
        };
        let Some(clock) = self.clock(moment) else {
            return Some(Due::Date(CivilDate::from(first(said.unwrap_or(today))?)));
        };
        let passed = |date: Date, clock: Clock| {
            at(moment, date, clock).is_none_or(|at| at.timestamp() <= moment.now.timestamp())
        };
        let alone = self.clock.is_none();
        let (date, clock) = match said {
            _ if self.rule.is_some() => {
                let date = first(said.unwrap_or(today))?;
                (if date == today && passed(date, clock) { first(plus_days(today, 1))? } else { date }, clock)
            }
            // A part of the day that has passed sets no time, so that the task is not overdue at once.
            Some(day) if alone && day == today && passed(day, clock) => return Some(Due::Date(CivilDate::from(day))),
            Some(day) => {
                let past_midnight = matches!(self.part, Some(Part::Evening | Part::Night)) && clock.hour < 5;
                (if past_midnight { plus_days(day, 1) } else { day }, clock)
            }
            None if alone => {
                let day = self.part_day(moment);
                if passed(day, clock) {
                    return Some(Due::Date(CivilDate::from(day)));
                }
                (day, clock)
            }
            None => {
                let clock = self.sooner(clock, moment);
                (plus_days(today, i64::from(passed(today, clock))), clock)
            }
        };
        Due::at(Timestamp::from(at(moment, date, clock)?.timestamp()), &moment.zone)
    }

    /// Resolves an hour without a day or its half of the day to the next time that a clock shows it. With minutes, where 24 hours
    /// are usual, keeps it until it has passed today.
    fn sooner(&self, clock: Clock, moment: &Moment) -> Clock {
        if clock.sure || clock.hour == 0 {
            return clock;
        }
        let minutes = |hour: i8| i32::from(hour) * 60 + i32::from(clock.minute);
        let now = i32::from(moment.now.hour()) * 60 + i32::from(moment.now.minute());
        let (first, second) = (clock.hour % 12, clock.hour % 12 + 12);
        if clock.written && moment.twenty_four() {
            let hour = if minutes(clock.hour) <= now && minutes(second) > now { second } else { clock.hour };
            return Clock { hour, sure: true, ..clock };
        }
        let waking = |hour: i8| hour >= 7;
        let hour = if minutes(first) > now && waking(first) || (minutes(second) <= now) && waking(first) {
            first
        } else {
            second
        };
        Clock { hour, sure: true, ..clock }
    }

    /// Returns the day of a part of the day alone: today unless it is over, otherwise tomorrow.
    fn part_day(&self, moment: &Moment) -> Date {
        let over = match self.part {
            Some(Part::Morning) => 12,
            Some(Part::Noon) => 14,
            Some(Part::Afternoon) => 18,
            Some(Part::Evening | Part::Night) | None => 24,
        };
        plus_days(moment.today(), i64::from(moment.now.hour() >= over))
    }
}

/// Returns the instant of a civil time in the user's zone. A time skipped by a clock change moves past the gap.
fn at(moment: &Moment, date: Date, clock: Clock) -> Option<Zoned> {
    date.to_datetime(clock.time()).to_zoned(moment.now.time_zone().clone()).ok()
}
