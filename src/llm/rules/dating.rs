//! Days that stand beside a request: one that no longer holds, one before it, one in the name of the list.

use super::courtesy::strip;
use super::frames::COMMANDS;
use super::grammar::Rule;
use super::intent::{Part, Target};
use super::pattern::fit;
use super::reading::{self, Context};
use super::replacing;
use super::scope::is_question;
use super::set::{Set, set};
use super::words::{Kind, Word};
use crate::domain::when;

/// "by friday now, not thursday": the day that no longer holds goes.
pub(super) fn corrected<'a>(clause: &'a [Word], context: Context) -> &'a [Word] {
    let Some(at) = clause.iter().rposition(|word| matches!(word.key.as_str(), "not" | "than" | "of")) else {
        return clause;
    };
    let led = |back: usize, key: &str| at.checked_sub(back).is_some_and(|before| clause[before].key == key);
    let from = match clause[at].key.as_str() {
        "not" if led(1, "and") => at - 1,
        "not" => at,
        "than" if led(1, "rather") => at - 1,
        "of" if led(1, "instead") => at - 1,
        _ => return clause,
    };
    let dates = |stretch: &[Word]| {
        let within = |found: &when::Found| {
            stretch
                .first()
                .zip(stretch.last())
                .is_some_and(|(first, last)| found.span.start >= first.start && found.span.end <= last.end)
        };
        context.dates().iter().any(within)
    };
    let tail = &clause[at + 1..];
    // "at 3pm now, not 2"
    let timed = || context.dates().iter().rfind(|found| found.span.end <= clause[at].start).is_some_and(has_time);
    let old = tail.len() <= 4
        && (dates(tail) || context.date(tail).is_some() || !tail.is_empty() && clock_only(tail) && timed());
    if !(old && dates(&clause[..from])) {
        return clause;
    }
    let kept =
        clause[..from].iter().rposition(|word| !(word.is_mark() || matches!(word.key.as_str(), "now" | "instead")));
    kept.map_or(clause, |last| &clause[..=last])
}

/// "the christening is at 3pm now, not 2": when it is, where that no longer holds which a clause without its end denied.
pub(super) fn told(clause: &[Word], context: Context) -> Option<Part> {
    let captures = fit("*x is|are|was|starts|begins|s actually|really|now? on|at|for|from? *d", clause)?;
    let (said, day) = (reading::take(&captures, 'x', clause)?, reading::take(&captures, 'd', clause)?);
    let first = said.iter().find(|word| !word.is_mark())?;
    let asks = COMMANDS.has(&first.key) || is_question(clause);
    let target = context.target(said);
    if asks || said.len() > 8 || matches!(target, Target::Missing | Target::All(_) | Target::Them) {
        return None;
    }
    Some(Part::Edit { target, edit: reading::due(context.date(day)?, day) })
}

/// "at 3pm", "16:30", "noon": no word of it is a day.
pub(super) fn clock_only(rest: &[Word]) -> bool {
    const CLOCK: Set =
        set("at|by|around|about|pm|am|noon|midday|midnight|oclock|half|past|quarter|to|one|two|three|four|\
        five|six|seven|eight|nine|ten|eleven|twelve");
    let hour = |key: &str| {
        let digits = key.trim_end_matches("am").trim_end_matches("pm");
        key.starts_with(|c: char| c.is_ascii_digit())
            && digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b':' | b'.'))
    };
    rest.iter().all(|word| word.is_mark() || CLOCK.has(&word.key) || hour(&word.key))
}

/// Whether a date has a time of day.
fn has_time(found: &when::Found) -> bool {
    found.when.due.as_str().len() > found.when.due.day().len()
}

/// "at six I want to be reminded to …": a day or a time before the words that ask for a new task.
pub(super) fn dated(clause: &[Word], context: Context) -> Option<Part> {
    let first = clause.iter().find(|word| !word.is_mark())?;
    let found = context.dates().iter().find(|found| {
        found.span.contains(&first.start) || {
            let lead = set!("at|on|by|come|for|from|around|about|before|sometime|this|every|in").has(&first.key);
            lead && clause.get(1).is_some_and(|word| found.span.contains(&word.start))
        }
    })?;
    let from = clause.iter().position(|word| word.start >= found.span.end)?;
    let (rest, _) = strip(&clause[from..]);
    let first = rest.iter().find(|word| !word.is_mark())?;
    let asks = set!("i|we|id|please|remind|add|put|need|set|create|make|ill|wed|give|can|could|nudge|ping|want|dont");
    if !asks.has(&first.key) {
        return None;
    }
    let Part::Add { mut items, unless_there } = reading::grammatical(rest, context, |rule| rule == Rule::Add)? else {
        return None;
    };
    if items.iter().any(|item| item.due.is_some()) {
        return None;
    }
    for item in &mut items {
        item.due = Some(found.when.due.as_str().to_owned());
        item.recurrence.clone_from(&found.when.recurrence);
    }
    Some(Part::Add { items, unless_there })
}

/// "add soap to tomorrow's list": the day that the list is of, where it is no part of the title.
pub(super) fn of_list(clause: &[Word], title: &[Word], context: Context) -> Option<when::When> {
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

/// "can the fair be on friday instead" asks for it, "can the fair be on friday" asks whether.
pub(super) fn settles(clause: &[Word], context: Context) -> bool {
    const MOVES: Set = set(
        "moved|changed|pushed|shifted|rescheduled|switched|bumped|brought|postponed|move|shift|switch|change|slide|slip",
    );
    let last = clause.iter().rfind(|word| !word.is_mark()).map_or("", |word| word.key.as_str());
    clause.iter().any(|word| MOVES.has(&word.key))
        || set!("now|rather").has(last)
        || replacing::instead(clause, context)
}

/// The day in "saturdays", written without its apostrophe.
fn day(word: &str) -> Option<&str> {
    match word.strip_suffix('s') {
        Some(single) if single.ends_with("day") || single == "tomorrow" => Some(single),
        _ => Some(word),
    }
}
