//! Questions about how Docket works, and words with which a talk ends.

use super::set::{Set, set};

/// How Docket asks before it acts.
pub(super) const ASKS_FIRST: &str = "Before I delete or rename a task, or change several at once, I ask for your yes. Everything else I do at once, and it can be \
     undone from its receipt. Try “show my tasks” or “delete task 3”.";

/// "do I always have to confirm?": a question about being asked, in general words only.
pub(super) fn confirming(keys: &[&str]) -> bool {
    const OPENS: Set = set("do|does|did|will|would|must|should|can|could|is|are|why|when|what|which|how|am");
    const CONFIRMS: Set =
        set("confirm|confirms|confirming|confirmation|confirmations|approve|approving|approval|approvals|permission");
    const ALWAYS: Set = set("before|first|always|every|each|time|whenever|everything|anything|something");
    const PLAIN: Set = set(
        "do|does|did|will|would|must|should|can|could|is|are|why|when|what|which|how|am|i|im|you|it|we|me|my|your|docket|have|has|\
         got|need|needs|to|always|every|each|single|time|times|whenever|before|first|if|that|this|there|the|a|an|any|anything|\
         something|everything|stuff|things|thing|kind|kinds|of|one|ones|them|for|on|in|or|and|not|just|really|ever|again|also|\
         still|supposed|meant|going|gonna|keep|happen|happens|by|with|after|confirm|confirms|confirming|confirmation|\
         confirmations|approve|approving|approval|approvals|permission|ask|asks|asking|say|saying|yes|sure|answer|question|\
         questions|check|delete|deletes|deleting|deletion|deletions|remove|removes|removing|removal|rename|renames|renaming|\
         change|changes|changing|edit|edits|editing|complete|completing|finish|tick|ticking|mark|marking|done|add|adding|TASK|\
         TASKS|LIST|turn|off|stop|skip|get|rid|make|so|much|often|many|all|please|way",
    );
    let first = keys.first().copied().unwrap_or_default();
    // "can you confirm it" orders something.
    let orders =
        matches!(keys, ["can" | "could" | "would" | "will", "you", verb, ..] if !matches!(*verb, "ask" | "always"));
    let asks =
        keys.iter().any(|key| matches!(*key, "ask" | "asks" | "asking")) && keys.iter().any(|key| ALWAYS.has(key));
    let confirms = keys.iter().any(|key| CONFIRMS.has(key)) && keys.len() >= 4;
    OPENS.has(first) && !orders && (confirms || asks && keys.contains(&"you")) && keys.iter().all(|key| PLAIN.has(key))
}

/// "that'll be all for now": nothing more is wanted.
pub(super) fn finishes(keys: &[&str]) -> bool {
    const ENDS: [&str; 14] = [
        "thats all",
        "that is all",
        "that will be all",
        "thats it",
        "that is it",
        "that will be it",
        "thats everything",
        "that is everything",
        "that will be everything",
        "that will do",
        "that will do it",
        "thats the lot",
        "nothing else",
        "nothing more",
    ];
    const AFTER: Set = set(
        "for|today|tonight|now|the|moment|this|time|morning|evening|afternoon|week|day|then|thanks|thank|you|cheers|ta|from|me|\
         i|think|please|needed|wanted|need|want|mate|just|here|so|far|bye|ok|okay|to|do|us|really|folks|lot|a",
    );
    const BEFORE: Set = set("ok|okay|right|well|great|cool|so|and|i|think|no|alright|perfect|lovely|good");
    let from = keys.iter().take_while(|key| BEFORE.has(key)).count();
    let rest = &keys[from..];
    let ends = |phrase: &&str| {
        let end = phrase.split(' ').count();
        rest.len() >= end && rest[..end].join(" ") == **phrase && rest[end..].iter().all(|key| AFTER.has(key))
    };
    keys.len() <= 12 && ENDS.iter().any(ends)
}
