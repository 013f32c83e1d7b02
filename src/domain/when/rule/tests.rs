//! What follows what, by which rule.

use super::super::{is_recurrence, next_occurrence, resolve};
use crate::domain::time::Timestamp;

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
fn a_day_that_a_short_month_cuts_comes_back_in_a_long_one() {
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
    // What counts from its completion stays as it was written.
    let (due, done) =
        (resolve("2026-01-31", &now(), "UTC").unwrap(), Timestamp::parse("2026-01-31T12:00:00Z").unwrap());
    let (next, rule) = next_occurrence("!FREQ=MONTHLY", Some(&due), &done, "UTC").unwrap();
    assert_eq!((next.as_str(), rule.as_str()), ("2026-02-28", "!FREQ=MONTHLY"));
}

#[test]
fn a_rule_of_which_a_part_would_not_be_followed_is_none() {
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
    ] {
        assert!(!is_recurrence(rule), "{rule}");
    }
}
