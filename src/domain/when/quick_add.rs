//! The quick-add line: a title with markers for project, tags, priority and dates (UX.md, Quick add).

use super::When;
use super::sentence::{self, Found};
use super::tokens::{Moment, narrow};
use crate::domain::excision::{Stretch, Walk, covered, remainder};
use crate::domain::rule::{End, Rule};
use crate::domain::series::timed;
use crate::domain::task::{Due, Priority};
use crate::domain::time::{CivilDate, Timestamp};

/// Meaning of a span of the line.
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

/// A recognised span, in byte offsets of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    pub start: usize,
    pub end: usize,
    pub kind: SpanKind,
}

/// A parsed line. The title is the rest of the line; empty if nothing is left.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QuickAdd {
    pub title: String,
    pub due: Option<Due>,
    pub recurrence: Option<String>,
    pub priority: Option<Priority>,
    pub project: Option<String>,
    pub tags: Vec<String>,
    pub spans: Vec<Span>,
}

/// Parses a quick-add line. Of several dates the last one counts and the others stay in the title. A line of dates alone is a
/// title.
pub fn quick_add(text: &str, now: &Timestamp, zone: &str) -> QuickAdd {
    quick_add_but(text, &[], now, zone)
}

/// Parses a line like [`quick_add`], but treats each whole-word occurrence of `plain` as text only.
pub fn quick_add_but(text: &str, plain: &[String], now: &Timestamp, zone: &str) -> QuickAdd {
    let mut line = QuickAdd::default();
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
    // Markers are blanked, not cut, so that offsets stay valid. Plain text is covered with letters, so that the text around it
    // does not form a date.
    let rest = covered(&covered(text, &mut removed, " "), &mut kept, "q");
    let (mut dates, broken) = sentence::dates(&rest, &Moment::new(now, zone));
    // A line with only dates is a name: "Halloween", "28 Years Later".
    dates.retain(|found| !sentence::bracketed(&rest[..found.span.start]));
    if broken || !wordy(&rest, &dates) {
        dates.clear();
    }
    for join in [apart, beginning] {
        let Some((day, joined)) = join(&rest, &dates, now, zone) else { continue };
        line.spans.push(Span { start: day.start, end: day.end, kind: SpanKind::Due });
        removed.push(day);
        dates = vec![joined];
    }
    // Use none of two separate dates, unless the last ends the line and the others belong to the title.
    if let [others @ .., last] = dates.as_slice()
        && !(others.iter().all(|found| sentence::belongs(&rest, found))
            && !rest[last.span.end..].contains(char::is_alphanumeric)
            || others.is_empty())
    {
        dates.clear();
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
    line.title = remainder(text, &mut removed);
    line
}

/// Returns true if words other than markers and joining words are left around the dates.
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

/// Joins a day and a time with other words between them ("tomorrow meeting at 10 am"). Returns the day's range, and the time's
/// range with both meanings.
fn apart(text: &str, dates: &[Found], now: &Timestamp, zone: &str) -> Option<(Stretch, Found)> {
    let [.., day, time] = dates else { return None };
    let plain = matches!(day.when.due, Due::Date(_)) && time.when.recurrence.is_none();
    let repeats = day.when.recurrence.is_some();
    let lone = !repeats || super::only_time(&text[time.span.clone()], now, zone);
    let clock = matches!(time.when.due, Due::At { .. }) && plain && lone;
    let both = format!("{} {}", &text[day.span.clone()], &text[time.span.clone()]);
    let when = super::parse(&both, now, zone).filter(|when| {
        clock && (repeats || when.due.day() == day.when.due.day()) && when.recurrence.is_some() == repeats
    })?;
    Some((day.span.clone(), Found { span: time.span.clone(), when }))
}

/// Joins a recurrence and its first day, in either order ("dentist friday every 6 months"). Returns the day's range, and the
/// recurrence's from that day on. A day that the rule does not include must be marked as a beginning.
pub(super) fn beginning(text: &str, dates: &[Found], now: &Timestamp, zone: &str) -> Option<(Stretch, Found)> {
    let [.., first, second] = dates else { return None };
    let (rule, day) = if first.when.recurrence.is_some() { (first, second) } else { (second, first) };
    let followed = Rule::parse(rule.when.recurrence.as_deref()?).filter(|_| day.when.recurrence.is_none())?;
    let begins = CivilDate::parse(day.when.due.day()).ok()?.to_jiff();
    let said = text[day.span.clone()].to_lowercase();
    // "until 30 june every day"
    if ["until", "till", "through", "thru"].iter().any(|word| said.starts_with(word)) {
        let rule_until = Rule { end: Some(End::Until(begins)), ..followed };
        let due = timed(rule_until.first(Moment::new(now, zone).today())?, Some(&rule.when.due), None, zone)?;
        let when = When { due, recurrence: Some(rule_until.to_string()) };
        return Some((day.span.clone(), Found { span: rule.span.clone(), when }));
    }
    let date = followed.first(begins)?;
    if date != begins && !["starting", "beginning", "from", "commencing"].iter().any(|word| said.starts_with(word)) {
        return None;
    }
    let like = if let Due::At { .. } = day.when.due { &day.when.due } else { &rule.when.due };
    let when = When { due: timed(date, Some(like), None, zone)?, recurrence: rule.when.recurrence.clone() };
    Some((day.span.clone(), Found { span: rule.span.clone(), when }))
}

impl QuickAdd {
    /// Applies a marker (`#Project`, `@tag`, `p1`). The last of several priorities or projects counts.
    fn mark(&mut self, chunk: &str) -> Option<SpanKind> {
        let name = |prefix: char| {
            let name = chunk.strip_prefix(|sign| narrow(sign) == prefix)?;
            let sign = |c: char| pictured(c) || c.is_alphanumeric();
            let starts = name.starts_with(|c: char| pictured(c) || c.is_alphabetic());
            let fits =
                starts && name.chars().all(|c| sign(c) || matches!(c, '-' | '_' | '/' | '.' | '\u{200d}' | '\u{fe0f}'));
            (fits && !name.ends_with('.')).then(|| name.to_owned())
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

/// Returns true for emoji and other pictographs.
fn pictured(c: char) -> bool {
    matches!(c, '\u{2600}'..='\u{27bf}' | '\u{1f000}'..='\u{1faff}' | '\u{2b00}'..='\u{2bff}' | '\u{2190}'..='\u{21ff}')
}

/// Returns the whole-word occurrences of `words` in the text.
fn places(text: &str, words: &str) -> Vec<Stretch> {
    let apart = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
    let whole = |at: usize| apart(text[..at].chars().next_back()) && apart(text[at + words.len()..].chars().next());
    // An empty text would match everywhere.
    let found = text.match_indices(words).filter(|_| !words.trim().is_empty());
    found.filter(|(at, _)| whole(*at)).map(|(at, _)| at..at + words.len()).collect()
}

/// Returns the chunks outside quotes, separated by white space.
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

/// Returns the range of "no date" at the end.
fn no_date(text: &str) -> Option<Stretch> {
    let lower = text.to_ascii_lowercase();
    let trimmed = lower.trim_end();
    trimmed.ends_with(" no date").then(|| trimmed.len() - "no date".len()..trimmed.len())
}
