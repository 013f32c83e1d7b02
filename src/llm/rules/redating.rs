//! A day that a statement names and the request after it takes: "the rent is to be paid by the 3rd, update the deadline".

use super::courtesy::Clause;
use super::frames::COMMANDS;
use super::intent::{Edits, Part, Target};
use super::lending::OTHERWISE;
use super::pattern::Patterns;
use super::reading::{self, Context};
use super::said;

/// Ways to ask that the due date become what was said.
const ASKS: Patterns<2> = Patterns::of([
    "change|update|move|set|reset|fix|adjust|amend|correct|edit|alter|push|shift|bump the|its|that|my? due? date|deadline|day|time for|on|of? it|that|this|there? accordingly|too|then|now? to? match|suit|fit|reflect? that|this?",
    "change|update|adjust|amend|correct|edit|alter|fix the? it|that|this|TASK accordingly|to? match|suit|fit?",
]);

/// What becomes of the task that the statement before was about.
pub(super) enum Redated {
    /// The statement said it by itself.
    Already,
    Due(Box<Part>),
}

/// Reads such a request behind such a statement.
pub(super) fn redated(before: Clause, clause: Clause, context: Context) -> Option<Redated> {
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
