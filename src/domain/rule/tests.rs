//! Tests of recurrence rules.

use jiff::ToSpan as _;
use jiff::civil::date;
use proptest::prelude::*;

use super::Rule;
use crate::domain::time::Timestamp;
use crate::domain::when::{canonical, first_occurrence, is_recurrence, next_occurrence, resolve};

fn now() -> Timestamp {
    Timestamp::parse("2026-03-11T10:00:00Z").unwrap()
}

#[test]
fn the_next_occurrence_lies_after_due_day_and_completion() {
    for (rule, due, done, next) in [
        ("FREQ=DAILY", "2026-03-11", "2026-03-11T10:00:00Z", "2026-03-12"),
        ("FREQ=DAILY", "2026-03-01", "2026-03-11T10:00:00Z", "2026-03-12"),
        ("FREQ=DAILY;INTERVAL=3", "2026-03-10", "2026-03-11T10:00:00Z", "2026-03-13"),
        ("!FREQ=DAILY;INTERVAL=3", "2026-03-01", "2026-03-11T10:00:00Z", "2026-03-14"),
        ("FREQ=WEEKLY;BYDAY=MO,FR", "2026-03-13", "2026-03-13T10:00:00Z", "2026-03-16"),
        ("FREQ=MONTHLY", "2026-01-31", "2026-01-31T10:00:00Z", "2026-02-28"),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "2026-02-28", "2026-02-28T10:00:00Z", "2026-03-31"),
        ("FREQ=MONTHLY;BYDAY=-1FR", "2026-03-27", "2026-03-27T10:00:00Z", "2026-04-24"),
        ("FREQ=YEARLY", "2028-02-29", "2028-02-29T10:00:00Z", "2029-02-28"),
        ("FREQ=YEARLY;INTERVAL=2;BYMONTH=10;BYMONTHDAY=9", "2026-10-09", "2026-10-09T10:00:00Z", "2028-10-09"),
        ("FREQ=YEARLY;INTERVAL=3;BYMONTH=2;BYMONTHDAY=29", "2028-02-29", "2028-02-29T10:00:00Z", "2040-02-29"),
        ("FREQ=YEARLY;BYDAY=MO;BYMONTH=3", "2026-03-09", "2026-03-09T10:00:00Z", "2026-03-16"),
        ("FREQ=YEARLY;INTERVAL=2;BYDAY=MO;BYMONTH=3", "2026-03-30", "2026-03-30T10:00:00Z", "2028-03-06"),
        ("FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=31", "2026-12-31", "2026-12-31T10:00:00Z", "2027-12-31"),
        ("FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR", "2026-03-13", "2026-03-13T10:00:00Z", "2026-03-16"),
        ("FREQ=MONTHLY;BYMONTH=3;BYMONTHDAY=5", "2026-03-05", "2026-03-05T10:00:00Z", "2027-03-05"),
        ("FREQ=DAILY", "2026-03-28T08:00:00+00:00", "2026-03-28T10:00:00Z", "2026-03-29T08:00:00+01:00"),
    ] {
        let done = Timestamp::parse(done).unwrap();
        let due = resolve(due, &done, "Europe/London").unwrap();
        let found = next_occurrence(rule, Some(&due), &done, "Europe/London");
        assert_eq!(found.as_ref().map(|(due, _)| due.as_str()), Some(next), "{rule} from {due}");
    }
    assert_eq!(next_occurrence("FREQ=SECONDLY", None, &now(), "UTC"), None);
}

#[test]
fn late_completion_keeps_the_occurrence_later_today() {
    for (rule, due, done, next) in [
        ("FREQ=DAILY", "2026-03-10T18:00:00+00:00", "2026-03-11T10:00:00Z", "2026-03-11T18:00:00+00:00"),
        ("FREQ=DAILY", "2026-03-10T18:00:00+00:00", "2026-03-11T18:00:00Z", "2026-03-12T18:00:00+00:00"),
        ("FREQ=DAILY", "2026-03-11T18:00:00+00:00", "2026-03-11T10:00:00Z", "2026-03-12T18:00:00+00:00"),
        ("FREQ=WEEKLY;BYDAY=MO,WE", "2026-03-09T18:00:00+00:00", "2026-03-11T10:00:00Z", "2026-03-11T18:00:00+00:00"),
        ("FREQ=DAILY;INTERVAL=2", "2026-03-10T18:00:00+00:00", "2026-03-11T10:00:00Z", "2026-03-12T18:00:00+00:00"),
        ("!FREQ=DAILY", "2026-03-10T18:00:00+00:00", "2026-03-11T10:00:00Z", "2026-03-12T18:00:00+00:00"),
    ] {
        let done = Timestamp::parse(done).unwrap();
        let due = resolve(due, &done, "Europe/London").unwrap();
        let found = next_occurrence(rule, Some(&due), &done, "Europe/London").unwrap().0;
        assert_eq!(found.as_str(), next, "{rule} from {due}");
    }
}

#[test]
fn recurrence_ends_after_until_or_count() {
    for (rule, first, rest) in [
        ("FREQ=DAILY;COUNT=3", "2026-03-11", &["2026-03-12", "2026-03-13"][..]),
        ("FREQ=WEEKLY;BYDAY=MO,FR;COUNT=2", "2026-03-13", &["2026-03-16"]),
        ("FREQ=DAILY;UNTIL=20260312", "2026-03-11", &["2026-03-12"]),
        ("FREQ=MONTHLY;BYMONTHDAY=1,15;UNTIL=20260415", "2026-03-15", &["2026-04-01", "2026-04-15"]),
        ("!FREQ=DAILY;INTERVAL=3;COUNT=2", "2026-03-11", &["2026-03-14"]),
    ] {
        let (mut rule, mut due) = (rule.to_owned(), resolve(first, &now(), "UTC").unwrap());
        let mut found = vec![];
        loop {
            let done = Timestamp::parse(&format!("{}T12:00:00Z", due.day())).unwrap();
            let Some((next, rest)) = next_occurrence(&rule, Some(&due), &done, "UTC") else { break };
            found.push(next.to_string());
            (due, rule) = (next, rest);
        }
        assert_eq!(found, rest, "{rule}");
    }
    // Missed occurrences count.
    let due = resolve("2026-03-08", &now(), "UTC").unwrap();
    let next = next_occurrence("FREQ=DAILY;COUNT=6", Some(&due), &now(), "UTC").unwrap();
    assert_eq!((next.0.as_str(), next.1.as_str()), ("2026-03-12", "FREQ=DAILY;COUNT=2"));
}

#[test]
fn a_time_shifted_by_a_clock_change_returns() {
    for (rule, zone, due, expected) in [
        (
            "FREQ=DAILY",
            "Europe/London",
            "2026-03-28T01:30:00+00:00",
            &["2026-03-29T02:30:00+01:00", "2026-03-30T01:30:00+01:00"],
        ),
        (
            "FREQ=WEEKLY;BYDAY=SU",
            "Europe/London",
            "2026-03-22T01:00:00+00:00",
            &["2026-03-29T02:00:00+01:00", "2026-04-05T01:00:00+01:00"],
        ),
        (
            "FREQ=DAILY",
            "America/New_York",
            "2026-03-07T02:15:00-05:00",
            &["2026-03-08T03:15:00-04:00", "2026-03-09T02:15:00-04:00"],
        ),
        (
            "FREQ=DAILY;COUNT=9",
            "Europe/Berlin",
            "2026-03-28T02:00:00+01:00",
            &["2026-03-29T03:00:00+02:00", "2026-03-30T02:00:00+02:00"],
        ),
        (
            "FREQ=DAILY",
            "Europe/London",
            "2026-03-28T02:30:00+00:00",
            &["2026-03-29T02:30:00+01:00", "2026-03-30T02:30:00+01:00"],
        ),
    ] {
        let (mut rule, mut due) = (rule.to_owned(), resolve(due, &now(), zone).unwrap());
        for expected in expected {
            let done = Timestamp::parse(due.as_str()).unwrap();
            (due, rule) = next_occurrence(&rule, Some(&due), &done, zone).unwrap();
            assert_eq!(due.as_str(), *expected, "{rule} in {zone}");
        }
        assert!(!rule.contains("BYHOUR"), "{rule}");
    }
}

#[test]
fn rules_are_written_in_one_form() {
    for (text, rule) in [
        ("RRULE:freq=weekly;byday=fr,mo", "FREQ=WEEKLY;BYDAY=MO,FR"),
        (" FREQ=DAILY;INTERVAL=1;WKST=SU ", "FREQ=DAILY"),
        ("FREQ=MONTHLY;BYMONTHDAY=15,1,15", "FREQ=MONTHLY;BYMONTHDAY=1,15"),
        ("UNTIL=20260401T225959Z;FREQ=DAILY", "FREQ=DAILY;UNTIL=20260401"),
        ("FREQ=MONTHLY;BYDAY=3MO,1MO;COUNT=05", "FREQ=MONTHLY;BYDAY=1MO,3MO;COUNT=5"),
        ("!freq=daily;BYMINUTE=30;BYHOUR=1", "!FREQ=DAILY;BYHOUR=1;BYMINUTE=30"),
    ] {
        assert_eq!(canonical(text).as_deref(), Some(rule), "{text}");
        assert_eq!(canonical(rule).as_deref(), Some(rule));
    }
}

#[test]
fn a_rule_without_a_date_has_its_first_occurrence() {
    for (rule, first) in [
        ("FREQ=DAILY", Some("2026-03-11")),
        ("FREQ=WEEKLY;BYDAY=MO,FR", Some("2026-03-13")),
        ("FREQ=MONTHLY;BYMONTHDAY=1,15", Some("2026-03-15")),
        ("FREQ=DAILY;BYHOUR=9", Some("2026-03-12T09:00:00+00:00")),
        ("FREQ=DAILY;UNTIL=20260310", None),
    ] {
        let found = first_occurrence(rule, &now(), "UTC");
        assert_eq!(found.as_ref().map(|due| due.as_str()), first, "{rule}");
    }
}

#[test]
fn recurrence_returns_to_its_day_after_a_short_month() {
    for (rule, first, expected) in [
        ("FREQ=MONTHLY", "2026-01-31", &["2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31"][..]),
        ("FREQ=MONTHLY", "2026-01-30", &["2026-02-28", "2026-03-30", "2026-04-30"]),
        ("FREQ=MONTHLY;INTERVAL=3", "2025-11-30", &["2026-02-28", "2026-05-30"]),
        ("FREQ=YEARLY", "2028-02-29", &["2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"]),
        ("FREQ=MONTHLY", "2026-01-31T08:00:00+00:00", &["2026-02-28T08:00:00+00:00", "2026-03-31T08:00:00+01:00"]),
    ] {
        let (mut rule, mut due) = (rule.to_owned(), resolve(first, &now(), "Europe/London").unwrap());
        for expected in expected {
            let done = Timestamp::parse(&format!("{}T12:00:00Z", due.day())).unwrap();
            (due, rule) = next_occurrence(&rule, Some(&due), &done, "Europe/London").unwrap();
            assert_eq!(due.as_str(), *expected, "{first}, now {rule}");
            assert!(is_recurrence(&rule), "{rule}");
        }
    }
    // A rule counted from completion is not rewritten.
    let (due, done) =
        (resolve("2026-01-31", &now(), "UTC").unwrap(), Timestamp::parse("2026-01-31T12:00:00Z").unwrap());
    let (next, rule) = next_occurrence("!FREQ=MONTHLY", Some(&due), &done, "UTC").unwrap();
    assert_eq!((next.as_str(), rule.as_str()), ("2026-02-28", "!FREQ=MONTHLY"));
}

#[test]
fn recurrence_rule_with_an_unsupported_part_is_rejected() {
    for rule in [
        "FREQ=DAILY;BYMONTHDAY=1",
        "FREQ=DAILY;INTERVAL=2;BYDAY=MO",
        "FREQ=WEEKLY;BYDAY=1MO",
        "FREQ=WEEKLY;BYMONTHDAY=15",
        "FREQ=MONTHLY;INTERVAL=2;BYMONTH=3",
        "FREQ=MONTHLY;BYMONTH=3",
        "FREQ=YEARLY;BYDAY=20MO",
        "FREQ=YEARLY;BYDAY=2MO",
        "FREQ=SECONDLY",
        "FREQ=DAILY;BYHOUR=8,20",
        "FREQ=DAILY;COUNT=0",
        "FREQ=DAILY;COUNT=3;UNTIL=20260401",
        "FREQ=DAILY;UNTIL=soon",
        "FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=-1",
    ] {
        assert!(!is_recurrence(rule), "{rule}");
    }
}

proptest! {
    /// Few steps from an old date must lead to the same date as all steps.
    #[test]
    fn old_series_comes_to_the_same_date(
        kind in prop::sample::select(vec![
            "DAILY", "WEEKLY", "WEEKLY;BYDAY=MO,FR", "MONTHLY", "MONTHLY;BYMONTHDAY=1,31", "MONTHLY;BYDAY=-1FR", "YEARLY",
            "YEARLY;BYMONTH=2;BYMONTHDAY=29", "YEARLY;BYMONTH=3;BYDAY=2MO,-1SU", "YEARLY;BYMONTHDAY=31;BYDAY=SU",
        ]),
        interval in 1..5,
        base in 0..1_500i64,
        later in 0..2_000i64,
    ) {
        let rule = Rule::parse(&format!("FREQ={kind};INTERVAL={interval}")).unwrap();
        let base = date(2020, 1, 1).checked_add(base.days()).unwrap();
        let floor = base.checked_add(later.days()).unwrap();
        let mut slow = Some(base);
        while let Some(date) = slow.filter(|date| *date == base || *date <= floor) {
            slow = rule.step(base, date);
        }
        prop_assert_eq!(rule.next(base, floor).map(|(date, _)| date), slow, "{} from {} after {}", rule, base, floor);
    }
}

#[test]
fn oldest_series_takes_few_steps() {
    let rule = Rule::parse("FREQ=YEARLY;BYMONTH=12;BYDAY=5MO,-5MO,5TU,-5TU,5FR").unwrap();
    let (_, steps) = rule.next(date(1, 1, 1), date(2026, 3, 11)).unwrap();
    assert!(steps < 10, "{steps}");
}
