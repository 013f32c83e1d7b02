//! Headings and closing remarks of lists: “Add to project Choir:”, “Here is my list:”, “All of them in project X please”.

use crate::domain::task::Priority;
use crate::domain::time::Timestamp;
use crate::domain::when::{self, SpanKind};
use crate::llm::rules::clauses::joints::COMMANDS;
use crate::llm::rules::lex::frames::CHORES;
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::leads::{keys, led};
use crate::llm::rules::normalise::spoken_fields::{self, Fields};

/// Words of a list heading.
const HEADS: Set = file_set!("list_heads");
/// Words of a heading that announce a list.
const NOUNS: Set = file_set!("list_nouns");
/// Words of a remark that concerns all items of a list.
const CLOSINGS: Set = file_set!("list_closings");

/// The fields that apply to every item of a list.
#[derive(Debug, Default)]
pub(in crate::llm::rules) struct Head {
    pub day: Option<when::When>,
    pub project: Option<String>,
    pub tags: Vec<String>,
    pub priority: Option<Priority>,
    /// True if a word announces a list.
    pub lists: bool,
    /// True if every word is a field or announces the list.
    pub is_strict: bool,
    /// Words about the list's purpose, which fit no field.
    pub unused: Vec<String>,
}

impl Head {
    /// Adds the fields of a closing remark.
    pub fn with(mut self, other: Self) -> Self {
        self.day = self.day.or(other.day);
        self.project = self.project.or(other.project);
        self.tags.extend(other.tags);
        self.priority = self.priority.or(other.priority);
        self.unused.extend(other.unused);
        self
    }
}

/// Parses a heading: a date, fields, and words that announce a list; `None` if it contains anything else.
pub(in crate::llm::rules) fn head(text: &str, now: &Timestamp, zone: &str) -> Option<Head> {
    let (mut head, said) = taken(text, now, zone);
    head.lists = said.iter().any(|word| NOUNS.has(word));
    head.is_strict = true;
    // "supplier list:"
    if let [kind @ .., "list" | "lists"] = said.iter().map(String::as_str).collect::<Vec<_>>().as_slice()
        && (1..=3).contains(&kind.len())
        && !kind.iter().any(|word| COMMANDS.has(word) || CHORES.has(word))
    {
        head.unused = kind.iter().filter(|word| !HEADS.has(word)).map(|word| (*word).to_owned()).collect();
        return Some(head);
    }
    let mut at = 0;
    while at < said.len() {
        // “a list for the camping trip”
        if said[at] == "for" && head.lists && said.len() - at <= 4 && said[at + 1..].iter().any(|word| !HEADS.has(word))
        {
            head.unused = vec![said[at..].join(" ")];
            // “for the Christmas concert” names no day.
            head.day = None;
            break;
        }
        if !HEADS.has(&said[at]) {
            return None;
        }
        at += 1;
    }
    Some(head)
}

/// Parses the line before a list, of which no word becomes a task: “Here is my list for the concert, pasted from my notebook:”. A line
/// that is a request or a chore is none.
pub(in crate::llm::rules) fn introduction(line: &str, now: &Timestamp, zone: &str) -> Option<Head> {
    let line = line.trim_end_matches([':', ' ']);
    // “Oh dear. Let me try again. Add these for the choir:”
    let sentence = line.trim_end_matches(['.', '!']).rfind(['.', '!', '?']).map_or(0, |at| at + 1);
    let last = line[sentence..].trim();
    if let Some(head) = head(last, now, zone).filter(|head| head.lists || head.day.is_some() || head.project.is_some())
    {
        return Some(head);
    }
    let (count, title) = led(last);
    let first = keys(last).first().cloned().unwrap_or_default();
    // "List from the nursery:" orders nothing.
    let titled =
        first == "list" && keys(last).get(1).is_some_and(|next| matches!(next.as_str(), "from" | "for" | "of"));
    let chore = |text: &str| keys(text).first().is_some_and(|word| CHORES.has(word));
    let lists = keys(last)
        .iter()
        .any(|word| NOUNS.has(word) && !matches!(word.as_str(), "get" | "buy" | "pack" | "create" | "put"));
    if line.ends_with('?')
        || COMMANDS.has(&first) && !titled
        || chore(last)
        || count > 0 && !lists
        || count > 0 && chore(title)
    {
        return None;
    }
    let (head, said) = taken(last, now, zone);
    let told = said.iter().any(|word| !HEADS.has(word));
    // A day in prose, as in “from this morning's call”, is none of the tasks.
    Some(Head { day: None, unused: told.then(|| last.to_owned()).into_iter().collect(), ..head })
}

/// Parses a remark after a list that concerns all items, or only thanks.
pub(in crate::llm::rules) fn closing(line: &str, now: &Timestamp, zone: &str) -> Option<Head> {
    const ALL: Set = set("all|them|everything|these|those|each|they|both|every|lot|thanks|thank|cheers|thats");
    let said = keys(line);
    if !said.iter().any(|word| ALL.has(word)) || line.trim_end().ends_with('?') {
        return None;
    }
    let (head, said) = taken(line, now, zone);
    said.iter().all(|word| CLOSINGS.has(word)).then_some(head)
}

/// Returns the range and the occasion of a list's name, which is a project and no due date: “things for Christmas”.
fn purpose(text: &str, now: &Timestamp, zone: &str) -> Option<(std::ops::Range<usize>, String)> {
    const FEASTS: Set = file_set!("holidays");
    const THINGS: Set = set("things|stuff|bits|jobs|presents|gifts|food|list");
    let lower = text.to_ascii_lowercase();
    let at = lower.find(" for ")?;
    let start = lower[..at].rfind(' ').map_or(0, |space| space + 1);
    let name = lower[at + 5..].split(|c: char| !c.is_alphanumeric()).next().filter(|word| FEASTS.has(word))?;
    let end = at + 5 + name.len();
    let dated = when::find(text, now, zone).iter().any(|found| found.span.end == end);
    (THINGS.has(&lower[start..at]) && dated).then(|| (start..end, text[at + 5..end].to_owned()))
}

/// Takes the fields out of a line; returns them and the other words.
fn taken(line: &str, now: &Timestamp, zone: &str) -> (Head, Vec<String>) {
    let quick = when::quick_add(line, now, zone);
    let mut rest = line.to_owned();
    let marked = |kind: SpanKind| matches!(kind, SpanKind::Project | SpanKind::Tag | SpanKind::Priority);
    for span in quick.spans.iter().filter(|span| marked(span.kind)) {
        rest.replace_range(span.start..span.end, &" ".repeat(span.end - span.start));
    }
    let mut head = Head { project: quick.project, tags: quick.tags, priority: quick.priority, ..Head::default() };
    let (without, named) = spoken_fields::without_project(&rest);
    if head.project.is_none() && named.is_some() {
        (rest, head.project) = (without, named);
    }
    if let Some((without, Fields { tags, priority, .. })) = spoken_fields::told_of_all(&rest) {
        rest = without;
        head.tags.extend(tags);
        head.priority = head.priority.or(priority);
    }
    if let Some((range, name)) = purpose(&rest, now, zone) {
        rest.replace_range(range.clone(), &" ".repeat(range.len()));
        head.project.get_or_insert(name);
    }
    let dates = when::find(&rest, now, zone);
    for found in &dates {
        rest.replace_range(found.span.clone(), &" ".repeat(found.span.len()));
    }
    head.day = dates.into_iter().next_back().map(|found| found.when);
    // “Tag all of them #harris”: the marker after “tag” is a tag.
    let said = keys(&rest);
    if said.iter().any(|word| matches!(word.as_str(), "tag" | "tagged" | "label" | "tags"))
        && let Some(name) = head.project.take()
    {
        head.tags.push(name);
    }
    (head, said)
}
