//! Questions about the world.

use crate::llm::rules::lex::set::{Set, file_set};

/// Returns true for a factual question without a verb: "population of peru?".
pub(in crate::llm::rules) fn asks_the_world(keys: &[&str], raw: &str) -> bool {
    const FACTS: Set = file_set!("scope_facts");
    raw.trim_end().ends_with('?')
        && keys.iter().any(|key| FACTS.has(key))
        && keys.iter().any(|key| matches!(*key, "of" | "in" | "for" | "to"))
        && !keys.iter().any(|key| matches!(*key, "LIST" | "TASK" | "TASKS" | "my" | "our"))
}
