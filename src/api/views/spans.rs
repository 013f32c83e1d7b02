//! Time spans split into buckets for charts: hours, days, weeks, months or years of the reader's zone.

use jiff::civil::{Date, DateTime, Weekday};
use jiff::{Span, Unit, Zoned};

use super::audit_filter;
use crate::api::ApiError;
use crate::api::audit::AuditSearch;
use crate::domain::Invalid;
use crate::domain::statistics::Bucket;
use crate::domain::time::Timestamp;
use crate::domain::when;
use crate::messages::{dates, statistics as messages};

/// Default length of a span, in days.
const DAYS: i64 = 30;
/// Maximum number of buckets in a chart.
const MOST: usize = 100;

/// Returns the bucket boundaries of the search's span, or of the last 30 days.
pub fn edges(search: &AuditSearch, now: &Timestamp, zone: &str) -> Result<Vec<Timestamp>, ApiError> {
    let filter = audit_filter(search, zone)?;
    let tomorrow = day(when::local(now, zone).date(), 1);
    let until = filter.until.as_ref().map(|at| when::local(at, zone).datetime()).unwrap_or_else(|| tomorrow.into());
    let since = filter.since.as_ref().map(|at| when::local(at, zone).datetime());
    let since = since.unwrap_or_else(|| until.saturating_sub(Span::new().days(DAYS)));
    let (Some(first), Some(last)) = (instant(since, zone), instant(until, zone)) else { return Ok(vec![]) };
    let mut edges = vec![first];
    let mut at = since;
    while edges.len() <= MOST {
        at = next(at, hours(since, until));
        if at >= until {
            break;
        }
        edges.extend(instant(at, zone));
    }
    // An hour that a clock change skips or repeats is one bucket.
    edges.retain(|edge| *edge < last);
    edges.push(last);
    edges.dedup();
    Ok(edges)
}

/// Parses an instant, or a date with or without a time in the reader's zone, e.g. 2026-11-20T10:00.
pub fn moment(text: &str, zone: &str) -> Result<Timestamp, Invalid> {
    let text = text.trim();
    let unknown = || Invalid::because(messages::no_time(text));
    if let Ok(at) = Timestamp::parse(text) {
        return Ok(at);
    }
    let local = text.parse::<DateTime>().map_err(|_| unknown())?;
    instant(local, zone).ok_or_else(unknown)
}

/// Parses an optional moment, which a form sends empty.
pub fn moment_of(text: Option<&str>, zone: &str) -> Result<Option<Timestamp>, Invalid> {
    text.map(str::trim).filter(|text| !text.is_empty()).map(|text| moment(text, zone)).transpose()
}

fn hours(since: DateTime, until: DateTime) -> i64 {
    until.since((Unit::Hour, since)).map_or(0, |span| i64::from(span.get_hours()))
}

/// Returns the end of the bucket that begins at `at`, in a span of `hours`.
fn next(at: DateTime, hours: i64) -> DateTime {
    let date = at.date();
    match hours {
        ..=72 => at.saturating_add(Span::new().hours(1)),
        73..=2_200 => day(date, 1).into(),
        2_201..=15_000 => day(date, 7 - i64::from(date.weekday().since(Weekday::Monday))).into(),
        15_001..=70_000 => date.first_of_month().saturating_add(Span::new().months(1)).into(),
        _ => date.first_of_year().saturating_add(Span::new().years(1)).into(),
    }
}

fn day(date: Date, days: i64) -> Date {
    date.saturating_add(Span::new().days(days))
}

fn instant(at: DateTime, zone: &str) -> Option<Timestamp> {
    at.in_tz(zone).ok().map(|at| at.timestamp().into())
}

/// Returns the title of a span: `Last 30 days`, or its start and end.
pub fn title(search: &AuditSearch, now: &Timestamp, zone: &str) -> String {
    let given = |field: &Option<String>| field.as_ref().is_some_and(|text| !text.trim().is_empty());
    if !given(&search.since) && !given(&search.until) {
        return messages::the_last_days(DAYS);
    }
    let edges = edges(search, now, zone).unwrap_or_default();
    let instant = |at: Option<&Timestamp>| at.map(|at| when::instant(at, now, zone)).unwrap_or_default();
    messages::from_to(&instant(edges.first()), &instant(edges.last()))
}

pub fn labels(buckets: &[Bucket], zone: &str) -> Vec<String> {
    let local = |at: &str| Timestamp::parse(at).ok().map(|at| when::local(&at, zone));
    buckets.iter().map(|it| local(&it.from).zip(local(&it.until)).map(label).unwrap_or_default()).collect()
}

fn label((from, until): (Zoned, Zoned)) -> String {
    let hours = from.until((Unit::Hour, &until)).map_or(0, |span| i64::from(span.get_hours()));
    let format = match hours {
        ..=2 => dates::TIME_OF_DAY,
        3..=25 => dates::DAY,
        26..=200 => dates::WEEK,
        201..=800 => dates::MONTH,
        _ => dates::YEAR,
    };
    from.strftime(format).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(since: &str, until: &str, count: usize, first: &str, last: &str) {
        let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let search = AuditSearch { since: given(since), until: given(until), ..AuditSearch::default() };
        let now = Timestamp::parse("2026-11-22T21:00:00Z").unwrap();
        let edges = edges(&search, &now, "Europe/London").unwrap();
        let label = |pair: &[Timestamp]| {
            let bucket = Bucket { from: pair[0].to_string(), until: pair[1].to_string(), ..Bucket::default() };
            labels(&[bucket], "Europe/London").remove(0)
        };
        assert_eq!(edges.len() - 1, count);
        assert_eq!((label(&edges[..2]), label(&edges[count - 1..])), (first.to_owned(), last.to_owned()));
        assert!(edges.is_sorted());
    }

    #[test]
    fn a_span_is_cut_where_the_readers_clock_turns() {
        check("", "", 30, "24 Oct", "22 Nov");
        check("2026-11-20", "2026-11-20", 24, "20 Nov 00:00", "20 Nov 23:00");
        // The clocks went back that night, so one bucket lasts two hours.
        check("2026-10-25", "2026-10-25", 24, "25 Oct 00:00", "25 Oct 23:00");
        check("2026-01-01", "2026-12-31", 53, "week of 1 Jan", "week of 28 Dec");
        check("2023-01-15", "2026-11-22", 47, "January 2023", "November 2026");
        check("2000-01-01", "2026-11-22", 27, "2000", "2026");
    }
}
