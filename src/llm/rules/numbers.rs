//! The numbers of tasks, in figures and in words.

use super::set::{Set, set};

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
