//! Dates of a statement that the next request uses: "the rent is to be paid by the 3rd, update the deadline".

use crate::domain::when::Found;
use crate::llm::rules::lex::frames::COMMANDS;
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::Word;
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::courtesy::Clause;
use crate::llm::rules::read::intent::points;
use crate::llm::rules::read::intent::{Edits, Part, Target};
use crate::llm::rules::read::pattern::Patterns;
use crate::llm::rules::read::{days, reading, said, scope};

/// Requests to set the due date to the stated one.
const ASKS: Patterns<2> = Patterns::of([
    "change|update|move|set|reset|fix|adjust|amend|correct|edit|alter|push|shift|bump the|its|that|my? due? date|deadline|day|time for|on|of? it|that|this|there? accordingly|too|then|now? to? match|suit|fit|reflect? that|this?",
    "change|update|adjust|amend|correct|edit|alter|fix the? it|that|this|TASK accordingly|to? match|suit|fit?",
]);

/// Words that make a statement with a date about something else.
const OTHERWISE: Set = file_set!("redating_otherwise");

/// The effect on the task of the preceding statement.
pub(in crate::llm::rules) enum Redated {
    /// The statement itself is the change.
    Already,
    Due(Box<Part>),
}

/// Parses such a request after such a statement.
pub(in crate::llm::rules) fn redated(before: Clause, clause: Clause, context: Context) -> Option<Redated> {
    let (said, request) = (before.bare, clause.bare);
    let (first, last) = (said.first()?, said.last()?);
    let plain = request.iter().any(|word| matches!(word.key.as_str(), "date" | "deadline" | "day" | "time"));
    let told = request.iter().any(|word| matches!(word.key.as_str(), "accordingly" | "match" | "suit" | "fit"));
    if !(plain || told) || COMMANDS.has(&first.key) || ASKS.fit(request).is_none() {
        return None;
    }
    if said.iter().any(|word| OTHERWISE.has(&word.key)) {
        return None;
    }
    match reading::read(said, context) {
        Some(Part::Edit { edit: Edits { due: Some(_), .. }, .. }) => return Some(Redated::Already),
        None | Some(Part::Happened(_)) => {}
        Some(_) => return None,
    }
    let mut days = context.dates().iter().filter(|found| found.span.start > first.start && found.span.end <= last.end);
    let day = days.next().filter(|day| days.next().is_none() && day.when.recurrence.is_none())?;
    let end = said.iter().position(|word| word.start >= day.span.start)?;
    let target = said::numbered(&said[..end]).unwrap_or_else(|| Target::Said(said::telling(&said[..end], context)));
    let due = Some(Some(day.when.due.as_str().to_owned()));
    Some(Redated::Due(Box::new(Part::Edit { target, edit: Edits { due, ..Edits::default() } })))
}

/// Completes a request from a statement that is only about a time: "the plumber is coming at three instead, change the time".
pub(in crate::llm::rules) fn lent(part: &Part, said: &[Word], body: &[Word], context: Context) -> Option<Part> {
    const HAPPENS: Set = file_set!("redating_happens");
    let whole = *part == scope::edit_what();
    if !(whole || matches!(part, Part::Edit { target, edit } if points(target) && *edit == Edits::default())) {
        return None;
    }
    let found = only_date(said, context)?;
    let told: Vec<Word> = said.iter().filter(|word| !found.span.contains(&word.start)).cloned().collect();
    let happens = told.iter().any(|word| HAPPENS.has(&word.key)) && !told.iter().any(|word| OTHERWISE.has(&word.key));
    if !(happens && of_time(body)) {
        return None;
    }
    let telling = said::telling(&told, context);
    let target = if telling.is_empty() { Target::It } else { Target::Said(telling) };
    let day: Vec<Word> = said.iter().filter(|word| found.span.contains(&word.start)).cloned().collect();
    Some(Part::Edit { target, edit: days::due(found.when.clone(), &day, context) })
}

/// Returns true if the request changes a time, or just "it".
fn of_time(body: &[Word]) -> bool {
    const TIMES: Set = set("time|date|day|due|deadline|reminder|timing|schedule|TASK");
    const POINTS: Set = set("it|that|this|one|to|too|then|please|accordingly|for|me|so|there|on|list|LIST|in|my");
    let rest = body.iter().skip(1).filter(|word| !word.is_mark());
    body.iter().any(|word| TIMES.has(&word.key))
        || rest.clone().count() > 0 && rest.clone().all(|word| POINTS.has(&word.key))
}

/// Returns the date of a stretch that contains exactly one.
fn only_date<'a>(stretch: &[Word], context: Context<'a>) -> Option<&'a Found> {
    let (first, last) = stretch.first().zip(stretch.last())?;
    let mut within =
        context.dates().iter().filter(|found| found.span.start >= first.start && found.span.end <= last.end);
    within.next().filter(|_| within.next().is_none())
}

/// Returns true if a request only repeats a stated change of date: "the fair is now on friday, change the date".
pub(in crate::llm::rules) fn repeats(part: &Part, last: Option<&Part>, body: &[Word]) -> bool {
    let dated = matches!(last, Some(Part::Edit { edit, .. }) if edit.due.is_some());
    let open = matches!(part, Part::Edit { target, edit } if points(target) && *edit == Edits::default());
    dated && (open || *part == scope::edit_what()) && of_time(body)
}
