//! What stands around a question about the list: "i can't remember what I have to do, can you tell me", "… or not".

use super::pattern::phrase_at;
use super::set::{Index, Set, set};
use super::status::FINISHED;
use super::words::Word;

/// Ways to say that one does not know, before a question.
const LAPSES: Index = Index::of(set(
    "cant remember|cant recall|cant think|dont know|dont remember|forgot|forget|forgotten|have forgotten|i cant remember|\
     i cant recall|i cant think|i cannot remember|i cannot recall|i can never remember|i dont remember|i dont recall|i dont know|\
     i do not know|i do not remember|i forgot|i forget|i have forgotten|i have no idea|i have no clue|i havent a clue|\
     i havent got a clue|i keep forgetting|i lost track of|i need to know|i no longer know|i totally forgot|i want to know|\
     i would like to know|id like to know|im not sure|im not certain|im struggling to remember|im trying to remember|\
     im blanking on|ive forgotten|ive no idea|ive lost track of|ive no clue|ive completely forgotten|ive totally forgotten|\
     no idea|no clue|not sure|we cant remember|we forgot|weve forgotten",
));
/// What asks for the answer behind it.
const ASKS: Set = set(
    "can you tell me|could you tell me|would you tell me|will you tell me|please tell me|tell me|can you remind me|\
     could you remind me|would you remind me|please remind me|remind me|can you help|could you help|can you help me|help me out|\
     help|any idea|any ideas|do you know|can you check|could you check|can you look|could you look|can you show me|\
     could you show me|show me|can you say|could you say|what is it|what was it|what are they|you know|do you remember|\
     can you remember|let me know|can you let me know|could you let me know",
);

/// A question without the words that say that its answer was forgotten, and that ask for it.
pub(super) fn asked(clause: &[Word]) -> &[Word] {
    forgotten(clause).unwrap_or(clause)
}

/// Whether a message says that the answer to a question was forgotten.
pub(super) fn lapses(message: &[Word]) -> bool {
    forgotten(message).is_some()
}

fn forgotten(clause: &[Word]) -> Option<&[Word]> {
    const WHATS: Set = set("what|whats|which");
    const MINE: Set = set("i|im|ive|id|we|weve|my|our|LIST|TASKS");
    let from = clause.iter().position(|word| !word.is_mark())?;
    let clause = &clause[from..];
    let phrases = LAPSES.under(&clause[0].key);
    let end = phrases.iter().filter_map(|phrase| phrase_at(phrase, clause, 0)).max()?;
    let inner = &clause[end..];
    let mine = inner.iter().any(|word| MINE.has(&word.key));
    if !(mine && inner.first().is_some_and(|word| WHATS.has(&word.key))) {
        return None;
    }
    let to = inner.iter().rposition(|word| !word.is_mark()).map_or(0, |last| last + 1);
    let ends = |phrase: &str| {
        let from = to.checked_sub(phrase.split(' ').count()).filter(|from| *from > 1)?;
        phrase_at(phrase, &inner[..to], from).map(|_| from)
    };
    let tail = ASKS.iter().filter_map(ends).min().unwrap_or(to);
    let plain = inner[..tail].iter().rposition(|word| !word.is_mark() && !set!("so|please|and").has(&word.key))?;
    Some(&inner[..=plain])
}

/// A question without what only insists on an answer: "… or not", "by any chance".
pub(super) fn sure(clause: &[Word]) -> &[Word] {
    const TAILS: [&str; 8] =
        ["or not", "or no", "or what", "by any chance", "at all", "at the moment", "by now", "at present"];
    let end = clause.iter().rposition(|word| !word.is_mark()).map_or(0, |at| at + 1);
    let ends = |tail: &&str| {
        let from = end.checked_sub(tail.split(' ').count()).filter(|from| *from > 0)?;
        phrase_at(tail, &clause[..end], from).map(|_| from)
    };
    TAILS.iter().find_map(ends).map_or(clause, |from| &clause[..from])
}

/// A lone "my", "the", "i" with nothing that asks.
pub(super) fn opens_nothing(keys: &[&str]) -> bool {
    match keys.first() {
        // "everything due today is done" says something.
        Some(&("everything" | "all")) => {
            keys.windows(2).any(|pair| matches!(pair, ["is" | "are" | "been" | "was", done] if FINISHED.has(done)))
        }
        // "the last thing on my list can go" does as well.
        Some(&("the" | "my")) => {
            keys.windows(2).any(|pair| set!("can|could|should|may").has(pair[0]) && set!("go|come|be").has(pair[1]))
        }
        Some(&"i") if keys.contains(&"LIST") && keys.contains(&"have") && keys.contains(&"do") => false,
        Some(&"i") => !keys.iter().any(|key| matches!(*key, "see" | "hear" | "know" | "view" | "read" | "check")),
        Some(&("do" | "have" | "is" | "are" | "does" | "did" | "has")) => keys.len() < 3 && !keys.contains(&"LIST"),
        _ => false,
    }
}
