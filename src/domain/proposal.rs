//! Changes that an approval would make, as data: one per task, with every field before and after. All channels show these.

use serde_json::Value;

use super::approval::{Approval, ApprovalCall, Fate, Preview};
use super::id::TaskNumber;
use super::task::{Status, Task};
use super::tool::ToolName;
use crate::messages::{approvals as messages, counts, tasks};

mod difference;
mod excerpt;
mod question;
mod visible;

pub use difference::{BOOKKEEPING, Dates, Difference, Fields, differences, fields_of};
pub use question::{
    CHAT, MARKDOWN, NUMBERS, Room, Style, question, question_of_first_wording, question_of_numbers, split, text,
};
pub use visible::{BREAK, isolated, visible};

/// One change that an approval would make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// `None` for a task that does not exist yet, and for a list that is read.
    pub task: Option<TaskNumber>,
    /// The task's stored title before the change.
    pub title: String,
    pub fate: Fate,
    /// Every field that differs. For a task that is added or deleted, all other set fields as well. For a read, the arguments.
    pub fields: Vec<Difference>,
}

/// A field as displayed: one line per side, unless the whole text is requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownField {
    pub field: String,
    pub before: Option<String>,
    pub after: Option<String>,
    /// True for text that somebody wrote.
    pub quoted: bool,
    /// `3,912 → 3,930 characters, 1 line changed, shortened`; `None` if both sides are shown unchanged.
    pub summary: Option<String>,
}

/// Returns the changes that the approval's calls would make, in call order, with dates for a reader in `zone`.
pub fn proposals(approval: &Approval, zone: &str) -> Vec<Proposal> {
    let dates = Dates { zone, now: None };
    items(&approval.calls, &approval.preview).iter().map(|item| item.proposal(&dates)).collect()
}

/// One change before the comparison of fields: a task's preview, or a call without a task.
#[derive(Debug, Clone, Copy)]
enum Item<'a> {
    Change(&'a Preview),
    Call(&'a ApprovalCall),
}

/// Returns the changes of the calls, in order.
fn items<'a>(calls: &'a [ApprovalCall], previews: &'a [Preview]) -> Vec<Item<'a>> {
    let mut rest = previews.iter();
    let mut all: Vec<Item<'a>> = vec![];
    for (at, call) in calls.iter().enumerate() {
        let before = all.len();
        let count = match call.tool {
            ToolName::AddTask | ToolName::GetTask | ToolName::ListTasks => 0,
            ToolName::CompleteTask | ToolName::DeleteTask | ToolName::UpdateTask => targets(&call.arguments),
            // Undo names no task: its previews are those not used by later calls.
            ToolName::Undo => {
                rest.len().saturating_sub(calls[at + 1..].iter().map(|call| targets(&call.arguments)).sum())
            }
        };
        all.extend(rest.by_ref().take(count).map(Item::Change));
        if all.len() == before {
            all.push(Item::Call(call));
        }
    }
    // Show previews that belong to no call as well.
    all.extend(rest.map(Item::Change));
    all
}

/// Returns the number of tasks that a call names.
fn targets(arguments: &Value) -> usize {
    let many = arguments["task_ids"].as_array().map_or(0, Vec::len);
    many + usize::from(arguments["task_id"].is_i64())
}

impl Item<'_> {
    fn task(&self) -> Option<TaskNumber> {
        match self {
            Self::Change(preview) => Some(preview.task_id),
            Self::Call(call) => call.arguments["task_id"].as_i64().map(TaskNumber),
        }
    }

    fn is_binned(&self) -> bool {
        matches!(self, Self::Change(preview) if preview.after.deleted_at.is_some())
    }

    fn title(&self) -> &str {
        match self {
            Self::Change(preview) => preview.before.title.as_str(),
            Self::Call(call) if call.tool == ToolName::AddTask => call.arguments["title"].as_str().unwrap_or_default(),
            Self::Call(_) => "",
        }
    }

    fn proposal(&self, dates: &Dates<'_>) -> Proposal {
        match self {
            Self::Change(preview) => changed(preview, dates),
            Self::Call(call) => {
                let mut fields = call.arguments.as_object().cloned().unwrap_or_default();
                let fate = match call.tool {
                    ToolName::AddTask => {
                        fields.remove("title");
                        Fate::Added
                    }
                    tool if tool.reads() => Fate::Read,
                    _ => Fate::Changed,
                };
                let fields = differences(None, Some(&fields), dates);
                Proposal { task: self.task(), title: self.title().to_owned(), fate, fields }
            }
        }
    }
}

fn changed(preview: &Preview, dates: &Dates<'_>) -> Proposal {
    let (before, after) = (fields_of(&preview.before), fields_of(&preview.after));
    let binned = preview.after.deleted_at.is_some();
    let mut fields = differences(Some(&before), (!binned).then_some(&after), dates);
    if binned {
        fields.retain(|it| it.field != tasks::FIELD_TITLE);
    }
    fields.extend(preview.next.iter().flat_map(|next| next_one(next, dates)));
    let fate = fate(&preview.before, &preview.after, fields.is_empty());
    Proposal { task: Some(preview.task_id), title: preview.before.title.to_string(), fate, fields }
}

/// Returns the change to the task's next occurrence as a field of the task.
fn next_one(next: &Task, dates: &Dates<'_>) -> Option<Difference> {
    let due = Fields::from_iter([("due".to_owned(), next.due.clone().into())]);
    let due = differences(None, Some(&due), dates).pop()?.after;
    let field = messages::NEXT_ONE.to_owned();
    Some(match next.deleted_at {
        Some(_) => Difference { field, before: due, after: Some(messages::THE_BIN.to_owned()), quoted: false },
        None => Difference { field, before: None, after: due, quoted: false },
    })
}

fn fate(before: &Task, after: &Task, same: bool) -> Fate {
    match (before.status, after.status) {
        _ if after.deleted_at.is_some() => Fate::Binned,
        _ if before.deleted_at.is_some() => Fate::Restored,
        (Status::Pending, Status::Completed) => Fate::Completed,
        (Status::Completed, Status::Pending) => Fate::Reopened,
        _ if same => Fate::Unchanged,
        _ => Fate::Changed,
    }
}

impl Difference {
    /// Returns the field without its previous value.
    fn after_only(&self) -> Self {
        Self { before: None, ..self.clone() }
    }

    /// Returns the field for display: whole, or with about `side` characters per side and a summary of the rest.
    pub fn shown(&self, side: Option<usize>) -> ShownField {
        let (before, after) = visible::visible_pair(self.before.as_deref(), self.after.as_deref());
        let long =
            |text: &Option<String>| side.is_some_and(|side| text.as_ref().is_some_and(|it| it.chars().count() > side));
        let shown = ShownField { field: self.field.clone(), before, after, quoted: self.quoted, summary: None };
        match side.filter(|_| long(&shown.before) || long(&shown.after)) {
            None => shown,
            Some(side) => self.cut(shown, side),
        }
    }

    fn cut(&self, shown: ShownField, side: usize) -> ShownField {
        let count = |text: &Option<String>| text.as_ref().map(|text| text.chars().count());
        let lengths = match (count(&self.before), count(&self.after)) {
            (Some(old), Some(new)) if old != new => messages::lengths(old, new),
            (Some(count), _) | (None, Some(count)) => counts::characters_grouped(count),
            (None, None) => String::new(),
        };
        let (before, after, changes) = match (&shown.before, &shown.after) {
            (Some(old), Some(new)) => {
                let cut = excerpt::excerpt(old, new, side);
                let changes = messages::changed_parts(cut.lines, cut.places, excerpt::PLACES);
                (Some(cut.before), Some(cut.after), changes)
            }
            (before, after) => {
                let cut = |text: &Option<String>| text.as_ref().map(|text| excerpt::shortened(text, side));
                (cut(before), cut(after), String::new())
            }
        };
        ShownField { before, after, summary: Some(messages::shortened(&lengths, &changes)), ..shown }
    }
}

#[cfg(test)]
mod tests;
