//! Time ranges and counts of an undo: "the last 10 minutes", "today", "the last three changes".

use jiff::tz::TimeZone;

use crate::llm::rules::lex::set::{Set, set};
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::target::number;

/// Verbs that begin an undo.
const VERBS: Set = set("undo|revert|reverse|rollback|cancel|take|roll|turn");
/// Filler words around the time range of an undo.
const FILLS: Set = set(
    "everything|all|anything|it|that|those|them|of|what|whatever|which|you|i|we|ive|youve|did|do|done|have|has|just|changed|made|happened|\
     changes|change|actions|edits|the|in|from|for|over|during|within|my|your|our|stuff|things|back|been|was|were|to|LIST|TASKS",
);
/// Maximum minutes that the tool accepts.
const MOST: i64 = 1_440;

/// Parses an undo of a time range, in minutes.
pub(super) fn minutes(keys: &[&str], context: Context) -> Option<i64> {
    let rest = after_verb(keys)?;
    let at = rest.iter().position(|key| set!("last|past|previous|today|todays").has(key))?;
    let (found, length) = if rest[at].starts_with("today") { (today(context)?, 1) } else { last(&rest[at + 1..])? };
    let around = rest[..at].iter().chain(rest.get(at + length..).unwrap_or_default());
    let plain = around.clone().all(|key| FILLS.has(key));
    // "undo today" could name a task.
    let whole =
        !rest[at].starts_with("today") || around.clone().any(|key| set!("everything|all|changes|what").has(key));
    (plain && whole && (1..=MOST).contains(&found)).then_some(found)
}

/// Returns true if the message asks to undo several changes by count: "undo the last three changes".
pub(super) fn counts(keys: &[&str]) -> bool {
    let Some(rest) = after_verb(keys) else { return false };
    let rest: Vec<&str> = rest.iter().filter(|key| !set!("the|my|your").has(key)).copied().collect();
    const NOUNS: Set = set("changes|things|actions|edits|ones|steps|TASKS|messages");
    match rest.as_slice() {
        ["last" | "previous" | "past", count] => *count == "few" || many(count),
        ["last" | "previous" | "past", count, noun] => (*count == "few" || many(count)) && NOUNS.has(noun),
        ["last" | "previous" | "past", "couple", "of", noun] => NOUNS.has(noun),
        _ => false,
    }
}

fn many(count: &str) -> bool {
    number(count, true).is_some_and(|count| count > 1)
}

/// Returns the words after the verb.
fn after_verb<'a>(keys: &'a [&'a str]) -> Option<&'a [&'a str]> {
    let (verb, rest) = keys.split_first()?;
    let led = matches!(*verb, "take" | "roll" | "turn" | "cancel");
    let said = match *verb {
        "cancel" => rest.iter().any(|key| set!("everything|all").has(key)),
        _ => !led || rest.contains(&"back"),
    };
    (VERBS.has(verb) && said).then_some(rest)
}

/// Parses the words after "last": the minutes, and the number of words including "last".
fn last(rest: &[&str]) -> Option<(i64, usize)> {
    let of = |unit: &str| match unit {
        "minute" | "minutes" | "min" | "mins" => Some(1),
        "hour" | "hours" | "hr" | "hrs" | "h" => Some(60),
        _ => None,
    };
    match rest {
        ["half", "hour", ..] => Some((30, 3)),
        ["half", "an", "hour", ..] => Some((30, 4)),
        ["couple", "of", unit, ..] => Some((2 * of(unit)?, 4)),
        ["few", unit, ..] => Some((5 * of(unit)?, 3)),
        ["hour" | "minute", ..] => Some((of(rest[0])?, 2)),
        [count, unit, ..] => Some((number(count, true)?.checked_mul(of(unit)?)?, 3)),
        _ => None,
    }
}

/// Returns the minutes since the beginning of the day, at least one.
fn today(context: Context) -> Option<i64> {
    let now = context.now.to_jiff().to_zoned(TimeZone::get(context.zone).ok()?);
    let since = now.timestamp().duration_since(now.start_of_day().ok()?.timestamp());
    Some(since.as_mins().clamp(0, MOST - 1) + 1)
}
