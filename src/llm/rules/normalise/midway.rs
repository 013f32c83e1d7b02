//! Courtesies in the middle of a request.

use crate::llm::rules::lex::set::{Set, set};
use crate::llm::rules::normalise::words::{Kind, Word};

/// Removes courtesies between the parts of a request.
pub(in crate::llm::rules) fn uncourteous(words: Vec<Word>) -> Vec<Word> {
    unasked(unconditioned(words))
}

/// Removes the courtesy before a condition: "put soap on the list please if it isn't there".
fn unconditioned(words: Vec<Word>) -> Vec<Word> {
    const POLITE: Set = set("please|pls|plz|thanks|thank|you|ta|cheers|kindly");
    const STARTS: Set = set("if|unless");
    let plain = |at: usize| words[at].kind == Kind::Plain;
    let Some(at) = (3..words.len()).find(|at| plain(*at) && STARTS.has(&words[*at].key)) else { return words };
    let marks = |at: &Word| at.is_mark() && at.key == ",";
    let run = words[..at].iter().rev().take_while(|word| marks(word) || POLITE.has(&word.key)).count();
    let from = at - run;
    let polite = words[from..at].iter().any(|word| set!("please|pls|plz|thanks|thank|ta|cheers|kindly").has(&word.key));
    if !polite || from < 2 {
        return words;
    }
    [&words[..from], &words[at..]].concat()
}

/// Removes a courtesy that a comma ends: "put soap on the list would you, low priority".
fn unasked(words: Vec<Word>) -> Vec<Word> {
    let ends = |at: usize| words.get(at).is_some_and(|word| word.is_mark() && word.key == ",");
    let pair = |at: usize| {
        words.get(at + 1).is_some_and(|next| next.key == "you")
            && set!("would|will|could|can|wont").has(&words[at].key)
            && ends(at + 2)
    };
    let Some(at) = (3..words.len()).find(|at| !words[*at - 1].is_mark() && pair(*at)) else { return words };
    // "what can you, …" is a question.
    if set!("what|who|how|which|where|when|why|whatever|all|as|if").has(&words[at - 1].key) || words.len() <= at + 3 {
        return words;
    }
    [&words[..at], &words[at + 2..]].concat()
}

#[cfg(test)]
mod tests {
    use crate::llm::rules::normalise::words::words;

    #[test]
    fn courtesy_words_before_a_condition_are_dropped() {
        for (said, meant) in [
            ("add soap to my list, please, if its not there", "add soap to LIST if its not there"),
            ("put soap down thanks unless its on", "put soap down unless its on"),
            ("add say please if in doubt", "add say if in doubt"),
            ("please if you can", "please if you can"),
        ] {
            let keys: Vec<String> = words(said).into_iter().map(|word| word.key).collect();
            assert_eq!(keys.join(" "), meant, "{said}");
        }
    }
}
