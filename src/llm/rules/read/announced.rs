//! Announcements of an item without its title: "got one for you", "there's something I need on there".

use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::Word;
use crate::llm::rules::read::context::Context;

/// Returns true if a stretch is only an announcement.
pub(in crate::llm::rules) fn announces(stretch: &[Word]) -> bool {
    const WORDS: Set = file_set!("announced_words");
    const THINGS: Set = set("one|ones|thing|things|something|somethings|TASK|TASKS|else|another|more|bit|bits|stuff");
    const SAYS: Set = set(
        "ive|i|we|weve|got|heres|theres|here|there|another|more|else|new|something|somethings|next|thought|remembered",
    );
    const LEADS: Set = file_set!("announced_leads");
    let words: Vec<&str> = stretch.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let led = words.first().is_some_and(|first| LEADS.has(first));
    let has = |set: Set| words.iter().any(|key| set.has(key));
    led && (2..=14).contains(&words.len()) && words.iter().all(|key| WORDS.has(key)) && has(THINGS) && has(SAYS)
}

/// Returns true if a stretch is only an announcement with a date.
pub(in crate::llm::rules) fn on_day(stretch: &[Word], context: Context) -> bool {
    let dated = |word: &Word| context.dates().iter().any(|found| found.span.contains(&word.start));
    let rest: Vec<Word> = stretch.iter().filter(|word| !dated(word)).cloned().collect();
    announces(&rest)
}

/// Returns true if a stretch only says where an unnamed item goes: "pop it on", "write that down please".
pub(in crate::llm::rules) fn puts_it(stretch: &[Word]) -> bool {
    const VERBS: Set =
        set("add|put|pop|stick|note|jot|write|bung|chuck|log|record|stick|save|include|enter|throw|type|get");
    const WORDS: Set = set(
        "it|that|this|them|those|one|on|in|down|up|to|there|here|please|me|for|LIST|now|thanks|my|the|as|TASK|a|too",
    );
    let mut words = stretch.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str());
    let (first, next) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    VERBS.has(first) && set!("it|that|this|them|those").has(next) && words.all(|key| WORDS.has(key))
}

#[cfg(test)]
mod tests {
    use super::{announces, puts_it};
    use crate::llm::rules::normalise::words::words;

    #[test]
    fn what_only_says_that_there_is_something_names_nothing() {
        for said in
            ["got another for the list", "here's one for you", "something else", "i've thought of one more thing"]
        {
            assert!(announces(&words(said)), "{said}");
        }
        for said in ["got a plum for you", "one", "need more salt", "the list", "i forgot the keys"] {
            assert!(!announces(&words(said)), "{said}");
        }
        assert!(puts_it(&words("pop it on the list please")) && !puts_it(&words("put it in the shed")));
    }
}
