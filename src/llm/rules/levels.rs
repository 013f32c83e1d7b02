//! Priorities as people say them.

use std::borrow::Cow;

use super::pattern::Captures;
use super::set::{Set, set};
use super::words::Word;
use crate::domain::task::Priority;

/// With what a priority is taken away.
const UNSETS: Set =
    set("delete|del|remove|clear|no|without|scrap|ditch|lose|erase|cancel|wipe|strip|discard|bin|get|take|dump");

/// A priority in words; "not urgent" is low.
pub(super) fn priority(stretch: &[Word]) -> Option<Priority> {
    const BESIDE: Set =
        set("a|priority|very|really|now|as|my|of|importance|the|super|level|instead|to|only|just|itself");
    let keys = stretch.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str());
    let mut keys = keys.filter(|key| !BESIDE.has(key));
    let said = match (keys.next(), keys.next(), keys.next()) {
        (Some(one), None, None) => Cow::Borrowed(one),
        (Some(one), Some(other), None) => Cow::Owned(format!("{one} {other}")),
        _ => return None,
    };
    match said.as_ref() {
        "high" | "higher" | "highest" | "top" | "urgent" | "important" | "critical" | "p1" | "1" | "most important"
        | "max" | "maximum" | "crucial" | "essential" | "utmost" | "number one" => Some(Priority::High),
        "medium" | "normal" | "mid" | "moderate" | "middle" | "average" | "p2" | "2" | "regular" => {
            Some(Priority::Medium)
        }
        "low" | "lower" | "lowest" | "minor" | "p3" | "3" | "unimportant" | "not urgent" | "not important"
        | "less important" | "least" | "trivial" | "minimum" => Some(Priority::Low),
        "no" | "none" | "p4" | "4" | "without" => Some(Priority::None),
        _ => None,
    }
}

/// The priority that a verb gives by itself: "prioritise 3", "drop the priority of 3".
pub(super) fn implied(clause: &[Word]) -> Priority {
    const LOWERS: Set = set("deprioritise|deprioritize|lower|decrease|reduce|drop");
    match clause.first().map(|word| word.key.as_str()) {
        Some(verb) if LOWERS.has(verb) => Priority::Low,
        Some(verb) if UNSETS.has(verb) => Priority::None,
        Some(_) | None => Priority::High,
    }
}

/// "add a high priority task to …", "add an urgent task": the level stands before the noun.
pub(super) fn level_before(lead: &[Word]) -> Option<Priority> {
    lead.windows(2).find_map(|pair| match pair[1].key.as_str() {
        "priority" | "TASK" => priority(&pair[..1]).filter(|_| !matches!(pair[0].key.as_str(), "to" | "a" | "no")),
        _ => None,
    })
}

/// "dinner should be 4", "drop the priority of number 2": a number alone is a level only where a level is spoken of, and nothing
/// before it makes a task's number of it.
pub(super) fn leveled(captures: &Captures, clause: &[Word]) -> bool {
    const NUMBERS: Set = set("number|TASK|TASKS|no|nr|of|on|for|from");
    let counts = |word: &Word| word.key.bytes().all(|byte| byte.is_ascii_digit());
    let spoken = clause.iter().any(|word| set!("priority|prio|importance|urgency|level").has(&word.key));
    let numbers = |at: usize| at > 0 && NUMBERS.has(&clause[at - 1].key);
    let levels = captures.iter().filter(|(name, _, _)| matches!(name, 'p' | 'y'));
    let mut digits = levels.flat_map(|(_, start, end)| *start..*end).filter(|at| counts(&clause[*at]));
    digits.all(|at| spoken && !numbers(at))
}
