//! A message cut into its parts: courtesies go, clauses that ask for something stay, reasons lend their words to "it".

use super::intent::{Part, Target};
use super::lexicon::{ASKING, CLOSERS, COMMANDS, OPENERS, SURE_COMMANDS, WISHING};
use super::pattern::phrase_at;
use super::reading::{self, Context};
use super::scope;
use super::set::Set;
use super::talk;
use super::words::{Kind, Word, words};
use crate::domain::time::Timestamp;

/// The longest clause that is read as a request, in words.
const LONGEST: usize = 120;
/// The most parts of one message.
const MOST: usize = 24;

/// Everything that a message asks for, in order; never empty.
pub(super) fn parts(text: &str, now: &Timestamp, zone: &str) -> Vec<Part> {
    let message = words(text);
    let context = Context { text, now, zone };
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
        let raw = if text.trim_end().ends_with('?') { format!("{raw}?") } else { raw.to_owned() };
        found.push(pointing(clause, context).unwrap_or_else(|| scope::unread(clause, &raw, asked)));
    }
    if found.len() > 1 {
        let acts = |part: &Part| !matches!(part, Part::Say(_));
        if found.iter().any(acts) {
            found.retain(acts);
        }
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
        for phrase in CLOSERS.iter() {
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
    let short =
        Set("a.m|p.m|dr|mr|mrs|ms|st|no|nr|e.g|i.e|vs|approx|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|etc");
    if word.key == "." && at > 0 && short.has(&body[at - 1].key) {
        return None;
    }
    if stop_or_comma(word) && context.date(&body[from..at]).is_some() {
        return None;
    }
    let joins = matches!(word.key.as_str(), "and" | "then" | "also" | "plus" | "but" | "so") && !mark;
    let reason = matches!(word.key.as_str(), "because" | "cause" | "cos" | "cuz" | "coz") && !mark;
    if !(mark || joins || reason) {
        return None;
    }
    let mut next = at;
    while next < body.len()
        && (body[next].is_mark() || matches!(body[next].key.as_str(), "and" | "then" | "also" | "plus" | "but" | "so"))
    {
        next += 1;
    }
    if next >= body.len() || next == 0 {
        return None;
    }
    let (rest, asked) = strip(&body[next..]);
    let first = rest.iter().find(|word| !word.is_mark()).map_or("", |word| word.key.as_str());
    let stop = mark && matches!(word.key.as_str(), "." | "!" | "?" | ";" | "\n");
    let sure = SURE_COMMANDS.has(first)
        || matches!(first, "put" | "take" | "cross" | "check" | "remember" | "scrap")
            && rest.iter().any(|word| word.key == "LIST")
        || asked;
    let left_adds =
        reading::read(strip(&body[from..at]).0, context).is_some_and(|part| matches!(part, Part::Add { .. }));
    let wraps = matches!(first, "thats" | "its") && joins && !left_adds;
    let command = (COMMANDS.has(first) || wraps) && !(left_adds && !stop && !sure);
    let list_item = word.key == "\n" && left_adds && !sure;
    if mark
        && matches!(word.key.as_str(), ":" | "-")
        && reading::read(strip(&body[from..at]).0, context).is_some_and(|part| !matches!(part, Part::Happened(_)))
    {
        return None;
    }
    let excuse =
        stop_or_comma(word) && matches!(first, "i" | "we" | "its" | "im" | "ive" | "because" | "they") || reason;
    let lead = mark && !left_adds && body[from..at].len() >= 2 && !list_item && (stop || word.key == ":" && sure);
    if list_item || left_adds && !stop && !sure && !excuse {
        return None;
    }
    let tail_reads = !excuse && (sure || command) && reading::read(rest, context).is_some();
    (tail_reads || excuse || lead && stop).then_some(next)
}

fn stop_or_comma(word: &Word) -> bool {
    word.is_mark() && matches!(word.key.as_str(), "," | "." | ";" | "!" | "-")
}
