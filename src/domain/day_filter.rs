//! Days and periods for filters of lists.

use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::Invalid;
use super::due_label::local;
use super::duration::plus_days;
use super::task::{CompletedFilter, DueFilter};
use super::time::{CivilDate, Timestamp};
use super::when::{parse, resolve};

/// Parses the `due` filter of lists: overdue, today, tomorrow, week (today and the six days after), or a date.
pub fn span_of(filter: &str, now: &Timestamp, zone: &str) -> Option<DueFilter> {
    let today = local(now, zone).date();
    let civil = |days: i64| Some(CivilDate::from(plus_days(today, days)));
    let filter = filter.trim().to_lowercase();
    match filter.as_str() {
        "overdue" => Some(DueFilter { from: None, to: civil(-1), before: Some(now.clone()) }),
        "week" | "this week" => Some(DueFilter { from: civil(0), to: civil(6), before: None }),
        _ => {
            let due = parse(&filter, now, zone)?.due;
            let day = CivilDate::parse(due.day()).ok()?;
            Some(DueFilter { from: Some(day.clone()), to: Some(day), before: None })
        }
    }
}

/// Returns the range of days from one to another, inclusive; either may be open.
pub fn days_between(
    from: Option<&str>,
    to: Option<&str>,
    now: &Timestamp,
    zone: &str,
) -> Result<Option<DueFilter>, Invalid> {
    let day = |text: &str| -> Result<CivilDate, Invalid> { CivilDate::parse(resolve(text, now, zone)?.day()) };
    let (from, to) = (from.map(day).transpose()?, to.map(day).transpose()?);
    if from.as_ref().zip(to.as_ref()).is_some_and(|(from, to)| from > to) {
        return Err(Invalid::because("due_from is after due_to. Swap the two dates."));
    }
    Ok((from.is_some() || to.is_some()).then_some(DueFilter { from, to, before: None }))
}

/// Returns the completion period for "today", "yesterday", "week" (since Monday), "month" or a date.
pub fn completed_in(text: &str, now: &Timestamp, zone: &str) -> Option<CompletedFilter> {
    let today = local(now, zone).date();
    let (first, last) = match text.trim().to_lowercase().as_str() {
        "today" => (today, today),
        "yesterday" => (today.yesterday().ok()?, today.yesterday().ok()?),
        "week" | "this week" => {
            let since = i64::from(today.weekday().to_monday_zero_offset());
            (plus_days(today, -since), today)
        }
        "month" | "this month" => (today.first_of_month(), today),
        text => {
            let day =
                CivilDate::parse(text).ok().or_else(|| CivilDate::parse(parse(text, now, zone)?.due.day()).ok())?;
            (day.to_jiff(), day.to_jiff())
        }
    };
    let start = |day: Date| Some(Timestamp::from(day.to_zoned(TimeZone::get(zone).ok()?).ok()?.timestamp()));
    Some(CompletedFilter { from: start(first)?, until: start(last.tomorrow().ok()?)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        // A Wednesday, still Tuesday in New York.
        Timestamp::parse("2026-03-11T02:30:00Z").unwrap()
    }

    #[test]
    fn completed_times_follow_the_clock_of_the_owner() {
        for (text, from, until) in [
            ("today", "2026-03-10T04:00:00.000Z", "2026-03-11T04:00:00.000Z"),
            ("yesterday", "2026-03-09T04:00:00.000Z", "2026-03-10T04:00:00.000Z"),
            ("week", "2026-03-09T04:00:00.000Z", "2026-03-11T04:00:00.000Z"),
            ("month", "2026-03-01T05:00:00.000Z", "2026-03-11T04:00:00.000Z"),
            // The day on which clocks go forward has 23 hours.
            ("2026-03-08", "2026-03-08T05:00:00.000Z", "2026-03-09T04:00:00.000Z"),
        ] {
            let found = completed_in(text, &now(), "America/New_York").unwrap();
            assert_eq!((found.from.as_str(), found.until.as_str()), (from, until), "{text}");
        }
        assert_eq!(completed_in("whenever", &now(), "UTC"), None);
    }

    #[test]
    fn days_between_are_read_as_phrases_and_in_their_order() {
        let between = |from, to| days_between(from, to, &now(), "UTC");
        let found = between(Some("today"), Some("friday")).unwrap().unwrap();
        let day = |text: &str| Some(CivilDate::parse(text).unwrap());
        assert_eq!((found.from, found.to), (day("2026-03-11"), day("2026-03-13")));
        assert_eq!(between(None, None).unwrap(), None);
        assert_eq!(between(Some("2026-03-12"), None).unwrap().unwrap().to, None);
        assert!(between(Some("friday"), Some("today")).unwrap_err().to_string().contains("after due_to"));
        assert!(between(Some("whenever"), None).is_err());
    }
}
