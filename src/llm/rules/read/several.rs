//! Several new tasks in one request: announced by number, listed after a colon, or added as an afterthought.

use crate::llm::rules::lex::frames::COMMANDS;
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::Word;
use crate::llm::rules::read::chores::opens_chore;
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::courtesy::{Clause, strip};
use crate::llm::rules::read::intent::{Part, Target};
use crate::llm::rules::read::{grammatical, reading, said, scope};

/// Maximum words of an afterthought.
const LONGEST: usize = 8;

/// Returns true if another item follows a new task: "stick soap on the list, oh and foil as well".
pub(in crate::llm::rules) fn one_more(left: &[Word], lead: &[Word], rest: &[Word], context: Context) -> bool {
    let joins = |set: Set| lead.iter().any(|word| set.has(&word.key));
    let placed = left.iter().rfind(|word| !word.is_mark()).is_some_and(|word| word.key == "LIST");
    let led = placed && joins(set!("and|also|plus")) || joins(set!("oh")) && joins(set!("and"));
    led && thing(rest, context)
        && matches!(reading::read(strip(left).0, context), Some(Part::Add { unless_there: false, .. }))
}

/// Returns such an afterthought as a new task.
pub(in crate::llm::rules) fn another(
    before: Clause,
    clause: Clause,
    last: Option<&Part>,
    context: Context,
) -> Option<Part> {
    if !matches!(last, Some(Part::Add { unless_there: false, .. })) {
        return None;
    }
    let (from, to, rest) = (before.whole.last()?.start, clause.whole.first()?.end, clause.bare);
    let joints = crate::llm::rules::normalise::words::words(&context.text[from..rest.first()?.start.max(to)]);
    one_more(before.whole, &joints, rest, context).then(|| grammatical::add_words(rest, context))
}

/// Returns true if a stretch, up to its first mark, is something to do or get and not another request or statement.
fn thing(rest: &[Word], context: Context) -> bool {
    const OTHER: Set = file_set!("several_other");
    let end = rest.iter().position(Word::is_mark).unwrap_or(rest.len());
    let rest = &rest[..end];
    let Some(first) = rest.first() else { return false };
    let placed = rest.iter().any(|word| matches!(word.key.as_str(), "LIST" | "TASK" | "TASKS"));
    let speaks = OTHER.has(&first.key) || said::states(rest) || scope::is_question(rest);
    rest.len() <= LONGEST
        && !(placed || speaks)
        && context.date(rest).is_none()
        && crate::llm::rules::read::levels::priority(rest).is_none()
        && match reading::read(rest, context) {
            None | Some(Part::Happened(_)) => !COMMANDS.has(&first.key) || opens_chore(&first.key),
            // "print the slides" is a chore here, no request to show a task.
            Some(Part::Get(Target::Words { named: false, .. })) => opens_chore(&first.key),
            Some(_) => false,
        }
}
