//! New tasks that take the place of others: "cancel the crisps and put on some fruit instead".

use super::intent::{Part, Target};
use super::matching::stems;
use super::pattern::fit;
use super::reading::{self, Context, take};
use super::set::{Set, set};
use super::target::target;
use super::words::Word;

/// Whether "instead" stands at the end of a stretch, or behind it: "… put on some fruit instead".
pub(super) fn instead(stretch: &[Word], context: Context) -> bool {
    let Some(last) = stretch.iter().rfind(|word| !word.is_mark()) else { return false };
    last.key == "instead" || context.text[last.end..].trim_start().to_lowercase().starts_with("instead")
}

/// Whether something may take the place of what a part is about.
pub(super) fn replaces(part: Option<&Part>) -> bool {
    matches!(part, Some(Part::Delete { .. } | Part::Complete(_)))
}

/// "lose the pear juice and put apple juice on": what is put on shares a word with what goes, or was said to be meant for it.
pub(super) fn swaps(last: Option<&Part>, rest: &[Word], context: Context) -> bool {
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

/// "cancel the crisps and put on some fruit instead": what takes the place of a task, by a verb that alone may mean other things.
pub(super) fn in_place(clause: &[Word], context: Context) -> Option<Part> {
    const BUYS: Set = set("get|buy|grab|order");
    let whole = || {
        clause.first().filter(|first| BUYS.has(&first.key) && clause.len() > 1).map(|_| vec![('x', 0, clause.len())])
    };
    let captures =
        fit("@add *x on|in|down there|here|it?", clause).or_else(|| fit("@add *x", clause)).or_else(whole)?;
    let stretch = take(&captures, 'x', clause)?;
    let thing = matches!(target(stretch, context.text), Target::Words { .. }) && stretch.len() <= 6;
    thing.then(|| reading::add(stretch, clause, &captures, context, false))
}
