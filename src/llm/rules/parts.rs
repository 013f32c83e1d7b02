//! A message cut into its parts: courtesies go, clauses that ask for something stay, reasons lend their words to "it".

use super::intent::{Part, Target};
use super::lexicon::{ASKING, CLOSERS, COMMANDS, OPENERS, SURE_COMMANDS, WISHING};
use super::pattern::phrase_at;
use super::reading::{self, Context, Notes};
use super::scope;
use super::set::Set;
use super::talk;
use super::words::{Kind, Word, words};
use crate::domain::time::Timestamp;

/// The longest clause that is read as a request, in words.
const LONGEST: usize = 120;
/// The most parts of one message.
const MOST: usize = 24;
/// How much of what stands around a mark is read to tell whether it divides two requests, in words.
const NEAR: usize = 20;
/// The longest stretch that may be a date, in words.
const LONGEST_DATE: usize = 12;
/// Abbreviations that a full stop belongs to.
const SHORT: Set =
    Set("a.m|p.m|dr|mr|mrs|ms|st|no|nr|e.g|i.e|vs|approx|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|etc");

/// Everything that a message asks for, in order; never empty.
pub(super) fn parts(text: &str, now: &Timestamp, zone: &str) -> Vec<Part> {
    let message = words(text);
    if scope::forbidden(&message) {
        return vec![scope::foreign()];
    }
    if let Some(part) = talk::small_talk(&message) {
        return vec![part];
    }
    let (body, asked) = strip(&message);
    if scope::wipes(body) {
        return vec![scope::settings()];
    }
    if let Some(part) = talk::small_talk(body).filter(|_| !asked) {
        return vec![part];
    }
    if body.len() > LONGEST * 4 {
        return vec![too_long()];
    }
    let notes = Notes::of(text, now, zone);
    let found = read(body, Context::new(text, now, zone, &notes), asked);
    // What is only said beside a request is no part of it.
    let acts = |part: &Part| !matches!(part, Part::Say(_));
    let any = found.iter().any(acts);
    found.into_iter().filter(|part| !any || acts(part)).collect()
}

/// Reads a message clause by clause.
pub(super) fn read(body: &[Word], context: Context, asked: bool) -> Vec<Part> {
    let mut found = vec![];
    let mut said: Option<&[Word]> = None;
    for clause in clauses(body, context) {
        read_clause(clause, context, &mut said, &mut found);
        if found.len() >= MOST {
            break;
        }
    }
    if found.is_empty()
        && let Some(part @ Part::Happened(_)) = said.and_then(|clause| reading::read(clause, context))
    {
        found.push(part);
    }
    if found.is_empty() {
        let clause = said.unwrap_or(body);
        let raw = context.raw(clause);
        let raw = if context.text.trim_end().ends_with('?') { format!("{raw}?") } else { raw.to_owned() };
        found.push(pointing(clause, context).unwrap_or_else(|| scope::unread(clause, &raw, asked)));
    }
    found
}

fn too_long() -> Part {
    Part::Ask {
        question: "That is too long for me to read as one request. A title has at most 200 characters; \
     for example: “add buy milk tomorrow”."
            .into(),
        options: vec![],
    }
}

/// A reference alone ("3", "#2", "the second one", "it"): what to do with it is the question.
fn pointing(clause: &[Word], context: Context) -> Option<Part> {
    let target = super::target::target(clause, context.text);
    let name = match &target {
        Target::Numbers(numbers) => format!("task {}", numbers.first()?),
        Target::Places(_) | Target::It | Target::Them | Target::Missing | Target::All(_) => {
            context.raw(clause).to_owned()
        }
        Target::Words { .. } => return None,
    };
    Some(Part::Ask {
        question: format!("What should I do with {name}? For example: “complete {name}”."),
        options: vec![format!("show {name}"), format!("complete {name}"), format!("delete {name}")],
    })
}

/// Reads one clause into `found`; a statement is kept in `said` for the "it" of the next clause.
fn read_clause<'a>(clause: &'a [Word], context: Context, said: &mut Option<&'a [Word]>, found: &mut Vec<Part>) {
    let (body, _) = strip(clause);
    if body.is_empty() {
        return;
    }
    if scope::wipes(body) {
        found.push(scope::settings());
        return;
    }
    let read = if body.len() > LONGEST { None } else { reading::read(body, context) };
    match read {
        Some(part) => {
            if let Part::Happened(_) = part {
                if found.is_empty() {
                    *said = Some(body);
                }
                return;
            }
            let part = match said.take() {
                Some(words) => lend(part, words, context),
                None => part,
            };
            let asks = matches!(part, Part::Ask { .. });
            if !(asks && found.iter().any(|part| matches!(part, Part::Add { .. }))) {
                found.push(part);
            }
        }
        None if found.is_empty() => *said = Some(body),
        None => {}
    }
}

/// Gives "it" the words of the statement before: "uploaded the photos, so you can complete that task".
fn lend(part: Part, said: &[Word], context: Context) -> Part {
    let named = || {
        let from = said.iter().position(|word| !(word.is_mark() || LEADS.has(&word.key))).unwrap_or(0);
        Target::Words { text: context.raw(&said[from..]).to_owned(), quoted: false, named: true }
    };
    if part == reading::ask_what() {
        return reading::add_words(said, context);
    }
    let points = |target: &Target| matches!(target, Target::It | Target::Them | Target::Missing);
    match part {
        Part::Complete(target) if points(&target) => Part::Complete(named()),
        Part::Delete { target, unneeded } if points(&target) => Part::Delete { target: named(), unneeded },
        Part::Reopen(target) if points(&target) => Part::Reopen(named()),
        Part::Get(target) if points(&target) => Part::Get(named()),
        other => other,
    }
}

const LEADS: Set =
    Set("i|ive|weve|we|have|just|already|finally|im|am|uploaded|did|was|changed|my|mind|about|the|finished|done|\
         with|its|is|been|think|no");

/// A clause without what politeness put around it, and whether it was asked for with "can you" and the like.
pub(super) fn strip(clause: &[Word]) -> (&[Word], bool) {
    let mut rest = clause;
    let mut asked = false;
    loop {
        let before = rest.len();
        while rest.first().is_some_and(Word::is_mark) {
            rest = &rest[1..];
        }
        if let Some(end) = longest(ASKING, rest) {
            asked |= rest[0].key != "help";
            rest = &rest[end..];
        }
        if let Some(end) = longest(WISHING, rest).filter(|end| commands(&rest[*end..])) {
            rest = &rest[end..];
        }
        if let Some(end) = longest(OPENERS, rest).filter(|end| *end < rest.len() && !kept(rest, *end)) {
            rest = &rest[end..];
        }
        if rest.len() == before {
            break;
        }
    }
    (close(rest), asked)
}

/// Openers that begin what they seem to introduce: "right now", "next week", "first one", "look at".
fn kept(clause: &[Word], end: usize) -> bool {
    let next = clause.get(end).map_or("", |word| word.key.as_str());
    match clause[0].key.as_str() {
        "no" => Set("longer|more|need|idea|problem|one|priority|date").has(next),
        "next" => !COMMANDS.has(next),
        "first" | "right" | "quick" | "now" | "finally" | "sorry" | "look" | "listen" | "computer" | "well" => {
            !(clause.get(end).is_some_and(Word::is_mark) || COMMANDS.has(next) || next == "i")
        }
        "just" => next == "finished" || next == "did" || next == "completed",
        _ => false,
    }
}

/// Whether a stretch begins with something that Docket does.
fn commands(clause: &[Word]) -> bool {
    let first = clause.iter().find(|word| !word.is_mark()).map_or("", |word| word.key.as_str());
    let read = Set("see|hear|view|know|look|access|write|place|include|uncross|jot|schedule|log|review|find|open|have")
        .has(first);
    let named =
        |word: &Word| word.kind == Kind::Quoted || matches!(word.key.as_str(), "LIST" | "TASK" | "TASKS" | "details");
    let listed = clause.iter().any(named);
    (COMMANDS.has(first) || read) && (listed || SURE_COMMANDS.has(first)) && first != "finish"
        || matches!(first, "see" | "hear" | "view") && listed
}

fn longest(phrases: Set, clause: &[Word]) -> Option<usize> {
    phrases.iter().filter_map(|phrase| phrase_at(phrase, clause, 0)).max().filter(|end| *end < clause.len())
}

/// A clause without its closing courtesies.
fn close(clause: &[Word]) -> &[Word] {
    let mut rest = clause;
    loop {
        let before = rest.len();
        while rest.last().is_some_and(|word| word.is_mark() && word.key != "?") {
            rest = &rest[..rest.len() - 1];
        }
        let plain = rest.iter().rposition(|word| !word.is_mark()).map_or(0, |at| at + 1);
        let last = if plain > 0 { rest[plain - 1].key.as_str() } else { "" };
        for phrase in CLOSERS.iter().filter(|phrase| phrase.ends_with(last)) {
            let length = phrase.split(' ').count();
            if plain > length && phrase_at(phrase, &rest[..plain], plain - length).is_some() {
                rest = &rest[..plain - length];
                break;
            }
        }
        if rest.len() == before {
            return rest;
        }
    }
}

/// Cuts a message where a new request, or a reason, begins.
fn clauses<'a>(body: &'a [Word], context: Context) -> Vec<&'a [Word]> {
    let conditional = body.len() <= LONGEST && body.iter().any(|word| matches!(word.key.as_str(), "if" | "unless"));
    if conditional && matches!(reading::read(body, context), Some(Part::Add { unless_there: true, .. })) {
        return vec![body];
    }
    let mut cuts = vec![];
    let mut from = 0;
    let mut at = 1;
    while at < body.len() {
        if let Some(next) = boundary(body, from, at, context) {
            cuts.push(&body[from..at]);
            from = next;
            at = next;
        }
        at += 1;
    }
    cuts.push(&body[from..]);
    cuts
}

/// Where the next clause begins if one ends before `at`.
fn boundary(body: &[Word], from: usize, at: usize, context: Context) -> Option<usize> {
    let word = &body[at];
    let mark = word.is_mark();
    let joins = joins(word) && !mark;
    let reason = matches!(word.key.as_str(), "because" | "cause" | "cos" | "cuz" | "coz") && !mark;
    if !(mark || joins || reason) || word.key == "." && SHORT.has(&body[at - 1].key) {
        return None;
    }
    let next = at + body[at..].iter().position(|word| !(word.is_mark() || self::joins(word)))?;
    let (rest, asked) = strip(near(&body[next..]));
    let first = rest.iter().find(|word| !word.is_mark()).map_or("", |word| word.key.as_str());
    let stop = ends(word);
    let sure = SURE_COMMANDS.has(first)
        || matches!(first, "put" | "take" | "cross" | "check" | "remember" | "scrap")
            && rest.iter().any(|word| word.key == "LIST")
        || asked;
    let excuse =
        stop_or_comma(word) && matches!(first, "i" | "we" | "its" | "im" | "ive" | "because" | "they") || reason;
    let wraps = matches!(first, "thats" | "its") && joins;
    if !(sure || COMMANDS.has(first) || wraps || excuse || stop) {
        return None;
    }
    let left = &body[from..at];
    if stop_or_comma(word) && left.len() <= LONGEST_DATE && context.date(left).is_some() {
        return None;
    }
    let dashes = mark && matches!(word.key.as_str(), ":" | "-");
    if excuse && !dashes {
        return Some(next);
    }
    let left_part = reading::read(strip(near(left)).0, context);
    if dashes && left_part.as_ref().is_some_and(|part| !matches!(part, Part::Happened(_))) {
        return None;
    }
    if excuse {
        return Some(next);
    }
    let left_adds = matches!(left_part, Some(Part::Add { .. }));
    if left_adds && !sure && (!stop || word.key == "\n") {
        return None;
    }
    let command = COMMANDS.has(first) || wraps && !left_adds;
    let lead = stop && !left_adds && left.len() >= 2;
    ((sure || command) && reading::asks(rest, context) || lead).then_some(next)
}

/// Words that may join two requests.
fn joins(word: &Word) -> bool {
    matches!(word.key.as_str(), "and" | "then" | "also" | "plus" | "but" | "so")
}

/// Whether a sentence or a line ends with this mark.
fn ends(word: &Word) -> bool {
    word.is_mark() && matches!(word.key.as_str(), "." | "!" | "?" | ";" | "\n")
}

/// The first sentence of a stretch, or its beginning, which tells what it asks for: to read all of it at each mark would take
/// for ever.
fn near(stretch: &[Word]) -> &[Word] {
    let end = stretch.iter().position(ends).map_or(stretch.len(), |at| at + 1);
    &stretch[..end.min(NEAR)]
}

fn stop_or_comma(word: &Word) -> bool {
    word.is_mark() && matches!(word.key.as_str(), "," | "." | ";" | "!" | "-")
}
