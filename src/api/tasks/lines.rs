//! Quick-add lines and the tasks that they describe.

use crate::api::ApiError;
use crate::api::repeated_field::RepeatedField;
use crate::domain::comparison::is_blank;
use crate::domain::task::{NewTask, Project, Tag, Title};
use crate::domain::time::Timestamp;
use crate::domain::when::QuickAdd;
use crate::domain::{Invalid, when};
use crate::messages::tasks as messages;

/// Largest number of tasks in one text.
const MAX_LINES: usize = 100;
/// Largest number of characters in a line, with its project, tags and dates.
const MOST_CHARACTERS: usize = 1000;
/// Largest number of phrases to be kept as text.
const MOST_PLAIN: usize = 20;

/// Parses a quick-add line; words in `plain` are always text.
pub fn read_line(line: &str, plain: Option<RepeatedField>, now: &Timestamp, zone: &str) -> Result<QuickAdd, Invalid> {
    let plain = plain.unwrap_or_default().0;
    if line.chars().nth(MOST_CHARACTERS).is_some() || plain.len() > MOST_PLAIN {
        return Err(Invalid::because(messages::line_too_long(MOST_CHARACTERS, MOST_PLAIN)));
    }
    Ok(when::quick_add_but(line, &plain, now, zone))
}

/// Converts a parsed line into a new task.
pub fn of_line(read: QuickAdd) -> Result<NewTask, Invalid> {
    Ok(NewTask {
        due: read.due,
        recurrence: read.recurrence,
        priority: read.priority.unwrap_or_default(),
        project: read.project.as_deref().map(Project::parse).transpose()?,
        tags: read_tags(read.tags)?,
        ..NewTask::titled(Title::parse(&read.title)?)
    })
}

/// Parses one task per non-empty line. The error names the line.
pub fn of_lines(text: &str, now: &Timestamp, zone: &str) -> Result<Vec<NewTask>, ApiError> {
    let lines: Vec<_> = text.lines().map(without_mark).filter(|line| !is_blank(line)).collect();
    if lines.is_empty() || lines.len() > MAX_LINES {
        return Err(Invalid::because(messages::give_lines(MAX_LINES, lines.len())).into());
    }
    let read = |(at, line): (usize, &&str)| {
        read_line(line, None, now, zone)
            .and_then(of_line)
            .map_err(|Invalid(why)| Invalid::because(messages::nothing_was_added(at + 1, &why)).into())
    };
    lines.iter().enumerate().map(read).collect()
}

/// Strips a list marker: `- milk`, `2. milk`, `[ ] milk`.
fn without_mark(line: &str) -> &str {
    let line = line.trim();
    let bullet = |line| ["- ", "* ", "• ", "– "].iter().find_map(|mark| str::strip_prefix(line, mark));
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = line[digits..].strip_prefix(". ").or_else(|| line[digits..].strip_prefix(") "));
    let rest = bullet(line).or(numbered.filter(|_| (1..=3).contains(&digits))).unwrap_or(line).trim_start();
    rest.strip_prefix("[ ] ").unwrap_or(rest).trim_start()
}

/// Parses tags, given one by one or separated by commas or spaces.
pub fn read_tags(tags: Vec<String>) -> Result<Vec<Tag>, Invalid> {
    let words = tags.iter().flat_map(|tag| tag.split([',', ' ']));
    Tag::several(words.filter(|word| !is_blank(word.trim_start_matches('@'))))
}
