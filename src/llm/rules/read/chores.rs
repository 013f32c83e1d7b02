//! Verbs of chores.

use crate::llm::rules::lex::frames::COMMANDS;
use crate::llm::rules::lex::set::set;
use crate::llm::rules::normalise::words::Word;

/// Returns true for verbs that begin one chore, even with several objects: "call mum and dad" is one task.
pub(in crate::llm::rules) fn opens_chore(key: &str) -> bool {
    set!(
        "call|buy|get|email|ring|text|wash|clean|meet|visit|pick|feed|water|pack|cook|see|phone|order|book|invite|\
         send|go|do|make|take|fix|pay|study|read|write|check|bring|drop|walk|plan|collect|return|print|find|sort|\
         tidy|mow|vacuum|dust|sweep|mop|iron|fold|drink|eat|thank|ask|tell|purchase|grab|rest|stop|review|update|\
         wrap|rinse"
    )
    .has(key)
}

pub(in crate::llm::rules) fn has_words(piece: &[Word]) -> bool {
    piece.iter().any(|word| !word.is_mark())
}

/// Converts a gerund to a chore: "returning the books" becomes "return the books". Only before a clear object.
pub(in crate::llm::rules) fn plain_verb(title: &str) -> Option<String> {
    let (verb, rest) = title.split_once(' ')?;
    let object = rest.split(' ').next().is_some_and(|word| set!("the|my|our|a|an|his|her|their|these|those").has(word));
    let stem = verb.strip_suffix("ing").filter(|stem| object && stem.len() >= 2)?;
    let doubled = stem.len() > 2 && stem.as_bytes()[stem.len() - 1] == stem.as_bytes()[stem.len() - 2];
    let forms =
        [stem.to_owned(), format!("{stem}e"), if doubled { stem[..stem.len() - 1].to_owned() } else { String::new() }];
    let base = forms.into_iter().find(|form| opens_chore(form) || COMMANDS.has(form))?;
    // "walking the dog and feeding the cat": converts both verbs or none.
    match rest.split_once(" and ").filter(|(_, more)| more.split(' ').next().is_some_and(|verb| verb.ends_with("ing")))
    {
        Some((object, more)) => Some(format!("{base} {object} and {}", plain_verb(more)?)),
        None => Some(format!("{base} {rest}")),
    }
}
