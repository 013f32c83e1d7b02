//! Due dates as people read them, worded by the server (the browser has no calendar).

use jiff::Zoned;
use jiff::civil::Date;

use super::tokens::Moment;
use crate::domain::rank::Overdue;
use crate::domain::task::Due;
use crate::domain::time::{CivilDate, Timestamp};
use crate::words::dates;

/// "Today", "Tomorrow 17:00", "Fri 13 Mar", "11 Mar 2027" (with the year where it is not the current one).
pub fn label(due: &Due, now: &Timestamp, zone: &str) -> String {
    let moment = Moment::new(now, zone);
    let today = moment.today();
    let (date, time) = due_local(due, &moment);
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

/// "Thu 12 Mar 2026", "Thu 12 Mar 2026 17:00": the label of a stored due date that stays true whenever it is read. `None` where
/// the text is no due date.
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

/// `10:31`; with the day if it is not today, and the year if it is not this one.
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

/// The instant on the reader's clock; in UTC where the zone is gone from the database.
pub fn local(at: &Timestamp, zone: &str) -> Zoned {
    let at = at.to_jiff();
    at.in_tz(zone).unwrap_or_else(|_| at.to_zoned(jiff::tz::TimeZone::UTC))
}

/// What is overdue at `now`, for somebody in that zone. In whole seconds, which is what a due date is told in.
pub fn overdue(now: &Timestamp, zone: &str) -> Overdue {
    let second =
        jiff::Timestamp::from_second(now.to_jiff().as_second()).expect("an instant before one that is in range");
    Overdue { today: Moment::new(now, zone).today().into(), now: second.into() }
}

/// Day and time of day where the reader is now.
fn due_local(due: &Due, moment: &Moment) -> (Date, Option<String>) {
    match due {
        Due::Date(date) => (CivilDate::to_jiff(date), None),
        Due::At { at, .. } => {
            let zoned = at.to_jiff().to_zoned(moment.now.time_zone().clone());
            (zoned.date(), Some(zoned.strftime(dates::TIME).to_string()))
        }
    }
}
