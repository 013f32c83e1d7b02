//! Bare references to a task, without a request: "3", "the second one", "not that, the other one".

use crate::llm::rules::lex::set::{Set, set};
use crate::llm::rules::normalise::words::Word;
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::intent::{Part, Target};
use crate::llm::rules::read::said;
use crate::llm::rules::read::target::target;

/// Returns the question for a bare reference: "3", "#2", "the second one", "it".
pub(in crate::llm::rules) fn pointing(clause: &[Word], context: Context) -> Option<Part> {
    // "the second one i mean"
    let tail = clause.iter().rposition(|word| !set!("i|mean|meant|said|instead|rather").has(&word.key));
    let clause = instead_of(tail.map_or(clause, |last| &clause[..=last]));
    // "not number 9" names what is not meant.
    let denied = clause.first().is_some_and(|first| first.key == "not") && !said::states(clause);
    if denied && matches!(target(&clause[1..], context.text), Target::Numbers(_) | Target::Places(_) | Target::It) {
        return Some(Part::Ask {
            question: "Nothing was changed. What should I do instead? For example: “complete task 3”.".into(),
            options: vec!["show my tasks".into()],
        });
    }
    let target = target(clause, context.text);
    let name = match &target {
        Target::Numbers(numbers) => format!("task {}", numbers.first()?),
        Target::Places(_) | Target::It | Target::Them | Target::Missing | Target::All(_) => {
            context.raw(clause).to_owned()
        }
        // "the one about the shed"
        Target::Words { named: true, quoted: false, .. } if refers(clause) => context.raw(clause).to_owned(),
        Target::Words { quoted: false, .. } if another(clause) => context.raw(clause).to_owned(),
        Target::Words { .. } | Target::Said(_) => return None,
    };
    Some(Part::Ask {
        question: format!("What should I do with {name}? For example: “complete {name}”."),
        options: vec![format!("show {name}"), format!("complete {name}"), format!("delete {name}")],
    })
}

/// Matches "the other" and "a different one".
fn another(clause: &[Word]) -> bool {
    let keys: Vec<&str> = clause.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    set!("the other|the other one|another one|another|other one|a different one|the others|the different one|the next one")
        .has(&keys.join(" "))
}

/// Returns the intended reference: "not that, the other one".
fn instead_of(clause: &[Word]) -> &[Word] {
    const DENIED: Set = set("not|no|that|this|it|one|the|them|those|wrong|nope");
    let denied = clause.first().is_some_and(|first| matches!(first.key.as_str(), "not" | "wrong"));
    let mark = clause.iter().position(Word::is_mark).filter(|mark| *mark <= 4 && mark + 1 < clause.len());
    match mark.filter(|mark| denied && clause[..*mark].iter().all(|word| DENIED.has(&word.key))) {
        Some(mark) => &clause[mark + 1..],
        None => clause,
    }
}

/// Returns true if a stretch only names a task.
fn refers(clause: &[Word]) -> bool {
    let [first, rest @ ..] = clause else { return false };
    set!("the|that|my|this").has(&first.key)
        && (2..=8).contains(&rest.len())
        && rest.iter().any(|word| matches!(word.key.as_str(), "one" | "TASK"))
        && rest.iter().all(|word| !(word.is_mark() || set!("is|are|was|were|has|have|i|we|you|to|not").has(&word.key)))
        && !said::states(clause)
}
