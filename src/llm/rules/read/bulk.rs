//! Commands for all tasks of a project, tag or day: "set everything in #Work to p1", "complete all tasks tagged home".

use crate::llm::rules::lex::set::{Set, set};
use crate::llm::rules::normalise::words::{Kind, Word};
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::grammatical::grammatical;
use crate::llm::rules::read::intent::{Edits, Part, Scope, Target, aim, target_of};
use crate::llm::rules::read::periods::day_at;
use crate::llm::rules::read::tails;

/// Maximum tokens of such a command.
const MOST: usize = 24;
/// Words after "all" that name no particular tasks.
const NOUNS: Set =
    set("of|my|the|our|TASKS|TASK|stuff|things|ones|items|jobs|LIST|that|thats|is|are|which|open|pending");
/// Words before a project, tag or day.
const LEADS: Set = set("in|from|of|under|on|with|for|at|due|within|tagged|labelled|labeled|by");

/// Parses a command for all tasks of a project, tag or day.
pub(in crate::llm::rules) fn ordered(clause: &[Word], context: Context) -> Option<Part> {
    if clause.len() > MOST {
        return None;
    }
    let (from, to, narrowed) = every(clause, context).or_else(|| of_day(clause, context))?;
    let all = Word { key: "everything".into(), start: clause[from].start, end: clause[to - 1].end, kind: Kind::Plain };
    let rest: Vec<Word> = clause[..from].iter().cloned().chain([all]).chain(clause[to..].iter().cloned()).collect();
    // "everything in Work a week later"
    let moved = || {
        let verb = Word { key: "move".into(), kind: Kind::Plain, ..rest.first()?.clone() };
        let ordered: Vec<Word> = std::iter::once(verb).chain(rest.iter().cloned()).collect();
        grammatical(&ordered, context, |_| true).filter(|_| from == 0)
    };
    let part = grammatical(&rest, context, |_| true).or_else(moved);
    let part = tails::excepting(&rest, part.as_ref(), context).or(part)?;
    let Some(Target::All(scope)) = target_of(&part) else { return None };
    let acts = match &part {
        Part::Complete(_) | Part::Delete { .. } | Part::Reopen(_) => true,
        Part::Edit { edit, .. } => *edit != Edits::default() && edit.title.is_none(),
        _ => false,
    };
    let scope = Scope { project: narrowed.project, tag: narrowed.tag, day: narrowed.day, ..scope.clone() };
    acts.then(|| aim(&part, Target::All(scope)))
}

/// Finds the range and the filter of "everything in #Work", "all my tasks tagged home" or "everything due friday".
fn every(clause: &[Word], context: Context) -> Option<(usize, usize, Scope)> {
    let from = clause.iter().position(|word| matches!(word.key.as_str(), "everything" | "all" | "every"))?;
    let nouns = clause[from + 1..].iter().take_while(|word| NOUNS.has(&word.key)).count();
    let (mut at, mut scope) = (from + 1 + nouns, Scope::default());
    // "set everything in Work due thursday" gives a date.
    let sets = from > 0 && set!("set|make|have|get|mark|change|put|want").has(&clause[from - 1].key);
    let given = |at: usize| {
        let due = at + clause[at..].iter().take_while(|word| matches!(word.key.as_str(), "to" | "be")).count();
        let day = || day_at(clause, due + 1, context);
        sets && clause.get(due).is_some_and(|word| word.key == "due")
            && day().is_some_and(|(last, _)| clause[last + 1..].iter().all(Word::is_mark))
    };
    while !given(at)
        && let Some(next) = narrowing(clause, at, &mut scope, context)
    {
        at = next;
    }
    let is_narrowed = scope.project.is_some() || scope.tag.is_some() || scope.day.is_some();
    is_narrowed.then_some((from, at, scope))
}

/// Parses a project, tag or day at `at`; returns the position after it.
fn narrowing(clause: &[Word], at: usize, scope: &mut Scope, context: Context) -> Option<usize> {
    let led = clause[at..]
        .iter()
        .take(2)
        .take_while(|word| LEADS.has(&word.key) || matches!(word.key.as_str(), "the" | "project" | "tag"))
        .count();
    let name = clause.get(at + led).filter(|word| !word.is_mark())?;
    let has = |key: &str| clause[at..at + led].iter().any(|word| word.key == key);
    let own = |mark: char| name.key.strip_prefix(mark).filter(|name| name.starts_with(char::is_alphabetic));
    let next = clause.get(at + led + 1).map_or("", |word| word.key.as_str());
    let raw = || context.raw(std::slice::from_ref(name)).trim_start_matches(['#', '@']).to_owned();
    let plain = name.kind == Kind::Plain && name.key.chars().all(char::is_alphanumeric);
    if own('#').is_some() && scope.project.is_none() {
        scope.project = Some(raw());
        return Some(at + led + 1);
    }
    if own('@').is_some() && scope.tag.is_none() {
        scope.tag = Some(raw());
        return Some(at + led + 1);
    }
    if plain && (has("tagged") || has("labelled") || has("labeled") || has("tag")) && scope.tag.is_none() {
        scope.tag = Some(raw());
        return Some(at + led + 1);
    }
    // "everything in Pennine Coffee": a name is written large.
    let large = |word: &&Word| word.kind == Kind::Plain && context.text[word.start..].starts_with(char::is_uppercase);
    let names = clause[at + led..].iter().take(3).take_while(large).count();
    let day = || day_at(clause, at + led, context).is_some();
    if scope.project.is_none() && names > 0 && has("in") && next != "project" && !day() {
        scope.project = Some(context.raw(&clause[at + led..at + led + names]).to_owned());
        return Some(at + led + names);
    }
    // "everything in shopping high priority"
    let valued = set!("high|low|medium|normal|urgent|due|to|as|done|except|but|p1|p2|p3|is|are").has(next);
    let named = has("in") && valued && crate::llm::rules::read::labels::names(&name.key);
    if plain && scope.project.is_none() && (next == "project" || has("project") || named) {
        scope.project = Some(raw());
        return Some(at + led + 1 + usize::from(next == "project"));
    }
    let day = scope.day.is_none() && led > 0 && !has("the");
    let (last, day) = day.then(|| day_at(clause, at + led, context)).flatten()?;
    scope.day = super::periods::wire(day);
    Some(last + 1)
}

/// Finds the range and the filter of "monday's stuff" or "tomorrow's tasks".
fn of_day(clause: &[Word], context: Context) -> Option<(usize, usize, Scope)> {
    const THINGS: Set = set("stuff|things|TASKS|ones|jobs|items");
    let from = clause.windows(2).position(|pair| pair[0].key.ends_with('s') && THINGS.has(&pair[1].key))?;
    let raw = context.raw(&clause[from..=from]);
    let day = raw.strip_suffix("'s").or_else(|| raw.strip_suffix("’s"))?;
    let found =
        crate::domain::when::parse(day, context.now, context.zone).filter(|found| found.recurrence.is_none())?;
    let scope = Scope { day: Some(found.due.day().to_owned()), ..Scope::default() };
    Some((from, from + 2, scope))
}
