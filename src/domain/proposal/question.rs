//! Approval questions as text: the sentence of R-602, a line per field, and the number of fields that did not fit.

use super::excerpt::shortened;
use super::{Dates, Item, Proposal, ShownField, isolated, items, visible};
use crate::domain::approval::{Approval, ApprovalCall, Fate, HINT, Preview};
use crate::domain::erasure::ERASED;
use crate::domain::id::TaskNumber;
use crate::domain::tool::ToolName;
use crate::messages::{approvals as messages, counts, tasks};

/// Beginning of each question.
const START: &str = "Are you sure you want to ";
/// Maximum number of tasks named in the sentence.
const NAMED: usize = 5;
/// Maximum characters of a title in the sentence, and before a field.
const NAME: usize = 60;

/// Markup of a text format.
#[derive(Debug)]
pub struct Style {
    quotes: (&'static str, &'static str),
    bullet: &'static str,
    /// True if the sentence says to answer with yes or no.
    hint: bool,
    /// False if existing tasks are named by number only.
    titles: bool,
}

impl Style {
    /// Returns true if values are quoted as code, which prevents Markdown in them.
    pub fn quotes_are_code(&self) -> bool {
        self.quotes.0 == "`"
    }
}

/// Plain text for an answer in words.
pub const CHAT: Style = Style { quotes: ("“", "”"), bullet: "• ", hint: true, titles: true };
/// Plain text for a reader without `tasks:read`: the values that the calls set, and no existing ones.
pub const NUMBERS: Style = Style { titles: false, ..CHAT };
/// Markdown: each line is a list item, each value is code.
pub const MARKDOWN: Style = Style { quotes: ("`", "`"), bullet: "- ", hint: false, titles: true };

/// Limits for the length of a question.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// Maximum of `measure`, including the link.
    pub most: usize,
    pub measure: fn(&str) -> usize,
    pub lines: usize,
    /// Maximum characters per side of a field.
    pub side: usize,
}

/// Returns the sentence that an approval asks, made from the stored calls and never from a model's words.
pub fn question(calls: &[ApprovalCall], previews: &[Preview]) -> String {
    sentence(calls, previews, &CHAT)
}

/// Returns the sentence without the titles of existing tasks (R-1103).
pub fn question_of_numbers(calls: &[ApprovalCall], previews: &[Preview]) -> String {
    sentence(calls, previews, &NUMBERS)
}

/// Returns the whole question: the sentence, every field that fits, and the number of others that `page` shows.
pub fn text(approval: &Approval, zone: &str, page: &str, style: &Style, room: &Room) -> String {
    let mut out = sentence(&approval.calls, &approval.preview, style);
    let items = items(&approval.calls, &approval.preview);
    let dates = Dates { zone, now: None };
    // Reserve room for the closing line.
    let closing = (room.measure)(&messages::and_more((99, "#"), (items.len(), 1), true, page)) + NAME;
    let most = room.most.saturating_sub(closing);
    let (mut used, mut lines, mut short) = ((room.measure)(&out), 0, false);
    for (at, item) in items.iter().enumerate() {
        let all = lines_of(&item.proposal(&dates), style, room.side);
        for (done, (line, is_short)) in all.iter().enumerate() {
            let line = format!("\n{line}");
            used += (room.measure)(&line);
            lines += 1;
            if used > most || lines > room.lines {
                // Count the remaining fields of this task, and the tasks not shown at all.
                let fields = if done == 0 { 0 } else { all.len() - done };
                let others = items.len() - at - usize::from(done > 0);
                let binned = items[items.len() - others..].iter().filter(|item| item.is_binned()).count();
                let name = item.task().map_or_else(|| messages::NEW_TASK.to_owned(), |number| format!("#{number}"));
                return out + "\n" + &messages::and_more((fields, &name), (others, binned), short, page);
            }
            out += &line;
            short |= is_short;
        }
    }
    if short { out + "\n" + &messages::in_full(page) } else { out }
}

/// Splits a reply into the text before its question, and the question.
pub fn split(reply: &str) -> (&str, Option<&str>) {
    let begins = |at: &usize| *at == 0 || reply.as_bytes()[at - 1] == b'\n';
    match reply.rmatch_indices(START).map(|(at, _)| at).find(begins) {
        Some(at) => (reply[..at].trim_end(), Some(&reply[at..])),
        None => (reply, None),
    }
}

fn sentence(calls: &[ApprovalCall], previews: &[Preview], style: &Style) -> String {
    // Only an erasure leaves an approval without calls.
    if calls.is_empty() {
        return ERASED.to_owned();
    }
    let (items, first) = (items(calls, previews), calls[0].tool);
    let asked = match (calls, items.as_slice()) {
        ([call], [only]) => one(call, only, style),
        (calls, all) if calls.iter().all(|call| call.tool == first) => {
            format!("{} {}: {}", verb(first), counts::tasks(all.len()), listed(all, style))
        }
        (_, all) => format!("make these {} changes: {}", all.len(), listed(all, style)),
    };
    let hint = if style.hint { HINT } else { "" };
    format!("{START}{asked}?{hint}")
}

fn one(call: &ApprovalCall, only: &Item<'_>, style: &Style) -> String {
    let renames = matches!(only, Item::Change(preview) if preview.before.title != preview.after.title);
    match (call.tool, only.task()) {
        (ToolName::AddTask, _) => format!("add {}", quoted(&name(only.title()), style)),
        (ToolName::GetTask, Some(number)) => format!("let task {number} be read"),
        (ToolName::ListTasks | ToolName::GetTask, _) => "let the task list be read".to_owned(),
        (ToolName::UpdateTask, Some(number)) if renames => format!("rename task {number}"),
        (tool, Some(number)) => format!("{} task {number}", verb(tool)),
        (tool, None) => format!("have {tool} run"),
    }
}

fn verb(tool: ToolName) -> &'static str {
    match tool {
        ToolName::AddTask => "add",
        ToolName::DeleteTask => "delete",
        ToolName::CompleteTask => "complete",
        ToolName::UpdateTask => "change",
        ToolName::Undo => "undo the changes of",
        ToolName::GetTask | ToolName::ListTasks => "read",
    }
}

/// Returns `milk (#1), eggs (#2) and 3 more`.
fn listed(all: &[Item<'_>], style: &Style) -> String {
    let name = |item: &Item<'_>| named(item.task(), item.title(), style);
    let named: Vec<_> = all.iter().take(NAMED).map(name).collect();
    match all.len().saturating_sub(NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// Returns a task's name: its title, quoted unless it is a word or two, and its number.
fn named(task: Option<TaskNumber>, title: &str, style: &Style) -> String {
    let title = if style.titles || task.is_none() { name(title) } else { String::new() };
    let plain = title.chars().all(|c| c.is_alphanumeric() || " -.'’!".contains(c)) && title.split(' ').count() <= 3;
    match task {
        // Only a list or a new task has no number.
        None if title.is_empty() => messages::YOUR_TASK_LIST.to_owned(),
        None => quoted(&title, style),
        Some(number) if title.is_empty() => messages::task(number),
        Some(number) if plain => format!("{} (#{number})", isolated(&title)),
        Some(number) => format!("{} (#{number})", quoted(&title, style)),
    }
}

/// Returns the beginning of a title.
fn name(title: &str) -> String {
    let title = visible(title);
    match title.char_indices().nth(NAME) {
        Some((end, _)) => format!("{}…", &title[..end]),
        None => title,
    }
}

fn quoted(text: &str, style: &Style) -> String {
    let (open, close) = style.quotes;
    let text = if style.quotes_are_code() { text.replace('`', "[U+0060]") } else { text.to_owned() };
    format!("{open}{}{close}", isolated(&text))
}

/// Returns the lines about one task, each with true if a value is shortened.
fn lines_of(proposal: &Proposal, style: &Style, side: usize) -> Vec<(String, bool)> {
    let (name, bullet) = (named(proposal.task, &proposal.title, style), style.bullet);
    let one_sided = !style.titles || matches!(proposal.fate, Fate::Added | Fate::Binned | Fate::Read);
    let head = what(proposal.fate).map(|what| {
        let (title, short) = whole_name(proposal, style, side);
        (format!("{bullet}{title} {what}"), short)
    });
    let status = matches!(proposal.fate, Fate::Completed | Fate::Reopened).then_some(tasks::FIELD_STATUS);
    // For an added or deleted task these are its set fields.
    let hidden = !style.titles && proposal.fate == Fate::Binned;
    let told = proposal.fields.iter().filter(|field| !hidden && Some(field.field.as_str()) != status);
    let fields = told.map(|field| {
        let shown = if style.titles { field.shown(Some(side)) } else { field.after_only().shown(Some(side)) };
        (format!("{bullet}{name} {}", line(&shown, one_sided, style)), shown.summary.is_some())
    });
    head.into_iter().chain(fields).collect()
}

/// Returns a task like [`named`], but with as much of the title as a field may have, and true if the title is shortened.
fn whole_name(proposal: &Proposal, style: &Style, side: usize) -> (String, bool) {
    if !style.titles && proposal.task.is_some() {
        return (named(proposal.task, "", style), false);
    }
    let title = visible(&proposal.title);
    let count = title.chars().count();
    if count <= NAME {
        return (named(proposal.task, &proposal.title, style), false);
    }
    let title = quoted(&shortened(&title, side), style);
    let named = proposal.task.map_or_else(|| title.clone(), |number| format!("{title} (#{number})"));
    (named, count > side)
}

/// Returns the effect on a task if its fields do not show it.
fn what(fate: Fate) -> Option<&'static str> {
    match fate {
        Fate::Added => Some(messages::IS_ADDED),
        Fate::Changed => None,
        Fate::Completed => Some(messages::IS_COMPLETED),
        Fate::Reopened => Some(messages::IS_REOPENED),
        Fate::Binned => Some(messages::GOES_TO_THE_BIN),
        Fate::Restored => Some(messages::COMES_OUT_OF_THE_BIN),
        Fate::Unchanged => Some(messages::STAYS_AS_IT_IS),
        Fate::Read => Some(messages::IS_READ),
    }
}

/// Returns `title: “milk” → “oat milk”`.
fn line(shown: &ShownField, one_sided: bool, style: &Style) -> String {
    let side = |text: &Option<String>| match text {
        None => tasks::NOTHING.to_owned(),
        Some(text) if shown.quoted => quoted(text, style),
        Some(text) => isolated(text).into_owned(),
    };
    let values = match (&shown.before, &shown.after) {
        (Some(_), None) if one_sided => side(&shown.before),
        (None, after) if one_sided => side(after),
        (before, after) => format!("{} → {}", side(before), side(after)),
    };
    let summary = shown.summary.as_ref().map(|summary| format!(" ({summary})")).unwrap_or_default();
    format!("{}: {values}{summary}", shown.field)
}

/// Returns the sentence as worded before questions listed fields, for replays of decisions from that time.
pub fn question_of_first_wording(calls: &[ApprovalCall], previews: &[Preview]) -> String {
    let listed = || {
        let named: Vec<_> = previews.iter().map(|it| format!("{} (#{})", it.before.title, it.task_id)).collect();
        named.join(", ")
    };
    let alone = |call: &ApprovalCall| match call.tool {
        ToolName::AddTask => format!("add “{}”", call.arguments["title"].as_str().unwrap_or_default()),
        ToolName::ListTasks => "let the task list be read".to_owned(),
        ToolName::GetTask => format!("let task {} be read", call.arguments["task_id"]),
        ToolName::CompleteTask | ToolName::DeleteTask | ToolName::Undo | ToolName::UpdateTask => {
            format!("have {} run", call.tool)
        }
    };
    let asked = match (calls, previews) {
        ([], _) => return ERASED.to_owned(),
        ([call], [only]) => match call.tool {
            ToolName::UpdateTask if only.before.title != only.after.title => format!("rename task {}", only.task_id),
            ToolName::DeleteTask | ToolName::CompleteTask => format!("{} task {}", verb(call.tool), only.task_id),
            _ => format!("change task {}", only.task_id),
        },
        (calls, []) => calls.iter().map(alone).collect::<Vec<_>>().join(" and "),
        ([call], many) => {
            let verb = if matches!(call.tool, ToolName::DeleteTask | ToolName::CompleteTask) {
                verb(call.tool)
            } else {
                "change"
            };
            format!("{verb} {} tasks: {}", many.len(), listed())
        }
        (calls, _) => format!("make these {} changes: {}", calls.len(), listed()),
    };
    format!("{START}{asked}?{HINT}")
}
