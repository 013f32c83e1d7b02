//! Parts of a request that its own message takes back: "just nappies", "no, I mean bread", "but not the rent".

use crate::llm::rules::lex::frames::COMMANDS;
use crate::llm::rules::lex::set::{Set, set};
use crate::llm::rules::normalise::words::Word;

/// Returns the words of a message without the parts it takes back.
pub(in crate::llm::rules) fn intended(words: Vec<Word>) -> Vec<Word> {
    contrasted(corrected(narrowed(words)))
}

/// Removes an exclusion: "complete the plumber but not the dentist". An exclusion from several tasks becomes "except", and new tasks keep
/// such words.
fn contrasted(words: Vec<Word>) -> Vec<Word> {
    const ADDS: Set =
        set("add|put|note|jot|stick|pop|create|new|make|log|schedule|insert|include|remember|remind|dont|do|if");
    const OTHER: Set = set(
        "yet|now|today|tomorrow|tonight|done|finished|urgent|until|before|after|on|at|by|in|as|to|any|anymore|necessarily|really|quite|sure|only|just|right|entirely|completely|fully|needed|because|if|for|due|started|high|low|important",
    );
    const SAYS: Set = set("i|ive|we|weve");
    const SEVERAL: Set = set("all|everything|them|both|those|these|every|first|last|lot");
    let key = |at: usize| words[at].key.as_str();
    let Some(at) = (2..words.len().saturating_sub(1)).rev().find(|at| key(*at) == "not") else { return words };
    let number = |at: usize| key(at).trim_start_matches('#').starts_with(|c: char| c.is_ascii_digit());
    // "move 4 not 3 to friday"
    if COMMANDS.has(key(0)) && number(at - 1) && number(at + 1) {
        return [&words[..at], &words[at + 2..]].concat();
    }
    let joined = words[at - 1].is_mark() && key(at - 1) == "," || matches!(key(at - 1), "but" | "and");
    let end = words.iter().rposition(|word| !word.is_mark()).map_or(words.len(), |last| last + 1);
    let more = words.get(at + 1..end).unwrap_or_default();
    let orders = (COMMANDS.has(key(0)) || SAYS.has(key(0))) && !ADDS.has(key(0));
    let plain = (1..=5).contains(&more.len()) && !more.iter().any(|word| word.is_mark() || COMMANDS.has(&word.key));
    if !(joined && orders && plain) || OTHER.has(&more[0].key) {
        return words;
    }
    let left = words[..at - 1].iter().rposition(|word| !word.is_mark()).map_or(0, |last| last + 1);
    let counted =
        (1..left).filter(|at| number(*at)).count() > 1 || (1..left).any(|at| number(at) && key(at).contains('-'));
    if counted || words[1..left].iter().any(|word| SEVERAL.has(&word.key)) {
        let except = Word { key: "except".to_owned(), ..words[at].clone() };
        return [&words[..left], std::slice::from_ref(&except), &words[at + 1..]].concat();
    }
    words[..left].to_vec()
}

/// Keeps only the item after "just": "add nappies and wipes, actually just nappies".
fn narrowed(words: Vec<Word>) -> Vec<Word> {
    const LEADS: Set = set("no|wait|actually|sorry|scratch|oops|well|hmm|make|it|that");
    let key = |at: usize| words[at].key.as_str();
    let Some(at) =
        (3..words.len().saturating_sub(1)).find(|at| matches!(key(*at), "just" | "only") && LEADS.has(key(at - 1)))
    else {
        return words;
    };
    let lead = words[..at].iter().rposition(|word| !LEADS.has(&word.key)).filter(|lead| words[*lead].is_mark());
    let end = words.iter().rposition(|word| !word.is_mark()).map_or(words.len(), |last| last + 1);
    let again = lead.and_then(|lead| (1..lead).find(|place| words[*place].key == words[at + 1].key));
    match again.filter(|_| end > at + 1 && end - at <= 6) {
        Some(again) => [&words[..again], &words[at + 1..]].concat(),
        None => words,
    }
}

/// Removes the corrected words: "add milk, no i mean bread".
fn corrected(words: Vec<Word>) -> Vec<Word> {
    let key = |at: usize| words[at].key.as_str();
    const LEADS: Set = set("no|sorry|oops|wait|actually|whoops|er|or|rather");
    let Some(at) = (2..words.len()).find(|at| matches!(key(*at), "mean" | "meant") && key(at - 1) == "i") else {
        return words;
    };
    let lead = words[..at - 1].iter().rposition(|word| !(word.is_mark() || LEADS.has(&word.key)));
    let Some(lead) = lead.filter(|lead| lead + 1 < at - 1) else { return words };
    let edge = |word: &Word| word.is_mark() || word.key == "and";
    let end = words[at + 1..].iter().position(edge).map_or(words.len(), |found| at + 1 + found);
    let right = end - (at + 1);
    if right == 0 || right > 5 {
        return words;
    }
    let from = words[..=lead].iter().rposition(edge).map_or(0, |found| found + 1);
    let again = (from..=lead).rev().find(|place| words[*place].key == words[at + 1].key);
    // "complete the rent, i mean the plumber one": the command remains.
    let order = from + usize::from(COMMANDS.has(&words[from].key));
    let cut = again.unwrap_or_else(|| (lead + 1).saturating_sub(right).max(order));
    [&words[..cut], &words[at + 1..]].concat()
}
