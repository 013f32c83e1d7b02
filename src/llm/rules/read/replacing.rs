//! New tasks that replace others: "cancel the crisps and put on some fruit instead".

use crate::llm::rules::lex::matching::stems;
use crate::llm::rules::lex::set::{Set, set};
use crate::llm::rules::normalise::words::Word;
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::grammatical;
use crate::llm::rules::read::intent::{Part, Target};
use crate::llm::rules::read::pattern::take;
use crate::llm::rules::read::pattern::{Patterns, fit};
use crate::llm::rules::read::target::target;

/// Returns true if something may replace the part's target.
pub(in crate::llm::rules) fn replaces(part: Option<&Part>) -> bool {
    matches!(part, Some(Part::Delete { .. } | Part::Complete(_)))
}

/// Returns true if the new item is meant to replace the removed one: "lose the pear juice and put apple juice on".
pub(in crate::llm::rules) fn swaps(last: Option<&Part>, rest: &[Word], context: Context) -> bool {
    const PUTS: Set = set("put|stick|pop|add|bung|chuck|throw|whack|get");
    let Some(Part::Delete { target: Target::Words { text, .. }, .. }) = last else { return false };
    let [first, thing @ .., on] = rest else { return false };
    let placed = PUTS.has(&first.key) && on.key == "on" && (1..=5).contains(&thing.len());
    let gone = stems(text);
    let shared = || stems(context.raw(thing)).iter().any(|stem| gone.contains(stem));
    let lower = context.text.to_lowercase();
    let meant = || ["meant", "instead", "should have said", "not what i"].iter().any(|words| lower.contains(words));
    placed && thing.iter().all(|word| !word.is_mark()) && (shared() || meant())
}

/// Returns the item to remove after an addition in `left`: "put soap on my list and carrots off it".
pub(in crate::llm::rules) fn taken_off<'a>(left: &[Word], rest: &'a [Word]) -> Option<&'a [Word]> {
    const OFF: Patterns<2> = Patterns::of([
        "get|take|have? *x taken|crossed|struck|scratched? off|out of? it|there|LIST|TASKS? please|too|also|instead?",
        "get|have? *x removed|deleted|erased|gone|dropped|cancelled @from? it|there|LIST? please|too|also|instead?",
    ]);
    const TURNED: Set = set("turn|switch|set|get|take|put|to|i|we|it|them|that|this|be|is|are|im|being");
    let listed = left.iter().any(|word| word.key == "LIST");
    let (_, from, to) = OFF.fit(rest).filter(|_| listed)?.into_iter().find(|(name, _, _)| *name == 'x')?;
    let thing = &rest[from..to];
    let plain = thing.first().is_some_and(|first| !TURNED.has(&first.key)) && !thing.iter().any(Word::is_mark);
    (plain && thing.len() <= 5).then_some(thing)
}

/// Parses a replacement whose verb is ambiguous by itself: "cancel the crisps and put on some fruit instead".
pub(in crate::llm::rules) fn in_place(clause: &[Word], context: Context) -> Option<Part> {
    const BUYS: Set = set("get|buy|grab|order");
    let whole = || {
        clause.first().filter(|first| BUYS.has(&first.key) && clause.len() > 1).map(|_| vec![('x', 0, clause.len())])
    };
    let captures =
        fit("@add *x on|in|down there|here|it?", clause).or_else(|| fit("@add *x", clause)).or_else(whole)?;
    let stretch = take(&captures, 'x', clause)?;
    let thing = matches!(target(stretch, context.text), Target::Words { .. }) && stretch.len() <= 6;
    thing.then(|| grammatical::add(stretch, clause, &captures, context, false))
}
