//! A line typed into quick add: a title with marks for project, tags, priority and dates (UX.md, Quick add).

use super::rule::Rule;
use super::sentence::{Found, find};
use super::{Stretch, Walk, When, timed};
use crate::domain::task::{Due, Priority};
use crate::domain::time::{CivilDate, Timestamp};

/// What a stretch of the line was understood as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanKind {
    Due,
    Recurrence,
    Priority,
    Project,
    Tag,
}

impl SpanKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Due => "due",
            Self::Recurrence => "recurrence",
            Self::Priority => "priority",
            Self::Project => "project",
            Self::Tag => "tag",
        }
    }
}

/// A stretch that was understood, in byte offsets of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    pub start: usize,
    pub end: usize,
    pub kind: SpanKind,
}

/// A line as understood. The title is the rest of the line; empty if nothing is left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuickAdd {
    pub title: String,
    pub due: Option<Due>,
    pub recurrence: Option<String>,
    pub priority: Option<Priority>,
    pub project: Option<String>,
    pub tags: Vec<String>,
    pub spans: Vec<Span>,
}

/// Reads a quick-add line. Of several dates the last one counts and the others stay in the title; a line of dates alone
/// is a title.
pub fn quick_add(text: &str, now: &Timestamp, zone: &str) -> QuickAdd {
    quick_add_but(text, &[], now, zone)
}

/// The same, but every one of `plain` that stands in the line as words of its own is text and nothing else.
pub fn quick_add_but(text: &str, plain: &[String], now: &Timestamp, zone: &str) -> QuickAdd {
    let mut line = QuickAdd {
        title: String::new(),
        due: None,
        recurrence: None,
        priority: None,
        project: None,
        tags: vec![],
        spans: vec![],
    };
    let mut kept: Vec<Stretch> = plain.iter().flat_map(|words| places(text, words)).collect();
    let mut removed: Vec<Stretch> = vec![];
    let mut literal = Walk::along(&mut kept);
    for (stretch, chunk) in chunks(text) {
        if literal.meets(&stretch).is_some() {
            continue;
        }
        let Some(kind) = line.mark(chunk) else { continue };
        line.spans.push(Span { start: stretch.start, end: stretch.end, kind });
        removed.push(stretch);
    }
    // Marks are blanked, not cut, so that offsets stay true. What is kept is not blanked, or what stands on both sides
    // could make a date together.
    let rest = covered(&covered(text, &mut removed, " "), &mut kept, "q");
    let mut dates = find(&rest, now, zone);
    // A line that is nothing but dates is the name of something: "Halloween", "28 Years Later".
    if !wordy(&rest, &dates) {
        dates.clear();
    }
    if let Some((day, joined)) = apart(&rest, &dates, now, zone) {
        line.spans.push(Span { start: day.start, end: day.end, kind: SpanKind::Due });
        removed.push(day);
        dates = vec![joined];
    }
    if let Some((day, joined)) = beginning(&rest, &dates) {
        line.spans.push(Span { start: day.start, end: day.end, kind: SpanKind::Due });
        removed.push(day);
        dates = vec![joined];
    }
    if let Some(found) = dates.into_iter().next_back() {
        let kind = if found.when.recurrence.is_some() { SpanKind::Recurrence } else { SpanKind::Due };
        line.due = Some(found.when.due);
        line.recurrence = found.when.recurrence;
        line.spans.push(Span { start: found.span.start, end: found.span.end, kind });
        removed.push(found.span);
    } else if let Some(at) = no_date(&rest) {
        removed.push(at);
    }
    line.spans.sort_by_key(|span| span.start);
    line.title = title(text, &mut removed);
    line
}

/// The text with other bytes, as many, in place of the stretches.
fn covered(text: &str, stretches: &mut [Stretch], with: &str) -> String {
    let mut cover = Walk::along(stretches);
    let mut rest = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        match cover.meets(&(at..at + 1)) {
            Some(_) => rest.extend(std::iter::repeat_n(with, c.len_utf8())),
            None => rest.push(c),
        }
    }
    rest
}

/// Whether anything but marks and joining words is left beside the dates.
fn wordy(text: &str, dates: &[Found]) -> bool {
    let mut at = 0;
    let ends = dates.iter().map(|found| (found.span.start, found.span.end)).chain([(text.len(), text.len())]);
    ends.into_iter().any(|(start, end)| {
        let between = &text[at..start];
        at = end;
        between.split(|c: char| !c.is_alphanumeric()).any(|word| {
            !matches!(word.to_lowercase().as_str(), "" | "and" | "or" | "the" | "late" | "early" | "no" | "date")
        })
    })
}

/// A day and a time with other words between them ("tomorrow meeting at 10 am"): the day's stretch, and the time's
/// with both.
fn apart(text: &str, dates: &[Found], now: &Timestamp, zone: &str) -> Option<(Stretch, Found)> {
    let [.., day, time] = dates else { return None };
    let plain = matches!(day.when.due, Due::Date(_)) && day.when.recurrence.is_none() && time.when.recurrence.is_none();
    let clock = matches!(time.when.due, Due::At { .. }) && plain;
    let both = format!("{} {}", &text[day.span.clone()], &text[time.span.clone()]);
    let when = super::parse(&both, now, zone)
        .filter(|when| clock && when.due.day() == day.when.due.day() && when.recurrence.is_none())?;
    Some((day.span.clone(), Found { span: time.span.clone(), when }))
}

/// A recurrence and a day on which it begins, in either order ("dentist friday every 6 months"): the day's stretch, and the
/// recurrence's from that day on. A day on which the rule has none must say that it is the beginning.
fn beginning(text: &str, dates: &[Found]) -> Option<(Stretch, Found)> {
    let [.., first, second] = dates else { return None };
    let (rule, day) = if first.when.recurrence.is_some() { (first, second) } else { (second, first) };
    let followed = Rule::parse(rule.when.recurrence.as_deref()?).filter(|_| day.when.recurrence.is_none())?;
    let begins = CivilDate::parse(day.when.due.day()).ok()?.to_jiff();
    let date = followed.first(begins)?;
    let said = text[day.span.clone()].to_lowercase();
    if date != begins && !["starting", "beginning", "from"].iter().any(|word| said.starts_with(word)) {
        return None;
    }
    let like = if let Due::At { .. } = day.when.due { &day.when.due } else { &rule.when.due };
    let when = When { due: timed(date, Some(like))?, recurrence: rule.when.recurrence.clone() };
    Some((day.span.clone(), Found { span: rule.span.clone(), when }))
}

impl QuickAdd {
    /// Takes a chunk that is a mark (`#Project`, `@tag`, `p1`); of several priorities or projects the last counts.
    fn mark(&mut self, chunk: &str) -> Option<SpanKind> {
        let name = |prefix: char| {
            let name = chunk.strip_prefix(prefix)?;
            let starts = name.starts_with(char::is_alphabetic);
            (starts && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '/')))
                .then(|| name.to_owned())
        };
        if let Some(project) = name('#') {
            self.project = Some(project);
            return Some(SpanKind::Project);
        }
        if let Some(tag) = name('@') {
            if !self.tags.contains(&tag) {
                self.tags.push(tag);
            }
            return Some(SpanKind::Tag);
        }
        let priority =
            matches!(chunk, "p1" | "p2" | "p3" | "p4" | "P1" | "P2" | "P3" | "P4" | "!!1" | "!!2" | "!!3" | "!!4");
        if priority {
            self.priority = Priority::parse(&chunk.replace("!!", "p")).ok();
            return Some(SpanKind::Priority);
        }
        None
    }
}

/// Where `words` stand in the text, touched by no other letter or digit.
fn places(text: &str, words: &str) -> Vec<Stretch> {
    let apart = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
    let whole = |at: usize| apart(text[..at].chars().next_back()) && apart(text[at + words.len()..].chars().next());
    // An empty one stands everywhere and means nothing.
    let found = text.match_indices(words).filter(|_| !words.trim().is_empty());
    found.filter(|(at, _)| whole(*at)).map(|(at, _)| at..at + words.len()).collect()
}

/// The white-space separated chunks outside quotes.
fn chunks(text: &str) -> Vec<(Stretch, &str)> {
    let mut chunks = vec![];
    let mut quoted = false;
    let mut at = 0;
    for piece in text.split_inclusive(char::is_whitespace) {
        let chunk = piece.trim_end();
        let quotes = chunk.matches(['"', '“', '”']).count();
        if !chunk.is_empty() && !quoted && quotes == 0 {
            chunks.push((at..at + chunk.len(), chunk));
        }
        quoted ^= quotes % 2 == 1;
        at += piece.len();
    }
    chunks
}

/// "no date" at an edge.
fn no_date(text: &str) -> Option<Stretch> {
    let lower = text.to_ascii_lowercase();
    let trimmed = lower.trim_end();
    trimmed.ends_with(" no date").then(|| trimmed.len() - "no date".len()..trimmed.len())
}

/// What is left of the line, with single spaces and without quotes around literal text.
fn title(text: &str, removed: &mut [Stretch]) -> String {
    let mut removed = Walk::along(removed);
    let mut rest = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        if removed.meets(&(at..at + 1)).is_some() {
            if !rest.ends_with(' ') {
                rest.push(' ');
            }
        } else {
            rest.push(c);
        }
    }
    let joined = rest.split_whitespace().collect::<Vec<_>>().join(" ");
    let bare = joined.trim_matches([',', ' ', '-', '–']).trim();
    let quoted = bare.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).filter(|inner| !inner.contains('"'));
    quoted.unwrap_or(bare).to_owned()
}
