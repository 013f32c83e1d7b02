//! Phrases around a question about the list: "i can't remember what I have to do, can you tell me", "… or not".

use crate::llm::rules::lex::set::{Index, Set, file_set, set};
use crate::llm::rules::normalise::words::Word;
use crate::llm::rules::read::intent::{ListQuery, Part};
use crate::llm::rules::read::pattern::phrase_at;
use crate::llm::rules::read::status::FINISHED;

/// Phrases for not knowing, before a question.
const LAPSES: Index = Index::of(file_set!("asking_lapses"));
/// Phrases that ask for the answer to a following question.
const ASKS: Set = file_set!("asking_asks");

/// Returns the question without such phrases before it.
pub(in crate::llm::rules) fn asked(clause: &[Word]) -> &[Word] {
    forgotten(clause).unwrap_or(clause)
}

/// Returns true if a message says that an answer was forgotten.
pub(in crate::llm::rules) fn lapses(message: &[Word]) -> bool {
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

/// Returns the question without insisting phrases: "… or not", "by any chance".
pub(in crate::llm::rules) fn sure(clause: &[Word]) -> &[Word] {
    const TAILS: [&str; 8] =
        ["or not", "or no", "or what", "by any chance", "at all", "at the moment", "by now", "at present"];
    let end = clause.iter().rposition(|word| !word.is_mark()).map_or(0, |at| at + 1);
    let ends = |tail: &&str| {
        let from = end.checked_sub(tail.split(' ').count()).filter(|from| *from > 0)?;
        phrase_at(tail, &clause[..end], from).map(|_| from)
    };
    TAILS.iter().find_map(ends).map_or(clause, |from| &clause[..from])
}

/// Splits a question about the list at its exception: "what is due today, apart from the laundry?".
pub(in crate::llm::rules) fn but(text: &str) -> Option<(&str, &str)> {
    const LEADS: [&str; 6] = [" apart from ", " except for ", " except ", " other than ", " besides ", " aside from "];
    const ASKS: Set = set("what|whats|which|is|are|do|have|anything|show|list|how");
    let first = text.split_whitespace().next()?.to_lowercase().replace(['\'', '’'], "");
    let lower = text.to_ascii_lowercase();
    let (at, end) = LEADS.iter().find_map(|lead| lower.find(lead).map(|at| (at, at + lead.len())))?;
    let but = text[end..].trim_end_matches(['.', '!', '?', ' ']);
    let but = ["the ", "my "].iter().find_map(|article| but.strip_prefix(article)).unwrap_or(but);
    let plain = !but.is_empty() && but.split_whitespace().count() <= 4 && !but.contains([',', ';', '.']);
    (ASKS.has(&first) && plain && !text.contains(['"', '“', '\n']))
        .then(|| (text[..at].trim_end_matches([',', ' ']), but))
}

/// Returns the questions about the list with an exception; `None` if any part is something different.
pub(in crate::llm::rules) fn without(parts: Vec<Part>, but: &str) -> Option<Vec<Part>> {
    let narrowed = |part| match part {
        Part::List(query) => Some(Part::List(ListQuery { except: Some(but.to_owned()), ..query })),
        _ => None,
    };
    parts.into_iter().map(narrowed).collect()
}

/// Returns true if an opener such as "my", "the" or "i" introduces no question.
pub(in crate::llm::rules) fn opens_nothing(keys: &[&str]) -> bool {
    match keys.first() {
        // "everything due today is done" is a statement.
        Some(&("everything" | "all")) => {
            keys.windows(2).any(|pair| matches!(pair, ["is" | "are" | "been" | "was", done] if FINISHED.has(done)))
        }
        // "the last thing on my list can go" is a request.
        Some(&("the" | "my")) => {
            keys.windows(2).any(|pair| set!("can|could|should|may").has(pair[0]) && set!("go|come|be").has(pair[1]))
        }
        Some(&"i") if keys.contains(&"LIST") && keys.contains(&"have") && keys.contains(&"do") => false,
        Some(&"i") => !keys.iter().any(|key| matches!(*key, "see" | "hear" | "know" | "view" | "read" | "check")),
        Some(&("do" | "have" | "is" | "are" | "does" | "did" | "has")) => keys.len() < 3 && !keys.contains(&"LIST"),
        _ => false,
    }
}
