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

/// `every month on the 27`.
pub fn on_the(every: &str, day: &str) -> String {
    format!("{every} on the {day}")
}

/// `3rd Friday`, `last Friday`; `nth` as a rule writes it, `-1` for the last.
pub fn nth(nth: &str, day: &str) -> String {
    match nth {
        "1" => format!("1st {day}"),
        "2" => format!("2nd {day}"),
        "3" => format!("3rd {day}"),
        "-1" => format!("last {day}"),
        _ => format!("{nth}th {day}"),
    }
}

/// Where the next one counts from when this one was done.
pub fn from_completion(every: &str) -> String {
    format!("{every} from completion")
}
