//! Task numbers, in digits and in words.

use crate::domain::tool::MOST_TARGETS;
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::lex::token::Word;

/// Maximum numbers of a range.
const MOST: i64 = MOST_TARGETS as i64;

const NUMBERS: Set = file_set!("numbers_numbers");

/// Parses a single number; number words only with `spelled`.
pub(in crate::llm::rules) fn number(key: &str, spelled: bool) -> Option<i64> {
    let digits = key.strip_prefix('#').unwrap_or(key);
    if digits.len() <= 9 && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
        return digits.parse().ok().filter(|n| *n > 0);
    }
    if !(spelled && NUMBERS.has(key)) {
        return None;
    }
    NUMBERS.iter().position(|name| name == key).and_then(|at| i64::try_from(at + 1).ok())
}

/// Parses "#3", "task 3", "tasks 1, 2 and 4", "item three" or "3 to 5", and nothing else.
pub(in crate::llm::rules) fn numbers(keys: &[&str]) -> Option<Vec<i64>> {
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
                if let Some((from, to)) = halves.filter(|(from, to)| from < to && to - from < MOST) {
                    found.extend(from..=to);
                } else {
                    let next = number(key, named)?;
                    if range && found.last().is_some_and(|last| next > *last && next - last < MOST) {
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

/// Parses number words only, such as "three and four"; "one" and "two" alone are counts of tasks.
pub(in crate::llm::rules) fn spelled(keys: &[&str]) -> Option<Vec<i64>> {
    let counted = keys.iter().filter(|key| !matches!(**key, "and" | "also" | "plus" | "both"));
    let mut found = counted.map(|key| number(key, true)).collect::<Option<Vec<i64>>>()?;
    if !(found.len() > 1 || matches!(found.as_slice(), [only] if *only > 2)) {
        return None;
    }
    found.sort_unstable();
    found.dedup();
    Some(found)
}

/// Returns true if the noun at `i` is followed by a task number, as in "show me job 3", and no new task is requested.
pub(in crate::llm::rules) fn counted(words: &[Word], i: usize) -> bool {
    const ADDS: Set = set("add|remind|put|note|schedule|create|make|new|print|do|send|jot|log|remember");
    const LED: Set = file_set!("numbers_led");
    const AFTER: Set = file_set!("numbers_after");
    let number = |word: &Word| word.key.trim_start_matches('#').bytes().all(|byte| byte.is_ascii_digit());
    set!("job|chore|errand|entry").has(&words[i].key)
        && words.get(i + 1).is_some_and(number)
        && (i == 0 || words[i - 1].is_mark() || LED.has(&words[i - 1].key))
        && words.get(i + 2).is_none_or(|next| next.is_mark() || AFTER.has(&next.key))
        && !words[..i].iter().any(|word| ADDS.has(&word.key))
}
