//! Orders to undo something, so that an undo in their turn is the person's wish.

use std::collections::HashSet;

use super::answer::has_plain_signs;
use super::led;
use crate::domain::text::plain_words as plain;

/// Words before the order.
const LEADS: &str = "please|pls|ok|okay|no|nope|oh|oops|whoops|ugh|damn|wait|sorry|actually|hey|hmm|um|well|so|and|but|then|now|just|can you|\
     could you|would you|will you|can we|lets|i want to|i want you to|id like to|i would like to|i need to|you should|quickly|thanks|yes|\
     im sorry|my bad|my mistake|on second thought|on second thoughts|ive changed my mind|i changed my mind|go on|quick|ive been thinking";
/// Requests among them, which may end with a question mark.
const REQUESTS: &str = "can you|could you|would you|will you|can we";
/// Verbs that mean an undo only.
const UNDO: &str = "undo|rollback|unundo|ctrl z";
/// Verbs that mean an undo with an object such as “that”.
const RESTORE: &str = "revert|reverse|restore|scratch|roll back|take back|put back|bring back|change back";
/// Verbs that mean an undo with such an object and a later “back”.
const BACK: &str = "take|put|bring|change|roll|turn|switch";
/// Sentences that say the last change was wrong.
const WRONG: &str = "that was a mistake|that was an accident|that was wrong|i didnt mean that|i didnt mean to|i did not mean that|\
     i did not mean to|didnt mean to|didnt mean that|i did that by mistake|that was by mistake|by mistake|by accident";
/// Words that refer to the last change. Any other word, such as a denial, makes the sentence something else.
const OBJECTS: &str = " it its that this them these those all of the my your last latest previous recent change changes action edit \
     update one what you i we just did done was were is how as back again now please quickly right away original state way before \
     everything both too also thanks a an ";
/// Words among them that name the last change.
const REFERENTS: &str = " it that this them these those all last latest previous recent change changes action edit update one what everything \
     both ";
/// Further such words after a verb that means an undo only.
const MORE_OBJECTS: &str = " newest actions edits updates thing things task tasks step steps move moves deletion addition completion rename \
     ones do made make have has had to where from in within over few couple past today anything whole lot list for after ";
/// Signs allowed in an order besides those of a yes: “could you undo it?”, “undo #3”, “ctrl+z”.
const MORE_SIGNS: &str = "?#+";
/// Units of a number in an order.
const UNITS: &str = " minute minutes min mins hour hours ";
/// Words of a later sentence that takes the order back.
const DENIALS: &str = " no not dont never leave keep nevermind nvm cancel stop forget wait hold unless if says said ";
/// Words before “you” in a courtesy or a wish.
const COURTESIES: &str = " thank thanks can could would will may should if want need like ";
/// Verbs after “you” for its changes.
const DEEDS: &str = " did just made have had has changed added created moved deleted removed completed finished reopened renamed edited \
     updated put took set marked broke undid ";
/// Words before “you” in a question about them.
const DID: &str = " did have had has ";
/// Words after “your” that name them.
const DONE_BY_YOU: &str =
    " change changes edit edits update updates action actions last latest previous recent mistake mistakes ";

/// Returns true if the message begins with an order to undo something. A person whose message does not is asked first: a model may
/// undo what nobody wants undone. Other sentences may follow “undo that”, but none may follow a verb with another meaning,
/// as in “take it back”. `names` are the tasks' numbers and titles, which the order may contain. If the undo bins a task (`bins`),
/// an order with such a verb may not contain them.
pub fn asks_to_undo<T: AsRef<str>>(message: &str, names: impl Iterator<Item = T>, bins: bool) -> bool {
    // Other signs could deny, quote or cross out the order.
    if !has_plain_signs(message, MORE_SIGNS) {
        return false;
    }
    let names: HashSet<String> = names.flat_map(|name| plain(name.as_ref())).collect();
    let sentences: Vec<_> = sentences(message).collect();
    let orders: Vec<_> = sentences.iter().map(|words| order(words, &names, bins)).collect();
    let Some(at) = orders.iter().position(|order| !matches!(order, Some(Order::Nothing))) else { return false };
    let asks = message.contains('?');
    match orders[at] {
        Some(Order::Undo { polite }) if !asks || polite => {
            !sentences[at + 1..].iter().flatten().any(|word| listed(DENIALS, word))
        }
        Some(Order::Alone { polite }) if !asks || polite => {
            let refers = |words: &[String]| {
                words.iter().all(|word| listed(OBJECTS, word) || LEADS.split('|').any(|lead| lead == word))
            };
            orders[at..].iter().zip(&sentences[at..]).all(|(order, words)| order.is_some() || refers(words))
        }
        _ => false,
    }
}

/// Returns true if the message speaks of what the assistant did: “undo what you did”. “Thank you” and “can you” are courtesies.
pub fn means_the_assistant(message: &str) -> bool {
    sentences(message).any(|words| {
        let word = |at: usize| words.get(at).map_or("-", String::as_str);
        (0..words.len()).any(|at| {
            let (before, after) = (at.checked_sub(1).map_or("-", word), word(at + 1));
            match word(at) {
                "youve" => true,
                "your" => listed(DONE_BY_YOU, after),
                "you" | "docket" | "assistant" => {
                    !listed(COURTESIES, before) && (listed(DEEDS, after) || listed(DID, before))
                }
                _ => false,
            }
        })
    })
}

fn sentences(message: &str) -> impl Iterator<Item = Vec<String>> {
    message.split([',', '.', ';', ':', '!', '?', '-', '\n', '–', '—']).map(plain)
}

/// Meaning of a sentence that consists of the words of this page.
enum Order {
    /// Only words before an order.
    Nothing,
    /// An undo of something that is named or referred to.
    Undo { polite: bool },
    /// An undo unless the message says more.
    Alone { polite: bool },
}

fn order(words: &[String], names: &HashSet<String>, bins: bool) -> Option<Order> {
    let (mut words, mut polite, mut denied) = (words, false, false);
    loop {
        if let Some(count) = led(words, UNDO).filter(|_| !denied) {
            let rest = &words[count..];
            let counts = rest.iter().any(|word| listed(UNITS, word));
            let refers = |word: &String| {
                let number = counts && word.chars().all(|c| c.is_ascii_digit());
                number || [OBJECTS, MORE_OBJECTS, UNITS].iter().any(|words| listed(words, word)) || names.contains(word)
            };
            let undo = if rest.is_empty() { Order::Alone { polite } } else { Order::Undo { polite } };
            return rest.iter().all(refers).then_some(undo);
        }
        if is_put_back(words, names, bins) && !denied || led(words, WRONG).is_some_and(|count| count == words.len()) {
            return Some(Order::Alone { polite });
        }
        match led(words, LEADS) {
            Some(count) => {
                polite |= led(words, REQUESTS).is_some();
                // “No undo” is no order; “no, undo it” is two sentences.
                denied = matches!(words[count - 1].as_str(), "no" | "nope");
                words = &words[count..];
            }
            None => return words.is_empty().then_some(Order::Nothing),
        }
    }
}

/// Returns true for “take that back” and the like.
fn is_put_back(words: &[String], names: &HashSet<String>, bins: bool) -> bool {
    let is_back = |count: usize| words[count..].iter().any(|word| word == "back");
    let verb = led(words, RESTORE).or_else(|| led(words, BACK).filter(|count| is_back(*count)));
    let named = |word: &String| !bins && names.contains(word);
    verb.is_some_and(|count| {
        let rest = &words[count..];
        rest.iter().all(|word| listed(OBJECTS, word) || named(word))
            && rest.iter().any(|word| listed(REFERENTS, word) || named(word))
    })
}

fn listed(words: &str, word: &str) -> bool {
    words.split(' ').any(|own| own == word)
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
            "no, undo #3!",
            "ctrl+z",
        ] {
            assert!(asks_to_undo(message, ["buy a chair", "3"].into_iter(), true), "{message}");
        }
        let others = "what is due today?|I'll be back|call back mom|don't undo anything|oops, add milk|\
             What did Bob mean by the mistake in the contract?|FYI I had to undo my order yesterday|\
             add restore the old chair|do not take it back|Take the library books back|Restore the old chair|\
             Please revert to the client by Friday|Bring back milk|Scratch cards for dad|\
             Get the deposit back|by mistake Bob booked two rooms|\
             don't undo anything, but take the books back|put it back on the shelf|\
             turn back the clocks on sunday|Remind me to tell mum I broke the vase, by accident|\
             add milk, reverse, eggs|Do not, please, undo that|Never - undo it|undo it - no, leave it|\
             Tell Anna, that was a mistake|Scratch my back|Please revert to them today|Take the things back today|\
             Bob says \"ok, undo that\"|undo, redo and history|should I undo that?|undo that?|take it back, tomorrow";
        let signs = "no undo/nope undo that/no put it back/~~undo that~~/🚫 undo that/undo ❌/'undo that'/`undo that`/『undo that』/\
             > undo that/| undo that |/undo that…/undo that\n> no";
        for message in others.split('|').chain(signs.split('/')) {
            assert!(!asks_to_undo(message, ["Take the library books back"].into_iter(), true), "{message}");
        }
    }

    #[test]
    fn an_undo_that_bins_nothing_may_name_its_tasks() {
        let order = |bins| asks_to_undo("bring back the milk", ["milk"].into_iter(), bins);
        assert!(order(false) && !order(true));
        assert!(!asks_to_undo("bring back the milk", ["bread"].into_iter(), false));
    }

    #[test]
    fn courtesies_do_not_mean_the_assistant() {
        let check = |messages: &str, expected| {
            messages.split('|').for_each(|message| assert_eq!(means_the_assistant(message), expected, "{message}"));
        };
        check("undo what you did|undo that, you just broke it|undo your last change|undo what you've done", true);
        check("undo that, thank you|can you undo that?|could you just undo that|would you, please, undo that", false);
        check("thank you. Did that help? Undo it|i want you to undo that|Docket, undo that", false);
    }
}
