//! Projects and tags: what narrows a list besides a day and a level, and what a change sets.

use super::intent::Labels;
use super::reading::Context;
use super::set::{Set, set};
use super::status;
use super::words::{Kind, Word};

/// Words that lead to a project.
const INTO: Set = set("in|into|under|from|of|for|to|on|within");
/// Words that lead to a tag.
const TAGGED: Set = set("tagged|labelled|labeled");

/// The name in `#Work` or `@home`; a number after `#` names a task instead.
fn marked(word: &Word, mark: char) -> Option<&str> {
    let name = word.key.strip_prefix(mark)?;
    (word.kind == Kind::Plain && name.starts_with(char::is_alphabetic)).then_some(name)
}

/// Whether every word of a stretch is a tag, as in `@home and @garden`.
pub(super) fn are_tags(stretch: &[Word]) -> bool {
    let mut named = stretch.iter().filter(|word| !(word.is_mark() || word.key == "and")).peekable();
    named.peek().is_some() && named.all(|word| marked(word, '@').is_some())
}

/// Whether a stretch is a project and nothing else: `#Work`.
pub(super) fn is_project(stretch: &[Word]) -> bool {
    matches!(stretch, [word] if marked(word, '#').is_some())
}

/// The tags that a stretch names, with or without `@`.
pub(super) fn tags(stretch: &[Word]) -> Vec<String> {
    let named = stretch.iter().filter(|word| !word.is_mark() && !matches!(word.key.as_str(), "and" | "the" | "tag"));
    named.map(|word| word.key.trim_start_matches(['@', '#']).to_owned()).collect()
}

/// The project that a stretch names, in the writer's own letters.
pub(super) fn project(raw: &str) -> String {
    raw.trim_start_matches('#').to_owned()
}

/// Takes project, tags and "about …" out of a clause; what is left is read as if they had not been said.
pub(super) fn cut(clause: &[Word], context: Context) -> (Labels, Vec<Word>) {
    let mut labels = Labels::default();
    let mut rest: Vec<Word> = vec![];
    let mut at = 0;
    while at < clause.len() {
        at += take(clause, at, context, &mut rest, &mut labels);
    }
    (labels, rest)
}

/// Takes the label that begins at `at`, or keeps the word there; how many words that were.
fn take(clause: &[Word], at: usize, context: Context, rest: &mut Vec<Word>, labels: &mut Labels) -> usize {
    let word = &clause[at];
    let name_at = |ahead: usize| Some(project(context.raw(&clause[at + ahead..=at + ahead])));
    let key = |ahead: usize| clause.get(at + ahead).filter(|word| !word.is_mark()).map_or("", |word| word.key.as_str());
    if marked(word, '#').is_some() {
        labels.project = name_at(0);
        unlead(rest, INTO, "project");
        return 1;
    }
    if let Some(name) = marked(word, '@') {
        labels.tags.push(name.to_owned());
        unlead(rest, TAGGED, "with");
        return 1;
    }
    if TAGGED.has(&word.key) && names(key(1)) {
        labels.tags.push(key(1).to_owned());
        return 2;
    }
    if key(0) == "with" && matches!((key(1), key(2)), ("the", "tag" | "label")) && names(key(3)) {
        labels.tags.push(key(3).to_owned());
        return 4;
    }
    if INTO.has(&word.key) {
        let article = usize::from(matches!(key(1), "the" | "my"));
        let (name, next) = (key(1 + article), key(2 + article));
        if name == "project" && names(next) {
            labels.project = name_at(2 + article);
            return 3 + article;
        }
        if names(name) && next == "project" {
            labels.project = name_at(1 + article);
            return 3 + article;
        }
        let after_tasks = rest.last().is_some_and(|word| matches!(word.key.as_str(), "TASKS" | "TASK"));
        if after_tasks && article == 0 && matches!(key(0), "in" | "under") && names(name) && at + 2 == clause.len() {
            labels.project = name_at(1);
            return 2;
        }
    }
    let about = matches!(key(0), "about" | "mentioning" | "containing" | "matching" | "including" | "called" | "named")
        || key(0) == "with"
            && (1..4)
                .all(|ahead| !set!("due|date|dates|deadline|deadlines|priority|tag|label|no|tags|a").has(key(ahead)));
    let telling = rest.last().is_some_and(|word| matches!(word.key.as_str(), "TASKS" | "TASK" | "LIST"));
    // "including the done ones" names no words.
    let done =
        || status::done_ones(clause[at + 1..].iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()));
    if about && telling && at + 1 < clause.len() && !(set!("including|with").has(key(0)) && done()) {
        labels.words = Some(context.raw(&clause[at + 1..]).to_owned());
        return clause.len() - at;
    }
    rest.push(word.clone());
    1
}

/// Whether a stretch may be the name of a project: up to three words, none of which points at something.
pub(super) fn names_project(stretch: &[Word]) -> bool {
    const VAGUE: Set =
        set("new|next|same|big|other|last|current|another|your|our|their|his|her|each|every|no|to|for|of|project");
    (1..=3).contains(&stretch.len()) && stretch.iter().all(|word| names(&word.key) && !VAGUE.has(&word.key))
}

/// Whether a word can be the name of a project or a tag.
pub(super) fn names(key: &str) -> bool {
    key.starts_with(char::is_alphabetic)
        && !set!("LIST|TASK|TASKS|the|a|an|my|it|this|that|today|tomorrow|total|general|order|detail|full|all|and")
            .has(key)
}

/// Drops the words before a label that only lead to it.
fn unlead(rest: &mut Vec<Word>, leads: Set, noun: &str) {
    while rest.last().is_some_and(|word| word.key == noun || leads.has(&word.key) || word.key == "the") {
        rest.pop();
    }
    if rest.last().is_some_and(|word| word.key == "and") && leads.has("tagged") {
        rest.pop();
    }
}
