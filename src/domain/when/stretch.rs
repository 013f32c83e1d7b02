//! Weeks, months, quarters and years, and days within them: "end of next month", "mid april", "EOD".

use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan};

use super::calendar::{self, month_span};
use super::day::{Kind, monday, plain_day};
use super::numbers::month_at;
use super::span::plus_days;
use super::tokens::Words;

/// Phrases for the end of a working day.
pub(super) const CLOSE: &str = "eod|end of business day|end of the business day|cob|cop|eob|close of business|close of play|end of play|end of business|end of work|end of the day|\
        end of day|day end";

/// Parses a period and returns its first and last day: "next week", "the quarter", "april", "q2 2027".
pub(super) fn stretch(words: Words, i: usize, today: Date) -> Option<(usize, Date, Date)> {
    let at = words.skip(i, "the|this|the current|current");
    let (unit, n) = match words.any(at, "next|following|coming") {
        Some(unit) => (unit, 1),
        None => (at, 0),
    };
    let month = today.first_of_month();
    let from = |first: Date, span: Span| Some((unit + 1, first, first.checked_add(span).ok()?.yesterday().ok()?));
    match words.at(unit) {
        "week" if words.phrase(unit, "week after next").is_some() => {
            let first = plus_days(monday(today), 14);
            Some((unit + 3, first, plus_days(first, 6)))
        }
        "week" | "wk" => from(plus_days(monday(today), 7 * n), 1.week()),
        "month" => from(month.checked_add(n.months()).ok()?, 1.month()),
        "quarter" => from(quarter(today, i64::from((today.month() - 1) / 3) + n)?, 3.months()),
        "year" => from(calendar::make(today.year().checked_add(i16::try_from(n).ok()?)?, 1, 1)?, 1.year()),
        name => {
            let number = name.strip_prefix('q').filter(|rest| rest.is_empty()).and_then(|_| words.0.get(unit + 1));
            let number = number.filter(|token| token.glued).and_then(|token| token.digits());
            let Some(number) = number.filter(|number| (1..=4).contains(number)) else {
                let year = calendar::year(words, unit).filter(|(end, year)| *end == unit + 1 && *year >= today.year());
                let whole = |year: i16| Some((unit + 1, calendar::make(year, 1, 1)?, calendar::make(year, 12, 31)?));
                return month_span(words, unit, today).or_else(|| year.and_then(|(_, year)| whole(year)));
            };
            let (end, year) = calendar::year(words, unit + 2).map_or((unit + 2, None), |(end, year)| (end, Some(year)));
            let this = calendar::make(year.unwrap_or(today.year()), 1, 1)?;
            let last = |first: Date| first.checked_add(3.months()).ok()?.yesterday().ok();
            let mut first = quarter(this, number - 1)?;
            if year.is_none() && last(first)? < today {
                first = first.checked_add(1.year()).ok()?;
            }
            Some((end, first, last(first)?))
        }
    }
}

/// Returns the first day of a quarter, counted from the first quarter of the year of `date`.
fn quarter(date: Date, n: i64) -> Option<Date> {
    calendar::make(date.year(), 1, 1)?.checked_add(Span::new().try_months(3 * n).ok()?).ok()
}

/// Parses beginnings, middles and ends: "end of the week", "EOD", "start of next month", "mid next month", "end of april", "first
/// working day of june".
pub(super) fn edge(words: Words, i: usize, today: Date) -> Option<(usize, Date)> {
    let at = words.skip(i, "the");
    if let Some(end) = words.any(at, CLOSE) {
        let on = words.skip(end, "on|of");
        let closed = plain_day(words, on, today).filter(|(_, day)| day.kind != Kind::Month);
        return Some(closed.map_or((end, today), |(after, day)| (after, day.date)));
    }
    let ends: [(&str, Date); 4] = [
        ("eow|week's end", plus_days(monday(today), 6)),
        ("eom|month's end|month end|month - end", today.last_of_month()),
        ("eoq|quarter end|quarter - end", quarter(today, i64::from((today.month() + 2) / 3))?.yesterday().ok()?),
        ("eoy|year's end|year end|year - end", calendar::make(today.year(), 12, 31)?),
    ];
    if let Some(found) = ends.into_iter().find_map(|(names, date)| Some((words.any(at, names)?, date))) {
        return Some(found);
    }
    let places: [(&str, Place); 9] = [
        ("first working day of|first business day of|first weekday of", Place::FirstWorkday),
        ("last working day of|last business day of|last weekday of", Place::LastWorkday),
        ("first week of|first week in|first half of|first half|1 st half of", Place::Week(0)),
        ("second week of|second week in|2 nd week of|2 nd week in", Place::Week(1)),
        ("third week of|third week in|3 rd week of|3 rd week in", Place::Week(2)),
        ("last week of|last week in|final week of", Place::LastWeek),
        ("very end of|end of|last day of|late in|late|end -|end", Place::End),
        ("middle of|mid -|mid|second half of", Place::Middle),
        ("start of|beginning of|first day of|early in|early|top of", Place::Start),
    ];
    let (end, place) = places.into_iter().find_map(|(names, place)| Some((words.any(at, names)?, place)))?;
    let bare = matches!(words.at(end - 1), "end");
    if let Some(end) = words.any(words.skip(end, "the"), "day|today|tomorrow|business|work") {
        return (place == Place::End && !bare)
            .then(|| (end, plus_days(today, i64::from(words.at(end - 1) == "tomorrow"))));
    }
    let (after, first, last) = stretch(words, end, today)?;
    let lone =
        bare && month_at(words, end).is_none() && words.at(end) != "q" && !matches!(words.at(end), "this" | "next");
    let date = place.of(first, last);
    // The next one, if that of the current period is over.
    let since = i > 0 && matches!(words.at(i - 1), "from" | "since");
    let over =
        date < today && !since && !matches!(words.at(end), "this" | "current") && words.0[after - 1].digits().is_none();
    let (after, date) = match over.then(|| stretch(words, end, plus_days(last, 1))).flatten() {
        Some((after, first, last)) => (after, place.of(first, last)),
        None => (after, date),
    };
    (!lone).then_some((after, date))
}

/// A position within a period.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Start,
    Middle,
    End,
    /// The n-th week, from 0.
    Week(i64),
    LastWeek,
    FirstWorkday,
    LastWorkday,
}

impl Place {
    fn of(self, first: Date, last: Date) -> Date {
        let weekend = |date: &Date| matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday);
        match self {
            Self::Start => first,
            Self::Middle => plus_days(first, if (last - first).get_days() > 20 { 14 } else { 2 }),
            Self::End => last,
            Self::Week(n) => plus_days(first, 7 * n),
            Self::LastWeek => plus_days(last, -6),
            Self::FirstWorkday => (0..3).map(|n| plus_days(first, n)).find(|date| !weekend(date)).unwrap_or(first),
            Self::LastWorkday => (0..3).map(|n| plus_days(last, -n)).find(|date| !weekend(date)).unwrap_or(last),
        }
    }
}
