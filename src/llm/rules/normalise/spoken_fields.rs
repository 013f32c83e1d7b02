//! Fields in words: “in project Choir”, “high prio”, “tag it #home”, at the end of a line, in a heading, or for a whole list.

use strsim::osa_distance;

use crate::domain::task::Priority;
use crate::domain::time::Timestamp;
use crate::domain::when;
use crate::llm::rules::lex::set::{Set, file_set, set};

/// Maximum words of a project's name.
const LONGEST_NAME: usize = 4;
/// Nouns that continue “project” to a title: “the project report”.
const DOCUMENTS: Set = file_set!("project_documents");
/// Words before “project” that make it a noun of the title: “the school project poster”.
const KINDS: Set = file_set!("project_kinds");

/// Fields other than dates.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::llm::rules) struct Fields {
    pub project: Option<String>,
    pub tags: Vec<String>,
    pub priority: Option<Priority>,
}

impl Fields {
    /// Adds the fields of another; returns false if one is set twice.
    fn join(&mut self, other: Self) -> bool {
        let twice =
            self.project.is_some() && other.project.is_some() || self.priority.is_some() && other.priority.is_some();
        if !twice {
            self.project = self.project.take().or(other.project);
            self.priority = self.priority.or(other.priority);
            self.tags.extend(other.tags);
        }
        !twice
    }
}

/// A word of a line in lower case, with the place of its letters.
struct Piece {
    key: String,
    start: usize,
    end: usize,
}

fn pieces(text: &str) -> Vec<Piece> {
    let edge = |c: char| !(c.is_alphanumeric() || matches!(c, '#' | '@' | '&'));
    let found = text.split_whitespace().map(|word| {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        let lead = word.len() - word.trim_start_matches(edge).len();
        let inner = word.trim_matches(edge);
        let key = inner.to_lowercase().replace(['\'', '’'], "");
        Piece { key, start: start + lead, end: start + lead + inner.len() }
    });
    found.filter(|piece| !piece.key.is_empty()).collect()
}

/// Returns the fields of a stretch that holds one field and nothing else: “very urgent”, “prio 2”, “in project Choir”, “tag it home”.
pub(in crate::llm::rules) fn field(segment: &str) -> Option<Fields> {
    let words = pieces(segment);
    if let Some(priority) = level(&words) {
        return Some(Fields { priority: Some(priority), ..Fields::default() });
    }
    if let Some(tags) = tags(&words) {
        return Some(Fields { tags, ..Fields::default() });
    }
    let whole = |found: &(usize, String)| {
        const LEADS: Set = set("it|its|goes|go|belongs|put|file|and|this|that|is|add");
        words.iter().take_while(|word| word.start < found.0).all(|word| LEADS.has(&word.key))
    };
    let named = project_at_end(segment).or_else(|| project_named_before(segment)).filter(whole);
    named.map(|(_, name)| Fields { project: Some(name), ..Fields::default() })
}

/// Returns the priority that the words consist of; “not urgent” is low, and a number needs “priority”.
fn level(words: &[Piece]) -> Option<Priority> {
    const NOISE: Set = set(
        "its|it|is|thats|this|very|really|quite|super|so|make|put|set|mark|give|as|with|at|a|an|to|level|please|pls|the|one|of|and|rather|\
         pretty|most|extremely|fairly|kinda|too|also|that|on|flag|flagged|marked",
    );
    let near = |key: &str, word: &str, most: usize| osa_distance(key, word) <= most && key.starts_with(&word[..1]);
    let noun = |key: &str| matches!(key, "prio" | "priority") || key.len() > 5 && near(key, "priority", 2);
    let spoken = words.iter().any(|word| noun(&word.key));
    let told: Vec<&str> =
        words.iter().map(|word| word.key.as_str()).filter(|key| !(NOISE.has(key) || noun(key))).collect();
    let (denied, key) = match told.as_slice() {
        [key] => (false, *key),
        ["not" | "isnt", key] => (true, *key),
        _ => return None,
    };
    let pressing = matches!(key, "urgent" | "important" | "critical" | "p1" | "crucial" | "essential")
        || key.len() > 4 && near(key, "urgent", 1)
        || key.len() > 6 && near(key, "important", 2);
    Some(match key {
        _ if pressing && denied => Priority::Low,
        _ if denied => return None,
        _ if pressing => Priority::High,
        "p2" => Priority::Medium,
        "p3" | "unimportant" => Priority::Low,
        "p4" => Priority::None,
        "high" | "highest" | "top" | "1" | "max" if spoken => Priority::High,
        "medium" | "normal" | "2" | "mid" | "middle" if spoken => Priority::Medium,
        "low" | "lowest" | "3" if spoken => Priority::Low,
        "no" | "none" | "4" if spoken => Priority::None,
        _ => return None,
    })
}

/// Returns the tags of “tag it home and garden” or “tagged #home”.
fn tags(words: &[Piece]) -> Option<Vec<String>> {
    const LEADS: Set =
        set("it|them|all|of|these|those|this|that|as|with|the|both|each|everything|please|tag|tags|label");
    let from = usize::from(words.first().is_some_and(|word| matches!(word.key.as_str(), "and" | "please")));
    let verb = words.get(from).is_some_and(|word| set!("tag|tags|tagged|label|labelled|labeled").has(&word.key));
    let rest = words.get(from + 1..).filter(|_| verb)?;
    let lead = rest.iter().take_while(|word| LEADS.has(&word.key)).count();
    let named = &rest[lead..];
    let end = named.len() - named.iter().rev().take_while(|word| matches!(word.key.as_str(), "please" | "too")).count();
    let (names, joints): (Vec<&Piece>, Vec<&Piece>) = named[..end].iter().partition(|word| word.key != "and");
    let names: Vec<String> = names.iter().map(|word| word.key.trim_start_matches(['#', '@']).to_owned()).collect();
    let plain = |name: &String| name.starts_with(char::is_alphabetic) && !LEADS.has(name);
    ((1..=4).contains(&names.len()) && joints.len() + 1 == names.len() && names.iter().all(plain)).then_some(names)
}

/// Returns the place and the name of a project at the end of a text: “… to a project called Shopping”, “…, project ward”.
pub(in crate::llm::rules) fn project_at_end(text: &str) -> Option<(usize, String)> {
    const ARTICLES: Set = set("a|an|the|my|our|new|this|that");
    const INTO: Set = set("to|in|into|under|for|onto|within|inside|from");
    let words = pieces(text);
    let at = words.iter().rposition(|word| word.key == "project")?;
    let mut end = words.len();
    while end > at + 1 && matches!(words[end - 1].key.as_str(), "please" | "pls" | "thanks" | "thx") {
        end -= 1;
    }
    let called = usize::from(words.get(at + 1).is_some_and(|word| matches!(word.key.as_str(), "called" | "named")));
    let name = words.get(at + 1 + called..end)?;
    let (first, last) = (name.first()?, name.last()?);
    let between = &text[words[at].end..first.start];
    let ends_behind = text[last.end..].chars().all(|c| !c.is_alphanumeric()) || end < words.len();
    let plain = name.iter().all(|word| is_name(&word.key)) && name.len() <= LONGEST_NAME;
    let broken = text[first.start..last.end].contains([',', ';', '\n', '(', '"', '“'])
        || between.contains([',', ';', '\n', '.', '-']);
    if !plain || broken || !ends_behind {
        return None;
    }
    let mut from = at;
    while from > 0 && ARTICLES.has(&words[from - 1].key) {
        from -= 1;
    }
    let owned = from < at;
    let led = from > 0 && INTO.has(&words[from - 1].key);
    from -= usize::from(led);
    let marked = from == 0 || text[words[from - 1].end..words[from].start].contains([',', ';', '-', '–', '(']);
    let large = text[first.start..].starts_with(char::is_uppercase);
    let document = DOCUMENTS.has(&last.key) && !large;
    const OPEN: Set = set(
        "on|about|with|of|over|by|at|and|or|is|are|discuss|finish|start|plan|review|present|continue|close|manage|lead",
    );
    let before = from.checked_sub(1).map(|at| &words[at]);
    let bare =
        before.is_some_and(|word| !(owned || KINDS.has(&word.key) || OPEN.has(&word.key) || large_word(text, word)));
    let is_project = called > 0 && (led || marked)
        || !document && (led || marked && (!owned || words[from].key == "new") || bare && from >= 2);
    is_project.then(|| (words[from].start, text[first.start..last.end].trim_start_matches('#').to_owned()))
}

/// Returns the place and the name of a project before its noun: “… in the Choir project”.
fn project_named_before(text: &str) -> Option<(usize, String)> {
    let words = pieces(text);
    let end = words.len() - words.iter().rev().take_while(|word| matches!(word.key.as_str(), "please" | "pls")).count();
    let at = end.checked_sub(1).filter(|at| words[*at].key == "project")?;
    let article = words[..at].iter().rposition(|word| matches!(word.key.as_str(), "the" | "my" | "our"))?;
    let from = article.checked_sub(1).filter(|from| set!("to|in|into|under|for|onto").has(&words[*from].key))?;
    let name = &words[article + 1..at];
    let plain = (1..=LONGEST_NAME).contains(&name.len()) && name.iter().all(|word| is_name(&word.key));
    plain.then(|| (words[from].start, text[name[0].start..name[name.len() - 1].end].to_owned()))
}

/// Returns the text without a project in words, and its name: for headings and remarks on a whole list.
pub(in crate::llm::rules) fn without_project(text: &str) -> (String, Option<String>) {
    match project_at_end(text).or_else(|| project_named_before(text)) {
        Some((from, name)) => (text[..from].to_owned(), Some(name)),
        None => (text.to_owned(), None),
    }
}

/// Returns a remark on a list without the tags or the priority that it gives to all: “tag all of them home”, “all high priority”.
pub(in crate::llm::rules) fn told_of_all(text: &str) -> Option<(String, Fields)> {
    let words = pieces(text);
    let rest = |from: usize| text[..words[from].start].to_owned();
    (0..words.len()).find_map(|from| {
        let priority = level(&words[from..]);
        if priority.is_some() {
            return Some((rest(from), Fields { priority, ..Fields::default() }));
        }
        let tags = tags(&words[from..])?;
        Some((rest(from), Fields { tags, ..Fields::default() }))
    })
}

fn large_word(text: &str, word: &Piece) -> bool {
    text[word.start..].starts_with(char::is_uppercase) && word.start > 0
}

/// Returns true if a word can be part of a project's name.
fn is_name(key: &str) -> bool {
    const OTHER: Set = set(
        "the|a|an|my|it|this|that|them|and|or|to|for|of|in|on|at|by|with|is|are|was|should|must|please|today|tomorrow|tonight|called|named|\
         project|projects|now|too|also|then|from|due|instead|as|because",
    );
    !OTHER.has(key)
}

/// Returns a line without the fields at its end, and the fields: “…, urgent”, “… (urgent, by friday)”, “…, project ward”. Dates in
/// brackets lose them.
pub(in crate::llm::rules) fn trailing(line: &str, now: &Timestamp, zone: &str) -> (String, Fields) {
    let (mut rest, mut fields) = (line.trim().to_owned(), Fields::default());
    loop {
        let trimmed = rest.trim_end_matches(['.', '!', ' ', ',', ';']);
        let found = bracket(trimmed, now, zone).or_else(|| segment(trimmed)).or_else(|| project_after_day(trimmed));
        let Some((before, found)) = found.filter(|(before, _)| before.contains(char::is_alphanumeric)) else { break };
        if !fields.join(found) {
            break;
        }
        rest = before;
    }
    (rest, fields)
}

/// Splits off a bracket of fields and dates.
fn bracket(line: &str, now: &Timestamp, zone: &str) -> Option<(String, Fields)> {
    let (before, inside) = line.strip_suffix(')')?.rsplit_once('(')?;
    let (mut fields, mut dates) = (Fields::default(), String::new());
    for part in inside.split([',', ';']) {
        if let Some(found) = field(part) {
            if !fields.join(found) {
                return None;
            }
        } else {
            let date = part.trim().trim_start_matches("due ");
            when::parse(date, now, zone)?;
            dates = format!("{dates} {date}");
        }
    }
    (fields != Fields::default()).then(|| (format!("{}{dates}", before.trim_end()), fields))
}

/// Splits off a field after the last comma or dash.
fn segment(line: &str) -> Option<(String, Fields)> {
    let marks = [", ", "; ", " - ", " – ", " — ", "! ", ". "];
    let (at, mark) = marks.iter().filter_map(|mark| line.rfind(mark).map(|at| (at, *mark))).max()?;
    let found = field(&line[at + mark.len()..])?;
    Some((line[..at].trim_end().to_owned(), found))
}

/// Splits off “project ward” without a mark.
fn project_after_day(line: &str) -> Option<(String, Fields)> {
    let (from, name) = project_at_end(line)?;
    Some((line[..from].trim_end().to_owned(), Fields { project: Some(name), ..Fields::default() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_at_the_end_of_a_line_are_split_off() {
        let now = Timestamp::parse("2026-03-11T09:30:00Z").unwrap();
        let cases = include_str!("../tests/fields.tsv");
        let shown = |fields: &Fields| {
            let priority = fields.priority.map_or("", |level| level.as_str());
            format!("{}\t{}\t{priority}", fields.project.as_deref().unwrap_or_default(), fields.tags.join(" "))
        };
        for line in cases.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (text, expected) = line.split_once('\t').unwrap();
            let (rest, fields) = trailing(text, &now, "Europe/London");
            assert_eq!(format!("{rest}\t{}", shown(&fields)), expected, "{text}");
        }
    }
}
