//! A day that a statement names and the request after it takes: "the rent is to be paid by the 3rd, update the deadline".

use super::courtesy::Clause;
use super::frames::COMMANDS;
use super::intent::{Edits, Part, Target};
use super::lending::points;
use super::pattern::Patterns;
use super::reading::{self, Context};
use super::said;
use super::scope;
use super::set::{Set, set};
use super::words::Word;
use crate::domain::when::Found;

/// Ways to ask that the due date become what was said.
const ASKS: Patterns<2> = Patterns::of([
    "change|update|move|set|reset|fix|adjust|amend|correct|edit|alter|push|shift|bump the|its|that|my? due? date|deadline|day|time for|on|of? it|that|this|there? accordingly|too|then|now? to? match|suit|fit|reflect? that|this?",
    "change|update|adjust|amend|correct|edit|alter|fix the? it|that|this|TASK accordingly|to? match|suit|fit?",
]);

/// What makes a statement with a day say something else than when.
const OTHERWISE: Set = set(
    "not|no|never|isnt|arent|wasnt|was|were|cant|cannot|couldnt|wont|doesnt|dont|didnt|closed|shut|away|busy|off|out|full|\
     unless|if|or|might|maybe|may|could|should|from|of|until|till|before|after|between|than|hope|hopefully|want|wants",
);

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

/// "the plumber is coming at three instead, change the time": the statement says what to, if all of it is about that.
pub(super) fn lent(part: &Part, said: &[Word], body: &[Word], context: Context) -> Option<Part> {
    const HAPPENS: Set = set(
        "coming|comes|come|arriving|arrives|visiting|visits|happening|happens|starting|starts|moved|rescheduled|changed|\
         postponed|pushed|brought|shifted|delayed|switched|bumped|now|actually|instead|due",
    );
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
    Some(Part::Edit { target, edit: reading::due(found.when.clone(), &day) })
}

/// Whether what is to change is a time, or just "it".
fn of_time(body: &[Word]) -> bool {
    const TIMES: Set = set("time|date|day|due|deadline|reminder|timing|schedule|TASK");
    const POINTS: Set = set("it|that|this|one|to|too|then|please|accordingly|for|me|so|there|on|list|LIST|in|my");
    let rest = body.iter().skip(1).filter(|word| !word.is_mark());
    body.iter().any(|word| TIMES.has(&word.key))
        || rest.clone().count() > 0 && rest.clone().all(|word| POINTS.has(&word.key))
}

/// The date in a stretch that has one.
fn only_date<'a>(stretch: &[Word], context: Context<'a>) -> Option<&'a Found> {
    let (first, last) = stretch.first().zip(stretch.last())?;
    let mut within =
        context.dates().iter().filter(|found| found.span.start >= first.start && found.span.end <= last.end);
    within.next().filter(|_| within.next().is_none())
}

/// Whether a request only says once more that a day changes which was said: "the fair is now on friday, change the date".
pub(super) fn repeats(part: &Part, last: Option<&Part>, body: &[Word]) -> bool {
    let dated = matches!(last, Some(Part::Edit { edit, .. }) if edit.due.is_some());
    let open = matches!(part, Part::Edit { target, edit } if points(target) && *edit == Edits::default());
    dated && (open || *part == scope::edit_what()) && of_time(body)
}
