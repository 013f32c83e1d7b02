//! Assent that is no clear yes: sufficient if nothing was asked, insufficient for irreversible actions.

use crate::llm::rules::lex::set::{Set, set};
use crate::llm::rules::normalise::words::words;

/// Returns true if a message is only such assent.
pub(in crate::llm::rules) fn said(text: &str) -> bool {
    let words = words(text);
    assents(&words.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect::<Vec<_>>())
}

/// Returns true for phrases such as "sure, why not" and "sounds good to me".
pub(in crate::llm::rules) fn assents(keys: &[&str]) -> bool {
    const LEADS: Set = set(
        "yes|yeah|yep|yup|sure|ok|okay|alright|right|oh|well|hmm|go|on|then|cool|great|i|mean|and|that|it|thats|its",
    );
    const ENDS: Set = set("then|thanks|please|really|actually|mate|i|guess|suppose|think|too|tbh|though|tho");
    const WORDS: Set = set(
        "why not|why the hell not|sounds good|sounds good to me|sounds great|sounds great to me|sounds fine|sounds fine to me|\
         sounds ok|sounds right|sounds like a plan|sounds fair|works for me|works|fine by me|fine with me|good by me|good with me|\
         ok by me|okay by me|ok with me|okay with me|good for me|suits me|suits|suits me fine|dont see why not|cant see why not|\
         do not see why not|see no reason not to|dont mind if i do|if you like|if you want|if you must|up to you",
    );
    let from = keys.iter().take_while(|key| LEADS.has(key)).count();
    let to = keys.iter().rposition(|key| !ENDS.has(key)).map_or(0, |last| last + 1);
    // "works" alone is ambiguous.
    from < to && to - from <= 6 && (keys.len() > 1) && WORDS.has(&keys[from..to].join(" "))
}
