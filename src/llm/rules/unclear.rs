//! Messages that are asked about before anything is guessed.

use super::frames::COMMANDS;
use super::intent::Part;
use super::reading::Context;
use super::scope;
use super::set::Set;
use super::words::{Kind, Word};

/// The question about a message that names too little; `None` if it may say enough.
pub(super) fn unclear(clause: &[Word], context: Context) -> Option<Part> {
    let keys: Vec<&str> = clause.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    if repeats(&keys) {
        return Some(scope::edit_what());
    }
    // "should really ring jo" may be meant for no list.
    let wishes = matches!(keys.first(), Some(&("should" | "must" | "ought"))) && !scope::is_question(clause);
    let thing = wishes && (3..=12).contains(&keys.len()) || appointed(clause, context);
    let lacks = || scope::lacking(clause, &keys, context.raw(clause)).filter(|_| keys.len() <= 12);
    lacks().or_else(|| thing.then(|| scope::add_or_find(context.raw(clause))))
}

/// "do the same as last time", "the usual please": nothing says what that was.
fn repeats(keys: &[&str]) -> bool {
    const ONCE_MORE: Set = Set(
        "do|the|same|as|last|time|before|again|usual|always|like|thing|please|just|it|what|you|did|we|week|month|one|\
         more|previous|previously|earlier|for|me|i|said|now|make|normal|yesterday|old|with|that",
    );
    let says = keys.iter().any(|key| matches!(*key, "same" | "usual"));
    says && keys.len() >= 2 && keys.iter().all(|key| ONCE_MORE.has(key))
}

/// "plumber thursday 2pm": a thing and a day, and nothing that says whether it is new.
fn appointed(clause: &[Word], context: Context) -> bool {
    const TELLING: Set = Set(
        "TASK|TASKS|LIST|what|whats|which|when|whens|who|where|how|why|anything|something|everything|stuff|things|due|\
         list|show|all|my|any|i|im|ive|we|it|its|that|thats|is|are|was|am|do|does|did|have|has|had|for|plans|plan|agenda|\
         schedule|about|overdue|urgent|important|priority|done|pending|open|left|jobs|chores|errands|busy|free|not|no|\
         yes|ok|okay|them|those|these|this|both|one|ones|first|second|third|last|and|or|to|instead|please|weather|news|\
         alarm|timer|meeting|meetings|calendar|appointments|events|reservation|flight|flights|hotel",
    );
    let ends = clause.first().zip(clause.last());
    let Some((first, last)) = ends.filter(|_| !context.text.trim_end().ends_with('?')) else { return false };
    let inside = |found: &&crate::domain::when::Found| found.span.start >= first.start && found.span.end <= last.end;
    let Some(day) = context.dates().iter().find(inside) else { return false };
    let others: Vec<&Word> = clause.iter().filter(|word| !(word.is_mark() || day.span.contains(&word.start))).collect();
    let thing = |word: &&Word| word.kind == Kind::Plain && !TELLING.has(&word.key) && !word.key.contains(['#', '@']);
    (1..=3).contains(&others.len())
        && others.iter().all(thing)
        && !others.first().is_some_and(|word| COMMANDS.has(&word.key))
        && others.iter().any(|word| word.start < day.span.start)
}
