//! Parsing of one clause: a list question, leading or trailing dates and fields, or a rule of the grammar.

use crate::llm::rules::lex::frames::COMMANDS;
use crate::llm::rules::lex::matching::is_past;
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::Word;
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::grammatical::{add, grammatical, recognise};
use crate::llm::rules::read::intent::Part;
use crate::llm::rules::read::{bulk, dating, lists, repeating, tails};

/// Parses a clause as a request; `None` if Docket does not know it.
pub(in crate::llm::rules) fn read(clause: &[Word], context: Context) -> Option<Part> {
    context.notes.read.once(clause, || read_anew(clause, context))
}

fn read_anew(clause: &[Word], context: Context) -> Option<Part> {
    if let Some(part) = repeating::ended(clause, context) {
        return Some(part);
    }
    if let Some(list) = lists::list(clause, context) {
        return Some(Part::List(list));
    }
    if let Some(part) = bulk::ordered(clause, context) {
        return Some(part);
    }
    let whole = clause.len();
    let clause = dating::corrected(clause, context);
    if (clause.len() < whole || dating::corrects(context))
        && let Some(part) = dating::told(clause, context)
    {
        return Some(part);
    }
    if let Some(part) = dating::dated(clause, context) {
        return Some(part);
    }
    if let Some(part) = tails::tailed(clause, context) {
        return Some(part);
    }
    let part = grammatical(clause, context, |_| true).map(|part| tails::of_day(part, clause, context));
    tails::excepting(clause, part.as_ref(), context).or(part).or_else(|| bare(clause, context))
}

/// Returns true if a clause is a request, without parsing it fully.
pub(in crate::llm::rules) fn asks(clause: &[Word], context: Context) -> bool {
    recognise(clause, context).is_some() || lists::list(clause, context).is_some()
}

/// Parses an item with its destination and no verb: "soap onto the list", "soap on the list please".
fn bare(clause: &[Word], context: Context) -> Option<Part> {
    const NOTHING: Set = file_set!("placing_nothing");
    let [thing @ .., lead, list] = clause else { return None };
    let polite = || {
        let said = context.text.to_lowercase();
        ["please", "pls", "plz", "thanks", "thank you", "cheers"].iter().any(|word| said.contains(word))
    };
    let placed = match lead.key.as_str() {
        "onto" | "to" | "into" => true,
        "on" => polite(),
        _ => false,
    };
    let first = thing.first()?;
    let named = thing.len() <= 5 && thing.iter().all(|word| !(word.is_mark() || NOTHING.has(&word.key)));
    // "bin bags onto the list"
    const NOUNS: Set = set("bin|trash|junk|scrap|label|tag|drop|close|cross|axe");
    let noun = NOUNS.has(&first.key) && thing.len() >= 2 && matches!(lead.key.as_str(), "onto" | "into");
    let states = thing.iter().any(|word| is_past(&word.key)) || COMMANDS.has(&first.key) && !noun;
    (placed && list.key == "LIST" && named && !states && !context.text.trim_end().ends_with('?'))
        .then(|| add(thing, clause, &vec![], context, false))
}
