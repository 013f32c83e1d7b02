//! Splitting of a message into parts: strips courtesies, keeps requests, and uses statements to resolve "it".

use crate::domain::time::Timestamp;
use crate::llm::rules::lex::frames::COMMANDS;
use crate::llm::rules::lex::set::set;
use crate::llm::rules::normalise::words::{Kind, Word, words};
use crate::llm::rules::normalise::{contrast, corrections, mending, rewriting};
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::courtesy::{Clause, strip};
use crate::llm::rules::read::cuts::LONGEST;
use crate::llm::rules::read::cuts::clauses;
use crate::llm::rules::read::intent::points;
use crate::llm::rules::read::intent::{Part, Target, aim, target_of};
use crate::llm::rules::read::joining::join;
use crate::llm::rules::read::notes::Notes;
use crate::llm::rules::read::pointing::pointing;
use crate::llm::rules::read::redating::{self, Redated};
use crate::llm::rules::read::unclear::{self, too_long};
use crate::llm::rules::read::{
    asking, beforehand, classifier, coverage, dating, days, devices, forms, given, lending, listed, names, preface,
    reading, replacing, rewording, said, scope, score, several, sparing, status, talk, whose, wish,
};

/// Maximum parts of one message.
const MOST: usize = 24;

/// Minimum probability of a refusal for a message that nothing parses.
const FOREIGN: f64 = 0.5;

/// Returns all requests of a message, in order; never empty.
pub(in crate::llm::rules) fn parts(text: &str, now: &Timestamp, zone: &str) -> Vec<Part> {
    let smooth = mending::smooth(preface::without(text));
    let rewritten = rewriting::rewritten(smooth.as_ref());
    let text = corrections::unthanked(rewritten.as_ref());
    if let Some(part) = forms::form(text, now, zone) {
        return vec![part];
    }
    if let Some(part) = names::named(text, now, zone) {
        return vec![part];
    }
    if let Some(parts) = asking::but(text).and_then(|(text, but)| asking::without(parts(text, now, zone), but)) {
        return parts;
    }
    if let Some((before, reminder)) = beforehand::ahead(text, now, zone) {
        let found = if before.is_empty() { vec![] } else { parts(before, now, zone) };
        let reminder = reminder.part(&found, now, zone);
        return found.into_iter().chain([reminder]).collect();
    }
    let shared = given::shared_project(text);
    if let Some(parts) = shared.and_then(|(rest, name)| {
        given::filed(&rest, &name).or_else(|| given::with_project(parts(&rest, now, zone), &name))
    }) {
        return parts;
    }
    if let Some(parts) = listed::listed(text, now, zone) {
        return parts;
    }
    let notes = Notes::of(text, now, zone);
    if let Some((rest, aside)) = corrections::without_aside(text, &notes.dates) {
        let mut found = parts(&rest, now, zone);
        if found.iter().all(|part| matches!(part, Part::Add { .. })) {
            found.push(Part::Say(format!("I did not use “{aside}”.")));
        }
        return found;
    }
    if let Some(right) = corrections::uncontrasted(text, &notes.dates) {
        return contrasted(&right, parts_by(text, &notes, now, zone), now, zone);
    }
    if let Some(text) = corrections::corrected(text, &notes.dates) {
        return parts_by(&text, &Notes::of(&text, now, zone), now, zone);
    }
    match corrections::redated(text, &notes.dates) {
        Some(text) => parts_by(&text, &Notes::of(&text, now, zone), now, zone),
        None => parts_by(text, &notes, now, zone),
    }
}

/// Returns the parts of a message with a rejected date: “call mum at 6pm not half 5” moves a task unless a new one is requested.
fn contrasted(right: &corrections::Right, own: Vec<Part>, now: &Timestamp, zone: &str) -> Vec<Part> {
    // Not by `parts`: each of many rejected dates would read the message again.
    let read = |text: &str| parts_by(text, &Notes::of(text, now, zone), now, zone);
    if corrections::adds(&right.text) {
        return read(&right.text);
    }
    if own.iter().all(|part| target_of(part).is_some()) {
        return own;
    }
    let moved = right.order.as_deref().map(read);
    let moves = |parts: &Vec<Part>| matches!(parts.as_slice(), [Part::Edit { edit, .. }] if edit.due.is_some());
    moved.filter(moves).unwrap_or_else(|| read(&right.text))
}

/// Like [`parts`], by the grammar alone.
pub(in crate::llm::rules) fn certain_parts(text: &str, now: &Timestamp, zone: &str) -> Vec<Part> {
    parts_by(text, &Notes::of(text, now, zone).certain(), now, zone)
}

fn parts_by(text: &str, notes: &Notes, now: &Timestamp, zone: &str) -> Vec<Part> {
    let message = contrast::intended(words(text));
    let context = Context::new(text, now, zone, notes);
    if scope::forbidden(&message) {
        return vec![scope::foreign()];
    }
    if corrections::retracts(&message) {
        return vec![Part::Say("All right, nothing was changed. Say “show my tasks” to see your list.".to_owned())];
    }
    let doubted = unclear::doubted(&message, text).and_then(|named| pointing(named, context));
    if let Some(part) = doubted.or_else(|| talk::small_talk(&message)) {
        return vec![part];
    }
    let (body, asked) = strip(&message);
    if scope::wipes(body) {
        return vec![scope::settings()];
    }
    if scope::others_list(body, text)
        || scope::foreign_lead(body)
        || whose::somebodys(body, text)
        || devices::elsewhere(body, text)
        || devices::reckons(body)
    {
        return vec![scope::foreign()];
    }
    // An unstripped body has been checked for small talk already.
    let left = body.len() < message.len() && !asked;
    if let Some(part) = left.then(|| talk::small_talk(body)).flatten() {
        return vec![part];
    }
    if let Some(part) = unclear::spoken_of(body) {
        return vec![part];
    }
    if body.len() > LONGEST * 4 {
        return vec![too_long()];
    }
    let mut found = read(body, context, asked);
    let existing = |part: &Part| match part {
        Part::Complete(_) | Part::Reopen(_) | Part::Delete { .. } => true,
        // A note or a new name may contain "if".
        Part::Edit { edit, .. } => edit.description.is_none() && edit.reword.is_none() && !renames(body),
        _ => false,
    };
    if scope::conditional(body) && found.iter().any(acts_now) || scope::waits(body) && found.iter().any(existing) {
        found = vec![scope::no_conditions()];
    }
    found = score::weighed(found, body, context);
    // Remarks next to a request are dropped.
    let acts = |part: &Part| !matches!(part, Part::Say(_));
    let any = found.iter().any(acts);
    let acted = found.iter().any(|part| acts_now(part) || matches!(part, Part::List(_) | Part::Get(_)));
    let rest = |part: &mut Part| *part = Part::Ask { question: scope::REST.into(), options: vec![] };
    found.iter_mut().filter(|part| acted && **part == scope::foreign()).for_each(rest);
    coverage::told(join(found.into_iter().filter(|part| !any || acts(part)).collect()), &message, context)
}

/// Parses a message clause by clause.
pub(in crate::llm::rules) fn read(body: &[Word], context: Context, asked: bool) -> Vec<Part> {
    if let Some(part) = sparing::spared(body, context).or_else(|| rewording::put_right(body, context)) {
        return vec![part];
    }
    if let Some(part) = wish::due_work(body, context) {
        return vec![part];
    }
    let mut found = vec![];
    let mut said: Option<&[Word]> = None;
    let mut before: Option<Clause> = None;
    let cuts: Vec<Clause> = clauses(body, context).into_iter().map(Clause::of).collect();
    for clause in cuts.iter().copied() {
        if let Some(part) = before.and_then(|before| lending::titled(before, clause, found.last(), context)) {
            found.pop();
            found.push(part);
        } else if let Some(redated) = before.and_then(|before| redating::redated(before, clause, context)) {
            said = None;
            if let Redated::Due(part) = redated {
                found.push(*part);
            }
        } else if let Some(gone) = before.and_then(|before| replacing::taken_off(before.whole, clause.bare)) {
            found.push(Part::Delete { target: context.target(gone), unneeded: false });
        } else if let Some(part) = before.and_then(|before| several::another(before, clause, found.last(), context)) {
            found.push(part);
        } else if !given::field(clause.bare, &mut found, context) {
            read_clause(clause.bare, context, &mut said, &mut found);
        }
        before = Some(clause);
        if found.len() >= MOST {
            break;
        }
    }
    found.extend(left_over(&cuts, &found, context));
    if found.is_empty() {
        found.extend(happened(&cuts, said, context));
    }
    if found.is_empty() {
        found.push(unparsed(body, said, context, asked));
    }
    found
}

/// Returns the question about a duty next to other requests: "…, and Adobe needs cancelling by 3 December".
fn left_over(cuts: &[Clause], found: &[Part], context: Context) -> Option<Part> {
    let needs = |clause: &&Clause| {
        reading::read(clause.bare, context).is_none()
            && wish::is_dated(clause.bare, context)
            && wish::needed(clause.bare, context).is_some()
    };
    if found.is_empty() {
        return None;
    }
    // "mark the laundry as done and chase Bo on monday"
    let chore = |clause: &Clause| match reading::read(clause.bare, context) {
        None => wish::wished(clause.bare, context),
        Some(_) => None,
    };
    let clause = cuts.iter().skip(1).find(needs).map(|clause| scope::add_or_find(context.raw(clause.bare)));
    clause.or_else(|| cuts.iter().skip(1).find_map(chore))
}

/// Returns the part of a message in which no clause is a request.
fn unparsed(body: &[Word], said: Option<&[Word]>, context: Context, asked: bool) -> Part {
    let clause = said.unwrap_or(body);
    let raw = context.raw(clause);
    let raw = if context.text.trim_end().ends_with('?') { format!("{raw}?") } else { raw.to_owned() };
    let guess = || {
        let guess = classifier::guess(body, context).filter(|_| context.may_guess())?;
        let loses = coverage::loses(&guess, body, context);
        Some(if loses { scope::add_or_find(context.raw(body)) } else { guess })
    };
    let done = wish::done(body, context).filter(|_| !asked && !raw.ends_with('?'));
    if let Some(done) = done {
        return Part::Happened(context.raw(done).to_owned());
    }
    // "done" finishes nothing in particular.
    if body.iter().all(|word| word.is_mark() || status::FINISHED.has(&word.key)) {
        return Part::Complete(Target::Missing);
    }
    let read = devices::served(body)
        .then(scope::foreign)
        .or_else(|| wish::event_with_duty(body, context))
        .or_else(|| wish::wished(body, context))
        .or_else(|| dating::pointed(body, context).or_else(|| wish::appointment(body, context)))
        .or_else(|| wish::plain_chore(body, context).filter(|_| !asked))
        .or_else(|| pointing(clause, context))
        .or_else(|| verb_of_title(body, context))
        .or_else(|| unclear::advised(clause))
        .or_else(|| unclear::unclear(clause, context))
        .or_else(|| unclear::ought(body, context))
        .or_else(|| wish::needed(body, context))
        .or_else(guess);
    read.unwrap_or_else(|| {
        let odds = || classifier::odds(body, context).of(classifier::Kind::Refuse);
        let is_foreign = !wish::is_dated(body, context) && odds() > FOREIGN;
        let part = scope::unread(undated(clause, context), &raw, asked, is_foreign);
        wish::stated(body, &part, context).filter(|_| !asked).unwrap_or(part)
    })
}

/// Returns the completions of a message without a request: all of them ("walked the dog, paid the rent"), or the last one.
fn happened(cuts: &[Clause], said: Option<&[Word]>, context: Context) -> Option<Part> {
    let told = |clause: &[Word]| match reading::read(clause, context) {
        Some(Part::Happened(told)) => Some(told),
        _ => None,
    };
    let all: Option<Vec<String>> = cuts.iter().map(|clause| told(clause.bare)).collect();
    let told = all.map(|all| all.join(", ")).or_else(|| said.and_then(told));
    told.map(Part::Happened)
}

/// Returns a clause without its leading date or time: "tomorrow at five, call the vet".
fn undated<'a>(clause: &'a [Word], context: Context) -> &'a [Word] {
    let Some(first) = clause.first() else { return clause };
    let led = usize::from(matches!(first.key.as_str(), "on" | "at" | "by" | "in"));
    let Some(start) = clause.get(led).map(|word| word.start) else { return clause };
    let Some(found) = context.dates().iter().find(|found| found.span.contains(&start)) else { return clause };
    let from = clause.iter().position(|word| word.start >= found.span.end && !word.is_mark());
    from.map_or(clause, |from| &clause[from..])
}

/// Returns true if a message renames a task.
fn renames(body: &[Word]) -> bool {
    body.iter().any(|word| word.kind == Kind::Quoted || set!("rename|retitle|call|title|name|reword").has(&word.key))
}

/// Returns true if a part changes something unconditionally.
fn acts_now(part: &Part) -> bool {
    match part {
        Part::Add { unless_there, .. } => !unless_there,
        Part::Complete(_) | Part::Reopen(_) | Part::Delete { .. } | Part::Undo(_) | Part::Edit { .. } => true,
        Part::List(_) | Part::Get(_) | Part::Happened(_) | Part::Ask { .. } | Part::Say(_) | Part::Refuse(_) => false,
    }
}

/// Parses a command within a title: "complete delete old photos" completes the task of just that title.
fn verb_of_title(body: &[Word], context: Context) -> Option<Part> {
    let [first, title @ ..] = body else { return None };
    let skip = usize::from(title.first().is_some_and(|word| word.key == "off"));
    let title = &title[skip..];
    let completes =
        matches!(first.key.as_str(), "complete" | "finish" | "tick" | "check" | "cross" | "done" | "completed");
    let orders = title.len() >= 2 && COMMANDS.has(&title[0].key) && title.iter().all(|word| !word.is_mark());
    (completes && orders).then(|| Part::Happened(context.raw(title).to_owned()))
}

/// Returns the new task of a dated thing before another: "late shift tomorrow 13-21, don't forget the badge".
fn appointed(words: &[Word], part: &Part, context: Context) -> Option<Part> {
    let adds = |part: &Part| matches!(part, Part::Add { .. });
    wish::appointment(words, context).filter(|own| adds(part) && adds(own))
}

/// Returns true if a clause repeats a completion: "tick off the violets, I did them this morning".
fn did_it(part: &Part, last: Option<&Part>) -> bool {
    let points = matches!(part, Part::Complete(Target::Words { text, quoted: false, .. })
        if ["it ", "them ", "that ", "those "].iter().any(|lead| text.starts_with(lead)));
    points && matches!(last, Some(Part::Complete(_)))
}

/// Replaces a deletion by a change of the same title: "I changed my mind about the programmes, make it 80 instead of 60".
fn reworded(part: Part, found: &mut Vec<Part>) -> Part {
    match (&part, found.last()) {
        (Part::Edit { target, edit }, Some(Part::Delete { target: named, unneeded: true }))
            if points(target) && edit.reword.is_some() =>
        {
            let part = aim(&part, named.clone());
            found.pop();
            part
        }
        _ => part,
    }
}

/// Parses one clause without courtesies into `found`; keeps a statement in `said` to resolve "it" in the next clause.
fn read_clause<'a>(body: &'a [Word], context: Context, said: &mut Option<&'a [Word]>, found: &mut Vec<Part>) {
    if body.is_empty() || !found.is_empty() && said::excuses(body) {
        return;
    }
    if scope::wipes(body) {
        found.push(scope::settings());
        return;
    }
    let read = if body.len() > LONGEST { None } else { reading::read(body, context) };
    let replaces = replacing::replaces(found.last())
        && (days::instead(body, context) || replacing::swaps(found.last(), body, context));
    // "lose the pears, get plums instead": "get" also matches the rule for reading a task.
    let shows = matches!(read, None | Some(Part::Get(_)));
    let read = if replaces && shows { replacing::in_place(body, context).or(read) } else { read };
    match read {
        Some(part) => {
            if let Part::Happened(_) = part {
                if found.is_empty() {
                    *said = Some(body);
                }
                return;
            }
            // A reason is no request: "delete 3, it's done".
            let pointing = target_of(&part).is_some_and(points);
            let more = matches!((found.last(), &part), (Some(Part::Add { .. } | Part::Edit { .. }), Part::Edit { .. }));
            if pointing && !found.is_empty() && !more && said::states(body) {
                return;
            }
            if redating::repeats(&part, found.last(), body)
                || given::change(&part, found)
                || did_it(&part, found.last())
            {
                return;
            }
            // A completed task leaves the list anyway: "I finished it, so take it off".
            let off = body.iter().any(|word| matches!(word.key.as_str(), "off" | "LIST"));
            if off
                && matches!((found.last(), &part), (Some(Part::Complete(_)), Part::Delete { target, .. }) if points(target))
            {
                return;
            }
            let part = match said.take() {
                Some(words) => {
                    // "picked up the rug, now add return the van" also reports a completion.
                    let told = reading::read(words, context).filter(|told| matches!(told, Part::Happened(_)));
                    found.extend(told.filter(|_| matches!(part, Part::Add { .. })));
                    found.extend(appointed(words, &part, context));
                    lending::lend(part, words, body, context)
                }
                None => part,
            };
            let part = reworded(part, found);
            let asks = matches!(part, Part::Ask { .. });
            if !(asks && found.iter().any(|part| matches!(part, Part::Add { .. }))) {
                found.push(part);
            }
        }
        None if found.is_empty() && !(said.is_some() && said::states(body)) => *said = Some(body),
        None => {}
    }
}
