//! The parser of due dates and recurrences, used by quick add, the tools' `due` and the rules engine.

use self::phrase::{Flaw, LONGEST, phrase};
use self::tokens::{Moment, Words, cut};
use super::Invalid;
use super::task::Due;
use super::time::{CivilDate, Timestamp};

mod calendar;
mod clock;
mod day;
mod due;
mod joins;
mod numbers;
mod openers;
mod phrase;
mod quick_add;
mod recur;
mod sentence;
mod span;
mod stretch;
mod title;
mod tokens;
mod unread;
mod whole;
mod zone;

pub use super::due_label::{instant, label, local, overdue, whole_label};
pub use super::recurrence_label::{repeats, whole_repeats};
pub use super::series::{canonical, first_occurrence, is_recurrence, next_occurrence, timed_start};
pub use quick_add::{QuickAdd, Span, SpanKind, quick_add, quick_add_but};
pub use sentence::{Found, find};

pub use super::excision::Stretch;

/// A parsed due date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct When {
    /// For a recurrence: its first occurrence.
    pub due: Due,
    /// RRULE text as in `Task::recurrence`.
    pub recurrence: Option<String>,
}

/// Parses a text that is a date as a whole; `None` otherwise.
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
    let when = meaning.when(&moment)?;
    if end == tokens.len() {
        return Some(when);
    }
    // "every 6 months friday", "from 1 april every month"
    let (_, other) = phrase(words, end, &moment).filter(|(end, _)| *end == tokens.len())?;
    let (first, second) = (Found { span: 0..tokens[end - 1].end, when }, other.when(&moment)?);
    let second = Found { span: tokens[end].start..text.len(), when: second };
    quick_add::beginning(text, &[first, second], now, zone).map(|(_, joined)| joined.when)
}

/// Returns true if a text names a time of day and neither a day nor a recurrence: "3-4pm", "lunchtime", "the evening".
pub fn only_time(text: &str, now: &Timestamp, zone: &str) -> bool {
    let tokens = cut(text);
    let start = Words(&tokens).skip(0, "to the|for the|the|to|until");
    let read = phrase(Words(&tokens), start, &Moment::new(now, zone));
    read.is_some_and(|(end, meaning)| end == tokens.len() && meaning.only_time())
}

/// Parses a due date like [`resolve`], for tasks that keep their day: a time alone is refused.
pub fn resolve_with_day(text: &str, now: &Timestamp, zone: &str) -> Result<Due, Invalid> {
    if only_time(text, now, zone) {
        let shown: String = text.chars().take(60).collect();
        return Err(Invalid::because(format!("“{shown}” has no day; write the day too, such as “friday 17:00”.")));
    }
    resolve(text, now, zone)
}

/// Parses a due date: an ISO date or date-time, or a phrase without a recurrence. The error is a sentence for a person or a
/// model.
pub fn resolve(text: &str, now: &Timestamp, zone: &str) -> Result<Due, Invalid> {
    let shown: String = text.chars().take(60).collect();
    match parse(text, now, zone) {
        Some(When { due, recurrence: None }) => Ok(due),
        Some(_) => Err(Invalid::because(format!(
            "“{shown}” repeats. Put it into recurrence, and only the first date into due."
        ))),
        None => Err(Invalid::because(format!(
            "“{shown}” is not a supported date; write it like 2026-03-11, 2026-03-11T17:00 or “tomorrow 5pm”."
        ))),
    }
}

/// Parses a recurrence: a rule, or a phrase that also gives its first date. The error is a sentence for a person or a model.
pub fn resolve_recurrence(text: &str, now: &Timestamp, zone: &str) -> Result<(String, Option<Due>), Invalid> {
    if let Some(rule) = canonical(text) {
        return Ok((rule, None));
    }
    let read = parse(text, now, zone).and_then(|when| Some((when.recurrence?, Some(when.due))));
    read.ok_or_else(|| {
        let shown: String = text.chars().take(60).collect();
        Invalid::because(match flaw(text, now, zone) {
            Some(Flaw::Often) => format!(
                "“{shown}” repeats several times a day, but a task can repeat only once a day. Add one task for each time."
            ),
            _ => format!("“{shown}” is not a recurrence; write it like “every monday” or “every! 3 days”."),
        })
    })
}

/// Returns the reason why a date phrase was rejected.
fn flaw(text: &str, now: &Timestamp, zone: &str) -> Option<Flaw> {
    let tokens = cut(text);
    phrase(Words(&tokens[..tokens.len().min(LONGEST)]), 0, &Moment::new(now, zone))?.1.flaw
}

/// Parses ISO forms: a date, or a date-time with an offset or in the user's zone.
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

#[cfg(test)]
mod tests;
