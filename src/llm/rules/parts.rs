//! A message cut into its parts: courtesies go, clauses that ask for something stay, reasons lend their words to "it".

use super::classifier;
use super::clauses::clauses;
use super::courtesy::{Clause, strip};
use super::devices;
use super::forms;
use super::frames::COMMANDS;
use super::intent::{Part, Target, target_of};
use super::joining::join;
use super::lending::{self, points};
use super::mending;
use super::notes::Notes;
use super::placing;
use super::reading::{self, Context};
use super::redating::{self, Redated};
use super::replacing;
use super::rewording;
use super::said;
use super::scope;
use super::set::{Set, set};
use super::several;
use super::sparing;
use super::talk;
use super::unclear::{self, too_long};
use super::whose;
use super::words::{Kind, Word, words};
use crate::domain::time::Timestamp;

/// The longest clause that is read as a request, in words.
pub(super) const LONGEST: usize = 120;
/// The most parts of one message.
const MOST: usize = 24;

/// Everything that a message asks for, in order; never empty.
pub(super) fn parts(text: &str, now: &Timestamp, zone: &str) -> Vec<Part> {
    let smooth = mending::smooth(text);
    let text = smooth.as_ref();
    if let Some(part) = forms::form(text, now, zone) {
        return vec![part];
    }
    let notes = Notes::of(text, now, zone);
    match redated(text, &notes) {
        Some(text) => parts_by(&text, &Notes::of(&text, now, zone), now, zone),
        None => parts_by(text, &notes, now, zone),
    }
}

/// "call bob on tuesday, no, wednesday": the text without the day that was taken back.
fn redated(text: &str, notes: &Notes) -> Option<String> {
    const BETWEEN: Set =
        set("no|wait|sorry|actually|rather|i|mean|meant|make|that|it|oops|scratch|er|um|on|at|by|for|hmm|well|ah|oh");
    const TAKES_BACK: Set = set("no|sorry|actually|rather|mean|meant|oops|scratch|wait");
    if text.contains(['"', '“']) {
        return None;
    }
    let (first, second) = notes.dates.windows(2).map(|pair| (&pair[0], &pair[1])).find(|(first, second)| {
        let between = text.get(first.span.end..second.span.start).unwrap_or_default().to_lowercase();
        let said: Vec<&str> = between.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        said.iter().all(|word| BETWEEN.has(word)) && said.iter().any(|word| TAKES_BACK.has(word))
    })?;
    Some(format!("{}{}", &text[..first.span.start], &text[second.span.start..]))
}

/// The same by the grammar alone.
pub(super) fn certain_parts(text: &str, now: &Timestamp, zone: &str) -> Vec<Part> {
    parts_by(text, &Notes::of(text, now, zone).certain(), now, zone)
}

fn parts_by(text: &str, notes: &Notes, now: &Timestamp, zone: &str) -> Vec<Part> {
    let message = corrected(narrowed(words(text)));
    let context = Context::new(text, now, zone, notes);
    if scope::forbidden(&message) {
        return vec![scope::foreign()];
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
        || whose::somebodys(body, text)
        || devices::elsewhere(body, text)
        || devices::reckons(body)
    {
        return vec![scope::foreign()];
    }
    // What was left as it was has been looked at.
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
    let existing = |part: &Part| matches!(part, Part::Complete(_) | Part::Reopen(_) | Part::Delete { .. });
    if scope::conditional(body) && found.iter().any(acts_now) || scope::waits(body) && found.iter().any(existing) {
        found = vec![scope::no_conditions()];
    }
    // "add Sam's number to my contacts" reads like any other task.
    let quoted = body.iter().any(|word| word.kind == Kind::Quoted);
    let listed = body.iter().any(|word| matches!(word.key.as_str(), "LIST" | "TASK" | "TASKS" | "remind"));
    let own = quoted || listed || placing::errand(body) || placing::to_self(body);
    if matches!(found.as_slice(), [Part::Add { .. }] | [Part::Happened(_), Part::Add { .. }])
        && !own
        && classifier::foreign(body, context)
    {
        return vec![scope::foreign()];
    }
    // What is only said beside a request is no part of it.
    let acts = |part: &Part| !matches!(part, Part::Say(_));
    let any = found.iter().any(acts);
    join(found.into_iter().filter(|part| !any || acts(part)).collect())
}

/// "add nappies and wipes, actually just nappies": of what was named before only that stays.
fn narrowed(words: Vec<Word>) -> Vec<Word> {
    const LEADS: Set = set("no|wait|actually|sorry|scratch|oops|well|hmm|make|it|that");
    let key = |at: usize| words[at].key.as_str();
    let Some(at) =
        (3..words.len().saturating_sub(1)).find(|at| matches!(key(*at), "just" | "only") && LEADS.has(key(at - 1)))
    else {
        return words;
    };
    let lead = words[..at].iter().rposition(|word| !LEADS.has(&word.key)).filter(|lead| words[*lead].is_mark());
    let end = words.iter().rposition(|word| !word.is_mark()).map_or(words.len(), |last| last + 1);
    let again = lead.and_then(|lead| (1..lead).find(|place| words[*place].key == words[at + 1].key));
    match again.filter(|_| end > at + 1 && end - at <= 6) {
        Some(again) => [&words[..again], &words[at + 1..]].concat(),
        None => words,
    }
}

/// "add milk, no i mean bread": what was put right goes.
fn corrected(words: Vec<Word>) -> Vec<Word> {
    let key = |at: usize| words[at].key.as_str();
    const LEADS: Set = set("no|sorry|oops|wait|actually|whoops|er|or|rather");
    let Some(at) = (2..words.len()).find(|at| matches!(key(*at), "mean" | "meant") && key(at - 1) == "i") else {
        return words;
    };
    let lead = words[..at - 1].iter().rposition(|word| !(word.is_mark() || LEADS.has(&word.key)));
    let Some(lead) = lead.filter(|lead| lead + 1 < at - 1) else { return words };
    let edge = |word: &Word| word.is_mark() || word.key == "and";
    let end = words[at + 1..].iter().position(edge).map_or(words.len(), |found| at + 1 + found);
    let right = end - (at + 1);
    if right == 0 || right > 5 {
        return words;
    }
    let from = words[..=lead].iter().rposition(edge).map_or(0, |found| found + 1);
    let again = (from..=lead).rev().find(|place| words[*place].key == words[at + 1].key);
    let cut = again.unwrap_or_else(|| (lead + 1).saturating_sub(right).max(from));
    [&words[..cut], &words[at + 1..]].concat()
}

/// Reads a message clause by clause.
pub(super) fn read(body: &[Word], context: Context, asked: bool) -> Vec<Part> {
    if let Some(part) = sparing::spared(body, context).or_else(|| rewording::put_right(body, context)) {
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
        } else if let Some(part) = before.and_then(|before| several::another(before, clause, found.last(), context)) {
            found.push(part);
        } else {
            read_clause(clause.bare, context, &mut said, &mut found);
        }
        before = Some(clause);
        if found.len() >= MOST {
            break;
        }
    }
    if found.is_empty() {
        found.extend(happened(&cuts, said, context));
    }
    if found.is_empty() {
        let clause = said.unwrap_or(body);
        let raw = context.raw(clause);
        let raw = if context.text.trim_end().ends_with('?') { format!("{raw}?") } else { raw.to_owned() };
        let guess = || classifier::guess(body, context).filter(|_| context.may_guess());
        let read = devices::served(body)
            .then(scope::foreign)
            .or_else(|| pointing(clause, context))
            .or_else(|| verb_of_title(body, context))
            .or_else(|| unclear::unclear(clause, context))
            .or_else(|| unclear::ought(body, context))
            .or_else(guess);
        found.push(read.unwrap_or_else(|| scope::unread(undated(clause, context), &raw, asked)));
    }
    found
}

/// What was told to be done, where nothing was asked for: all of it ("walked the dog, paid the rent"), or what was said last.
fn happened(cuts: &[Clause], said: Option<&[Word]>, context: Context) -> Option<Part> {
    let told = |clause: &[Word]| match reading::read(clause, context) {
        Some(Part::Happened(told)) => Some(told),
        _ => None,
    };
    let all: Option<Vec<String>> = cuts.iter().map(|clause| told(clause.bare)).collect();
    let told = all.map(|all| all.join(", ")).or_else(|| said.and_then(told));
    told.map(Part::Happened)
}

/// A clause without the day or the time with which it begins: "tomorrow at five, call the vet".
fn undated<'a>(clause: &'a [Word], context: Context) -> &'a [Word] {
    let Some(first) = clause.first() else { return clause };
    let led = usize::from(matches!(first.key.as_str(), "on" | "at" | "by" | "in"));
    let Some(start) = clause.get(led).map(|word| word.start) else { return clause };
    let Some(found) = context.dates().iter().find(|found| found.span.contains(&start)) else { return clause };
    let from = clause.iter().position(|word| word.start >= found.span.end && !word.is_mark());
    from.map_or(clause, |from| &clause[from..])
}

/// Whether a part changes something, whatever was said of a condition.
fn acts_now(part: &Part) -> bool {
    match part {
        Part::Add { unless_there, .. } => !unless_there,
        Part::Complete(_) | Part::Reopen(_) | Part::Delete { .. } | Part::Edit { .. } => true,
        Part::List(_) | Part::Get(_) | Part::Happened(_) | Part::Ask { .. } | Part::Say(_) | Part::Refuse(_) => false,
    }
}

/// "complete delete old photos": the second order begins the title of the task that says just that.
fn verb_of_title(body: &[Word], context: Context) -> Option<Part> {
    let [first, title @ ..] = body else { return None };
    let skip = usize::from(title.first().is_some_and(|word| word.key == "off"));
    let title = &title[skip..];
    let completes =
        matches!(first.key.as_str(), "complete" | "finish" | "tick" | "check" | "cross" | "done" | "completed");
    let orders = title.len() >= 2 && COMMANDS.has(&title[0].key) && title.iter().all(|word| !word.is_mark());
    (completes && orders).then(|| Part::Happened(context.raw(title).to_owned()))
}

/// A reference alone ("3", "#2", "the second one", "it"): what to do with it is the question.
fn pointing(clause: &[Word], context: Context) -> Option<Part> {
    // "the second one i mean"
    let tail = clause.iter().rposition(|word| !set!("i|mean|meant|said|instead|rather").has(&word.key));
    let clause = instead_of(tail.map_or(clause, |last| &clause[..=last]));
    let target = super::target::target(clause, context.text);
    let name = match &target {
        Target::Numbers(numbers) => format!("task {}", numbers.first()?),
        Target::Places(_) | Target::It | Target::Them | Target::Missing | Target::All(_) => {
            context.raw(clause).to_owned()
        }
        // "the one about the shed"
        Target::Words { named: true, quoted: false, .. } if refers(clause) => context.raw(clause).to_owned(),
        Target::Words { quoted: false, .. } if another(clause) => context.raw(clause).to_owned(),
        Target::Words { .. } | Target::Said(_) => return None,
    };
    Some(Part::Ask {
        question: format!("What should I do with {name}? For example: “complete {name}”."),
        options: vec![format!("show {name}"), format!("complete {name}"), format!("delete {name}")],
    })
}

/// "the other", "a different one".
fn another(clause: &[Word]) -> bool {
    let keys: Vec<&str> = clause.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    set!("the other|the other one|another one|another|other one|a different one|the others|the different one|the next one")
        .has(&keys.join(" "))
}

/// "not that, the other one": what is meant instead.
fn instead_of(clause: &[Word]) -> &[Word] {
    const DENIED: Set = set("not|no|that|this|it|one|the|them|those|wrong|nope");
    let denied = clause.first().is_some_and(|first| matches!(first.key.as_str(), "not" | "wrong"));
    let mark = clause.iter().position(Word::is_mark).filter(|mark| *mark <= 4 && mark + 1 < clause.len());
    match mark.filter(|mark| denied && clause[..*mark].iter().all(|word| DENIED.has(&word.key))) {
        Some(mark) => &clause[mark + 1..],
        None => clause,
    }
}

/// Whether a stretch names a task and says nothing of it.
fn refers(clause: &[Word]) -> bool {
    let [first, rest @ ..] = clause else { return false };
    set!("the|that|my|this").has(&first.key)
        && (2..=8).contains(&rest.len())
        && rest.iter().any(|word| matches!(word.key.as_str(), "one" | "TASK"))
        && rest.iter().all(|word| !(word.is_mark() || set!("is|are|was|were|has|have|i|we|you|to|not").has(&word.key)))
        && !said::states(clause)
}

/// Reads one clause without its courtesies into `found`; a statement is kept in `said` for the "it" of the next clause.
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
        && (replacing::instead(body, context) || replacing::swaps(found.last(), body, context));
    // "lose the pears, get plums instead": to get is to show as well.
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
            if redating::repeats(&part, found.last(), body) {
                return;
            }
            // Whatever is done is off the list: "I finished it, so take it off".
            let off = body.iter().any(|word| matches!(word.key.as_str(), "off" | "LIST"));
            if off
                && matches!((found.last(), &part), (Some(Part::Complete(_)), Part::Delete { target, .. }) if points(target))
            {
                return;
            }
            let part = match said.take() {
                Some(words) => {
                    // "picked up the rug, now add return the van" tells of something done as well.
                    let told = reading::read(words, context).filter(|told| matches!(told, Part::Happened(_)));
                    found.extend(told.filter(|_| matches!(part, Part::Add { .. })));
                    lending::lend(part, words, body, context)
                }
                None => part,
            };
            let asks = matches!(part, Part::Ask { .. });
            if !(asks && found.iter().any(|part| matches!(part, Part::Add { .. }))) {
                found.push(part);
            }
        }
        None if found.is_empty() && !(said.is_some() && said::states(body)) => *said = Some(body),
        None => {}
    }
}
