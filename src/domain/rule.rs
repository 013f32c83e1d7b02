//! Recurrence rules: parsing, writing and evaluating the supported part of RFC 5545.

use std::fmt;

use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan};

/// Unit of a rule.
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

/// The end of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The last day for occurrences.
    Until(Date),
    /// Number of remaining occurrences, including the current one.
    Count(i32),
}

/// A recurrence rule. With empty lists, the day is that of the task's date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rule {
    pub freq: Freq,
    /// 1 to 999.
    pub interval: i32,
    /// A weekday, or the n-th of the month if `n` is not 0 (negative: from the end).
    pub days: Vec<(i8, Weekday)>,
    /// 1 to 31, or -1 for the last day; sorted, without duplicates.
    pub month_days: Vec<i8>,
    /// 1 to 12; only with `Yearly`.
    pub month: Option<i8>,
    /// Hour and minute, if a clock change shifted the due date away from them.
    pub time: Option<(i8, i8)>,
    pub end: Option<End>,
    /// Counted from completion: written as a leading `!`.
    pub from_completion: bool,
}

impl Rule {
    /// Creates a rule for every `interval` units of `freq`.
    pub fn every(freq: Freq, interval: i32) -> Self {
        let (days, month_days) = (vec![], vec![]);
        Self { freq, interval, days, month_days, month: None, time: None, end: None, from_completion: false }
    }

    /// Creates a rule for every week on `days`.
    pub fn weekly(days: &[Weekday]) -> Self {
        let mut sorted = days.to_vec();
        sorted.sort_by_key(|day| day.to_monday_zero_offset());
        sorted.dedup();
        Self { days: sorted.into_iter().map(|day| (0, day)).collect(), ..Self::every(Freq::Weekly, 1) }
    }

    /// Creates a rule for every month on `days`.
    pub fn monthly(mut days: Vec<i8>) -> Self {
        // The last day sorts last.
        days.sort_by_key(|day| if *day < 0 { 32 } else { *day });
        days.dedup();
        Self { month_days: days, ..Self::every(Freq::Monthly, 1) }
    }

    /// Creates a rule for every year on a day of a month.
    pub fn yearly(month: i8, day: i8) -> Self {
        Self { month: Some(month), month_days: vec![day], ..Self::every(Freq::Yearly, 1) }
    }

    /// Returns true if the rule names no day, so that its days follow from the date of the task.
    fn bare(&self) -> bool {
        self.days.is_empty() && self.month_days.is_empty() && self.month.is_none()
    }

    /// Parses the output of [`fmt::Display`], and other rules if all their parts are supported.
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
                "INTERVAL" => rule.interval = number(value, 1..=999)?,
                "BYDAY" => rule.days = value.split(',').map(day_part).collect::<Option<_>>()?,
                "BYMONTHDAY" => {
                    let days =
                        value.split(',').map(|day| day.parse().ok().filter(|n| *n == -1 || (1..=31).contains(n)));
                    rule.month_days = Self::monthly(days.collect::<Option<_>>()?).month_days;
                }
                "BYHOUR" => rule.time = Some((number(value, 0..=23)?, rule.time.map_or(0, |(_, minute)| minute))),
                "BYMINUTE" => rule.time = Some((rule.time.map_or(-1, |(hour, _)| hour), number(value, 0..=59)?)),
                "BYSECOND" if value == "0" => {}
                "COUNT" => rule.end = Some(End::Count(number(value, 1..=9999).filter(|_| rule.end.is_none())?)),
                "UNTIL" => rule.end = Some(End::Until(last_day(value).filter(|_| rule.end.is_none())?)),
                "BYMONTH" => rule.month = Some(number(value, 1..=12)?),
                "WKST" => {}
                _ => return None,
            }
        }
        rule.days.sort_by_key(|(nth, day)| (if *nth < 0 { 6 - nth } else { *nth }, day.to_monday_zero_offset()));
        rule.days.dedup();
        // Reject a minute without an hour.
        Some(rule.plainer()).filter(|rule| rule.time.is_none_or(|(hour, _)| hour >= 0))
    }

    /// Returns the equivalent canonical rule: daily rules with weekdays become weekly, monthly rules with a month yearly.
    fn plainer(self) -> Self {
        let once = self.interval == 1 && self.days.iter().all(|(nth, _)| *nth == 0);
        match self.freq {
            Freq::Daily if once && !self.days.is_empty() && self.month_days.is_empty() && self.month.is_none() => {
                Self { freq: Freq::Weekly, ..self }
            }
            Freq::Monthly if self.interval == 1 && self.month.is_some() => Self { freq: Freq::Yearly, ..self },
            _ => self,
        }
    }

    /// Returns true if all parts of the rule are supported, which depends on its unit.
    pub fn fits(&self) -> bool {
        let nth = self.days.iter().any(|(nth, _)| *nth != 0);
        let bare = self.days.is_empty() && self.month_days.is_empty();
        match self.freq {
            Freq::Daily => bare && self.month.is_none(),
            Freq::Weekly => !nth && self.month_days.is_empty() && self.month.is_none(),
            Freq::Monthly => self.month.is_none(),
            // The n-th weekday counts within a month, so a yearly rule needs a month for it. A month needs a day.
            Freq::Yearly => {
                if self.month.is_some() {
                    !bare
                } else {
                    !nth
                }
            }
        }
    }

    /// Returns the rule for the occurrence on `next`, `steps` after the one on `base`. If a shorter month cut the day of `base`,
    /// adds that day to the rule to make the cut temporary. `None` after the last occurrence.
    pub fn following(&self, base: Date, next: Date, steps: i32) -> Option<Self> {
        let mut rule = self.clone();
        match &mut rule.end {
            Some(End::Until(last)) if next > *last => return None,
            Some(End::Count(left)) => *left = left.checked_sub(steps).filter(|left| *left > 0)?,
            _ => {}
        }
        if !self.bare() || self.from_completion || next.day() == base.day() {
            return Some(rule);
        }
        match self.freq {
            Freq::Monthly => rule.month_days = vec![base.day()],
            // 29 February: the last day of the month in every year.
            Freq::Yearly => (rule.month, rule.month_days) = (Some(base.month()), vec![-1]),
            Freq::Daily | Freq::Weekly => {}
        }
        Some(rule)
    }

    /// Returns the first date on or after `from` that the rule allows, unless its series has ended. A rule that names no day
    /// starts on `from`.
    pub fn first(&self, from: Date) -> Option<Date> {
        let date = if self.bare() { Some(from) } else { self.first_named(from) };
        date.filter(|date| !matches!(self.end, Some(End::Until(last)) if *date > last))
    }

    fn first_named(&self, from: Date) -> Option<Date> {
        let once = Self { interval: 1, ..self.clone() };
        let Some(month) = self.month else {
            return (0..=800)
                .map_while(|n| from.checked_add(Span::new().try_days(n).ok()?).ok())
                .find(|date| once.names(*date));
        };
        // 29 February can be eight years away.
        (from.year()..=from.year().saturating_add(8))
            .filter_map(|year| Date::new(year, month, 1).ok())
            .flat_map(|first| (1..=first.days_in_month()).filter_map(move |day| first.with().day(day).build().ok()))
            .find(|date| *date >= from && once.names(*date))
    }

    /// Returns the first date after `base` in the rule's steps that is later than `floor`, and the number of steps. Counts all
    /// steps only if the rule has a count.
    pub fn next(&self, base: Date, floor: Date) -> Option<(Date, i32)> {
        let mut date = self.shortly_before(floor, base).unwrap_or(base);
        for steps in 1..=5000 {
            date = self.step(base, date)?;
            if date > floor {
                return Some((date, steps));
            }
        }
        None
    }

    /// Returns a date of the rule shortly before `floor`, so that few steps remain from an old `base`. `None` if steps must be
    /// counted.
    fn shortly_before(&self, floor: Date, base: Date) -> Option<Date> {
        if matches!(self.end, Some(End::Count(_))) || floor <= base {
            return None;
        }
        let interval = i64::from(self.interval);
        let years = i64::from(floor.year()) - i64::from(base.year());
        let months = years * 12 + i64::from(floor.month()) - i64::from(base.month());
        let days = i64::from(base.until(floor).ok()?.get_days());
        let steps = |units: i64| (units - 1).max(0) / interval * interval;
        let names_days = !self.days.is_empty() || !self.month_days.is_empty();
        match self.freq {
            Freq::Daily => base.checked_add(steps(days).days()).ok(),
            Freq::Weekly => base.checked_add(steps(days / 7).weeks()).ok(),
            Freq::Monthly if names_days => {
                Some(base.first_of_month().checked_add(steps(months).months()).ok()?.last_of_month())
            }
            Freq::Monthly => base.checked_add(steps(months).months()).ok(),
            Freq::Yearly if names_days || self.month.is_some() => {
                Some(base.first_of_year().checked_add(steps(years).years()).ok()?.last_of_year())
            }
            Freq::Yearly => base.checked_add(steps(years).years()).ok(),
        }
        .filter(|date| *date > base && *date <= floor)
    }

    /// Returns the next date after `date`. `base` has the day of the month that shorter months cut.
    fn step(&self, base: Date, date: Date) -> Option<Date> {
        let interval = i64::from(self.interval);
        let by_day = !self.days.is_empty() || !self.month_days.is_empty();
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

    /// Returns the next date named by the rule: in the same year, or the first of the rule's years that has one.
    fn step_years(&self, date: Date) -> Option<Date> {
        let in_year = |from: Date| self.first_named(from).filter(|found| found.year() == from.year());
        let tomorrow = date.tomorrow().ok()?;
        if let Some(found) = in_year(tomorrow).filter(|_| tomorrow.year() == date.year()) {
            return Some(found);
        }
        let mut year = date.year();
        // The rarest day, 29 February, occurs within eight of the rule's years or never.
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

    /// Returns true if the rule's day parts allow `date`, ignoring its interval.
    fn names(&self, date: Date) -> bool {
        let length = date.days_in_month();
        let is_nth = |nth: i8| match nth {
            0 => true,
            1.. => (date.day() - 1) / 7 + 1 == nth,
            _ => (length - date.day()) / 7 + 1 == -nth,
        };
        let on_month_day = |wanted: &i8| {
            if *wanted == -1 { date.day() == length } else { date.day() == (*wanted).min(clamp(self, date)) }
        };
        self.month.is_none_or(|month| month == date.month())
            && (self.month_days.is_empty() || self.month_days.iter().any(on_month_day))
            && (self.days.is_empty() || self.days.iter().any(|(nth, day)| date.weekday() == *day && is_nth(*nth)))
    }
}

/// Returns the last day that a month day is moved to in a short month. A yearly 29 February waits for a leap year.
fn clamp(rule: &Rule, date: Date) -> i8 {
    if rule.freq == Freq::Yearly { 31 } else { date.days_in_month() }
}

fn monday_of(date: Date) -> Date {
    date.saturating_sub(i64::from(date.weekday().to_monday_zero_offset()).days())
}

/// Parses a number within bounds.
fn number<N: std::str::FromStr + PartialOrd>(text: &str, bounds: std::ops::RangeInclusive<N>) -> Option<N> {
    text.parse().ok().filter(|n| bounds.contains(n))
}

/// Parses the day of `UNTIL`, with or without a time: `20261231`, `20261231T225959Z`.
fn last_day(text: &str) -> Option<Date> {
    let (day, time) = text.split_once('T').unwrap_or((text, ""));
    let digits = time.strip_suffix('Z').unwrap_or(time).bytes().all(|b| b.is_ascii_digit());
    Date::strptime(if day.contains('-') { "%Y-%m-%d" } else { "%Y%m%d" }, day).ok().filter(|_| digits)
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
        for (at, day) in self.month_days.iter().enumerate() {
            write!(f, "{}{day}", if at == 0 { ";BYMONTHDAY=" } else { "," })?;
        }
        for (at, (nth, day)) in self.days.iter().enumerate() {
            let name = DAYS[usize::try_from(day.to_monday_zero_offset()).unwrap_or(0)];
            let nth = if *nth == 0 { String::new() } else { nth.to_string() };
            write!(f, "{}{nth}{name}", if at == 0 { ";BYDAY=" } else { "," })?;
        }
        if let Some((hour, minute)) = self.time {
            write!(f, ";BYHOUR={hour};BYMINUTE={minute}")?;
        }
        match self.end {
            Some(End::Until(last)) => write!(f, ";UNTIL={}", last.strftime("%Y%m%d")),
            Some(End::Count(left)) => write!(f, ";COUNT={left}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
