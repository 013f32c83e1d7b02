//! Courtesies around a request: openers, addressees, and thanks before or after it.

use crate::llm::rules::lex::frames::{ASKING, CALLED, CLOSERS, COMMANDS, DIVIDED, OPENERS, SURE_COMMANDS, WISHING};
use crate::llm::rules::lex::set::{Index, Set, file_set, set};
use crate::llm::rules::normalise::words::{Kind, Word};
use crate::llm::rules::read::pattern::phrase_at;

/// A clause with and without its courtesies.
#[derive(Clone, Copy)]
pub(in crate::llm::rules) struct Clause<'a> {
    pub whole: &'a [Word],
    pub bare: &'a [Word],
}

impl<'a> Clause<'a> {
    pub fn of(whole: &'a [Word]) -> Self {
        Self { whole, bare: strip(whole).0 }
    }
}

/// Returns the clause without courtesies, and true if it was introduced by "can you" or similar.
pub(in crate::llm::rules) fn strip(clause: &[Word]) -> (&[Word], bool) {
    let mut rest = clause;
    let mut asked = false;
    loop {
        let before = rest.len();
        while rest.first().is_some_and(Word::is_mark) {
            rest = &rest[1..];
        }
        if let Some(end) = beholden(rest) {
            rest = &rest[end..];
        }
        // "todo add …": an addressee.
        if let [first, next, ..] = rest
            && matches!(first.key.as_str(), "TASK" | "TASKS" | "LIST" | "todo" | "tasks")
            && first.kind == Kind::Plain
            && SURE_COMMANDS.has(&next.key)
        {
            rest = &rest[1..];
        }
        // "do tick off the milk though": emphasis.
        if let [first, next, ..] = rest
            && first.key == "do"
            && COMMANDS.has(&next.key)
            && !set!("then|what|whats|which|how|let|list|tell|look|label").has(&next.key)
        {
            rest = &rest[1..];
        }
        if let Some(end) = longest(&OPENERS, rest).filter(|end| *end >= 4 && !kept(rest, *end)) {
            rest = &rest[end..];
        }
        if let Some(end) = longest(&ASKING, rest) {
            asked |= rest[0].key != "help";
            rest = &rest[end..];
        }
        if let Some(end) = longest(&WISHING, rest).filter(|end| commands(&rest[*end..])) {
            rest = &rest[end..];
        }
        if let Some(end) = longest(&OPENERS, rest).filter(|end| *end < rest.len() && !kept(rest, *end)) {
            rest = &rest[end..];
        }
        let mark = |end: &usize| {
            rest.get(*end).is_some_and(|word| word.is_mark() && matches!(word.key.as_str(), "," | "." | "!" | "-"))
        };
        let divided = longest(&DIVIDED, rest).max(longest(&CALLED, rest)).filter(mark);
        if let Some(end) = divided.filter(|end| rest[*end..].iter().any(|word| !word.is_mark())) {
            rest = &rest[end..];
        }
        if rest.len() == before {
            break;
        }
    }
    (close(rest), asked)
}

/// Words of courtesies that begin with "if": "if it is not too much trouble, …".
const COURTESY: Set = file_set!("courtesy_courtesy");
/// Words of which such a courtesy contains one.
const KIND: Set = file_set!("courtesy_kind");

/// Returns the end of thanks in advance: "I should be most obliged if you would".
fn beholden(clause: &[Word]) -> Option<usize> {
    const WORDS: Set = file_set!("courtesy_words");
    let at = clause.iter().take(12).position(|word| word.key == "if")?;
    let asks = clause.get(at + 1).is_some_and(|word| matches!(word.key.as_str(), "you" | "u"))
        && clause.get(at + 2).is_some_and(|word| set!("would|could|can|might|will|may").has(&word.key));
    if !asks || at == 0 {
        return None;
    }
    let kindly = at
        + 3
        + clause[at + 3..].iter().take(2).take_while(|word| set!("please|kindly|just|possibly").has(&word.key)).count();
    (kindly < clause.len() && clause[..at].iter().all(|word| WORDS.has(&word.key))).then_some(kindly)
}

/// Returns the start of a closing courtesy: ", if you would be so kind", "thanks hon".
fn obliging(clause: &[Word]) -> Option<usize> {
    let mark = clause.iter().rposition(Word::is_mark);
    if let Some(mark) = mark.filter(|mark| *mark > 0 && mark + 2 < clause.len()) {
        let tail = &clause[mark + 1..];
        let led = matches!(tail[0].key.as_str(), "if" | "when" | "whenever");
        if led
            && tail.len() <= 14
            && tail.iter().all(|word| COURTESY.has(&word.key))
            && tail.iter().any(|word| KIND.has(&word.key))
        {
            return Some(mark);
        }
    }
    const NAMES: Set = file_set!("courtesy_names");
    let [.., thanks, name] = clause else { return None };
    let named = NAMES.has(&name.key) && set!("thanks|thank|ta|cheers|please|pls|you").has(&thanks.key);
    let back = if thanks.key == "you" { 3 } else { 2 };
    let from = clause.len().checked_sub(back).filter(|from| *from > 0 && named)?;
    (back == 2 || clause[from].key == "thank").then_some(from)
}

/// Returns the start of an apology after a number or a pronoun: "delete task 17 sorry". Elsewhere "sorry" belongs to a title.
fn apologising(clause: &[Word]) -> Option<usize> {
    let [.., before, sorry] = clause else { return None };
    let named = before.is_mark()
        || before.key.trim_start_matches('#').bytes().all(|byte| byte.is_ascii_digit())
        || set!("it|that|this|them|those|one|please").has(&before.key);
    (sorry.key == "sorry" && named && clause.len() > 2).then_some(clause.len() - 1)
}

/// Returns true if the opener belongs to the following words: "right now", "next week", "first one", "look at".
fn kept(clause: &[Word], end: usize) -> bool {
    let next = clause.get(end).map_or("", |word| word.key.as_str());
    // "forgot to say I did the bins" reports something, "forgot to say hi to jo" does not.
    let owes = clause[..end].iter().take(2).any(|word| set!("forgot|meant").has(&word.key));
    match clause[0].key.as_str() {
        _ if owes => {
            let tells = clause.get(end).is_some_and(Word::is_mark) || COMMANDS.has(next);
            !(tells || set!("i|ive|im|id|we|weve|its|it|that|thats|theres|hes|shes|they|the|my").has(next))
        }
        "no" => {
            set!("longer|more|need|idea|problem|one|priority|date|due|deadline|tag|tags|project|note|notes").has(next)
        }
        "next" | "only" => !COMMANDS.has(next),
        // "we could do with more foil" is no request yet.
        "we" | "you" => next == "use" || next == "do" && clause.get(end + 1).is_some_and(|word| word.key == "with"),
        "first" | "right" | "quick" | "now" | "finally" | "sorry" | "look" | "listen" | "computer" | "well" => {
            let says = clause[0].key == "now" && set!("its|it|thats|that|theyre|they|this|ive|im|weve|we").has(next);
            !(clause.get(end).is_some_and(Word::is_mark) || COMMANDS.has(next) || next == "i" || says)
        }
        "before" => {
            let goes_on = set!("can|could|please|would|will|i|lets").has(next);
            !(clause.get(end).is_some_and(Word::is_mark) || COMMANDS.has(next) || goes_on)
        }
        "just" => next == "finished" || next == "did" || next == "completed",
        _ => false,
    }
}

/// Returns true if a stretch begins with something that Docket does.
fn commands(clause: &[Word]) -> bool {
    let first = clause.iter().find(|word| !word.is_mark()).map_or("", |word| word.key.as_str());
    let read =
        set!("see|hear|view|know|look|access|write|place|include|uncross|jot|schedule|log|review|find|open|have")
            .has(first);
    let named =
        |word: &Word| word.kind == Kind::Quoted || matches!(word.key.as_str(), "LIST" | "TASK" | "TASKS" | "details");
    let listed = clause.iter().any(named);
    (COMMANDS.has(first) || read) && (listed || SURE_COMMANDS.has(first)) && first != "finish"
        || matches!(first, "see" | "hear" | "view") && listed
}

fn longest(phrases: &Index, clause: &[Word]) -> Option<usize> {
    phrases
        .under(clause.first().map_or("", |word| &word.key))
        .iter()
        .filter_map(|phrase| phrase_at(phrase, clause, 0))
        .max()
        .filter(|end| *end < clause.len())
}

/// Returns the clause without closing courtesies.
pub(in crate::llm::rules) fn close(clause: &[Word]) -> &[Word] {
    let mut rest = clause;
    loop {
        let before = rest.len();
        while rest.last().is_some_and(|word| word.is_mark() && word.key != "?") {
            rest = &rest[..rest.len() - 1];
        }
        if let Some(from) = obliging(rest).or_else(|| apologising(rest)) {
            rest = &rest[..from];
        }
        let plain = rest.iter().rposition(|word| !word.is_mark()).map_or(0, |at| at + 1);
        let last = if plain > 0 { rest[plain - 1].key.as_str() } else { "" };
        let ends = |phrase: &&str| {
            let from = plain.checked_sub(phrase.split(' ').count()).filter(|from| *from > 0)?;
            phrase_at(phrase, &rest[..plain], from).map(|_| from)
        };
        let divided = |from: &usize| rest[*from - 1].is_mark();
        let closes = CLOSERS.ending(last).filter_map(|phrase| ends(&phrase)).min();
        let called = || CALLED.ending(last).filter_map(|phrase| ends(&phrase)).find(divided);
        if let Some(from) = closes.or_else(called) {
            rest = &rest[..from];
        }
        if rest.len() == before {
            return rest;
        }
    }
}
