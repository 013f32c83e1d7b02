//! Recurrences in words.

/// Units of a recurrence, singular and plural.
pub const DAYS: (&str, &str) = ("day", "days");
pub const WEEKS: (&str, &str) = ("week", "weeks");
pub const MONTHS: (&str, &str) = ("month", "months");
pub const YEARS: (&str, &str) = ("year", "years");

/// Monday to Friday.
pub const WEEKDAYS: (&str, &str) = ("weekday", "weekdays");
/// The first is Monday.
pub const DAYS_OF_THE_WEEK: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

pub const MONTHS_OF_THE_YEAR: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// `every day`, `every Monday, Friday`.
pub fn every(what: &str) -> String {
    format!("every {what}")
}

/// `every 2 weeks`.
pub fn every_several(count: &str, units: &str) -> String {
    format!("every {count} {units}")
}

/// `every month on 3rd Friday`.
pub fn on(every: &str, days: &str) -> String {
    format!("{every} on {days}")
}

pub fn on_the_last_day(every: &str) -> String {
    format!("{every} on the last day")
}

/// `every month on the 27th`, `every month on the 1st, 15th`.
pub fn on_the(every: &str, days: &str) -> String {
    let days: Vec<String> = days.split(',').map(|day| if day == "-1" { "last".into() } else { ordinal(day) }).collect();
    format!("{every} on the {}", days.join(", "))
}

/// `every day until 31 Dec 2026`.
pub fn until(every: &str, day: &str) -> String {
    format!("{every} until {day}")
}

/// `every day for 5 times`.
pub fn for_times(every: &str, count: &str) -> String {
    format!("{every} for {count} {}", if count == "1" { "time" } else { "times" })
}

/// `5 March`; `month` counts from 0.
pub fn day_of(month: usize, day: &str) -> Option<String> {
    MONTHS_OF_THE_YEAR.get(month).map(|name| format!("{day} {name}"))
}

/// `3rd Friday`, `last Friday`; `nth` is in the notation of a recurrence rule, `-1` for the last.
pub fn nth(nth: &str, day: &str) -> String {
    if nth == "-1" { format!("last {day}") } else { format!("{} {day}", ordinal(nth)) }
}

fn ordinal(number: &str) -> String {
    let end = match number.as_bytes() {
        [.., b'1', _] => "th",
        [.., b'1'] => "st",
        [.., b'2'] => "nd",
        [.., b'3'] => "rd",
        _ => "th",
    };
    format!("{number}{end}")
}

/// A recurrence whose next date counts from the completion.
pub fn from_completion(every: &str) -> String {
    format!("{every} from completion")
}

/// `every Monday (FREQ=WEEKLY;BYDAY=MO;COUNT=3)`.
pub fn with_rule(words: &str, rule: &str) -> String {
    format!("{words} ({rule})")
}
