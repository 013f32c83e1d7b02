//! Priorities in words.

use std::borrow::Cow;

use crate::domain::task::Priority;
use crate::llm::rules::lex::set::{Set, set};
use crate::llm::rules::normalise::words::Word;
use crate::llm::rules::read::pattern::Captures;

/// Verbs that clear a priority.
const UNSETS: Set =
    set("delete|del|remove|clear|no|without|scrap|ditch|lose|erase|cancel|wipe|strip|discard|bin|get|take|dump");

/// Parses a priority; "not urgent" is low.
pub(in crate::llm::rules) fn priority(stretch: &[Word]) -> Option<Priority> {
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

/// Returns the priority that a verb implies: "prioritise 3", "drop the priority of 3".
pub(in crate::llm::rules) fn implied(clause: &[Word]) -> Priority {
    const LOWERS: Set = set("deprioritise|deprioritize|lower|decrease|reduce|drop");
    match clause.first().map(|word| word.key.as_str()) {
        Some(verb) if LOWERS.has(verb) => Priority::Low,
        Some(verb) if UNSETS.has(verb) => Priority::None,
        Some(_) | None => Priority::High,
    }
}

/// Returns a priority before the noun: "add a high priority task to …", "add an urgent task".
pub(in crate::llm::rules) fn level_before(lead: &[Word]) -> Option<Priority> {
    lead.windows(2).find_map(|pair| match pair[1].key.as_str() {
        "priority" | "TASK" => priority(&pair[..1]).filter(|_| !matches!(pair[0].key.as_str(), "to" | "a" | "no")),
        _ => None,
    })
}

/// Returns true unless a bare number is captured as a priority without context: "dinner should be 4". A number counts
/// if the clause mentions a priority and no preceding word makes it a task number.
pub(in crate::llm::rules) fn leveled(captures: &Captures, clause: &[Word]) -> bool {
    const NUMBERS: Set = set("number|TASK|TASKS|no|nr|of|on|for|from");
    let counts = |word: &Word| word.key.bytes().all(|byte| byte.is_ascii_digit());
    let spoken = clause.iter().any(|word| set!("priority|prio|importance|urgency|level").has(&word.key));
    let numbers = |at: usize| at > 0 && NUMBERS.has(&clause[at - 1].key);
    let levels = captures.iter().filter(|(name, _, _)| matches!(name, 'p' | 'y'));
    let mut digits = levels.flat_map(|(_, start, end)| *start..*end).filter(|at| counts(&clause[*at]));
    digits.all(|at| spoken && !numbers(at))
}
