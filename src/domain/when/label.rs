//! Due dates as people read them, worded by the server (the browser has no calendar).

use jiff::civil::Date;

use super::tokens::Moment;
use crate::domain::task::Due;
use crate::domain::time::{CivilDate, Timestamp};

/// "Today", "Tomorrow 17:00", "Fri 13 Mar", "11 Mar 2027" (with the year where it is not the current one).
pub fn label(due: &Due, now: &Timestamp, zone: &str) -> String {
    let moment = Moment::new(now, zone);
    let today = moment.today();
    let (date, time) = local(due, &moment);
    let day = match (date - today).get_days() {
        -1 => "Yesterday".to_owned(),
        0 => "Today".to_owned(),
        1 => "Tomorrow".to_owned(),
        _ if date.year() == today.year() => date.strftime("%a %-d %b").to_string(),
        _ => date.strftime("%-d %b %Y").to_string(),
    };
    match time {
        Some(time) => format!("{day} {time}"),
        None => day,
    }
}

/// Whether a due date lies before `now`: a date once its day is over, a time once it has come.
pub fn is_overdue(due: &Due, now: &Timestamp, zone: &str) -> bool {
    match due {
        Due::Date(date) => date.to_jiff() < Moment::new(now, zone).today(),
        Due::At { at, .. } => at < now,
    }
}

/// Day and time of day where the reader is now.
fn local(due: &Due, moment: &Moment) -> (Date, Option<String>) {
    match due {
        Due::Date(date) => (CivilDate::to_jiff(date), None),
        Due::At { at, .. } => {
            let zoned = at.to_jiff().to_zoned(moment.now.time_zone().clone());
            (zoned.date(), Some(zoned.strftime("%H:%M").to_string()))
        }
    }
}
