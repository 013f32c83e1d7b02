//! Several new tasks in one stretch.

use crate::llm::rules::lex::frames::COMMANDS;
use crate::llm::rules::lex::set::{Set, set};
use crate::llm::rules::normalise::words::Word;
use crate::llm::rules::read::chores::{has_words, opens_chore};
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::fields;
use crate::llm::rules::read::intent::NewItem;

/// Returns the tasks that a stretch of a clause names.
pub(in crate::llm::rules) fn items(clause: &[Word], stretch: &[Word], context: Context, listed: bool) -> Vec<NewItem> {
    match enumerated(clause, stretch, context) {
        Some(pieces) => pieces.into_iter().flat_map(|piece| fields::items(piece, context, false, None)).collect(),
        None => fields::items(stretch, context, listed || follows(clause, stretch), announced(clause)),
    }
}

/// Returns the announced number of items: "two things for the list: …".
fn announced(clause: &[Word]) -> Option<usize> {
    let lead: Vec<&str> = clause.iter().take(5).map(|word| word.key.as_str()).collect();
    let nouns = set!("TASKS|things|bits|more");
    let at = lead.iter().position(|key| nouns.has(key)).filter(|at| *at > 0)?;
    let before = if lead[at - 1] == "new" { at.checked_sub(2)? } else { at - 1 };
    ["two", "three", "four", "five", "six", "seven"].iter().position(|name| lead[before] == *name).map(|at| at + 2)
}

/// Returns true if the words before a colon announce a list of tasks: "add the following: …".
fn follows(clause: &[Word], stretch: &[Word]) -> bool {
    const SAYS: Set = set("following|these|those|below|things|bits|TASKS|items");
    let Some(first) = stretch.first() else { return false };
    let lead = clause.iter().take_while(|word| word.start < first.start).count();
    let mark = lead.checked_sub(1).map(|at| &clause[at]);
    mark.is_some_and(|mark| mark.is_mark() && matches!(mark.key.as_str(), ":" | "-" | "–" | "—" | "\n"))
        && clause[..lead].iter().any(|word| SAYS.has(&word.key))
}

/// Returns the items of such a list, of any length; none without commas, or if a comma separates a date.
fn enumerated<'a>(clause: &[Word], stretch: &'a [Word], context: Context) -> Option<Vec<&'a [Word]>> {
    const ENDS: Set = set("and|then|also|plus");
    let comma = |word: &Word| word.is_mark() && matches!(word.key.as_str(), "," | ";" | "\n");
    if !follows(clause, stretch) {
        return None;
    }
    let mut pieces: Vec<&[Word]> = stretch.split(comma).filter(|piece| has_words(piece)).collect();
    if pieces.len() < 2 {
        return None;
    }
    for piece in &mut pieces {
        let from = piece.iter().take_while(|word| word.is_mark() || ENDS.has(&word.key)).count();
        *piece = &piece[from..];
    }
    // "…, order sand and chase the deposit": the last "and" separates two chores.
    let last = pieces.pop()?;
    let chores = |at: &usize| {
        last[*at].key == "and" && last.get(at + 1).is_some_and(|next| opens_chore(&next.key) || COMMANDS.has(&next.key))
    };
    let things = |at: &usize| last[*at].key == "and" && pieces.iter().all(|piece| piece.len() <= 3) && last.len() <= 7;
    let verbal = pieces.iter().any(|piece| piece.first().is_some_and(|first| opens_chore(&first.key)));
    match (1..last.len()).find(|at| chores(at) || !verbal && things(at)) {
        Some(at) => pieces.extend([&last[..at], &last[at + 1..]]),
        None => pieces.push(last),
    }
    let says = |piece: &&[Word]| has_words(piece) && context.date(piece).is_none();
    pieces.iter().all(says).then_some(pieces)
}
