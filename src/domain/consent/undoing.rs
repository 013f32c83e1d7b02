//! Orders to undo something, so that an undo in their turn is the person's wish.

use super::led;
use crate::domain::text::plain_words as plain;

/// Words before the order.
const LEADS: &str = "please|pls|ok|okay|no|nope|oh|oops|whoops|ugh|damn|wait|sorry|actually|hey|hmm|um|well|so|and|but|then|now|just|can you|\
     could you|would you|will you|can we|lets|i want to|i want you to|id like to|i would like to|i need to|you should|quickly|thanks|yes|\
     im sorry|my bad|my mistake|on second thought|on second thoughts|ive changed my mind|i changed my mind|go on|quick";
/// Verbs of an undo, alone and with a later "back".
const VERBS: &str =
    "undo|revert|reverse|rollback|restore|scratch|unundo|ctrl z|roll back|take back|put back|bring back|change back";
const BACK: &str = "take|put|bring|change|roll|turn|switch|get";
/// Sentences that say the last change was wrong.
const WRONG: &str = "that was a mistake|that was an accident|that was wrong|i didnt mean that|i didnt mean to|i did not mean that|\
     i did not mean to|didnt mean to|didnt mean that|i did that by mistake|that was by mistake|by mistake|by accident";
/// Words that deny an order.
const DENIALS: &str = "dont|do not|never|not|no need to|without|cant|wont|shouldnt";

/// Returns true if a sentence of the message orders an undo. A person whose message has none is asked first: a model may undo what
/// nobody wants undone.
pub fn asks_to_undo(message: &str) -> bool {
    message.split([',', '.', ';', '!', '?', '-', '\n', '–', '—']).any(|sentence| {
        let words = plain(sentence);
        let mut words = &words[..];
        loop {
            if led(words, WRONG).is_some() {
                return true;
            }
            let denied = (0..words.len()).any(|at| led(&words[at..], DENIALS).is_some());
            let back = led(words, BACK).is_some() && words.iter().skip(1).take(5).any(|word| word == "back");
            if !denied && (back || led(words, VERBS).is_some()) {
                return true;
            }
            match led(words, LEADS) {
                Some(count) => words = &words[count..],
                None => return false,
            }
        }
    })
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
        ] {
            assert!(asks_to_undo(message), "{message}");
        }
        for message in [
            "what is due today?",
            "I'll be back",
            "call back mom",
            "don't undo anything",
            "oops, add milk",
            "What did Bob mean by the mistake in the contract?",
            "FYI I had to undo my order yesterday",
            "add restore the old chair",
            "do not take it back",
            "",
        ] {
            assert!(!asks_to_undo(message), "{message}");
        }
    }
}
