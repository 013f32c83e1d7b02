//! Names that a guess must not shorten: "send proofs to Marlow" is not the task "send proofs to Barrow".

use crate::domain::comparison::key;
use crate::domain::task::{Status, Task};
use crate::llm::rules::lex::matching::{stem, stems};
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::read::intent::{ListQuery, Part, Target, target_of};
use crate::llm::rules::read::scope;

/// Returns the guess, unless its target omits a recipient, purpose or instrument that was named.
pub(in crate::llm::rules) fn whole(parts: &[Part], guess: Part) -> Option<Part> {
    let named = match parts {
        [part] => target_of(part),
        _ => None,
    };
    match (named, target_of(&guess)) {
        (Some(Target::Words { text, .. }), Some(Target::Words { text: kept, .. })) if shortens(text, kept) => None,
        _ => Some(guess),
    }
}

/// Returns the list of the project that a request to show something names.
pub(in crate::llm::rules) fn in_project(parts: &[Part], tasks: &[Task]) -> Option<Part> {
    let [Part::Get(Target::Words { text, .. })] = parts else { return None };
    let named = |task: &Task| task.project.as_ref().is_some_and(|project| key(project.as_str()) == key(text));
    let query = || ListQuery { status: Some(Status::Pending), topic: Some(text.clone()), ..ListQuery::default() };
    tasks.iter().any(named).then(|| Part::List(query()))
}

/// Returns true for a change of a field, which concerns a task unless its name is a thing of other programs.
pub(in crate::llm::rules) fn is_own(part: &Part) -> bool {
    matches!(part, Part::Edit { target, .. } if !scope::is_foreign(target))
}

fn shortens(named: &str, kept: &str) -> bool {
    const LEADS: Set = set("to|for|with|at|from|about|of|by|in|on|near|after|before|under|against|into|onto|and|than");
    const ARTICLES: Set = file_set!("narrowing_articles");
    let kept = stems(kept);
    let words: Vec<String> = named.split_whitespace().map(str::to_lowercase).collect();
    let capital = |at: usize| named.split_whitespace().nth(at).is_some_and(|word| word.starts_with(char::is_uppercase));
    let led = |at: usize| {
        let telling = words[..at].iter().rposition(|word| !ARTICLES.has(word));
        telling.is_some_and(|before| LEADS.has(&words[before]))
    };
    let telling = |word: &str| !(LEADS.has(word) || ARTICLES.has(word));
    (1..words.len()).any(|at| {
        let bare: String = words[at].chars().filter(|c| c.is_alphanumeric()).collect();
        telling(&bare) && !kept.contains(&stem(&bare)) && (capital(at) || led(at))
    })
}

#[cfg(test)]
mod tests {
    use super::shortens;

    #[test]
    fn whom_something_is_for_is_not_left_out() {
        for (named, kept) in [
            ("send proofs to marlow", "send proofs"),
            ("ring Bo", "ring"),
            ("book a table for the choir", "book table"),
        ] {
            assert!(shortens(named, kept), "{named}");
        }
        for (named, kept) in
            [("soap thing i told you of", "soap"), ("buy the milk", "milk"), ("send proofs to Bo", "proofs to bo")]
        {
            assert!(!shortens(named, kept), "{named}");
        }
    }
}
