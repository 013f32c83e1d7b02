//! Destinations that follow several items, so that separators between the items do not separate requests.

use crate::llm::rules::lex::frames::COMMANDS;
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::Word;

/// Maximum distance from a mark that is considered, in words.
const NEAR: usize = 20;
const PUTS: Set = file_set!("placed_puts");

/// Returns true if a destination follows all items: "could i get bulbs, 40 watt, added to my list".
pub(in crate::llm::rules) fn placed_last(stretch: &[Word], left: usize) -> bool {
    let asks = stretch.first().is_some_and(|word| set!("get|have|see|can|could|may|let|lets|i|we|id").has(&word.key));
    let placed = |three: &[Word]| {
        set!("added|put|included|noted|written").has(&three[0].key)
            && set!("to|on|onto|in|down").has(&three[1].key)
            && three[2].key == "LIST"
    };
    asks && stretch[left..].windows(3).take(NEAR).any(placed)
}

/// Returns true if the first request is complete and the next concerns something existing: "put soap on the list and bin the towels".
pub(in crate::llm::rules) fn closed(left: &[Word], rest: &[Word]) -> bool {
    let [verb, object, ..] = rest else { return false };
    let owned = set!("the|my|our|that|it|number|TASK").has(&object.key)
        || object.key.starts_with(|c: char| c == '#' || c.is_ascii_digit());
    left.last().is_some_and(|last| last.key == "LIST") && COMMANDS.has(&verb.key) && !PUTS.has(&verb.key) && owned
}

/// Returns true if a noun resembles a command while the items still lack a destination: "put salt, pepper and clear tape on the list".
pub(in crate::llm::rules) fn awaits_place(stretch: &[Word], left: usize, rest: &[Word]) -> bool {
    const PLACED: Set = set("LIST|TASK|TASKS|on|in|down|there|to|off|from|for|as|up|called");
    const OBJECTS: Set = file_set!("placed_objects");
    const OTHER: Set = set("off|from|out|as|what|whats|is|are|me|everything|all|the|my|it|which|how|done|with|if");
    let [verb, object, ..] = rest else { return false };
    let Some(list) = (3..rest.len().min(8)).find(|at| rest[*at].key == "LIST") else { return false };
    let named = !object.is_mark()
        && !OBJECTS.has(&object.key)
        && !object.key.starts_with(|c: char| c == '#' || c.is_ascii_digit());
    let adds = stretch.first().is_some_and(|first| PUTS.has(&first.key));
    let open = stretch[1.min(left)..left].iter().all(|word| !PLACED.has(&word.key));
    // "add milk and tick eggs on my list" contains two commands.
    let ticks = set!("tick|cross|check|mark|move|change|edit|update|complete").has(&verb.key);
    let put = set!("put|stick|pop|bung|chuck|throw|slap|whack|shove|plonk|lob|sling|place");
    let still = stretch.first().is_some_and(|first| put.has(&first.key));
    let into = match rest[list - 1].key.as_str() {
        "to" | "onto" | "into" => true,
        "on" | "in" => still || !ticks,
        _ => false,
    };
    let ends = rest
        .get(list + 1)
        .is_none_or(|next| next.is_mark() || set!("please|for|today|by|too|now|thanks").has(&next.key));
    let only = !rest[2..list - 1].iter().any(|word| OTHER.has(&word.key));
    adds && open && named && into && ends && only && COMMANDS.has(&verb.key) && !PUTS.has(&verb.key)
}
