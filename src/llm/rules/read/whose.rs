//! Questions about other people's tasks: "what tasks has Omar got".

use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::Word;

/// Nouns for tasks that somebody has.
const NOUNS: Set = set("TASKS|TASK|LIST|jobs|job|chores|todos|errands");
const HAS: Set = set("has|have|got|needs|need");

/// Returns true for "what tasks Karen on days has got" or "what has Omar got on his list".
pub(in crate::llm::rules) fn somebodys(clause: &[Word], text: &str) -> bool {
    // Every such question contains one of these words, which few messages do.
    if !clause.iter().any(|word| matches!(word.key.as_str(), "has" | "does")) {
        return false;
    }
    let at = clause.iter().position(|word| matches!(word.key.as_str(), "what" | "which" | "whatever"));
    let Some(at) = at.filter(|at| *at <= 5) else { return false };
    // "remind me to ask what tasks Omar has"
    let lead = &clause[..at];
    let titled = lead.first().is_some_and(|first| set!("add|put|note|remember|create|remind").has(&first.key));
    if titled && (lead[0].key != "remind" || lead.iter().any(|word| word.key == "to")) {
        return false;
    }
    let rest = &clause[at + 1..];
    let noun = rest.first().is_some_and(|word| NOUNS.has(&word.key));
    let rest = &rest[usize::from(noun)..];
    let led = rest.first().is_some_and(|word| matches!(word.key.as_str(), "has" | "does"));
    let named = &rest[usize::from(led)..];
    let verb = named.iter().position(|word| HAS.has(&word.key)).filter(|verb| (1..=5).contains(verb));
    let listed = || clause.iter().any(|word| NOUNS.has(&word.key));
    verb.is_some_and(|verb| (led || named[verb].key == "has") && person(&named[..verb], text)) && (noun || listed())
}

/// Returns true if words name a person: by a capital, or by a relation.
fn person(stretch: &[Word], text: &str) -> bool {
    const PEOPLE: Set = file_set!("whose_people");
    const OTHER: Set = file_set!("whose_other");
    let [first, rest @ ..] = stretch else { return false };
    let owned = set!("my|our|the|his|her|their").has(&first.key);
    if owned {
        return rest.first().is_some_and(|who| PEOPLE.has(&who.key));
    }
    let capital = text[first.start..].starts_with(char::is_uppercase);
    PEOPLE.has(&first.key) || capital && !stretch.iter().any(|word| OTHER.has(&word.key))
}
