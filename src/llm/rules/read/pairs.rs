//! Two new tasks in one clause, each with its own date.

use crate::domain::when;
use crate::llm::rules::lex::frames::COMMANDS;
use crate::llm::rules::normalise::words::{Kind, Word};
use crate::llm::rules::read::chores::{has_words, opens_chore};
use crate::llm::rules::read::context::Context;

/// Returns the "and" between two chores with a date each: "call mum tonight and pay rent tomorrow".
pub(in crate::llm::rules) fn two_days(stretch: &[Word], context: Context) -> Option<usize> {
    let dates = |part: &[Word]| {
        let (Some(first), Some(last)) = (part.first(), part.last()) else { return None };
        let within = |found: &&when::Found| found.span.start >= first.start && found.span.end <= last.end;
        context.dates().iter().find(within).map(|found| found.span.end == last.end)
    };
    let mut ands = (1..stretch.len()).filter(|at| stretch[*at].key == "and" && stretch[*at].kind == Kind::Plain);
    let at = ands.next().filter(|_| ands.next().is_none())?;
    let (left, right) = (&stretch[..at], stretch.get(at + 1..)?);
    if day_led(right, context) && has_words(left) {
        return Some(at);
    }
    let dated = |word: &&Word| context.dates().iter().any(|found| found.span.contains(&word.start));
    // "golf on monday and chess on friday": things, each with a date.
    let thing = !(opens_chore(&left.first()?.key) || COMMANDS.has(&left.first()?.key)) && right.len() >= 3;
    let least = if thing { 1 } else { 2 };
    let verb = opens_chore(&right.first()?.key)
        || COMMANDS.has(&right.first()?.key)
        || right.iter().filter(|word| !(word.is_mark() || dated(word))).count() >= least && !dated(&right.first()?);
    (verb && dates(left) == Some(true) && dates(right) == Some(true)).then_some(at)
}

/// Returns true for a chore after its date: "on friday to pay the kennel".
fn day_led(right: &[Word], context: Context) -> bool {
    let skip = usize::from(right.first().is_some_and(|word| matches!(word.key.as_str(), "on" | "at" | "by" | "then")));
    let Some(first) = right.get(skip) else { return false };
    let Some(found) = context.dates().iter().find(|found| found.span.contains(&first.start)) else { return false };
    let rest = right.iter().find(|word| word.start >= found.span.end);
    rest.is_some_and(|word| word.key == "to") && right.last().is_some_and(|last| last.start > found.span.end + 3)
}
