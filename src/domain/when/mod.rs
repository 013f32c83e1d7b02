//! When something is due or recurs: the one date parser of quick add, the tools' `due` and the rules engine.

use std::ops::Range;

use self::phrase::phrase;
use self::rule::Rule;
use self::tokens::{Moment, Words, cut};
use super::Invalid;
use super::task::{Due, DueFilter};
use super::time::{CivilDate, Timestamp};

/// Dates of the calendar and holidays.
mod calendar;
/// Times and parts of the day.
mod clock;
/// Days named relative to today.
mod day;
/// Due dates as people read them.
mod label;
/// Numbers, ordinals, months and weekdays by name.
mod numbers;
/// Words with which pieces begin.
mod openers;
/// Pieces put together.
mod phrase;
/// A line typed into quick add.
mod quick_add;
/// Recurrences as people say them.
mod recur;
/// Recurrence rules in words.
mod repeats;
/// Recurrence rules, followed.
mod rule;
/// Date phrases inside a sentence.
mod sentence;
/// Amounts of time from now.
mod span;
/// Names that look like dates.
mod title;
/// Text cut into words, numbers and marks; the moment from which it is read.
mod tokens;

pub use label::{instant, label, local, overdue, whole_label};
pub use quick_add::{QuickAdd, Span, SpanKind, quick_add, quick_add_but};
pub use repeats::{repeats, whole_repeats};
pub use sentence::{Found, find};

/// A due date as it was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct When {
    /// For a recurrence: its first occurrence.
    pub due: Due,
    /// RRULE text as in `Task::recurrence`.
    pub recurrence: Option<String>,
}

/// Reads a text that is a date as a whole; `None` if it is not one, or not only one.
pub fn parse(text: &str, now: &Timestamp, zone: &str) -> Option<When> {
    let text = text.trim();
    let moment = Moment::new(now, zone);
    if let Some(due) = exact(text, &moment) {
        return Some(When { due, recurrence: None });
    }
    if text.len() > 200 {
        return None;
    }
    let short = text.split_at_checked(text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len());
    if let Some((digits, unit)) = short
        && !digits.is_empty()
        && matches!(unit, "d" | "w" | "mo" | "y")
    {
        return parse(&format!("in {text}"), now, zone);
    }
    let tokens = cut(text.trim_end_matches(['.', '!', '?', ',', ';']));
    let words = Words(&tokens);
    let (end, meaning) = phrase(words, 0, &moment)?;
    if end < tokens.len() {
        return None;
    }
    Some(When { due: meaning.due(&moment)?, recurrence: meaning.rule.as_ref().map(Rule::to_string) })
}

/// Reads the tools' `due`: an ISO date or date-time, or a phrase. The error is a sentence for a person or a model.
pub fn resolve(text: &str, now: &Timestamp, zone: &str) -> Result<Due, Invalid> {
    parse(text, now, zone).map(|when| when.due).ok_or_else(|| {
        let shown: String = text.chars().take(60).collect();
        Invalid::because(format!(
            "“{shown}” is not a date that I understand; write it like 2026-03-11, 2026-03-11T17:00 or “tomorrow 5pm”."
        ))
    })
}

/// Reads the `due` filter of lists: overdue, today, tomorrow, week (today and the six days after), or a date.
pub fn span_of(filter: &str, now: &Timestamp, zone: &str) -> Option<DueFilter> {
    let today = Moment::new(now, zone).today();
    let civil = |days: i64| Some(CivilDate::from(span::plus_days(today, days)));
    let filter = filter.trim().to_lowercase();
    match filter.as_str() {
        "overdue" => Some(DueFilter { from: None, to: civil(-1), before: Some(now.clone()) }),
        "week" | "this week" => Some(DueFilter { from: civil(0), to: civil(6), before: None }),
        _ => {
            let due = parse(&filter, now, zone)?.due;
            let day = CivilDate::parse(due.day()).ok()?;
            Some(DueFilter { from: Some(day.clone()), to: Some(day), before: None })
        }
    }
}

/// Whether `text` is a recurrence rule that [`next_occurrence`] can follow.
pub fn is_recurrence(text: &str) -> bool {
    Rule::parse(text).is_some_and(|rule| rule.fits())
}

/// The due date that follows the completion of a recurring task: the next one after both the old due day and the day
/// of completion, at the same time of day where it was set; and the rule that goes on from there. `None` if the rule is unknown or
/// leads out of the calendar.
pub fn next_occurrence(
    recurrence: &str,
    due: Option<&Due>,
    completed_at: &Timestamp,
    zone: &str,
) -> Option<(Due, String)> {
    let rule = Rule::parse(recurrence)?;
    let moment = Moment::new(completed_at, zone);
    let done = moment.today();
    let base = match due {
        Some(due) if !rule.from_completion => CivilDate::parse(due.day()).ok()?.to_jiff(),
        _ => done,
    };
    let next = rule.next(base, base.max(done))?;
    let kept = rule.keeping(base, next);
    let recurrence = if kept == rule { recurrence.to_owned() } else { kept.to_string() };
    Some((timed(next, due)?, recurrence))
}

/// A day as a due date, at the time of day of another if that has one.
fn timed(date: jiff::civil::Date, like: Option<&Due>) -> Option<Due> {
    match like {
        Some(Due::At { zone: place, local, .. }) => {
            let time = local.get(11..19)?.parse::<jiff::civil::Time>().ok()?;
            let at = date.to_datetime(time).in_tz(place).or_else(|_| date.to_datetime(time).in_tz("UTC")).ok()?;
            Due::at(Timestamp::from(at.timestamp()), place)
        }
        _ => Some(Due::Date(CivilDate::from(date))),
    }
}

/// ISO forms: a date, a date-time with an offset, or one without, which is meant in the user's zone.
fn exact(text: &str, moment: &Moment) -> Option<Due> {
    if !text.starts_with(|c: char| c.is_ascii_digit()) || !text.is_ascii() || text.len() > 64 {
        return None;
    }
    if text.len() == 10
        && let Ok(date) = CivilDate::parse(text)
    {
        return Some(Due::Date(date));
    }
    if let Ok(at) = Timestamp::parse(text) {
        return Due::at(at, &moment.zone);
    }
    let civil: jiff::civil::DateTime = (text.len() >= 13).then(|| text.parse().ok()).flatten()?;
    let at = civil.to_zoned(moment.now.time_zone().clone()).ok()?;
    Due::at(Timestamp::from(at.timestamp()), &moment.zone)
}

/// A stretch of bytes of the text that was read.
pub type Stretch = Range<usize>;

/// Stretches beside places that are asked for from the left to the right, so that each is looked at once.
struct Walk<'a>(&'a [Stretch]);

impl<'a> Walk<'a> {
    /// Puts the stretches in the order in which they begin.
    fn along(stretches: &'a mut [Stretch]) -> Self {
        stretches.sort_by_key(|stretch| stretch.start);
        Self(stretches)
    }

    /// The first stretch that shares a byte with this one, which begins no earlier than the one before.
    fn meets(&mut self, place: &Stretch) -> Option<&'a Stretch> {
        while self.0.first().is_some_and(|stretch| stretch.end <= place.start) {
            self.0 = &self.0[1..];
        }
        self.0.first().filter(|stretch| stretch.start < place.end)
    }
}

#[cfg(test)]
mod tests;
