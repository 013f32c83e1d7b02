//! Instants, dates and calls in words: the browser has no calendar, and both sides must show the same.

use super::ApiError;
use super::approvals::FieldChange;
use super::audit::{AuditRow, AuditSearch, CallText};
use super::chat::{MessageView, Receipt, Thread};
use super::settings::TokenView;
use super::tasks::{self, Chip, TaskRow, Understood};
use crate::domain::approval::ApprovalStatus;
use crate::domain::audit::{AuditEntry, AuditFilter, Page};
use crate::domain::conversation::{Conversation, Message};
use crate::domain::id::TaskNumber;
use crate::domain::task::{Priority, Status, Task};
use crate::domain::time::Timestamp;
use crate::domain::turn::{Cause, Effect, ToolCall};
use crate::domain::user::{TokenInfo, User};
use crate::domain::when::SpanKind;
use crate::domain::{Invalid, when};
use crate::usecases::conversations::answer;
use crate::usecases::tasks::Changed;
use crate::usecases::undo::Undone;

/// Requests that wait for a yes.
mod approval;
/// Tool calls.
mod receipt;
/// Recurrence rules.
mod repeats;

pub use approval::approval;
pub use receipt::receipt;
pub use repeats::repeats;

/// `Friday, 13 March`.
pub fn today(now: &Timestamp, zone: &str) -> String {
    when::local(now, zone).strftime("%A, %-d %B").to_string()
}

/// `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A task as a row of a list.
pub fn row(task: Task, now: &Timestamp, zone: &str) -> TaskRow {
    let due = task.due.as_deref().and_then(|due| when::resolve(due, now, zone).ok());
    // A task in the bin is late for nothing.
    let open = task.status == Status::Pending && task.deleted_at.is_none();
    let overdue = open && due.as_ref().is_some_and(|due| when::is_overdue(due, now, zone));
    let group = match (&due, overdue) {
        (_, true) => "Overdue".to_owned(),
        (Some(due), false) => {
            let label = when::label(due, now, zone);
            let time = label.rfind(' ').filter(|at| label[at + 1..].contains(':'));
            time.map_or(label.clone(), |at| label[..at].to_owned())
        }
        (None, false) => "No date".to_owned(),
    };
    TaskRow {
        due_label: due.map(|due| when::label(&due, now, zone)),
        repeats: task.recurrence.as_deref().map(repeats),
        overdue,
        group,
        change_id: None,
        task,
    }
}

/// Rows in the order in which a page shows them: open ones by due date, priority and number, rested ones newest first.
pub fn in_order(mut rows: Vec<TaskRow>) -> Vec<TaskRow> {
    let rested = |row: &TaskRow| row.task.deleted_at.clone().or_else(|| row.task.completed_at.clone());
    rows.sort_by(|a, b| {
        let open = |row: &TaskRow| {
            let task = &row.task;
            // `~` sorts behind every digit: what has no date comes last.
            let due = task.due.clone().unwrap_or_else(|| "~".to_owned());
            (!row.overdue, due, std::cmp::Reverse(task.priority), task.task_id)
        };
        rested(b).cmp(&rested(a)).then_with(|| open(a).cmp(&open(b)))
    });
    rows
}

/// What an edit left, with the way back.
pub fn changed(changed: Changed, now: &Timestamp, zone: &str) -> TaskRow {
    TaskRow { change_id: changed.change_id, ..row(changed.after, now, zone) }
}

/// What an undo left.
pub fn undone(undone: Undone, now: &Timestamp, zone: &str) -> tasks::Undone {
    tasks::Undone { undone: undone.done.into_iter().map(|it| changed(it, now, zone)).collect(), left: undone.left }
}

/// A line of quick add as understood.
pub fn understood(read: when::QuickAdd, text: &str, now: &Timestamp, zone: &str) -> Understood {
    Understood {
        chips: chips(&read, text, now, zone),
        due_label: read.due.as_ref().map(|due| when::label(due, now, zone)),
        due: read.due.map(|due| due.to_string()),
        repeats: read.recurrence.as_deref().map(repeats),
        recurrence: read.recurrence,
        priority: read.priority.unwrap_or_default(),
        project: read.project,
        tags: read.tags,
        spans: read.spans.iter().map(|span| (span.start, span.end)).collect(),
        title: read.title,
    }
}

/// What was understood, thing by thing: a tag each, and one chip for all the words of any other kind.
fn chips(read: &when::QuickAdd, text: &str, now: &Timestamp, zone: &str) -> Vec<Chip> {
    let mut chips: Vec<Chip> = vec![];
    for span in &read.spans {
        let (kind, words) = (span.kind, &text[span.start..span.end]);
        let due = read.due.as_ref().map(|due| when::label(due, now, zone));
        let label = match kind {
            SpanKind::Due => due,
            SpanKind::Recurrence => {
                read.recurrence.as_deref().map(repeats).zip(due).map(|(rule, first)| format!("{rule} · {first}"))
            }
            SpanKind::Priority => read.priority.map(|priority| priority.as_str().to_owned()),
            SpanKind::Project => read.project.as_ref().map(|project| format!("#{project}")),
            SpanKind::Tag => Some(words.to_owned()),
        };
        let same = |chip: &&mut Chip| chip.kind == kind.as_str() && label.as_ref() == Some(&chip.label);
        match (chips.iter_mut().find(same), label) {
            (Some(chip), _) => chip.words.push(words.to_owned()),
            (None, Some(label)) => {
                chips.push(Chip { kind: kind.as_str().to_owned(), label, words: vec![words.to_owned()] });
            }
            (None, None) => {}
        }
    }
    chips
}

/// The fields in which two states of a task differ.
pub fn differences(before: &Task, after: &Task, now: &Timestamp, zone: &str) -> Vec<FieldChange> {
    let due = |task: &Task| {
        let due = task.due.as_deref()?;
        Some(when::resolve(due, now, zone).map_or_else(|_| due.to_owned(), |due| when::label(&due, now, zone)))
    };
    let tags = |task: &Task| {
        let tags = task.tags.iter().map(|tag| format!("@{tag}")).collect::<Vec<_>>();
        (!tags.is_empty()).then(|| tags.join(" "))
    };
    let priority = |task: &Task| (task.priority != Priority::None).then(|| task.priority.as_str().to_owned());
    type Read<'a> = &'a dyn Fn(&Task) -> Option<String>;
    let fields: [(&str, Read<'_>); 8] = [
        ("title", &|task| Some(task.title.to_string())),
        ("notes", &|task| task.description.as_ref().map(ToString::to_string)),
        ("status", &|task| Some(task.status.as_str().to_owned())),
        ("due", &due),
        ("priority", &priority),
        ("project", &|task| task.project.as_ref().map(|name| format!("#{name}"))),
        ("tags", &tags),
        ("repeats", &|task| task.recurrence.as_deref().map(repeats)),
    ];
    let shown = |value: Option<String>| value.unwrap_or_else(|| "none".to_owned());
    let differ = fields.into_iter().map(|(field, read)| (field, read(before), read(after))).filter(|(_, b, a)| b != a);
    differ.map(|(field, b, a)| FieldChange { field: field.to_owned(), before: shown(b), after: shown(a) }).collect()
}

/// A page of a conversation; `tasks` are those that its messages answer with.
pub fn thread(conversation: Conversation, page: Page<Message>, tasks: &[Task], now: &Timestamp, zone: &str) -> Thread {
    let shown = |number: TaskNumber| tasks.iter().find(|task| task.task_id == number).cloned();
    let view = |message: Message| MessageView {
        listed: answer(&message).into_iter().filter_map(shown).map(|task| row(task, now, zone)).collect(),
        at_label: when::instant(&message.at, now, zone),
        receipts: message.tool_calls.iter().map(|call| receipt(call, now, zone)).collect(),
        card: message.approval.clone().map(|it| approval(it, now, zone)),
        message,
    };
    Thread { conversation: Some(conversation), items: page.items.into_iter().map(view).collect(), before: page.next }
}

/// A turn of the record.
pub fn audit(entry: AuditEntry, now: &Timestamp, reader: &User) -> AuditRow {
    // Only one's own list can be changed, an admin's reading notwithstanding.
    let mine = entry.user == reader.name.as_str();
    let stands = |call: &ToolCall| mine && call.effect == Effect::Stands;
    let pretty = |value: &serde_json::Value| serde_json::to_string_pretty(value).unwrap_or_default();
    let text = |call: &ToolCall| CallText {
        arguments: pretty(&call.arguments),
        answer: match (&call.error, &call.result) {
            (Some(error), _) => error.message.clone(),
            (None, Some(result)) => pretty(result),
            (None, None) => String::new(),
        },
        receipt: Receipt { can_undo: stands(call), ..receipt(call, now, &reader.zone) },
    };
    AuditRow {
        at_label: when::instant(&entry.at, now, &reader.zone),
        said: said(&entry, now, &reader.zone),
        texts: entry.tool_calls.iter().map(text).collect(),
        can_undo: entry.tool_calls.iter().filter(|call| stands(call)).count() > 1,
        entry,
    }
}

/// What set a turn off, in words.
fn said(entry: &AuditEntry, now: &Timestamp, zone: &str) -> String {
    match entry.cause {
        Cause::Message => entry.message.clone().unwrap_or_else(|| "(message removed)".to_owned()),
        Cause::Mcp => "Call by an outside agent".to_owned(),
        Cause::Approval => entry.approval.clone().map_or_else(
            || "Verdict on a request".to_owned(),
            |asked| {
                let way = match asked.status {
                    ApprovalStatus::Approved => "Yes to",
                    ApprovalStatus::Rejected => "No to",
                    ApprovalStatus::Pending | ApprovalStatus::Expired => "No answer to",
                    // The yes came, and the task had changed.
                    ApprovalStatus::Void => "Too late for",
                };
                format!("{way}: {}", approval(asked, now, zone).heading.trim_end_matches('?'))
            },
        ),
    }
}

/// What the record's form asks for. A day stands for the whole day in the reader's zone.
pub fn audit_filter(search: &AuditSearch, zone: &str) -> Result<AuditFilter, ApiError> {
    let given = |field: &Option<String>| field.clone().filter(|text| !text.trim().is_empty());
    let bound = |field: &Option<String>, days: i64| {
        given(field).map(|text| day_or_instant(text.trim(), days, zone)).transpose()
    };
    Ok(AuditFilter {
        since: bound(&search.since, 0)?,
        until: bound(&search.until, 1)?,
        tool: given(&search.tool),
        outcome: given(&search.outcome),
        kind: given(&search.kind),
        engine: given(&search.engine),
        risk: given(&search.risk),
        user: given(&search.user),
        text: given(&search.text),
    })
}

/// An instant, or the beginning of the day that is `days` after the named one.
fn day_or_instant(text: &str, days: i64, zone: &str) -> Result<Timestamp, Invalid> {
    let Ok(date) = text.parse::<jiff::civil::Date>().map_err(|_| ()) else { return Timestamp::parse(text) };
    if text.len() > 10 {
        return Timestamp::parse(text);
    }
    let unknown = || Invalid::because(format!("“{text}” is outside the calendar."));
    let date = date.checked_add(jiff::Span::new().days(days)).map_err(|_| unknown())?;
    Ok(date.in_tz(zone).map_err(|_| unknown())?.timestamp().into())
}

/// A personal token.
pub fn token(token: &TokenInfo, now: &Timestamp, zone: &str) -> TokenView {
    let scopes = token.scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>();
    TokenView {
        token_id: token.token_id.to_string(),
        name: token.label.clone(),
        scopes: scopes.join(", "),
        made: format!("Made {}", when::instant(&token.created_at, now, zone)),
        revoked: token.revoked_at.is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_numbers_are_read_in_groups() {
        assert_eq!([7, 999, 1_000, 12_345_678].map(grouped), ["7", "999", "1,000", "12,345,678"]);
    }

    #[test]
    fn a_task_in_the_bin_is_late_for_nothing() {
        let now = Timestamp::parse("2026-03-11T09:30:00Z").unwrap();
        let mut task: Task = serde_json::from_value(serde_json::json!({
            "task_id": 1, "title": "Pay rent", "description": null, "status": "pending", "priority": "none", "due": "2026-03-01",
            "project": null, "tags": [], "recurrence": null, "version": 1, "created_at": now, "updated_at": now,
            "completed_at": null, "deleted_at": null,
        }))
        .unwrap();
        assert!(row(task.clone(), &now, "UTC").overdue);
        task.deleted_at = Some(now.clone());
        assert!(!row(task, &now, "UTC").overdue);
    }
}
