//! Orders to undo something, so that an undo in their turn is the person's wish.

use std::collections::HashSet;

use super::led;
use crate::domain::text::plain_words as plain;

/// Words before the order.
const LEADS: &str = "please|pls|ok|okay|no|nope|oh|oops|whoops|ugh|damn|wait|sorry|actually|hey|hmm|um|well|so|and|but|then|now|just|can you|\
     could you|would you|will you|can we|lets|i want to|i want you to|id like to|i would like to|i need to|you should|quickly|thanks|yes|\
     im sorry|my bad|my mistake|on second thought|on second thoughts|ive changed my mind|i changed my mind|go on|quick";
/// Verbs that mean an undo only.
const UNDO: &str = "undo|revert|reverse|rollback|roll back|unundo|ctrl z";
/// Verbs that mean an undo with an object such as “that”.
const RESTORE: &str = "restore|scratch|take back|put back|bring back|change back";
/// Verbs that mean an undo with such an object and a later “back”.
const BACK: &str = "take|put|bring|change|roll|turn|switch";
/// Sentences that say the last change was wrong.
const WRONG: &str = "that was a mistake|that was an accident|that was wrong|i didnt mean that|i didnt mean to|i did not mean that|\
     i did not mean to|didnt mean to|didnt mean that|i did that by mistake|that was by mistake|by mistake|by accident";
/// Words that refer to the last change. Any other word, such as a denial, makes the sentence something else.
const OBJECTS: &str = " it its that this them these those all of the my your last latest previous recent newest change changes action \
     actions edit edits update updates thing things task tasks step steps move moves deletion addition completion rename one ones what \
     you i we just did do done made make have has was were is to how where as from in within over minute minutes hour hours few couple \
     past today everything anything whole both lot list again now please quickly for right away back original state way before after \
     too also thanks a an ";

/// Returns true if a sentence of the message orders an undo. A person whose message has none is asked first: a model may undo what
/// nobody wants undone. The order may name the tasks by words of their titles, unless the undo bins one (`bins`) and the verb
/// has another meaning too: “take the books back”.
pub fn asks_to_undo<'a>(message: &str, titles: impl Iterator<Item = &'a str>, bins: bool) -> bool {
    let titles: HashSet<String> = titles.flat_map(plain).collect();
    message.split([',', '.', ';', '!', '?', '-', '\n', '–', '—']).any(|sentence| {
        let words = plain(sentence);
        let mut words = &words[..];
        loop {
            if is_order(words, &titles, bins) {
                return true;
            }
            match led(words, LEADS) {
                Some(count) => words = &words[count..],
                None => return false,
            }
        }
    })
}

fn is_order(words: &[String], titles: &HashSet<String>, bins: bool) -> bool {
    let refers = |word: &String| {
        let number = word.chars().all(|c| c.is_ascii_digit());
        number || OBJECTS.split(' ').any(|object| object == word)
    };
    let refers_or_names = |word: &String| refers(word) || titles.contains(word);
    if let Some(count) = led(words, UNDO) {
        return words[count..].iter().all(refers_or_names);
    }
    let is_back = |count: usize| words[count..].iter().any(|word| word == "back");
    let restores = led(words, RESTORE).or_else(|| led(words, BACK).filter(|count| is_back(*count)));
    if let Some(count) = restores {
        let rest = &words[count..];
        return if bins { !rest.is_empty() && rest.iter().all(refers) } else { rest.iter().all(refers_or_names) };
    }
    led(words, WRONG).is_some_and(|count| words[count..].iter().all(refers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_undo_is_ordered_in_words() {
        for message in [
            "Undo.",
            "undo that, you made a mess of it",
            "please take all of that back",
            "oops, I didn’t mean that",
            "put it back how it was",
            "I've been thinking, could you undo the last change - Friday was better",
            "no wait, revert it",
            "undo everything from the last 10 minutes",
            "undo the chair",
        ] {
            assert!(asks_to_undo(message, ["buy a chair"].into_iter(), true), "{message}");
        }
        let others = "what is due today?|I'll be back|call back mom|don't undo anything|oops, add milk|\
             What did Bob mean by the mistake in the contract?|FYI I had to undo my order yesterday|\
             add restore the old chair|do not take it back|Take the library books back|Restore the old chair|\
             Please revert to the client by Friday|Bring back milk|Scratch cards for dad|\
             Get the deposit back|by mistake Bob booked two rooms|\
             don't undo anything, but take the books back|put it back on the shelf|\
             turn back the clocks on sunday|";
        for message in others.split('|') {
            assert!(!asks_to_undo(message, ["Take the library books back"].into_iter(), true), "{message}");
        }
    }

    #[test]
    fn an_undo_that_bins_nothing_may_name_its_tasks() {
        let order = |bins| asks_to_undo("bring back the milk", ["milk"].into_iter(), bins);
        assert!(order(false) && !order(true));
        assert!(!asks_to_undo("bring back the milk", ["bread"].into_iter(), false));
    }
}
