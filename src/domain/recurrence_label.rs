//! Recurrence rules as text.

use jiff::civil::Date;

use crate::domain::time::Timestamp;
use crate::messages::{dates, repeats as messages};

/// The days of the week as named in rules.
const CODES: [&str; 7] = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

/// Returns `every Monday`, `every 2 weeks` or `every month on the 27th`; the rule itself if it has no wording. The date parser
/// reads the wording back as the same rule, as far as it supports the rule, so forms can submit it.
pub fn repeats(rule: &str) -> String {
    let until = rule.split_once(";UNTIL=").and_then(|(every, last)| {
        let last = Date::strptime("%Y%m%d", last).ok()?;
        Some(messages::until(&endless(every), &last.strftime(dates::DAY_AND_YEAR).to_string()))
    });
    let counted = || rule.split_once(";COUNT=").map(|(every, count)| messages::for_times(&endless(every), count));
    until.or_else(counted).unwrap_or_else(|| endless(rule))
}

/// Returns the wording of a rule without its end.
fn endless(rule: &str) -> String {
    let from_completion = rule.starts_with('!');
    let parts = rule.trim_start_matches('!').split(';').filter_map(|part| part.split_once('='));
    let part = |name: &str| parts.clone().find(|(found, _)| *found == name).map(|(_, value)| value);
    let units = match part("FREQ") {
        Some("DAILY") => messages::DAYS,
        Some("WEEKLY") => messages::WEEKS,
        Some("MONTHLY") => messages::MONTHS,
        Some("YEARLY") => messages::YEARS,
        _ => return rule.to_owned(),
    };
    let weekly = units == messages::WEEKS;
    let interval = part("INTERVAL").filter(|count| *count != "1");
    let every = |(one, many): (&str, &str)| match interval {
        None => messages::every(one),
        Some(count) => messages::every_several(count, many),
    };
    let month = part("BYMONTH").map(|month| month.parse::<usize>().ok().and_then(|month| month.checked_sub(1)));
    if let Some(month) = month {
        let day = part("BYMONTHDAY").filter(|day| day.parse().is_ok_and(|day| (1..=31).contains(&day)));
        let day = day.zip(month).and_then(|(day, month)| messages::day_of(month, day));
        // Only yearly rules have a month, and only with a day of the month.
        let once_a_year = units == messages::YEARS && part("BYDAY").is_none();
        let Some(day) = day.filter(|_| once_a_year) else { return rule.to_owned() };
        let text = messages::on(&every(units), &day);
        return if from_completion { messages::from_completion(&text) } else { text };
    }
    let text = match (part("BYDAY"), part("BYMONTHDAY")) {
        (Some("MO,TU,WE,TH,FR"), None) if weekly && interval.is_none() => every(messages::WEEKDAYS),
        (Some(days), None) if weekly && interval.is_none() => messages::every(&weekdays(days)),
        (Some(days), None) => messages::on(&every(units), &weekdays(days)),
        (None, Some("-1")) => messages::on_the_last_day(&every(units)),
        (None, Some(day)) => messages::on_the(&every(units), day),
        _ => every(units),
    };
    if from_completion { messages::from_completion(&text) } else { text }
}

/// Returns the wording of [`repeats`], followed by the rule if the wording omits a part of it.
pub fn whole_repeats(rule: &str) -> String {
    let text = repeats(rule);
    let now = Timestamp::from(jiff::Timestamp::UNIX_EPOCH);
    let read = super::when::parse(&text, &now, "UTC").and_then(|read| read.recurrence);
    if text == rule || read.as_deref() == Some(rule) { text } else { messages::with_rule(&text, rule) }
}

/// Returns `Monday, Friday`; an ordinal precedes its day: `3rd Friday`, `last Friday`.
fn weekdays(days: &str) -> String {
    let name = |day: &str| {
        let (nth, code) = day.split_at(day.len().saturating_sub(2));
        let at = CODES.iter().position(|known| *known == code);
        let day = at.map_or(code, |at| messages::DAYS_OF_THE_WEEK[at]);
        if nth.is_empty() { day.to_owned() } else { messages::nth(nth, day) }
    };
    days.split(',').map(name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::{repeats, whole_repeats};
    use crate::domain::time::Timestamp;
    use crate::domain::when;

    #[test]
    fn a_rule_reads_as_people_say_it() {
        for (rule, words) in [
            ("FREQ=DAILY", "every day"),
            ("FREQ=WEEKLY;BYDAY=MO", "every Monday"),
            ("FREQ=WEEKLY;BYDAY=MO,FR", "every Monday, Friday"),
            ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "every weekday"),
            ("FREQ=WEEKLY;INTERVAL=2", "every 2 weeks"),
            ("FREQ=MONTHLY;BYDAY=3FR", "every month on 3rd Friday"),
            ("FREQ=MONTHLY;BYMONTHDAY=-1", "every month on the last day"),
            ("FREQ=MONTHLY;BYMONTHDAY=1", "every month on the 1st"),
            ("FREQ=MONTHLY;BYMONTHDAY=12", "every month on the 12th"),
            ("FREQ=MONTHLY;BYMONTHDAY=22", "every month on the 22nd"),
            ("FREQ=MONTHLY;BYDAY=-1FR", "every month on last Friday"),
            ("FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=11", "every 2 months on the 11th"),
            ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TU", "every 2 weeks on Monday, Tuesday"),
            ("FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=5", "every year on 5 March"),
            ("!FREQ=DAILY;INTERVAL=3", "every 3 days from completion"),
            ("!FREQ=WEEKLY;BYDAY=MO", "every Monday from completion"),
            ("FREQ=MONTHLY;BYMONTHDAY=1,15", "every month on the 1st, 15th"),
            ("FREQ=MONTHLY;BYMONTHDAY=15,-1", "every month on the 15th, last"),
            ("FREQ=MONTHLY;BYDAY=1MO,3MO", "every month on 1st Monday, 3rd Monday"),
            ("FREQ=WEEKLY;BYDAY=SA,SU", "every Saturday, Sunday"),
            ("FREQ=WEEKLY;BYDAY=MO;UNTIL=20261231", "every Monday until 31 Dec 2026"),
            ("FREQ=DAILY;INTERVAL=2;COUNT=5", "every 2 days for 5 times"),
            ("!FREQ=DAILY;UNTIL=20260401", "every day from completion until 1 Apr 2026"),
        ] {
            assert_eq!(repeats(rule), words, "{rule}");
            // The wording parses back to the rule.
            let now = Timestamp::parse("2026-03-11T09:30:00Z").unwrap();
            let read = when::parse(words, &now, "UTC").and_then(|read| read.recurrence);
            assert_eq!(read.as_deref(), Some(rule), "{words}");
        }
        for rule in [
            "X",
            "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1",
            "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=0",
            "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=32",
            "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=1,15",
            "FREQ=DAILY;BYMONTH=3;BYMONTHDAY=5",
            "!FREQ=MONTHLY;BYMONTH=3;BYMONTHDAY=5",
        ] {
            assert_eq!(repeats(rule), rule);
            assert_eq!(whole_repeats(rule), rule);
        }
        assert_eq!(whole_repeats("FREQ=WEEKLY;BYDAY=MO"), "every Monday");
        let timed = "FREQ=WEEKLY;BYDAY=MO;BYHOUR=1;BYMINUTE=30";
        assert_eq!(whole_repeats(timed), format!("every Monday ({timed})"));
    }
}
