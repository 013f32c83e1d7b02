//! Stretches that continue the preceding words: a pronoun, a note, a place, a correction.

use crate::llm::rules::lex::frames::COMMANDS;
use crate::llm::rules::lex::set::{Set, set};
use crate::llm::rules::normalise::words::Word;
use crate::llm::rules::read::fields;

/// Returns true if a stretch begins with "add that", so that the preceding words may be the task.
fn adds_it(stretch: &[Word]) -> bool {
    const VERBS: Set = set("add|put|note|log|stick|pop|jot|write|save|schedule|record");
    matches!(stretch, [first, it, _, ..] if VERBS.has(&first.key) && set!("it|that|this|them|those").has(&it.key))
}

/// Returns true for a leading destination: "in the Garden project, …".
pub(in crate::llm::rules) fn files(left: &[Word]) -> bool {
    let leads = |word: &Word| set!("in|into|under|to|onto|for").has(&word.key);
    (2..=6).contains(&left.len())
        && left.first().is_some_and(leads)
        && (left.last().is_some_and(|word| word.key == "project") || left[1].key == "project")
}

/// Returns true for a note on the preceding task: "…, note: the small one".
pub(in crate::llm::rules) fn notes(stretch: &[Word]) -> bool {
    let says = |word: &Word| {
        word.is_mark() && word.key == ":" || set!("should|must|say|says|is|are|saying|reading").has(&word.key)
    };
    let from = stretch.iter().take_while(|word| set!("the|its|with|and").has(&word.key)).count();
    matches!(&stretch[from..], [first, next, ..] if fields::NOTES.has(&first.key) && says(next))
}

/// Returns true for further fields of the preceding task: "add that for monday".
pub(in crate::llm::rules) fn adds_for(stretch: &[Word]) -> bool {
    adds_it(stretch)
        && stretch.get(2).is_some_and(|word| set!("for|on|by|as|with|due|at").has(&word.key))
        && !stretch.iter().any(|word| matches!(word.key.as_str(), "LIST" | "TASK" | "TASKS"))
}

/// Returns true if a stretch begins a request about something named before: "stick it on my list", "tick that".
pub(in crate::llm::rules) fn points_back(stretch: &[Word]) -> bool {
    let keys = stretch.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str());
    let keys: Vec<&str> = keys.take(4).collect();
    let pronoun = |key: &&str| set!("it|that|this|them|those|these|one").has(key);
    // "ping me about it on friday"
    let prods = set!("nudge|ping|poke|prod|prompt|alert|notify|warn|bug|pester|nag|buzz");
    let prodded = matches!(keys.as_slice(), [first, "me" | "us", ..] if prods.has(first));
    prodded || keys.first().is_some_and(|first| COMMANDS.has(first)) && keys.iter().skip(1).any(pronoun)
}

/// Returns true if both sides are one request: "i ticked it by mistake, put it back".
pub(in crate::llm::rules) fn slipped(left: &[Word], rest: &[Word]) -> bool {
    const SLIPS: Set = set("mistake|accident|accidentally|error|mistakenly|wrongly");
    const BACK: Set = set("put|bring|reopen|undo|restore|untick|uncheck|open|unmark");
    const ENDED: Set = set("ticked|completed|marked|finished|crossed|checked|closed");
    rest.first().is_some_and(|first| BACK.has(&first.key))
        && left.iter().any(|word| SLIPS.has(&word.key))
        && left.iter().take(5).any(|word| ENDED.has(&word.key))
}

/// Returns true for "make a new task and call it …", which is one request.
pub(in crate::llm::rules) fn names_it(stretch: &[Word]) -> bool {
    matches!(stretch, [verb, it, _, ..] if set!("call|name|title").has(&verb.key) && set!("it|this").has(&it.key))
}

/// Returns true if the title follows: "fix the spelling of 3, it should be …".
pub(in crate::llm::rules) fn misspelt(left: &[Word], rest: &[Word]) -> bool {
    const CHANGES: Set = set("fix|correct|change|edit|amend|update|sort");
    const NOUNS: Set = set("typo|typos|spelling|wording|phrasing|name|title|heading|mistake|error");
    const SAYS: Set = set("should|must|ought|needs|is|was|reads|says|meant|supposed");
    left.first().is_some_and(|first| CHANGES.has(&first.key))
        && left.iter().take(4).any(|word| NOUNS.has(&word.key))
        && matches!(rest, [it, next, ..] if set!("it|that|its").has(&it.key) && SAYS.has(&next.key))
}

/// Returns true for "so that needs to go on the list".
pub(in crate::llm::rules) fn goes_on_list(stretch: &[Word]) -> bool {
    let keys: Vec<&str> = stretch.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).take(8).collect();
    const NEEDS: Set = set("needs|need|should|must|has|have|ought|wants|goes|go|can|could|better");
    match keys.as_slice() {
        ["that" | "it" | "they" | "those" | "them" | "this", next, rest @ ..] => {
            NEEDS.has(next) && rest.contains(&"LIST")
        }
        // "so i need that on the list"
        ["i" | "we" | "id" | "wed", verb, it, rest @ ..] => {
            set!("need|want|like").has(verb) && set!("that|it|them|those|some").has(it) && rest.contains(&"LIST")
        }
        _ => false,
    }
}
