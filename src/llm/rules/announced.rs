//! That there is something for the list, and not yet what: "got one for you", "there's something I need on there".

use super::reading::Context;
use super::set::{Set, set};
use super::words::Word;

/// Whether a stretch says nothing else.
pub(super) fn announces(stretch: &[Word]) -> bool {
    const WORDS: Set = set(
        "ive|i|we|weve|have|got|had|a|an|another|one|ones|new|more|thing|things|something|somethings|else|for|you|the|LIST|my|our|here|heres|\
         theres|therere|there|is|are|was|just|only|thought|of|remembered|forgot|TASK|TASKS|come|came|up|with|to|add|adding|put|putting|go|goes|going|\
         on|in|down|it|that|which|this|need|needs|want|wants|must|should|quick|bit|bits|stuff|couple|few|some|time|please|me|us|also|\
         actually|so|and|next|last|final|extra|write|note|jot|pop|stick|let|know|tell|mention|say|has|have|be|now|at|ready|im|were|id|like",
    );
    const THINGS: Set = set("one|ones|thing|things|something|somethings|TASK|TASKS|else|another|more|bit|bits|stuff");
    const SAYS: Set = set(
        "ive|i|we|weve|got|heres|theres|here|there|another|more|else|new|something|somethings|next|thought|remembered",
    );
    const LEADS: Set = set(
        "ive|i|we|weve|got|have|heres|theres|therere|there|here|another|something|one|a|just|also|thought|remembered|forgot|last|final|         next|new|more|im|and|so|actually|oh|ok",
    );
    let words: Vec<&str> = stretch.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let led = words.first().is_some_and(|first| LEADS.has(first));
    let has = |set: Set| words.iter().any(|key| set.has(key));
    led && (2..=14).contains(&words.len()) && words.iter().all(|key| WORDS.has(key)) && has(THINGS) && has(SAYS)
}

/// The same with a day by which it is to be done.
pub(super) fn on_day(stretch: &[Word], context: Context) -> bool {
    let dated = |word: &Word| context.dates().iter().any(|found| found.span.contains(&word.start));
    let rest: Vec<Word> = stretch.iter().filter(|word| !dated(word)).cloned().collect();
    announces(&rest)
}

/// "pop it on", "write that down please": where it goes, and nothing of what.
pub(super) fn puts_it(stretch: &[Word]) -> bool {
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
    use super::super::words::words;
    use super::{announces, puts_it};

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
