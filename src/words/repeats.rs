//! How a task repeats.

/// Units of a rhythm, each once and several times.
pub const DAYS: (&str, &str) = ("day", "days");
pub const WEEKS: (&str, &str) = ("week", "weeks");
pub const MONTHS: (&str, &str) = ("month", "months");
pub const YEARS: (&str, &str) = ("year", "years");

/// Monday to Friday.
pub const WEEKDAYS: (&str, &str) = ("weekday", "weekdays");
/// From Monday on.
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

/// `every month on the 27th`.
pub fn on_the(every: &str, day: &str) -> String {
    format!("{every} on the {}", ordinal(day))
}

/// `5 March`; the month from 0 on.
pub fn day_of(month: usize, day: &str) -> Option<String> {
    MONTHS_OF_THE_YEAR.get(month).map(|name| format!("{day} {name}"))
}

/// `3rd Friday`, `last Friday`; `nth` as a rule writes it, `-1` for the last.
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

/// Where the next one counts from when this one was done.
pub fn from_completion(every: &str) -> String {
    format!("{every} from completion")
}

/// `every Monday (FREQ=WEEKLY;BYDAY=MO;COUNT=3)`.
pub fn with_rule(words: &str, rule: &str) -> String {
    format!("{words} ({rule})")
}
