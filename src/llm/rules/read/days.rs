//! Dates and times of a clause.

use crate::domain::task::Due;
use crate::domain::when;
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::{Kind, Word};
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::intent::Edits;

/// Returns the change of a due date, as expressed by these words.
pub(in crate::llm::rules) fn due(when: when::When, said: &[Word], context: Context) -> Edits {
    let timed = clock_only(said) || when::only_time(context.raw(said), context.now, context.zone);
    let clock = when.recurrence.is_none() && timed;
    let due = if clock { as_written(&when.due, said, context) } else { when.due.as_str().to_owned() };
    Edits { due: Some(Some(due)), recurrence: when.recurrence, clock, ..Edits::default() }
}

/// Returns the time of a task that has a day. Alone, "10:00" would be 22:00 in the evening.
fn as_written(alone: &Due, said: &[Word], context: Context) -> String {
    let of_day = when::parse(&format!("tomorrow {}", context.raw(said)), context.now, context.zone);
    let time = |due: &str| due.get(11..16).map(str::to_owned);
    let of_day = of_day.map(|when| when.due.as_str().to_owned()).filter(|due| time(due).is_some());
    of_day.filter(|due| time(due) != time(alone.as_str())).unwrap_or_else(|| alone.as_str().to_owned())
}

/// Returns true if the words are only a time of day: "at 3pm", "16:30", "noon".
pub(in crate::llm::rules) fn clock_only(rest: &[Word]) -> bool {
    const CLOCK: Set = file_set!("dating_clock");
    let hour = |key: &str| {
        let digits = key.trim_end_matches("am").trim_end_matches("pm");
        key.starts_with(|c: char| c.is_ascii_digit())
            && digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b':' | b'.'))
    };
    rest.iter().all(|word| word.is_mark() || CLOCK.has(&word.key) || hour(&word.key))
}

pub(in crate::llm::rules) fn has_time(found: &when::Found) -> bool {
    found.when.due.as_str().len() > found.when.due.day().len()
}

/// Returns the date of the list, outside the title: "add soap to tomorrow's list".
pub(in crate::llm::rules) fn of_list(clause: &[Word], title: &[Word], context: Context) -> Option<when::When> {
    const DAYS: Set = set("today|tomorrow|tonight|monday|tuesday|wednesday|thursday|friday|saturday|sunday");
    let lists = |at: &usize| clause[*at].kind == Kind::Plain && matches!(clause[*at].key.as_str(), "LIST" | "TASKS");
    let titled = |at: &usize| title.iter().any(|word| word.start == clause[*at].start);
    let at = (1..clause.len()).rfind(lists).filter(|at| !titled(at))?;
    let from = clause[at - 1].start.min(clause[at].start);
    let said = context.text[from..clause[at].end].to_lowercase().replace('’', "'");
    let days = said.split(' ').map(|word| word.strip_suffix("'s").unwrap_or(word)).filter_map(day);
    let mut days = days.filter(|word| DAYS.has(word));
    let only = days.next().filter(|_| days.next().is_none())?;
    when::parse(only, context.now, context.zone)
}

/// Returns true for a request and false for a question: "can the fair be on friday instead", "can the fair be on friday".
pub(in crate::llm::rules) fn settles(clause: &[Word], context: Context) -> bool {
    const MOVES: Set = set(
        "moved|changed|pushed|shifted|rescheduled|switched|bumped|brought|postponed|move|shift|switch|change|slide|slip",
    );
    let last = clause.iter().rfind(|word| !word.is_mark()).map_or("", |word| word.key.as_str());
    clause.iter().any(|word| MOVES.has(&word.key)) || set!("now|rather").has(last) || instead(clause, context)
}

/// Returns the day in "saturdays", written without an apostrophe.
fn day(word: &str) -> Option<&str> {
    match word.strip_suffix('s') {
        Some(single) if single.ends_with("day") || single == "tomorrow" => Some(single),
        _ => Some(word),
    }
}

/// Returns true if "instead" ends a stretch or follows it: "… put on some fruit instead".
pub(in crate::llm::rules) fn instead(stretch: &[Word], context: Context) -> bool {
    let Some(last) = stretch.iter().rfind(|word| !word.is_mark()) else { return false };
    last.key == "instead" || context.text[last.end..].trim_start().to_lowercase().starts_with("instead")
}
