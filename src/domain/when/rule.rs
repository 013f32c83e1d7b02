//! Recurrence rules: the part of RFC 5545 that Docket speaks, read, written and followed.

use std::fmt;

use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan};

/// What a rule counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Freq {
    Daily,
    Weekly,
    Monthly,
    Yearly,
}

const FREQS: [(Freq, &str); 4] =
    [(Freq::Daily, "DAILY"), (Freq::Weekly, "WEEKLY"), (Freq::Monthly, "MONTHLY"), (Freq::Yearly, "YEARLY")];
const DAYS: [&str; 7] = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

/// A recurrence. Empty lists take their day from the date that the task had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rule {
    pub freq: Freq,
    /// 1 to 999.
    pub interval: i32,
    /// A weekday, or the n-th (negative: from the end) of the month where `n` is not 0.
    pub days: Vec<(i8, Weekday)>,
    /// 1 to 31, or -1 for the last day.
    pub month_day: Option<i8>,
    /// 1 to 12; only with `Yearly`.
    pub month: Option<i8>,
    /// Counted from completion: written as a leading `!`.
    pub from_completion: bool,
}

impl Rule {
    /// Every `interval` of `freq`.
    pub fn every(freq: Freq, interval: i32) -> Self {
        Self { freq, interval, days: vec![], month_day: None, month: None, from_completion: false }
    }

    /// Every week on `days`.
    pub fn weekly(days: &[Weekday]) -> Self {
        let mut sorted = days.to_vec();
        sorted.sort_by_key(|day| day.to_monday_zero_offset());
        sorted.dedup();
        Self { days: sorted.into_iter().map(|day| (0, day)).collect(), ..Self::every(Freq::Weekly, 1) }
    }

    /// Reads what [`fmt::Display`] writes, and rules of others as far as their parts are known.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_uppercase();
        let (from_completion, text) = match text.strip_prefix('!') {
            Some(rest) => (true, rest.to_owned()),
            None => (false, text),
        };
        let mut rule = None;
        let mut parts = vec![];
        for part in text.trim_start_matches("RRULE:").split(';') {
            let (key, value) = part.split_once('=')?;
            if key == "FREQ" {
                rule = FREQS.iter().find(|(_, name)| *name == value).map(|(freq, _)| Self::every(*freq, 1));
            } else {
                parts.push((key, value));
            }
        }
        let mut rule = Self { from_completion, ..rule? };
        for (key, value) in parts {
            match key {
                "INTERVAL" => rule.interval = value.parse().ok().filter(|n| (1..=999).contains(n))?,
                "BYDAY" => rule.days = value.split(',').map(day_part).collect::<Option<_>>()?,
                "BYMONTHDAY" => {
                    rule.month_day = Some(value.parse().ok().filter(|n| *n == -1 || (1..=31).contains(n))?);
                }
                "BYMONTH" => rule.month = Some(value.parse().ok().filter(|n| (1..=12).contains(n))?),
                "WKST" => {}
                _ => return None,
            }
        }
        Some(rule.plainer())
    }

    /// The same rule as it is written here: weekdays counted in days are counted in weeks, and a month of the year in years.
    fn plainer(self) -> Self {
        let once = self.interval == 1 && self.days.iter().all(|(nth, _)| *nth == 0);
        match self.freq {
            Freq::Daily if once && !self.days.is_empty() && self.month_day.is_none() && self.month.is_none() => {
                Self { freq: Freq::Weekly, ..self }
            }
            Freq::Monthly if self.interval == 1 && self.month.is_some() => Self { freq: Freq::Yearly, ..self },
            _ => self,
        }
    }

    /// Whether all of its parts are followed: which of them mean something, depends on what the rule counts in.
    pub fn fits(&self) -> bool {
        let nth = self.days.iter().any(|(nth, _)| *nth != 0);
        let bare = self.days.is_empty() && self.month_day.is_none();
        match self.freq {
            Freq::Daily => bare && self.month.is_none(),
            Freq::Weekly => !nth && self.month_day.is_none() && self.month.is_none(),
            Freq::Monthly => self.month.is_none(),
            // The n-th weekday of a year is none of a month's, and a month has many days.
            Freq::Yearly => {
                if self.month.is_some() {
                    !bare
                } else {
                    !nth
                }
            }
        }
    }

    /// The rule of what follows on `next`, where a shorter month has cut the day of `base`: it names that day, or the cut would
    /// stay for good.
    pub fn keeping(&self, base: Date, next: Date) -> Self {
        let bare = self.days.is_empty() && self.month_day.is_none() && self.month.is_none();
        if !bare || self.from_completion || next.day() == base.day() {
            return self.clone();
        }
        match self.freq {
            Freq::Monthly => Self { month_day: Some(base.day()), ..self.clone() },
            // 29 February, which is the last day of the month in every year.
            Freq::Yearly => Self { month: Some(base.month()), month_day: Some(-1), ..self.clone() },
            Freq::Daily | Freq::Weekly => self.clone(),
        }
    }

    /// The first date on or after `from` that the rule names; a rule that names no day starts on `from`.
    pub fn first(&self, from: Date) -> Option<Date> {
        let bare = self.days.is_empty() && self.month_day.is_none() && self.month.is_none();
        if bare {
            return Some(from);
        }
        let once = Self { interval: 1, ..self.clone() };
        (0..=800)
            .map_while(|n| from.checked_add(Span::new().try_days(n).ok()?).ok())
            .find(|date| once.names(*date))
            .or_else(|| self.leap_day(from))
    }

    /// 29 February can be more than 800 days away.
    fn leap_day(&self, from: Date) -> Option<Date> {
        let (month, day) = (self.month?, self.month_day?);
        (from.year()..=from.year().saturating_add(8))
            .filter_map(|year| Date::new(year, month, day).ok())
            .find(|date| *date >= from)
    }

    /// The date after `base` that keeps the rule's step, later than `floor`.
    pub fn next(&self, base: Date, floor: Date) -> Option<Date> {
        let mut date = base;
        for _ in 0..5000 {
            date = self.step(base, date)?;
            if date > floor {
                return Some(date);
            }
        }
        None
    }

    /// The next date after `date`; `base` keeps the day of the month that short months had to cut.
    fn step(&self, base: Date, date: Date) -> Option<Date> {
        let interval = i64::from(self.interval);
        let by_day = !self.days.is_empty() || self.month_day.is_some();
        match self.freq {
            Freq::Daily => date.checked_add(interval.days()).ok(),
            Freq::Weekly if by_day => {
                let monday = monday_of(date);
                let later = (1..7).filter_map(|n| date.checked_add(n.days()).ok());
                let this_week = later.take_while(|day| monday_of(*day) == monday).find(|day| self.names(*day));
                this_week.or_else(|| {
                    let week = monday.checked_add(interval.weeks()).ok()?;
                    (0..7).filter_map(|n| week.checked_add(n.days()).ok()).find(|day| self.names(*day))
                })
            }
            Freq::Weekly => date.checked_add(interval.weeks()).ok(),
            Freq::Monthly => self.step_months(base, date, interval, by_day),
            Freq::Yearly if self.month.is_some() || by_day => self.step_years(date),
            Freq::Yearly => {
                let years = i64::from(date.year()) - i64::from(base.year()) + interval;
                base.checked_add(Span::new().try_years(years).ok()?).ok()
            }
        }
    }

    /// The next named date: of the same year, or of the first one of the rule's years that has one.
    fn step_years(&self, date: Date) -> Option<Date> {
        let in_year = |from: Date| self.first(from).filter(|found| found.year() == from.year());
        let tomorrow = date.tomorrow().ok()?;
        if let Some(found) = in_year(tomorrow).filter(|_| tomorrow.year() == date.year()) {
            return Some(found);
        }
        let mut year = date.year();
        // Of a rule's years that ever have the day, one of eight does: leap years are the rarest.
        for _ in 0..8 {
            year = year.checked_add(i16::try_from(self.interval).ok()?)?;
            if let Some(found) = Date::new(year, 1, 1).ok().and_then(in_year) {
                return Some(found);
            }
        }
        None
    }

    fn step_months(&self, base: Date, date: Date, interval: i64, by_day: bool) -> Option<Date> {
        if !by_day {
            let passed = (i64::from(date.year()) - i64::from(base.year())) * 12 + i64::from(date.month())
                - i64::from(base.month());
            return base.checked_add(Span::new().try_months(passed + interval).ok()?).ok();
        }
        let in_month = |first: Date, after: Option<Date>| {
            (0..i64::from(first.days_in_month()))
                .filter_map(|n| first.checked_add(n.days()).ok())
                .find(|day| after.is_none_or(|after| *day > after) && self.names(*day))
        };
        let mut first = date.first_of_month();
        let mut after = Some(date);
        for _ in 0..48 {
            if let Some(day) = in_month(first, after.take()) {
                return Some(day);
            }
            first = first.checked_add(Span::new().try_months(interval).ok()?).ok()?;
        }
        None
    }

    /// Whether the rule's day parts allow `date`, steps aside.
    fn names(&self, date: Date) -> bool {
        let day = self.days.is_empty()
            || self.days.iter().any(|(nth, weekday)| {
                date.weekday() == *weekday
                    && (*nth == 0 || date.nth_weekday_of_month(*nth, *weekday).ok() == Some(date))
            });
        let month_day = self.month_day.is_none_or(|wanted| {
            if wanted == -1 { date == date.last_of_month() } else { date.day() == wanted.min(clamp(self, date)) }
        });
        day && month_day && self.month.is_none_or(|month| month == date.month())
    }
}

/// The 31st of a short month is its last day; a yearly 29 February waits for its leap year.
fn clamp(rule: &Rule, date: Date) -> i8 {
    if rule.freq == Freq::Yearly { 31 } else { date.days_in_month() }
}

fn monday_of(date: Date) -> Date {
    date.saturating_sub(i64::from(date.weekday().to_monday_zero_offset()).days())
}

fn day_part(text: &str) -> Option<(i8, Weekday)> {
    let (nth, name) = text.split_at_checked(text.len().checked_sub(2)?)?;
    let at = DAYS.iter().position(|day| *day == name)?;
    let nth = if nth.is_empty() { 0 } else { nth.parse().ok().filter(|n| (-5..=5).contains(n) && *n != 0)? };
    Some((nth, Weekday::from_monday_zero_offset(i8::try_from(at).ok()?).ok()?))
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let freq = FREQS.iter().find(|(freq, _)| *freq == self.freq).map_or("DAILY", |(_, name)| name);
        write!(f, "{}FREQ={freq}", if self.from_completion { "!" } else { "" })?;
        if self.interval != 1 {
            write!(f, ";INTERVAL={}", self.interval)?;
        }
        if let Some(month) = self.month {
            write!(f, ";BYMONTH={month}")?;
        }
        if let Some(day) = self.month_day {
            write!(f, ";BYMONTHDAY={day}")?;
        }
        for (at, (nth, day)) in self.days.iter().enumerate() {
            let name = DAYS[usize::try_from(day.to_monday_zero_offset()).unwrap_or(0)];
            let nth = if *nth == 0 { String::new() } else { nth.to_string() };
            write!(f, "{}{nth}{name}", if at == 0 { ";BYDAY=" } else { "," })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
