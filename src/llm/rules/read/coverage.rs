//! Coverage: detects words of a message that no field contains, so that nothing is lost silently.

use crate::domain::time::Timestamp;
use crate::domain::when;
use crate::llm::rules::lex::matching::{stem, stems};
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::{Kind, Word, words};
use crate::llm::rules::normalise::{contrast, corrections, spoken_fields};
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::courtesy::strip;
use crate::llm::rules::read::intent::{Edits, NewItem, Part, Tags, Target, target_of};
use crate::llm::rules::read::target::{number, places};
use crate::llm::rules::read::{grammar, said};

/// Parts of a day, without a time.
const DAY_PARTS: Set = file_set!("day_parts");
/// Words around a request.
const SPOKEN: Set = file_set!("spoken_words");
/// Units of shifts of a due date.
const UNITS: Set = set("minute|minutes|hour|hours|day|days|week|weeks|fortnight|fortnights|month|months|year|years");
/// Words that begin a reason.
const BECAUSE: Set = set("because|cos|coz|cuz|cause|since");

/// Bytes of a due date without a time.
const DAY: usize = 10;

/// Adds a remark on the words that new tasks ignore.
pub(in crate::llm::rules) fn told(mut parts: Vec<Part>, message: &[Word], context: Context) -> Vec<Part> {
    let remark = remark(&ignored(&parts, message, context), context.text);
    parts.extend(remark.map(Part::Say));
    parts
}

/// Returns true if a guess of new tasks ignores several words, so that it is no more than a question.
pub(in crate::llm::rules) fn loses(guess: &Part, message: &[Word], context: Context) -> bool {
    ignored(std::slice::from_ref(guess), message, context).len() >= 2
}

/// Returns the words that new tasks ignore; none for other requests.
fn ignored<'a>(parts: &[Part], message: &'a [Word], context: Context) -> Vec<&'a Word> {
    let items: Vec<&NewItem> = parts.iter().flat_map(added).collect();
    if items.is_empty() || !parts.iter().all(|part| matches!(part, Part::Add { .. })) {
        return vec![];
    }
    let timed = items.iter().any(|item| item.due.as_ref().is_some_and(|due| due.len() > DAY));
    let held = Held::of(parts);
    let dated = |word: &Word| context.dates().iter().any(|found| found.span.contains(&word.start));
    let lost = |word: &&Word| {
        let before = || message.iter().rfind(|other| other.end <= word.start);
        let counts = || before().is_some_and(|other| matches!(other.key.as_str(), "priority" | "prio"));
        let graded = || spoken_fields::field(&word.key).is_some() || word.key.len() == 1 && counts();
        if dated(word) {
            !timed && DAY_PARTS.has(&word.key)
        } else {
            !(held.has(word) || grammar::speaks(&word.key) || graded())
        }
    };
    message.iter().filter(|word| !is_sign(word) && lost(word)).collect()
}

/// Returns the remark on words that the changes ignore; `None` for a message that only adds, asks or reads.
pub(in crate::llm::rules) fn unclaimed(parts: &[Part], text: &str, now: &Timestamp, zone: &str) -> Option<String> {
    let changes = |part: &Part| matches!(part, Part::Happened(_)) || target_of(part).is_some();
    let looks = |part: &Part| matches!(part, Part::Get(_) | Part::List(_));
    let open = parts.iter().any(|part| matches!(part, Part::Ask { .. } | Part::Refuse(_) | Part::Say(_)));
    if open || !parts.iter().any(changes) || parts.iter().all(looks) {
        return None;
    }
    let held = Held::of(parts);
    let mut dates = when::find(text, now, zone);
    // A date that the message rejects needs no field.
    let right = corrections::uncontrasted(text, &dates).map(|right| right.text);
    if let Some(right) = &right {
        dates = when::find(right, now, zone);
    }
    let text = right.as_deref().unwrap_or(text);
    let message = contrast::intended(words(text));
    let moves = parts.iter().any(moves);
    let dated = |word: &Word| {
        let alone =
            || when::parse(&word.key, now, zone).or_else(|| when::parse(&format!("the {}", word.key), now, zone));
        dates.iter().any(|found| found.span.contains(&word.start))
            || moves && (UNITS.has(&word.key) || alone().is_some())
    };
    let lost = |word: &&Word| !(is_sign(word) || dated(word) || held.has(word) || grammar::speaks(&word.key));
    // A reason needs no field: "delete the beer, nobody drinks it".
    let body = strip(&message).0;
    let because = body.iter().position(|word| BECAUSE.has(&word.key)).unwrap_or(body.len());
    let pieces = body[..because].split(|word| word.is_mark() && matches!(word.key.as_str(), "," | "." | ";" | "-"));
    let told =
        pieces.enumerate().filter(|(place, piece)| *place == 0 || !(said::states(piece) || said::excuses(piece)));
    let lost: Vec<&Word> = told.flat_map(|(_, piece)| piece.iter().filter(lost)).collect();
    remark(&lost, text)
}

/// Returns the remark on words of a description that the task's title lacks; `None` for fewer than two.
pub(in crate::llm::rules) fn beyond(text: &str, title: &str) -> Option<String> {
    let has = stems(title);
    let said = words(text);
    let lost = |word: &&Word| {
        let known = SPOKEN.has(&word.key) || has.contains(&stem(&word.key)) || grammar::speaks(&word.key);
        !(is_sign(word) || known)
    };
    let lost: Vec<&Word> = said.iter().filter(lost).collect();
    remark(&lost, text).filter(|_| lost.len() >= 2)
}

/// Returns true if a part sets or shifts a due date.
fn moves(part: &Part) -> bool {
    matches!(part, Part::Edit { edit, .. } if edit.due.is_some() || edit.shift.is_some() || edit.recurrence.is_some())
}

fn remark(lost: &[&Word], text: &str) -> Option<String> {
    let named: Vec<&str> = lost.iter().filter_map(|word| text.get(word.start..word.end)).collect();
    (!named.is_empty()).then(|| format!("I did not use “{}”.", named.join(" ")))
}

fn added(part: &Part) -> &[NewItem] {
    if let Part::Add { items, .. } = part { items } else { &[] }
}

/// Returns true for punctuation, quotations, priorities and folded phrases.
fn is_sign(word: &Word) -> bool {
    let level = matches!(word.key.as_str(), "p1" | "p2" | "p3" | "p4");
    word.is_mark() || word.kind == Kind::Quoted || level || word.key.chars().any(char::is_uppercase)
}

/// The words that parts contain.
struct Held {
    text: String,
    stems: Vec<String>,
    /// True if a task is named by number or ordinal.
    counts: bool,
}

impl Held {
    fn of(parts: &[Part]) -> Self {
        let texts: Vec<&str> = parts.iter().flat_map(texts).collect();
        let text = texts.join(" ").to_lowercase().replace(['\'', '’'], "");
        let stems = text.split(|c: char| !c.is_alphanumeric()).map(stem).collect();
        let counted = |part: &Part| matches!(target_of(part), Some(Target::Numbers(_) | Target::Places(_)));
        Self { text, stems, counts: parts.iter().any(counted) }
    }

    fn has(&self, word: &Word) -> bool {
        let key = word.key.trim_start_matches(['#', '@']);
        self.text.contains(key)
            || SPOKEN.has(key)
            || self.stems.contains(&stem(key))
            || self.counts && (number(key, true).is_some() || places(&[key]).is_some())
    }
}

fn texts(part: &Part) -> Vec<&str> {
    let mut texts: Vec<&str> = added(part).iter().flat_map(of_item).collect();
    match target_of(part) {
        Some(Target::Words { text, .. } | Target::Said(text)) => texts.push(text),
        Some(Target::All(scope)) => {
            texts.extend([&scope.words, &scope.project, &scope.tag].into_iter().flatten().map(String::as_str));
            if let Some(Target::Words { text, .. }) = scope.except.as_deref() {
                texts.push(text);
            }
        }
        Some(Target::Numbers(_) | Target::Places(_) | Target::It | Target::Them | Target::Missing) | None => {}
    }
    match part {
        Part::Edit { edit, .. } => texts.extend(of_edits(edit)),
        Part::Happened(told) => texts.push(told),
        Part::List(query) => texts.extend(query.words.as_deref()),
        _ => {}
    }
    texts
}

fn of_item(item: &NewItem) -> Vec<&str> {
    let single = [Some(&item.title), item.description.as_ref(), item.project.as_ref(), item.shop.as_ref()];
    single.into_iter().flatten().chain(&item.tags).map(String::as_str).collect()
}

fn of_edits(edit: &Edits) -> Vec<&str> {
    let mut texts: Vec<&str> = edit.title.as_deref().into_iter().chain(edit.description.as_deref()).collect();
    texts.extend(edit.rejected.as_deref());
    texts.extend(edit.project.iter().flatten().map(String::as_str));
    texts.extend(edit.reword.iter().flat_map(|reword| reword.texts()));
    if let Some(Tags::Add(names) | Tags::Remove(names)) = &edit.tags {
        texts.extend(names.iter().map(String::as_str));
    }
    texts
}
