//! Questions about confirmations, and closing remarks.

use crate::llm::rules::lex::set::{Set, file_set, set};

/// Explanation of when Docket asks for approval.
pub(in crate::llm::rules) const ASKS_FIRST: &str = "Before I delete or rename a task, or change several at once, I ask for your yes. Everything else I do at once, and it can be \
     undone from its receipt. Try “show my tasks” or “delete task 3”.";

/// Returns true for general questions about approvals: "do I always have to confirm?".
pub(in crate::llm::rules) fn confirming(keys: &[&str]) -> bool {
    const OPENS: Set = set("do|does|did|will|would|must|should|can|could|is|are|why|when|what|which|how|am");
    const CONFIRMS: Set =
        set("confirm|confirms|confirming|confirmation|confirmations|approve|approving|approval|approvals|permission");
    const ALWAYS: Set = set("before|first|always|every|each|time|whenever|everything|anything|something");
    const PLAIN: Set = file_set!("about_plain");
    let first = keys.first().copied().unwrap_or_default();
    // "can you confirm it" is a command.
    let orders =
        matches!(keys, ["can" | "could" | "would" | "will", "you", verb, ..] if !matches!(*verb, "ask" | "always"));
    let asks =
        keys.iter().any(|key| matches!(*key, "ask" | "asks" | "asking")) && keys.iter().any(|key| ALWAYS.has(key));
    let confirms = keys.iter().any(|key| CONFIRMS.has(key)) && keys.len() >= 4;
    OPENS.has(first) && !orders && (confirms || asks && keys.contains(&"you")) && keys.iter().all(|key| PLAIN.has(key))
}

/// Returns true if nothing more is wanted: "that'll be all for now".
pub(in crate::llm::rules) fn finishes(keys: &[&str]) -> bool {
    const ENDS: Set =
        set("thats all|that is all|that will be all|thats it|that is it|that will be it|thats everything|\
         that is everything|that will be everything|that will do|that will do it|thats the lot|nothing else|\
         nothing more");
    const AFTER: Set = file_set!("about_after");
    const BEFORE: Set = set("ok|okay|right|well|great|cool|so|and|i|think|no|alright|perfect|lovely|good");
    let from = keys.iter().take_while(|key| BEFORE.has(key)).count();
    let rest = &keys[from..];
    let ends = |phrase: &str| {
        let end = phrase.split(' ').count();
        rest.len() >= end && rest[..end].join(" ") == *phrase && rest[end..].iter().all(|key| AFTER.has(key))
    };
    keys.len() <= 12 && ENDS.iter().any(ends)
}
