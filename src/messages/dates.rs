//! Days and times: names and `strftime` patterns. The server's calendar (`domain/due_label.rs`, `api/views`) decides
//! which pattern applies, and in which time zone. A translation changes the patterns here. If its names of months and
//! days are not English, it also changes the code that fills them in.

pub const YESTERDAY: &str = "Yesterday";
pub const TODAY: &str = "Today";
pub const TOMORROW: &str = "Tomorrow";

/// `17:00`.
pub const TIME: &str = "%H:%M";
/// `17:00:09`.
pub const TIME_TO_THE_SECOND: &str = "%H:%M:%S";
/// `Yesterday 17:00`.
pub const TIME_YESTERDAY: &str = "Yesterday %H:%M";
/// `13 Mar 17:00`.
pub const TIME_OF_DAY: &str = "%-d %b %H:%M";
/// `13 Mar 2027 17:00`.
pub const TIME_OF_DAY_AND_YEAR: &str = "%-d %b %Y %H:%M";

/// `Fri 13 Mar`.
pub const WEEKDAY_AND_DAY: &str = "%a %-d %b";
/// `11 Mar 2027`.
pub const DAY_AND_YEAR: &str = "%-d %b %Y";
/// `Fri 13 Mar 2026`.
pub const WHOLE_DAY: &str = "%a %-d %b %Y";
/// `Friday, 13 March`.
pub const LONG_DAY: &str = "%A, %-d %B";
/// `13 Mar`.
pub const DAY: &str = "%-d %b";
/// `week of 9 Mar`.
pub const WEEK: &str = "week of %-d %b";
/// `March 2027`.
pub const MONTH: &str = "%B %Y";
/// `2027`.
pub const YEAR: &str = "%Y";

pub fn at(day: &str, time: &str) -> String {
    format!("{day} {time}")
}

/// `450 ms`.
pub fn ms(ms: impl std::fmt::Display) -> String {
    format!("{ms} ms")
}

/// Units of a duration, the shortest first.
pub const UNITS: [&str; 5] = ["ms", "s", "min", "h", "days"];
