//! Projects and tags, as filters of a list and as values of a change.

use crate::llm::rules::lex::set::{Set, set};
use crate::llm::rules::normalise::words::{Kind, Word};
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::intent::Labels;
use crate::llm::rules::read::status;

/// Words before a project.
const INTO: Set = set("in|into|under|from|of|for|to|on|within");
/// Words before a tag.
const TAGGED: Set = set("tagged|labelled|labeled");

/// Returns the name in `#Work` or `@home`; a number after `#` is a task instead.
fn marked(word: &Word, mark: char) -> Option<&str> {
    let name = word.key.strip_prefix(mark)?;
    (word.kind == Kind::Plain && name.starts_with(char::is_alphabetic)).then_some(name)
}

/// Returns true if every word of a stretch is a tag, as in `@home and @garden`.
pub(in crate::llm::rules) fn are_tags(stretch: &[Word]) -> bool {
    let mut named = stretch.iter().filter(|word| !(word.is_mark() || word.key == "and")).peekable();
    named.peek().is_some() && named.all(|word| marked(word, '@').is_some())
}

/// Returns true if a stretch is only a project: `#Work`.
pub(in crate::llm::rules) fn is_project(stretch: &[Word]) -> bool {
    matches!(stretch, [word] if marked(word, '#').is_some())
}

/// Returns the tags that a stretch names, with or without `@`.
pub(in crate::llm::rules) fn tags(stretch: &[Word]) -> Vec<String> {
    let named = stretch.iter().filter(|word| !word.is_mark() && !matches!(word.key.as_str(), "and" | "the" | "tag"));
    named.map(|word| word.key.trim_start_matches(['@', '#']).to_owned()).collect()
}

/// Returns the project that a stretch names, as written.
pub(in crate::llm::rules) fn project(raw: &str) -> String {
    raw.trim_start_matches('#').to_owned()
}

/// Removes project, tags and "about …" from a clause; returns them and the rest.
pub(in crate::llm::rules) fn cut(clause: &[Word], context: Context) -> (Labels, Vec<Word>) {
    let mut labels = Labels::default();
    let mut rest: Vec<Word> = vec![];
    let mut at = 0;
    while at < clause.len() {
        at += take(clause, at, context, &mut rest, &mut labels);
    }
    (labels, rest)
}

/// Takes the label at `at` or copies the word to `rest`; returns the number of words consumed.
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
        if let Some((name, end)) = long_project(clause, at + 1 + article, context) {
            labels.project = Some(name);
            return end - at;
        }
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
    // "including the done ones" names no search words.
    let done =
        || status::done_ones(clause[at + 1..].iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()));
    if about && telling && at + 1 < clause.len() && !(set!("including|with").has(key(0)) && done()) {
        labels.words = Some(context.raw(&clause[at + 1..]).to_owned());
        return clause.len() - at;
    }
    rest.push(word.clone());
    1
}

/// Parses a project of several words at `from`: "Pennine Coffee project", "project Pennine Coffee"; returns its name and its end.
fn long_project(clause: &[Word], from: usize, context: Context) -> Option<(String, usize)> {
    let is_noun = |at: usize| clause.get(at).is_some_and(|word| word.key == "project" && !word.is_mark());
    let (name, end) = match (2..=4).find(|count| is_noun(from + count)) {
        Some(count) => (&clause[from..from + count], from + count + 1),
        None if is_noun(from) && (3..=4).contains(&(clause.len() - from)) => (&clause[from + 1..], clause.len()),
        None => return None,
    };
    names_project(name).then(|| (project(context.raw(name)), end))
}

/// Returns true if a stretch may be a project's name: up to three words without pronouns.
pub(in crate::llm::rules) fn names_project(stretch: &[Word]) -> bool {
    const VAGUE: Set =
        set("new|next|same|big|other|last|current|another|your|our|their|his|her|each|every|no|to|for|of|project");
    (1..=3).contains(&stretch.len()) && stretch.iter().all(|word| names(&word.key) && !VAGUE.has(&word.key))
}

/// Returns true if a word can be the name of a project or tag.
pub(in crate::llm::rules) fn names(key: &str) -> bool {
    key.starts_with(char::is_alphabetic)
        && !set!("LIST|TASK|TASKS|the|a|an|my|it|this|that|today|tomorrow|total|general|order|detail|full|all|and")
            .has(key)
}

/// Drops the words that introduce a label.
fn unlead(rest: &mut Vec<Word>, leads: Set, noun: &str) {
    while rest.last().is_some_and(|word| word.key == noun || leads.has(&word.key) || word.key == "the") {
        rest.pop();
    }
    if rest.last().is_some_and(|word| word.key == "and") && leads.has("tagged") {
        rest.pop();
    }
}
