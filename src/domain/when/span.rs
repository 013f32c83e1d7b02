//! Durations from now: "in 3 days", "an hour from now", "1d 2hr 5min".

use jiff::civil::Date;
use jiff::{Span, Zoned};

use super::numbers::{amount, cardinal, weekday};
use super::tokens::{Moment, Words};
pub(super) use crate::domain::duration::{Sum, Unit, plus_days};

/// End of a duration from now.
pub(super) enum Reach {
    /// Days: a civil date.
    Day(Date),
    /// Weeks and longer: a civil date whose week may be combined with another weekday.
    Week(Date),
    /// Hours or minutes: an instant, exact across clock changes.
    Instant(Zoned),
}

/// Parses a unit at `i`.
pub(super) fn unit(words: Words, i: usize) -> Option<(usize, Unit)> {
    let business = "business days|business day|working days|working day|work days|workdays|workday";
    if let Some(end) = words.any(i, business) {
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

/// Returns the end of a duration from now.
fn from_now(sum: Sum, moment: &Moment) -> Option<Reach> {
    if sum.minutes == 0 {
        let weeks = sum.months > 0 || sum.days >= 7;
        return Some(if weeks { Reach::Week } else { Reach::Day }(sum.past(moment.today(), false)?));
    }
    let date = Span::new().try_months(sum.months).ok()?.try_days(sum.days).ok()?;
    let moved = moment.now.checked_add(date).ok()?;
    Some(Reach::Instant(moved.checked_add(Span::new().try_minutes(sum.minutes).ok()?).ok()?))
}

/// Words before a duration that make it start now.
const LEADS: &str =
    "in the next|over the next|in the coming|within the next|within a maximum of|in under|in less than|in|within|after";

/// Words that make an amount approximate.
const ABOUT: &str = "about|around|roughly|approximately|approx|exactly|another|just over|just under|like";

/// Parses a duration from now at `i`: "in …", "… from now", "… hence".
pub(super) fn reach(words: Words, i: usize, moment: &Moment) -> Option<(usize, Reach)> {
    let led = words.any(i, LEADS);
    let start = led.map_or(i, |at| words.skip(at, ABOUT));
    let (end, sum) = sum(words, start)?;
    let tail = "from now on|from now|from today|hence|later|from this moment|time";
    // "a week's time" alone is a duration.
    if led.is_none() && words.at(end.saturating_sub(1)).ends_with("'s") {
        return None;
    }
    let end = match (words.any(end, tail), led) {
        (Some(after), _) => after,
        (None, Some(_)) => words.skip(end, "' time|'s time|or so"),
        (None, None) => return None,
    };
    Some((end, from_now(sum, moment)?))
}

/// Parses a fractional number of hours as minutes: "1.5 hours", "2½ hours", "1:30 hours", "1h30".
fn fraction(words: Words, i: usize) -> Option<(usize, i64)> {
    let whole = words.0.get(i)?.digits().filter(|hours| *hours < 1000)?;
    let hours = |at: usize| unit(words, at).filter(|(_, unit)| *unit == Unit::Hour);
    if words.at(i + 1) == "½" {
        return hours(i + 2).map(|(end, _)| (end, whole * 60 + 30));
    }
    let minutes = |at: usize| words.0.get(at).filter(|t| t.glued && t.text.len() == 2)?.digits().filter(|n| *n < 60);
    if let Some((end, _)) = hours(i + 1).filter(|_| words.glued(i + 1))
        && let Some(minutes) = minutes(end)
    {
        let unit = unit(words, end + 1).filter(|(_, unit)| *unit == Unit::Minute && words.glued(end + 1));
        return Some((unit.map_or(end + 1, |(after, _)| after), whole * 60 + minutes));
    }
    if words.at(i + 1) == ":" && words.glued(i + 1) {
        return hours(i + 3).zip(minutes(i + 2)).map(|((end, _), minutes)| (end, whole * 60 + minutes));
    }
    let tenths = words.0.get(i + 2)?.digits().filter(|n| *n < 10)?;
    let dotted = words.at(i + 1) == "." && words.glued(i + 1) && words.glued(i + 2);
    hours(i + 3).filter(|_| dotted).map(|(end, _)| (end, whole * 60 + tenths * 6))
}

/// Returns the index after the larger of two numbers: "2-3 days", "two or three weeks", "a day or two".
fn alternative(words: Words, i: usize) -> Option<usize> {
    let at = words.any(i, "or|to|-|–")?;
    cardinal(words, at).map(|(end, _)| end)
}

/// Parses "2 hours and 30 minutes", "half an hour", "an hour and a half", "a quarter of an hour".
pub(super) fn sum(words: Words, i: usize) -> Option<(usize, Sum)> {
    let mut total = Sum::default();
    for (phrase, minutes) in [
        ("half an hour", 30),
        ("half hour", 30),
        ("a half hour", 30),
        ("the hour", 60),
        ("half a day", 720),
        ("a quarter of an hour", 15),
        ("three quarters of an hour", 45),
        ("an hour and a half", 90),
        ("a year and a half", 0),
    ] {
        if let Some(end) = words.phrase(i, phrase) {
            total.minutes = minutes;
            total.months = if minutes == 0 { 18 } else { 0 };
            return Some((end, total));
        }
    }
    if let Some((end, minutes)) = fraction(words, i) {
        total.minutes = minutes;
        return Some((end, total));
    }
    let mut at = i;
    while let Some((number_end, number)) = amount(words, at).filter(|(_, n)| *n <= 100_000) {
        let halved = words.phrase(number_end, "and a half");
        let number_end = halved.or_else(|| alternative(words, number_end)).unwrap_or(number_end);
        let Some((end, unit)) = unit(words, number_end) else { break };
        // "3d", not "3 d"
        if words.at(number_end).len() == 1 && !words.glued(number_end) {
            break;
        }
        if halved.is_some() && !total.add_half(unit) {
            break;
        }
        total.add(unit, number);
        at = words.skip(end, "or two|or so");
        let next = words.skip(at, "and|, and|,");
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

/// Parses "three days before christmas", "two weeks after tomorrow", "a year today". `day` parses the other date.
pub(super) fn offset(words: Words, i: usize, day: &dyn Fn(usize) -> Option<(usize, Date)>) -> Option<(usize, Date)> {
    let at = words.skip(i, "the");
    let (end, sum) = match words.any(at, "day").filter(|_| at > i) {
        Some(end) => (end, Sum::of(Unit::Day, 1)),
        None => sum(words, at)?,
    };
    let back = words.at(end) == "before";
    let counted = matches!(words.at(end), "before" | "after" | "from" | "following");
    // "a week on friday", "two weeks this friday", "six months today"
    let from = words.skip(end, "on");
    let near = matches!(words.at(from), "today" | "tomorrow" | "this") || weekday(words.at(from)).is_some();
    let (after, date) = if counted { day(end + 1) } else { day(from).filter(|_| near) }?;
    let moved = sum.past(date, back)?;
    Some((after, moved))
}
