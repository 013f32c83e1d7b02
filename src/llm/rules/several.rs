//! Several new tasks of one request: announced by their number, listed behind a colon, or one more thought of afterwards.

use super::courtesy::{Clause, strip};
use super::fields::{self, has_words, opens_chore};
use super::frames::COMMANDS;
use super::intent::{NewItem, Part, Target};
use super::reading::{self, Context};
use super::said;
use super::scope;
use super::set::{Set, set};
use super::words::Word;

/// The longest thing that is added as an afterthought, in words.
const LONGEST: usize = 8;

/// The tasks that a stretch of a clause names.
pub(super) fn items(clause: &[Word], stretch: &[Word], context: Context, listed: bool) -> Vec<NewItem> {
    match enumerated(clause, stretch, context) {
        Some(pieces) => pieces.into_iter().flat_map(|piece| fields::items(piece, context, false, None)).collect(),
        None => fields::items(stretch, context, listed || follows(clause, stretch), announced(clause)),
    }
}

/// "two things for the list: …": how many are to come.
fn announced(clause: &[Word]) -> Option<usize> {
    let lead: Vec<&str> = clause.iter().take(5).map(|word| word.key.as_str()).collect();
    let nouns = set!("TASKS|things|bits|more");
    let at = lead.iter().position(|key| nouns.has(key)).filter(|at| *at > 0)?;
    let before = if lead[at - 1] == "new" { at.checked_sub(2)? } else { at - 1 };
    ["two", "three", "four", "five", "six", "seven"].iter().position(|name| lead[before] == *name).map(|at| at + 2)
}

/// "add the following: …": whether what stands before a colon says that a list of tasks is to come.
fn follows(clause: &[Word], stretch: &[Word]) -> bool {
    const SAYS: Set = set("following|these|those|below|things|bits|TASKS|items");
    let Some(first) = stretch.first() else { return false };
    let lead = clause.iter().take_while(|word| word.start < first.start).count();
    let mark = lead.checked_sub(1).map(|at| &clause[at]);
    mark.is_some_and(|mark| mark.is_mark() && matches!(mark.key.as_str(), ":" | "-" | "–" | "—" | "\n"))
        && clause[..lead].iter().any(|word| SAYS.has(&word.key))
}

/// The pieces of such a list, however long each is; none where commas do not divide it, or divide off a day.
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
    // "…, order sand and chase the deposit": the last "and" divides two chores.
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

/// "stick soap on the list, oh and foil as well": whether what follows a new task is one more.
pub(super) fn one_more(left: &[Word], lead: &[Word], rest: &[Word], context: Context) -> bool {
    let joins = |set: Set| lead.iter().any(|word| set.has(&word.key));
    let placed = left.iter().rfind(|word| !word.is_mark()).is_some_and(|word| word.key == "LIST");
    let led = placed && joins(set!("and|also|plus")) || joins(set!("oh")) && joins(set!("and"));
    led && thing(rest, context)
        && matches!(reading::read(strip(left).0, context), Some(Part::Add { unless_there: false, .. }))
}

/// Such an afterthought as a new task.
pub(super) fn another(before: Clause, clause: Clause, last: Option<&Part>, context: Context) -> Option<Part> {
    if !matches!(last, Some(Part::Add { unless_there: false, .. })) {
        return None;
    }
    let (from, to, rest) = (before.whole.last()?.start, clause.whole.first()?.end, clause.bare);
    let joints = super::words::words(&context.text[from..rest.first()?.start.max(to)]);
    one_more(before.whole, &joints, rest, context).then(|| reading::add_words(rest, context))
}

/// Whether a stretch, up to its first mark, is something to do or to get, and nothing that is said or asked for otherwise.
fn thing(rest: &[Word], context: Context) -> bool {
    const OTHER: Set = set(
        "i|im|ive|id|we|it|its|that|thats|this|them|they|then|thanks|cheers|you|not|no|dont|if|so|but|by|on|for|to|in|at|with",
    );
    let end = rest.iter().position(Word::is_mark).unwrap_or(rest.len());
    let rest = &rest[..end];
    let Some(first) = rest.first() else { return false };
    let placed = rest.iter().any(|word| matches!(word.key.as_str(), "LIST" | "TASK" | "TASKS"));
    let speaks = OTHER.has(&first.key) || said::states(rest) || scope::is_question(rest);
    rest.len() <= LONGEST
        && !(placed || speaks)
        && context.date(rest).is_none()
        && super::levels::priority(rest).is_none()
        && match reading::read(rest, context) {
            None | Some(Part::Happened(_)) => !COMMANDS.has(&first.key) || opens_chore(&first.key),
            // "print the slides" shows nothing here.
            Some(Part::Get(Target::Words { named: false, .. })) => opens_chore(&first.key),
            Some(_) => false,
        }
}
