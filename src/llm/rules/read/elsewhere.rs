//! Questions that a page of the application answers: the bin, and the export of all data.

use crate::llm::rules::lex::set::{Set, set};
use crate::llm::rules::normalise::words::Word;
use crate::llm::rules::read::intent::Part;
use crate::llm::rules::read::pattern::Patterns;

const BIN: Patterns<6> = Patterns::of([
    "what|which|whats TASKS|TASK? did|have|has i|we|you? delete|deleted|remove|removed|bin|binned|throw|thrown away|out? just|recently|lately|earlier? today|yesterday|recently|lately|earlier|this|last? week|morning|month|afternoon?",
    "what|whats|which TASKS? is|are|do|did? i|we? have|delete|put|throw? still? in|inside my|the bin|trash|binned|recycling bin?",
    "show|open|list|see|view|display me? whats|what? is? in? my|the bin|trash",
    "can|could you|i show|see|view|open me? whats|what? is? in? my|the bin|trash",
    "is there anything|something in my|the bin|trash",
    "where is|are|do my|the|i? deleted|binned|find? deleted? TASKS|stuff|things",
]);
const EXPORT: Patterns<4> = Patterns::of([
    "how|where do|can|could|would i|we|you export|download|backup my|all|the? my|the|of? my? data|LIST|TASKS|account|everything",
    "export|download all|my|everything|the? of? my|the? data|LIST|TASKS|account|everything",
    "can|could i|you|we please? export|download all|my|the? of? my|the? data|LIST|TASKS|account|everything",
    "give|send|get me a? copy|export|download of all? of? my data|LIST|TASKS",
]);

/// Answers a question about the bin or the export with its page.
pub(in crate::llm::rules) fn asked(clause: &[Word]) -> Option<Part> {
    if BIN.fit(clause).is_some() {
        let text =
            "Deleted tasks stay in the bin for 30 days: the Bin page (/tasks?view=bin) lists them and restores them.";
        return Some(Part::Say(text.into()));
    }
    if splits(clause) {
        return Some(Part::Say(
            "I cannot split a task, so nothing was changed. Add its parts as new tasks, one on each line, and then delete it.".into(),
        ));
    }
    EXPORT.fit(clause).map(|_| {
        Part::Refuse(
            "I have no tool for that. The Settings page (/settings) exports all of your data as JSON or CSV.".into(),
        )
    })
}

/// Returns true if a message asks to split a task: "split the second one please, each thing alone".
fn splits(clause: &[Word]) -> bool {
    const AROUND: Set = set(
        "and|so|it|that|this|them|the|one|ones|TASK|TASKS|up|please|into|in|apart|two|three|four|five|separate|single|parts|things|each|thing|alone|\
             number|first|second|third|last|by|item|on|its|own|all|can|you|could|several|different|then|now|now|just",
    );
    let keys: Vec<&str> = clause.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let number = |key: &str| key.trim_start_matches('#').bytes().all(|byte| byte.is_ascii_digit());
    const SHARED: Set = set("bill|bills|cost|costs|rent|with|between|wood|logs|money");
    let named = matches!(keys.as_slice(), ["split", "the" | "my" | "our", _, ..])
        && keys.len() <= 6
        && !keys.iter().any(|key| SHARED.has(key));
    named
        || keys.contains(&"split")
            && keys.len() >= 2
            && keys.iter().all(|key| *key == "split" || AROUND.has(key) || number(key))
}
