//! Questions about a project, a tag or a subject without a word for any: "what's in ward", "everything for the kids", "what repeats".

use crate::domain::task::Status;
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::{Kind, Word};
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::intent::ListQuery;
use crate::llm::rules::read::labels;
use crate::llm::rules::read::pattern::Patterns;
use crate::llm::rules::read::scope::is_question;

const REPEATS: Patterns<4> = Patterns::of([
    "what|which|whats TASKS|TASK|things|ones|stuff? of|do|does|have|have|is|are? mine|i|we|my|the? have|got? TASKS? repeats|repeat|repeating|recurs|recurring|regularly",
    "show|list|give|tell me? all|every|my|the|everything? of|my|the? that|which|thats|repeating|recurring TASKS|ones|things|stuff|repeats|repeat",
    "show|list|give|tell me? all|every|my|the? of|my|the? TASKS|things|ones that|which repeat|recur|repeats",
    "what|which are? my|the? repeating|recurring|regular TASKS|things|ones|chores? do? i? have?",
]);
/// Questions about the contents of something. The name is checked by [`labels::names_project`].
const INSIDE: Patterns<5> = Patterns::of([
    "and|so|ok? what|whats else? is|are? still|left? in|under|inside *x",
    "and|so|ok? what|whats do|have|does? i|we? have|got? left? in|under|inside *x",
    "show|list|give|see|read me? everything|all|anything|whatever thats|that? is|i? have? in|under|inside *x",
    "whats|what is|are? still? left in|for *x",
    "whats|what is|are? still? on for *x",
]);
const ABOUT: Patterns<6> = Patterns::of([
    "show|list|give|see|read me? everything|all|whatever thats|that|which? is? for|about|regarding|concerning my|the|our? *x",
    "everything thats|that|which? is? for|about|regarding|concerning my|the|our? *x",
    "search|look|find|show for? me? everything|anything|something|all|whatever|stuff|things|TASKS to do|related|about|for|with|on|involving|mentioning|regarding|concerning with|to? my|the|our? *x",
    "search|look|find for? me? everything|anything|something|all|whatever|stuff|things|TASKS|TASK to? do? with my|the|our? *x",
    "which|what *x have|do|did i|we got|have coming? up? left|due|planned|noted|next|soon?",
    "which|what *x are|is coming|left|due|planned|noted|next up|next|soon? for? me|us?",
]);

/// Parses such a question.
pub(in crate::llm::rules) fn list(clause: &[Word], context: Context) -> Option<ListQuery> {
    let open = ListQuery { status: Some(Status::Pending), ..ListQuery::default() };
    let end = clause.iter().rposition(|word| !word.is_mark())? + 1;
    let clause = untimely(&clause[..end]);
    if REPEATS.fit(clause).is_some() {
        return Some(ListQuery { repeats: true, ..open });
    }
    let named =
        |captures: Vec<(char, usize, usize)>| captures.into_iter().next().map(|(_, from, to)| &clause[from..to]);
    if let Some(name) =
        INSIDE.fit(clause).and_then(named).filter(|name| labels::names_project(name) && plain(name, context))
    {
        return Some(ListQuery { topic: Some(context.raw(name).to_owned()), ..open });
    }
    let name =
        ABOUT.fit(clause).and_then(named).filter(|name| (1..=3).contains(&name.len()) && plain(name, context))?;
    Some(ListQuery { topic: Some(context.raw(name).to_owned()), ..open })
}

/// Returns a question without "now", "at the moment" or "again" at its end.
fn untimely(clause: &[Word]) -> &[Word] {
    let now = clause
        .iter()
        .rev()
        .take_while(|word| set!("now|currently|again|then|exactly|please|today").has(&word.key))
        .count();
    &clause[..clause.len() - now]
}

/// Returns true for words that name a subject, and no day, status or kind of task.
fn plain(name: &[Word], context: Context) -> bool {
    const OTHER: Set = file_set!("lists_listing");
    const NOT: Set =
        set("LIST|TASK|TASKS|bin|trash|it|them|that|there|store|stock|fridge|news|world|way|weather|time|day|one|ones");
    let dated = |word: &Word| context.dates().iter().any(|found| found.span.contains(&word.start));
    let word = |word: &Word| word.kind == Kind::Plain && !NOT.has(&word.key) && !OTHER.has(&word.key) && !dated(word);
    name.iter().all(word)
}

/// Returns a question without an exception, which a list shows anyway: "anything this weekend, apart from the sourdough?".
pub(in crate::llm::rules) fn unexcepted(clause: &[Word]) -> &[Word] {
    let excepts = |at: usize| {
        let next = clause.get(at + 1).map_or("", |word| word.key.as_str());
        clause[at - 1].is_mark()
            && matches!(
                (clause[at].key.as_str(), next),
                ("apart", "from") | ("other", "than") | ("except" | "besides" | "excluding", _)
            )
    };
    let asks = is_question(clause) && clause.len() <= 30;
    (3..clause.len()).find(|at| asks && excepts(*at)).map_or(clause, |at| &clause[..at - 1])
}
