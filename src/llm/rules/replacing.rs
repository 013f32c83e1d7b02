//! New tasks that take the place of others: "cancel the crisps and put on some fruit instead".

use super::intent::{Part, Target};
use super::pattern::fit;
use super::reading::{self, Context, take};
use super::set::Set;
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

/// "cancel the crisps and put on some fruit instead": what takes the place of a task, by a verb that alone may mean other things.
pub(super) fn in_place(clause: &[Word], context: Context) -> Option<Part> {
    const BUYS: Set = Set("get|buy|grab|order");
    let whole = || {
        clause.first().filter(|first| BUYS.has(&first.key) && clause.len() > 1).map(|_| vec![('x', 0, clause.len())])
    };
    let captures = fit("@add *x", clause).or_else(whole)?;
    let stretch = take(&captures, 'x', clause)?;
    let thing = matches!(target(stretch, context.text), Target::Words { .. }) && stretch.len() <= 6;
    thing.then(|| reading::add(stretch, clause, &captures, context, false))
}
