//! Statements and titles that supply the object of the next request: "uploaded the photos, so you can complete that task".

use crate::domain::when::Found;
use crate::llm::rules::lex::frames::SURE_COMMANDS;
use crate::llm::rules::lex::matching::is_past;
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::Word;
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::courtesy::Clause;
use crate::llm::rules::read::intent::points;
use crate::llm::rules::read::intent::{Part, Target, aim, target_of};
use crate::llm::rules::read::{grammatical, reading, redating, said, scope};

/// Returns a new task whose title resembles a command: "take the bins out tonight, add that please".
pub(in crate::llm::rules) fn titled(
    before: Clause,
    clause: Clause,
    last: Option<&Part>,
    context: Context,
) -> Option<Part> {
    let (title, body) = (before.bare, clause.bare);
    let loose = |target: &Target| matches!(target, Target::Words { quoted: false, named: false, .. });
    // "i no longer need it, so …" requests nothing new.
    let unneeded = matches!(last, Some(Part::Delete { unneeded: true, .. }));
    let order = !unneeded && last.and_then(target_of).is_some_and(loose) && !SURE_COMMANDS.has(&title.first()?.key);
    let points = matches!(body, [_, it, ..] if matches!(it.key.as_str(), "it" | "that" | "this"))
        && !body.iter().any(|word| matches!(word.key.as_str(), "back" | "again"));
    if order && done(title, body, context) {
        return Some(Part::Happened(context.raw(title).to_owned()));
    }
    (order && points && reading::read(body, context)? == scope::ask_what())
        .then(|| on_day(grammatical::add_words(title, context), body, context))
}

/// Returns true if the resembling command is a completed chore: "clear the gutters, that's all done now".
fn done(title: &[Word], body: &[Word], context: Context) -> bool {
    const CHORES: Set = file_set!("lending_chores");
    let chore = title.first().is_some_and(|first| CHORES.has(&first.key));
    let listed = title.iter().any(|word| matches!(word.key.as_str(), "LIST" | "TASK" | "TASKS" | "off"));
    let states = body.first().is_some_and(|first| set!("thats|its|that|it").has(&first.key));
    chore && !listed && states && reading::read(body, context) == Some(Part::Complete(Target::It))
}

/// Adds the date of the request to new tasks: "i need eggs. add that for monday".
fn on_day(part: Part, body: &[Word], context: Context) -> Part {
    let within = |found: &&Found| {
        let ends = body.first().zip(body.last());
        ends.is_some_and(|(first, last)| found.span.start >= first.start && found.span.end <= last.end)
    };
    match (part, context.dates().iter().find(within)) {
        (Part::Add { mut items, unless_there }, Some(found)) => {
            for item in items.iter_mut().filter(|item| item.due.is_none()) {
                item.due = Some(found.when.due.as_str().to_owned());
                item.recurrence.clone_from(&found.when.recurrence);
            }
            Part::Add { items, unless_there }
        }
        (part, _) => part,
    }
}

/// Resolves "it" by the preceding statement: "uploaded the photos, so you can complete that task".
pub(in crate::llm::rules) fn lend(part: Part, said: &[Word], body: &[Word], context: Context) -> Part {
    if let Some(part) = redating::lent(&part, said, body, context) {
        return part;
    }
    // "did her birthday go in? put it every year" names no new task.
    if part == scope::ask_what() && scope::is_question(said) {
        return part;
    }
    if part == scope::ask_what() {
        // "i haven't done that one, put it back" concerns an existing task.
        const DENIALS: Set = set("not|never|dont|didnt|havent|hasnt|wasnt|isnt|wont|shouldnt");
        let denies = said.iter().any(|word| DENIALS.has(&word.key)) && said.iter().any(|word| word.key == "done");
        // "i deleted it by accident, put it back" names no new task.
        const SLIPS: Set = set("accident|accidentally|mistake|mistakenly");
        if said.iter().any(|word| SLIPS.has(&word.key)) {
            return part;
        }
        if denies {
            return Part::Reopen(Target::It);
        }
        let back = body.iter().any(|word| word.key == "back");
        // "the passport isn't renewed yet, put it back" concerns a completed task.
        let denied = said.iter().any(|word| DENIALS.has(&word.key)) && said.iter().any(|word| is_past(&word.key));
        return match denied && back {
            true => Part::Reopen(Target::Said(said::telling(said, context))),
            false => on_day(grammatical::add_words(said, context), body, context),
        };
    }
    if target_of(&part) == Some(&Target::Them)
        && let Some(several) = said::several(said)
    {
        return aim(&part, Target::Words { text: context.raw(several).to_owned(), quoted: false, named: true });
    }
    // "the second one, bin it"
    let topic = Some(crate::llm::rules::read::target::target(said, context.text));
    let topic = topic.filter(|topic| matches!(topic, Target::Places(_) | Target::Numbers(_)));
    let told = match (topic.or(said::numbered(said)), said::telling(said, context)) {
        (Some(told), _) => told,
        // "not happening, move them both" adds no description.
        (None, telling) if telling.is_empty() && target_of(&part) == Some(&Target::Them) => return part,
        (None, telling) => Target::Said(telling),
    };
    match target_of(&part).filter(|target| points(target)) {
        Some(_) => aim(&part, told),
        None => part,
    }
}
