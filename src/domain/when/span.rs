//! Amounts of time from now: "in 3 days", "an hour from now", "1d 2hr 5min".

use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan, Zoned};

use super::numbers::amount;
use super::tokens::{Moment, Words};

/// Where an amount of time leads.
pub(super) enum Reach {
    /// Days and longer: a civil date.
    Day(Date),
    /// Anything with hours or minutes: an instant, across clock changes too.
    Instant(Zoned),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
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

/// The unit at `i`.
pub(super) fn unit(words: Words, i: usize) -> Option<(usize, Unit)> {
    let business = ["business days", "business day", "working days", "working day", "work days", "workdays", "workday"];
    if let Some(end) = words.any(i, &business) {
        return Some((end, Unit::BusinessDay));
    }
    // "in a week's time"
    let owned = words.at(i).strip_suffix("'s").filter(|_| words.at(i + 1) == "time");
    let unit = match owned.unwrap_or(words.at(i)) {
        "minute" | "minutes" | "min" | "mins" | "m" => Unit::Minute,
        "hour" | "hours" | "hr" | "hrs" | "h" => Unit::Hour,
        "day" | "days" | "d" => Unit::Day,
        "week" | "weeks" | "w" | "wk" | "wks" => Unit::Week,
        "fortnight" | "fortnights" => Unit::Fortnight,
        "month" | "months" | "mo" | "mos" => Unit::Month,
        "quarter" | "quarters" => Unit::Quarter,
        "year" | "years" | "y" | "yr" | "yrs" => Unit::Year,
        _ => return None,
    };
    Some((i + 1, unit))
}

/// Letters that stand for a unit only when they touch their number ("3d").
fn needs_number(word: &str) -> bool {
    word.len() == 1
}

/// Everything that was added up.
#[derive(Default, Clone, Copy)]
struct Sum {
    minutes: i64,
    days: i64,
    business: i64,
    months: i64,
}

impl Sum {
    fn add(&mut self, unit: Unit, n: i64) {
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

    /// Adds half of a unit; false for units of which nobody says so.
    fn add_half(&mut self, unit: Unit) -> bool {
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

    fn from(self, moment: &Moment) -> Option<Reach> {
        let date = Span::new().try_months(self.months).ok()?.try_days(self.days).ok()?;
        if self.minutes > 0 {
            let moved = moment.now.checked_add(date).ok()?;
            return Some(Reach::Instant(moved.checked_add(Span::new().try_minutes(self.minutes).ok()?).ok()?));
        }
        let mut day = moment.today().checked_add(date).ok()?;
        for _ in 0..self.business.min(10_000) {
            day = day.tomorrow().ok()?;
            while matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday) {
                day = day.tomorrow().ok()?;
            }
        }
        Some(Reach::Day(day))
    }
}

/// An amount of time at `i` that says it starts now: "in …", "… from now", "… hence".
pub(super) fn reach(words: Words, i: usize, moment: &Moment) -> Option<(usize, Reach)> {
    let led = words.any(i, &["in about", "in around", "in the next", "within the next", "in", "within", "after"]);
    let start = led.unwrap_or(i);
    let (end, sum) = sum(words, start)?;
    let tail = ["from now", "from today", "hence", "later", "from this moment", "time"];
    // "a week's time" alone is how long something takes.
    if led.is_none() && words.at(end.saturating_sub(1)).ends_with("'s") {
        return None;
    }
    let end = match (words.any(end, &tail), led) {
        (Some(after), _) => after,
        (None, Some(_)) => words.skip(end, &["' time", "'s time"]),
        (None, None) => return None,
    };
    Some((end, sum.from(moment)?))
}

/// An amount in decimals at `i`, in minutes: "1.5 hours".
fn decimal(words: Words, i: usize) -> Option<(usize, i64)> {
    let whole = words.0.get(i)?.digits()?;
    let tenths = words.0.get(i + 2)?.digits().filter(|n| *n < 10)?;
    let dotted = words.at(i + 1) == "." && words.glued(i + 1) && words.glued(i + 2);
    let (end, unit) = unit(words, i + 3).filter(|(_, unit)| dotted && *unit == Unit::Hour)?;
    (unit == Unit::Hour && whole < 1000).then_some((end, whole * 60 + tenths * 6))
}

/// "2 hours and 30 minutes", "half an hour", "an hour and a half", "a quarter of an hour".
fn sum(words: Words, i: usize) -> Option<(usize, Sum)> {
    let mut total = Sum::default();
    for (phrase, minutes) in [
        ("half an hour", 30),
        ("half hour", 30),
        ("a half hour", 30),
        ("a quarter of an hour", 15),
        ("three quarters of an hour", 45),
        ("an hour and a half", 90),
        ("a year and a half", 0),
    ] {
        if let Some(end) = words.phrase(i, phrase) {
            total.minutes = minutes;
            if minutes == 0 {
                total.months = 18;
            }
            return Some((end, total));
        }
    }
    if let Some((end, minutes)) = decimal(words, i) {
        total.minutes = minutes;
        return Some((end, total));
    }
    let mut at = i;
    while let Some((number_end, number)) = amount(words, at).filter(|(_, n)| *n <= 100_000) {
        let halved = words.phrase(number_end, "and a half");
        let number_end = halved.unwrap_or(number_end);
        let Some((end, unit)) = unit(words, number_end) else { break };
        if needs_number(words.at(number_end)) && !words.glued(number_end) {
            break;
        }
        if halved.is_some() && !total.add_half(unit) {
            break;
        }
        total.add(unit, number);
        at = end;
        let next = words.skip(at, &["and", ", and", ","]);
        if words.phrase(next, "a half").is_some() && next > at {
            if halved.is_some() || !total.add_half(unit) {
                break;
            }
            return Some((next + 2, total));
        }
        if amount(words, next).and_then(|(after, _)| self::unit(words, after)).is_none() {
            break;
        }
        at = next;
    }
    (at > i).then_some((at, total))
}

/// A date counted from another: "three days before christmas", "two weeks after tomorrow". `day` reads the other.
pub(super) fn offset(words: Words, i: usize, day: &dyn Fn(usize) -> Option<(usize, Date)>) -> Option<(usize, Date)> {
    let at = words.skip(i, &["the"]);
    let (end, sum) = match words.any(at, &["day"]).filter(|_| at > i) {
        Some(end) => (end, Sum { days: 1, ..Sum::default() }),
        None => sum(words, at)?,
    };
    let back = match words.at(end) {
        "before" => true,
        "after" | "from" | "following" => false,
        _ => return None,
    };
    let (after, date) = day(end + 1)?;
    if sum.minutes > 0 || sum.business > 0 {
        return None;
    }
    let span = Span::new().try_months(sum.months).ok()?.try_days(sum.days).ok()?;
    let moved = if back { date.checked_sub(span) } else { date.checked_add(span) };
    Some((after, moved.ok()?))
}

/// The date `days` after another, within the calendar.
pub(super) fn plus_days(date: Date, days: i64) -> Date {
    date.saturating_add(Span::new().try_days(days).unwrap_or_else(|_| 0.days()))
}
