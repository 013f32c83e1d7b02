//! Tasks named by captures.

use crate::llm::rules::lex::set::set;
use crate::llm::rules::normalise::words::Word;
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::fields;
use crate::llm::rules::read::intent::Target;
use crate::llm::rules::read::pattern::{Captures, take};
use crate::llm::rules::read::target::elided;

/// Returns the task named by `x` or `t`.
pub(in crate::llm::rules) fn about(captures: &Captures, clause: &[Word], context: Context) -> Target {
    match take(captures, 'x', clause).or_else(|| take(captures, 't', clause)) {
        Some(_) if elided(captures, clause) => Target::It,
        Some(stretch) => context.target(stretch),
        // "it's done", "that's high priority".
        None if clause.iter().take(2).any(|word| set!("it|its|that|thats|this").has(&word.key)) => Target::It,
        // "the note should say …", "change when it repeats: …"
        None if clause.iter().take(2).any(|word| fields::NOTES.has(&word.key)) => Target::It,
        None if clause.iter().any(|word| matches!(word.key.as_str(), "repeats" | "recurs")) => Target::It,
        // "add the link to it: …"
        None if clause.windows(2).any(|pair| set!("to|on").has(&pair[0].key) && pair[1].key == "it") => Target::It,
        None if clause.iter().take(3).any(|word| set!("they|them|those|these").has(&word.key)) => Target::Them,
        // "put … in its description".
        None if described(captures, clause) => Target::It,
        None => Target::Missing,
    }
}

/// Returns true if only a note is captured, followed by a word for notes.
fn described(captures: &Captures, clause: &[Word]) -> bool {
    let noun = clause.iter().rfind(|word| !word.is_mark());
    matches!(captures.as_slice(), [('y', _, _)]) && noun.is_some_and(|word| fields::NOTES.has(&word.key))
}
