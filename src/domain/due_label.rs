//! Due dates as text, formatted on the server (the browser has no calendar).

use jiff::Zoned;
use jiff::civil::Date;

use crate::domain::rank::Overdue;
use crate::domain::task::Due;
use crate::domain::time::{CivilDate, Timestamp};
use crate::messages::dates;

/// Returns "Today", "Tomorrow 17:00", "Fri 13 Mar" or "11 Mar 2027" (with the year unless it is the current one).
pub fn label(due: &Due, now: &Timestamp, zone: &str) -> String {
    let today = local(now, zone).date();
    let (date, time) = due_local(due, zone);
    let day = match (date - today).get_days() {
        -1 => dates::YESTERDAY.to_owned(),
        0 => dates::TODAY.to_owned(),
        1 => dates::TOMORROW.to_owned(),
        _ if date.year() == today.year() => date.strftime(dates::WEEKDAY_AND_DAY).to_string(),
        _ => date.strftime(dates::DAY_AND_YEAR).to_string(),
    };
    match time {
        Some(time) => dates::at(&day, &time),
        None => day,
    }
}

/// Returns "Thu 12 Mar 2026" or "Thu 12 Mar 2026 17:00", which stays true whenever it is read. `None` if the text is not a due
/// date.
pub fn whole_label(due: &str, zone: &str) -> Option<String> {
    if due.len() == 10
        && let Ok(date) = CivilDate::parse(due)
    {
        return Some(date.to_jiff().strftime(dates::WHOLE_DAY).to_string());
    }
    let at = local(&Timestamp::parse(due).ok()?, zone);
    let day = at.strftime(dates::WHOLE_DAY).to_string();
    Some(dates::at(&day, &at.strftime(dates::TIME).to_string()))
}

/// Returns `10:31`, with the day unless it is today, and the year unless it is the current one.
pub fn instant(at: &Timestamp, now: &Timestamp, zone: &str) -> String {
    let (at, now) = (local(at, zone), local(now, zone));
    let format = match (now.date() - at.date()).get_days() {
        0 => dates::TIME,
        1 => dates::TIME_YESTERDAY,
        _ if at.year() == now.year() => dates::TIME_OF_DAY,
        _ => dates::TIME_OF_DAY_AND_YEAR,
    };
    at.strftime(format).to_string()
}

/// Returns the time in the reader's zone, or in UTC if the zone is unknown.
pub fn local(at: &Timestamp, zone: &str) -> Zoned {
    let at = at.to_jiff();
    at.in_tz(zone).unwrap_or_else(|_| at.to_zoned(jiff::tz::TimeZone::UTC))
}

/// Returns the limit between overdue and not yet due at `now` in that zone, in whole seconds as due dates are.
pub fn overdue(now: &Timestamp, zone: &str) -> Overdue {
    let second =
        jiff::Timestamp::from_second(now.to_jiff().as_second()).expect("an instant before one that is in range");
    Overdue { today: local(now, zone).date().into(), now: second.into() }
}

/// Returns day and time of day in the reader's present zone.
fn due_local(due: &Due, zone: &str) -> (Date, Option<String>) {
    match due {
        Due::Date(date) => (CivilDate::to_jiff(date), None),
        Due::At { at, .. } => {
            let zoned = local(at, zone);
            (zoned.date(), Some(zoned.strftime(dates::TIME).to_string()))
        }
    }
}
