//! Durations as people count them, and dates that are so far apart.

use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan};

/// A unit of durations.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Minute,
    Hour,
    Day,
    BusinessDay,
    Week,
    Fortnight,
    Month,
    Quarter,
    Year,
}

/// A sum of durations.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub struct Sum {
    pub minutes: i64,
    pub days: i64,
    business: i64,
    pub months: i64,
}

impl Sum {
    /// Returns `n` units.
    pub fn of(unit: Unit, n: i64) -> Self {
        let mut sum = Self::default();
        sum.add(unit, n);
        sum
    }

    /// Adds `n` units.
    pub fn add(&mut self, unit: Unit, n: i64) {
        match unit {
            Unit::Minute => self.minutes += n,
            Unit::Hour => self.minutes += n * 60,
            Unit::Day => self.days += n,
            Unit::BusinessDay => self.business += n,
            Unit::Week => self.days += n * 7,
            Unit::Fortnight => self.days += n * 14,
            Unit::Month => self.months += n,
            Unit::Quarter => self.months += n * 3,
            Unit::Year => self.months += n * 12,
        }
    }

    /// Adds half of a unit. Returns false for units that have no usual half.
    pub fn add_half(&mut self, unit: Unit) -> bool {
        match unit {
            Unit::Hour => self.minutes += 30,
            Unit::Day => self.minutes += 12 * 60,
            Unit::Year => self.months += 6,
            Unit::Minute | Unit::BusinessDay | Unit::Week | Unit::Fortnight | Unit::Month | Unit::Quarter => {
                return false;
            }
        }
        true
    }

    /// Returns the date after or before another by this duration; `None` if it has minutes.
    pub fn past(self, date: Date, back: bool) -> Option<Date> {
        let span = Span::new().try_months(self.months).ok()?.try_days(self.days).ok()?;
        let mut day = if back { date.checked_sub(span) } else { date.checked_add(span) }.ok()?;
        for _ in 0..self.business.min(10_000) {
            let step = |day: Date| if back { day.yesterday() } else { day.tomorrow() };
            day = step(day).ok()?;
            while matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday) {
                day = step(day).ok()?;
            }
        }
        (self.minutes == 0).then_some(day)
    }
}

/// Returns the date `days` after another, within the calendar.
pub fn plus_days(date: Date, days: i64) -> Date {
    date.saturating_add(Span::new().try_days(days).unwrap_or_else(|_| 0.days()))
}
