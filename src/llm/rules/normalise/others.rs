//! Descriptions of the list by its contents: "with the other things on my list", "the list of what needs doing".

use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::{Kind, Word};

/// Removes mentions of other items: "with the rest of the stuff on LIST" becomes "with LIST".
pub(in crate::llm::rules) fn beside(mut words: Vec<Word>) -> Vec<Word> {
    const OTHERS: Set = set("other|others|rest|everything|all|else|existing");
    const OF_THEM: Set = file_set!("others_of_them");
    let Some(at) = (3..words.len()).find(|at| {
        words[*at].key == "LIST" && words[*at].kind == Kind::Plain && matches!(words[*at - 1].key.as_str(), "on" | "in")
    }) else {
        return words;
    };
    let run =
        words[..at - 1].iter().rev().take_while(|word| word.kind == Kind::Plain && OF_THEM.has(&word.key)).count();
    let from = at - 1 - run;
    let led = from > 1 && set!("with|alongside|among|amongst|beside|under|to").has(&words[from - 1].key);
    if !led || run == 0 || !words[from..at].iter().any(|word| OTHERS.has(&word.key)) {
        return words;
    }
    words.drain(from..at);
    // "along with" becomes "with".
    if from > 2 && words[from - 2].key == "along" {
        words.remove(from - 2);
    }
    words
}

/// Returns true if the noun at `at` is the destination of an addition: "add soap to groceries".
pub(in crate::llm::rules) fn added(words: &[Word], at: usize) -> bool {
    const ADDS: Set = set("add|added|adding|append|appended|stick|pop|bung|chuck|jot|insert|include");
    set!("to|onto").has(&words[at - 1].key) && words[..at - 1].iter().any(|word| ADDS.has(&word.key))
}

/// Returns the end of a generic phrase after "list of", such as "things that need doing" or "stuff to get done".
pub(in crate::llm::rules) fn needed(words: &[Word], at: usize) -> Option<usize> {
    const NOUNS: Set = set("things|stuff|jobs|tasks|chores|bits|items|errands|groceries|todos|everything|what");
    const SAYS: Set = file_set!("others_says");
    const ENDS: Set =
        set("do|done|doing|todo|get|buy|need|sorting|sorted|finish|remember|up|buying|shop|shops|complete");
    let key = |at: usize| words.get(at).filter(|word| word.kind == Kind::Plain).map_or("", |word| word.key.as_str());
    let noun = if set!("my|the|all|our").has(key(at)) { at + 1 } else { at };
    if !NOUNS.has(key(noun)) {
        return None;
    }
    let run = (noun + 1..words.len()).take(7).take_while(|at| SAYS.has(key(*at)) || ENDS.has(key(*at)));
    run.filter(|at| ENDS.has(key(*at))).last().map(|last| last + 1)
}

#[cfg(test)]
mod tests {
    use crate::llm::rules::normalise::words::words;

    #[test]
    fn the_list_is_known_by_what_is_on_it() {
        for (said, meant) in [
            ("add soap with the other things on my list", "add soap with LIST"),
            ("put soap along with everything else on the list", "put soap with LIST"),
            ("put soap on the list of stuff that needs doing", "put soap on LIST"),
            ("put soap on my list of things we have to get", "put soap on LIST"),
            ("is there soap with salt on my list", "is there soap with salt on LIST"),
            ("could i get soap added to groceries", "could i get soap added to LIST"),
            ("drop soap from what we have to buy", "drop soap from LIST"),
            ("i need to get to shopping", "i need to get to shopping"),
            ("what else is on my list", "what else is on LIST"),
        ] {
            let keys: Vec<String> = words(said).into_iter().map(|word| word.key).collect();
            assert_eq!(keys.join(" "), meant, "{said}");
        }
    }
}
