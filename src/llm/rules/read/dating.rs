//! Dates next to a request: a former one, one before it, one in the name of the list.

use crate::domain::when;
use crate::llm::rules::lex::frames::COMMANDS;
use crate::llm::rules::lex::set::{Set, set};
use crate::llm::rules::normalise::words::Word;
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::courtesy::strip;
use crate::llm::rules::read::days::{clock_only, has_time};
use crate::llm::rules::read::intent::{Part, Target};
use crate::llm::rules::read::pattern::fit;
use crate::llm::rules::read::pattern::take;
use crate::llm::rules::read::rule::Rule;
use crate::llm::rules::read::scope::is_question;
use crate::llm::rules::read::{days, grammatical};

/// Words that begin a correction.
const LEADS: Set = set("sorry|actually|no|nope|oops|whoops|wait|correction");

/// Removes a former date: "by friday now, not thursday".
pub(in crate::llm::rules) fn corrected<'a>(clause: &'a [Word], context: Context) -> &'a [Word] {
    let Some(at) = clause.iter().rposition(|word| matches!(word.key.as_str(), "not" | "than" | "of")) else {
        return clause;
    };
    let led = |back: usize, key: &str| at.checked_sub(back).is_some_and(|before| clause[before].key == key);
    let from = match clause[at].key.as_str() {
        "not" if led(1, "and") => at - 1,
        "not" => at,
        "than" if led(1, "rather") => at - 1,
        "of" if led(1, "instead") => at - 1,
        _ => return clause,
    };
    let dates = |stretch: &[Word]| {
        let within = |found: &when::Found| {
            stretch
                .first()
                .zip(stretch.last())
                .is_some_and(|(first, last)| found.span.start >= first.start && found.span.end <= last.end)
        };
        context.dates().iter().any(within)
    };
    let tail = &clause[at + 1..];
    // "at 3pm now, not 2"
    let timed = || context.dates().iter().rfind(|found| found.span.end <= clause[at].start).is_some_and(has_time);
    let old = tail.len() <= 4
        && (dates(tail) || context.date(tail).is_some() || !tail.is_empty() && clock_only(tail) && timed());
    if !(old && dates(&clause[..from])) {
        return clause;
    }
    let kept =
        clause[..from].iter().rposition(|word| !(word.is_mark() || matches!(word.key.as_str(), "now" | "instead")));
    kept.map_or(clause, |last| &clause[..=last])
}

/// Returns true if a message corrects the last one: "sorry, the fair is the 16th".
pub(in crate::llm::rules) fn corrects(context: Context) -> bool {
    let first = context.text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    LEADS.has(&first.to_lowercase())
}

/// Parses a stated date after [`corrected`] has removed the former one: "the christening is at 3pm now, not 2".
pub(in crate::llm::rules) fn told(clause: &[Word], context: Context) -> Option<Part> {
    let captures = fit("*x is|are|was|starts|begins|s actually|really|now? on|at|for|from? *d", clause)?;
    let (said, day) = (take(&captures, 'x', clause)?, take(&captures, 'd', clause)?);
    let led = said.iter().take_while(|word| word.is_mark() || LEADS.has(&word.key)).count();
    let said = &said[led..];
    let first = said.iter().find(|word| !word.is_mark())?;
    let asks = COMMANDS.has(&first.key) || is_question(clause);
    let target = context.target(said);
    if asks || said.len() > 8 || matches!(target, Target::Missing | Target::All(_) | Target::Them) {
        return None;
    }
    Some(Part::Edit { target, edit: days::due(context.date(day)?, day, context) })
}

/// Parses a date right behind a reference: "the second one tomorrow", "that one is for friday".
pub(in crate::llm::rules) fn pointed(clause: &[Word], context: Context) -> Option<Part> {
    let at = clause.iter().position(|word| context.dates().iter().any(|found| found.span.contains(&word.start)))?;
    let (said, day) = clause.split_at(at);
    let to = said.iter().rposition(|word| !set!("is|for|on|at|by|to|should|be|now|actually").has(&word.key))?;
    let target = context.target(&said[..=to]);
    let other = matches!(&target, Target::Words { text, .. } if text == "other");
    let one =
        matches!(said[to].key.as_str(), "one" | "TASK") && (other || matches!(target, Target::It | Target::Places(_)));
    one.then(|| Some(Part::Edit { target, edit: days::due(context.date(day)?, day, context) }))?
}

/// Parses a date or time before a request for a new task: "at six I want to be reminded to …".
pub(in crate::llm::rules) fn dated(clause: &[Word], context: Context) -> Option<Part> {
    let first = clause.iter().find(|word| !word.is_mark())?;
    let found = context.dates().iter().find(|found| {
        found.span.contains(&first.start) || {
            let lead = set!("at|on|by|come|for|from|around|about|before|sometime|this|every|in").has(&first.key);
            lead && clause.get(1).is_some_and(|word| found.span.contains(&word.start))
        }
    })?;
    let from = clause.iter().position(|word| word.start >= found.span.end)?;
    let (rest, _) = strip(&clause[from..]);
    let first = rest.iter().find(|word| !word.is_mark())?;
    let asks = set!("i|we|id|please|remind|add|put|need|set|create|make|ill|wed|give|can|could|nudge|ping|want|dont");
    if !asks.has(&first.key) {
        return None;
    }
    let Part::Add { mut items, unless_there } = grammatical::grammatical(rest, context, |rule| rule == Rule::Add)?
    else {
        return None;
    };
    if items.iter().any(|item| item.due.is_some()) {
        return None;
    }
    for item in &mut items {
        item.due = Some(found.when.due.as_str().to_owned());
        item.recurrence.clone_from(&found.when.recurrence);
    }
    Some(Part::Add { items, unless_there })
}
