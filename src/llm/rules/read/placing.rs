//! Destinations other than the list: "add Jo to the group chat". A chore may look similar: "add go to the gym".

use crate::llm::rules::lex::frames::{COMMANDS, FOREIGN};
use crate::llm::rules::lex::matching::is_past;
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::{Kind, Word};
use crate::llm::rules::read::chores::opens_chore;
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::intent::Part;
use crate::llm::rules::read::scope;

/// Verbs of chores that take "to".
const VERBS: Set = file_set!("placing_verbs");
/// Nouns for things that a chore sends to somebody or somewhere.
const ERRANDS: Set = file_set!("placing_errands");
/// People who can be added somewhere.
const PEOPLE: Set = set("me|him|her|them|us|you|everyone|everybody|myself|someone|somebody|anyone|yourself");
/// Places of people and of other programs.
const PLACES: Set = file_set!("placing_places");

/// Returns the reply to "add …" with a destination other than the list; `None` if it is an ordinary task.
pub(in crate::llm::rules) fn elsewhere(stretch: &[Word], clause: &[Word], context: Context) -> Option<Part> {
    let orders = clause.first().is_some_and(|first| set!("add|append|include").has(&first.key));
    if orders && grants(stretch) {
        return Some(scope::foreign());
    }
    let ours = clause.iter().any(|word| matches!(word.key.as_str(), "LIST" | "TASK" | "TASKS"));
    let plain = stretch.iter().all(|word| word.kind == Kind::Plain);
    if !orders || ours || !plain {
        return None;
    }
    let leads = |at: &usize| match stretch[*at].key.as_str() {
        "to" | "into" | "onto" => true,
        "in" => clause[0].key == "include",
        _ => false,
    };
    let at = (1..stretch.len().saturating_sub(1)).rev().find(leads)?;
    let (thing, rest) = (&stretch[..at], &stretch[at + 1..]);
    if chore(thing) {
        return None;
    }
    const OWNED: Set = set("the|my|our|a|an|this|that|your|his|her|their|both|another|all");
    let dated = |word: &Word| context.dates().iter().any(|found| found.span.contains(&word.start));
    let place: Vec<&Word> = rest.iter().filter(|word| !dated(word)).collect();
    let named = place.first().is_some_and(|word| OWNED.has(&word.key));
    let person = thing.iter().all(|word| PEOPLE.has(&word.key) || word.key == "and" || capital(word, context));
    if place.is_empty() || place.len() > 5 || !(named || person) {
        return None;
    }
    let of_people = place.iter().any(|word| PLACES.has(&word.key));
    let pronoun = thing.iter().any(|word| PEOPLE.has(&word.key));
    Some(match of_people || pronoun && named {
        true => scope::foreign(),
        false => scope::add_or_find(context.raw(clause)),
    })
}

/// Returns true if people are to join something or get a role: "add me as an owner", "add user bob as an editor".
fn grants(stretch: &[Word]) -> bool {
    const ROLES: Set = set(
        "admin|admins|administrator|administrators|owner|coowner|editor|moderator|member|members|user|users|viewer|collaborator|superuser|root|manager|guest|contributor|operator",
    );
    let keys: Vec<&str> =
        stretch.iter().filter(|word| word.kind == Kind::Plain).map(|word| word.key.as_str()).collect();
    let joins =
        matches!(keys.as_slice(), [who, link, _, ..] if PEOPLE.has(who) && set!("as|to|into|onto|in|on").has(link));
    let place = keys.iter().position(|key| *key == "as").filter(|at| (1..=3).contains(at));
    let role = place.is_some_and(|at| keys.len() - at <= 4 && keys.last().is_some_and(|last| ROLES.has(last)));
    joins || role && !opens_chore(keys[0])
}

/// Returns true for "note to self: …", which introduces a title of any form.
pub(in crate::llm::rules) fn to_self(clause: &[Word]) -> bool {
    let from =
        clause.iter().take_while(|word| set!("a|an|another|quick|little|short|wee|mental|new").has(&word.key)).count();
    let key = |ahead: usize| clause.get(from + ahead).map_or("", |word| word.key.as_str());
    let mental = from > 0 && clause[from - 1].key == "mental" && key(0) == "note";
    let own = set!("self|myself").has(key(2)) || key(2) == "me" && key(0) != "TASK" && key(1) == "to";
    mental || set!("note|memo|TASK").has(key(0)) && set!("to|for").has(key(1)) && own
}

/// Returns true for a chore such as "add a letter to the council".
pub(in crate::llm::rules) fn errand(clause: &[Word]) -> bool {
    let lead =
        clause.iter().rposition(|word| word.key == "to").filter(|at| (2..=5).contains(at) && *at + 1 < clause.len());
    let orders = clause.first().is_some_and(|first| first.key == "add");
    lead.filter(|_| orders).is_some_and(|at| {
        let goes = |word: &Word| ERRANDS.has(&word.key) && !PLACES.has(&word.key);
        clause[1..at].iter().any(goes)
            && !clause[at..].iter().any(|word| PLACES.has(&word.key) || FOREIGN.has(&word.key))
    })
}

/// Returns true if words begin like a chore, or name one.
fn chore(thing: &[Word]) -> bool {
    let first = thing.iter().find(|word| !set!("a|an|the|my|our|some|to").has(&word.key));
    let opens = |word: &Word| {
        let key = word.key.as_str();
        opens_chore(key) || COMMANDS.has(key) || VERBS.has(key) || key.ends_with("ing") || is_past(key)
    };
    first.is_some_and(opens) || thing.iter().any(|word| ERRANDS.has(&word.key))
}

/// Returns true if a word is capitalised.
fn capital(word: &Word, context: Context) -> bool {
    context.text[word.start..word.end].starts_with(char::is_uppercase)
}
