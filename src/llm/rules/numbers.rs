//! The numbers of tasks, in figures and in words.

use super::set::{Set, set};
use super::words::Word;

const NUMBERS: Set = set(
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|\
     nineteen|twenty",
);

/// A single number; number words only where `spelled` allows them.
pub(super) fn number(key: &str, spelled: bool) -> Option<i64> {
    let digits = key.strip_prefix('#').unwrap_or(key);
    if digits.len() <= 9 && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
        return digits.parse().ok().filter(|n| *n > 0);
    }
    if !(spelled && NUMBERS.has(key)) {
        return None;
    }
    NUMBERS.iter().position(|name| name == key).and_then(|at| i64::try_from(at + 1).ok())
}

/// "#3", "task 3", "tasks 1, 2 and 4", "item three", "3 to 5"; nothing else may stand there.
pub(super) fn numbers(keys: &[&str]) -> Option<Vec<i64>> {
    let mut found = vec![];
    let mut named = false;
    let mut range = false;
    for key in keys {
        match *key {
            "TASK" | "TASKS" | "number" | "nr" | "numbers" | "no" | "num" | "#" => named = true,
            "id" | "both" | "the" | "my" if found.is_empty() => {}
            "and" | "also" | "plus" if !found.is_empty() => {}
            "to" | "through" | "thru" if found.len() == 1 => range = true,
            key => {
                let halves = key.split_once('-').and_then(|(a, b)| Some((number(a, false)?, number(b, false)?)));
                if let Some((from, to)) = halves.filter(|(from, to)| from < to && to - from < 100) {
                    found.extend(from..=to);
                } else {
                    let next = number(key, named)?;
                    if range && found.last().is_some_and(|last| next > *last && next - last < 100) {
                        let last = found.pop()?;
                        found.extend(last..=next);
                    } else {
                        found.push(next);
                    }
                }
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    (!found.is_empty()).then_some(found)
}

/// "three and four": numbers in words, and nothing else; "one" and "two" alone count tasks.
pub(super) fn spelled(keys: &[&str]) -> Option<Vec<i64>> {
    let counted = keys.iter().filter(|key| !matches!(**key, "and" | "also" | "plus" | "both"));
    let mut found = counted.map(|key| number(key, true)).collect::<Option<Vec<i64>>>()?;
    if !(found.len() > 1 || matches!(found.as_slice(), [only] if *only > 2)) {
        return None;
    }
    found.sort_unstable();
    found.dedup();
    Some(found)
}

/// "show me job 3": whether a number follows that tells which, and no new task is named.
pub(super) fn counted(words: &[Word], i: usize) -> bool {
    const ADDS: Set = set("add|remind|put|note|schedule|create|make|new|print|do|send|jot|log|remember");
    const LED: Set = set(
        "me|us|show|see|open|view|get|read|display|give|find|check|delete|remove|bin|scrap|drop|complete|finish|tick|mark|close|off|out|\
         up|at|with|done|finished|completed|rename|move|change|edit|update|push|postpone|reopen|untick|undo|and|the|is|was|about|of|on",
    );
    const AFTER: Set = set(
        "is|was|has|needs|to|as|from|off|on|and|please|done|now|again|for|by|should|can|instead|then|too|in|high|low|urgent",
    );
    let number = |word: &Word| word.key.trim_start_matches('#').bytes().all(|byte| byte.is_ascii_digit());
    set!("job|chore|errand|entry").has(&words[i].key)
        && words.get(i + 1).is_some_and(number)
        && (i == 0 || words[i - 1].is_mark() || LED.has(&words[i - 1].key))
        && words.get(i + 2).is_none_or(|next| next.is_mark() || AFTER.has(&next.key))
        && !words[..i].iter().any(|word| ADDS.has(&word.key))
}
