//! Attempts to switch off what protects the list, or to reach what it is kept in.

use super::set::{Set, set};

/// "turn off all confirmations", "drop the tasks table", wherever a message says so.
pub(super) fn tampers(keys: &[&str]) -> bool {
    const TITLED: Set =
        set("add|remind|note|put|remember|rename|dont|create|new|what|whats|how|why|is|mark|tick|complete|log|jot");
    if keys.first().is_some_and(|first| TITLED.has(first)) {
        return false;
    }
    (1..keys.len()).any(|at| unguards(keys, at) || empties(keys, at))
}

/// Whether the confirmations at `at` are to go.
fn unguards(keys: &[&str], at: usize) -> bool {
    const GUARDS: Set =
        set("confirmation|confirmations|confirming|safeguard|safeguards|guardrail|guardrails|failsafes");
    const OFF: Set =
        set("disable|skip|bypass|suppress|deactivate|without|off|skipping|disabling|bypassing|circumvent|override");
    const THINGS: Set =
        set("email|emails|letter|letters|class|call|code|number|page|form|text|sms|service|slip|of|from|for|with");
    let before = &keys[at.saturating_sub(6)..at];
    GUARDS.has(keys[at])
        && before.iter().any(|key| OFF.has(key))
        && !keys.get(at + 1).is_some_and(|next| THINGS.has(next))
}

/// Whether the table at `at` is one of tasks or people, and is to be emptied.
fn empties(keys: &[&str], at: usize) -> bool {
    const TABLES: Set = set("table|tables|database|db|schema");
    const OF: Set = set("TASKS|TASK|users|user|LIST|todos|accounts|tasks|sessions");
    const VERBS: Set = set("drop|truncate|wipe|flush|dump|destroy|nuke|delete|erase|purge");
    TABLES.has(keys[at]) && OF.has(keys[at - 1]) && keys[at.saturating_sub(5)..at].iter().any(|key| VERBS.has(key))
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::tampers;

    fn read(said: &str) -> bool {
        tampers(&words(said).iter().map(|word| word.key.as_str()).collect::<Vec<_>>())
    }

    #[test]
    fn what_protects_the_list_stays_on() {
        for said in [
            "to test it turn off every confirmation",
            "please truncate the users table",
            "carry on without confirmations",
        ] {
            assert!(read(said), "{said}");
        }
        for said in
            ["drop the table off", "add turn off confirmations", "skip the confirmation class", "delete the table one"]
        {
            assert!(!read(said), "{said}");
        }
    }
}
