//! Occurrences of a recurring task: the first one, and the one after a completion.

use jiff::civil::{Date, Time};

use super::due_label::local;
use super::rule::Rule;
use super::task::Due;
use super::time::{CivilDate, Timestamp};

/// Returns true if `text` is a recurrence rule that [`next_occurrence`] supports.
pub fn is_recurrence(text: &str) -> bool {
    canonical(text).is_some()
}

/// Returns a recurrence rule in its canonical stored form; `None` if a part of it is not supported.
pub fn canonical(text: &str) -> Option<String> {
    Rule::parse(text).filter(Rule::fits).map(|rule| rule.to_string())
}

/// Returns the first occurrence of a rule for a task without a due date; `None` if its series is over.
pub fn first_occurrence(rule: &str, now: &Timestamp, zone: &str) -> Option<Due> {
    let (rule, today) = (Rule::parse(rule)?, local(now, zone).date());
    let due = |from: Date| timed(rule.first(from)?, None, rule.time, zone);
    let first = due(today)?;
    // Today's time may have passed.
    let passed = matches!(&first, Due::At { at, .. } if at <= now);
    if passed { due(today.tomorrow().ok()?) } else { Some(first) }
}

/// Returns the first date of a recurrence if its phrase gave a time of day, which rules do not store.
pub fn timed_start(first: Option<&Due>) -> Option<Due> {
    first.filter(|first| first.time().is_some()).cloned()
}

/// Returns the due date after the completion of a recurring task, and the remaining rule. The date is the next one after both the
/// old due date and the completion, at the same time of day. `None` after the last occurrence, if the rule is unknown, or beyond
/// the calendar.
pub fn next_occurrence(
    recurrence: &str,
    due: Option<&Due>,
    completed_at: &Timestamp,
    zone: &str,
) -> Option<(Due, String)> {
    let rule = Rule::parse(recurrence)?;
    let place = due.and_then(Due::zone).unwrap_or(zone);
    let done = local(completed_at, place).date();
    let due_day = due.and_then(|due| CivilDate::parse(due.day()).ok()).map(|day| day.to_jiff());
    // The rule's time applies only if the due date has that time, or that time shifted by a clock change.
    let time = rule.time.filter(|_| match due {
        Some(Due::At { at, .. }) => {
            let unshifted = due_day.and_then(|day| timed(day, None, rule.time, place));
            matches!(unshifted, Some(Due::At { at: named, .. }) if named == *at)
        }
        _ => true,
    });
    let base = due_day.filter(|_| !rule.from_completion).unwrap_or(done);
    // An occurrence later on the day of completion is still to come.
    let later = matches!(timed(done, due, time, place), Some(Due::At { at, .. }) if at > *completed_at);
    let floor = if later && base < done { done.yesterday().ok()? } else { done };
    let (next, steps) = rule.next(base, base.max(floor))?;
    let mut rule = rule.following(base, next, steps)?;
    let date = timed(next, due, time, place)?;
    rule.time = shifted(&date, time.or_else(|| time_of(due?)));
    Some((date, rule.to_string()))
}

/// Returns the time of day of a due date, as hour and minute.
fn time_of(due: &Due) -> Option<(i8, i8)> {
    let (hour, minute) = due.time()?.split_once(':')?;
    Some((hour.parse().ok()?, minute.parse().ok()?))
}

/// Returns the intended time if a clock change shifted the due date away from it.
pub(super) fn shifted(due: &Due, meant: Option<(i8, i8)>) -> Option<(i8, i8)> {
    meant.filter(|meant| time_of(due) != Some(*meant))
}

/// Returns a day as a due date: at `time`, or at the time of `like` if it has one.
pub(super) fn timed(date: Date, like: Option<&Due>, time: Option<(i8, i8)>, zone: &str) -> Option<Due> {
    let seconds = || like?.as_str().get(11..19)?.parse::<Time>().ok();
    let Some(time) = time.and_then(|(hour, minute)| Time::new(hour, minute, 0, 0).ok()).or_else(seconds) else {
        return Some(Due::Date(CivilDate::from(date)));
    };
    let place = like.and_then(Due::zone).unwrap_or(zone);
    let at = date.to_datetime(time).in_tz(place).or_else(|_| date.to_datetime(time).in_tz("UTC")).ok()?;
    Due::at(Timestamp::from(at.timestamp()), place)
}
