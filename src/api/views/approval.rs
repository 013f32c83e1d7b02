//! View models of approvals: verbs instead of "OK", built from the stored calls and the tools' own previews.

use crate::api::approvals::{ApprovalView, FieldChange, PreviewLine};
use crate::domain::approval::{Approval, ApprovalStatus, Fate};
use crate::domain::proposal::{BREAK, Difference, Proposal, ShownField, proposals, visible};
use crate::domain::time::Timestamp;
use crate::domain::tool::ToolName;
use crate::domain::when;
use crate::messages::{approvals as messages, tasks};

/// Largest number of tasks on a card.
const LINES: usize = 20;
/// Largest number of characters on each side of a field on a card.
const SIDE: usize = 300;

/// Converts an approval for a card: the first tasks, shortened texts, and how much more its page shows.
pub fn approval(approval: Approval, now: &Timestamp, zone: &str) -> ApprovalView {
    viewed(approval, now, zone, Some(SIDE))
}

/// Converts an approval for its own page: all of it.
pub fn whole_approval(approval: Approval, now: &Timestamp, zone: &str) -> ApprovalView {
    viewed(approval, now, zone, None)
}

/// `side` is the number of characters shown on each side of a field; `None` shows everything.
fn viewed(approval: Approval, now: &Timestamp, zone: &str, side: Option<usize>) -> ApprovalView {
    let all = proposals(&approval, zone);
    let shown = side.map_or(all.len(), |_| LINES.min(all.len()));
    let lines: Vec<_> = all[..shown].iter().map(|it| line(it, &approval, now, zone, side)).collect();
    let shortened = lines.iter().flat_map(|line| &line.changes).any(|change| change.summary.is_some());
    let binned = all[shown..].iter().filter(|it| it.fate == Fate::Binned).count();
    let (heading, yes, no) = verbs(&approval, &all);
    let mut status = approval.status;
    if status == ApprovalStatus::Pending && approval.expires_at <= *now {
        status = ApprovalStatus::Expired;
    }
    let decided_label = decided(&approval, now, zone);
    let settled_label = settled(&Approval { status, ..approval.clone() }, &heading, now, zone);
    let whole_ms = approval.expires_at.ms_since(&approval.created_at);
    let closing = status == ApprovalStatus::Pending && approval.expires_at.ms_since(now) * 5 <= whole_ms;
    ApprovalView {
        asked_label: when::instant(&approval.created_at, now, zone),
        expires_label: expires(&approval, now, zone),
        closing,
        approval: Approval { status, ..approval },
        heading,
        yes,
        no,
        more: messages::more(all.len() - shown, binned, shortened),
        lines,
        decided_label,
        settled_label,
        bins: all.iter().any(|it| it.fate == Fate::Binned),
        said: None,
    }
}

fn line(proposal: &Proposal, approval: &Approval, now: &Timestamp, zone: &str, side: Option<usize>) -> PreviewLine {
    let target = approval.preview.iter().find(|preview| Some(preview.task_id) == proposal.task);
    let due = target.and_then(|preview| when::resolve(preview.before.due.as_deref()?, now, zone).ok());
    // A change of the due date shows the old one itself.
    let told = proposal.fields.iter().any(|field| field.field == tasks::FIELD_DUE);
    let title = match (proposal.fate, proposal.task) {
        (Fate::Read, None) => messages::YOUR_TASK_LIST.to_owned(),
        _ => visible(&proposal.title),
    };
    PreviewLine {
        task_id: proposal.task,
        title,
        due_label: due.filter(|_| !told).map(|due| when::label(&due, now, zone)),
        binned: proposal.fate == Fate::Binned,
        fate: proposal.fate,
        changes: proposal.fields.iter().map(|field| change(field, side)).collect(),
    }
}

fn change(field: &Difference, side: Option<usize>) -> FieldChange {
    let ShownField { field, before, after, summary, .. } = field.shown(side);
    let text = |text: Option<String>| {
        let text = text.unwrap_or_else(|| tasks::NOTHING.to_owned());
        if side.is_none() { text.replace(BREAK, &format!("{BREAK}\n")) } else { text }
    };
    FieldChange { field, before: text(before), after: text(after), summary }
}

/// Returns the heading and the labels of the approve and reject buttons.
fn verbs(approval: &Approval, all: &[Proposal]) -> (String, String, String) {
    let say = |heading: String, yes: &str, no: &str| (heading, yes.to_owned(), no.to_owned());
    let (count, fields) = (all.len(), fields(all));
    let is = |fate: Fate| all.iter().all(|it| it.fate == fate);
    let only_status = fields.iter().all(|field| [tasks::FIELD_STATUS, messages::NEXT_ONE].contains(field));
    let changes = all.iter().all(|it| !matches!(it.fate, Fate::Added | Fate::Binned | Fate::Read));
    match all {
        [] => say(messages::asked(approval.asked()), messages::ALLOW_IT, messages::DO_NOT_ALLOW_IT),
        _ if approval.calls.iter().all(|call| call.tool == ToolName::Undo) => {
            say(messages::undo_asked(count), messages::UNDO_CHANGES, messages::KEEP_AS_THEY_ARE)
        }
        [one] => alone(approval, one, &fields),
        _ if is(Fate::Binned) => {
            say(messages::delete_tasks_asked(count), &messages::delete_tasks(count), messages::KEEP_TASKS)
        }
        _ if is(Fate::Completed) && only_status => {
            say(messages::complete_tasks_asked(count), &messages::complete_tasks(count), messages::LEAVE_THEM_OPEN)
        }
        _ if is(Fate::Added) => {
            say(messages::add_tasks_asked(count), &messages::add_tasks(count), messages::ADD_NOTHING)
        }
        _ if changes => {
            let heading = messages::change_tasks_asked(count, &fields.join(", "));
            say(heading, &messages::change_tasks(count), messages::KEEP_AS_THEY_ARE)
        }
        _ => say(messages::several_asked(&kinds(all)), &messages::make_changes(count), messages::CHANGE_NOTHING),
    }
}

fn alone(approval: &Approval, one: &Proposal, fields: &[&str]) -> (String, String, String) {
    let say = |heading: String, yes: &str, no: &str| (heading, yes.to_owned(), no.to_owned());
    let title = visible(&one.title);
    let others: Vec<_> = fields.iter().copied().filter(|field| *field != tasks::FIELD_TITLE).collect();
    let renames = others.len() < fields.len();
    match one.fate {
        // A policy required approval, or the reader may not see the task.
        _ if title.is_empty() || one.fate == Fate::Read => {
            say(messages::asked(approval.asked()), messages::ALLOW_IT, messages::DO_NOT_ALLOW_IT)
        }
        Fate::Added => say(messages::add_asked(&title), messages::ADD_IT, messages::ADD_NOTHING),
        Fate::Binned => say(messages::delete_asked(&title), messages::DELETE_TASK, messages::KEEP_TASK),
        Fate::Completed
            if others.iter().all(|field| [tasks::FIELD_STATUS, messages::NEXT_ONE].contains(field)) && !renames =>
        {
            say(messages::complete_asked(&title), messages::COMPLETE_TASK, messages::LEAVE_IT_OPEN)
        }
        _ if renames && others.is_empty() => {
            say(messages::rename_asked(&title), messages::RENAME_TASK, messages::KEEP_THE_NAME)
        }
        _ if renames => say(
            messages::rename_and_change_asked(&title, &others.join(", ")),
            messages::CHANGE_TASK,
            messages::KEEP_AS_IT_IS,
        ),
        _ => say(messages::change_asked(&title, &others.join(", ")), messages::CHANGE_TASK, messages::KEEP_AS_IT_IS),
    }
}

/// Returns the names of all fields that would change, without duplicates.
fn fields(all: &[Proposal]) -> Vec<&str> {
    let mut names: Vec<&str> = vec![];
    for field in all.iter().flat_map(|it| &it.fields) {
        if !names.contains(&field.field.as_str()) {
            names.push(&field.field);
        }
    }
    names
}

/// Counts the tasks by fate: `Delete 1 task`, `add 2 tasks`.
fn kinds(all: &[Proposal]) -> Vec<String> {
    let count = |fates: &[Fate]| all.iter().filter(|it| fates.contains(&it.fate)).count();
    let kinds = [
        (messages::DELETE, count(&[Fate::Binned])),
        (messages::COMPLETE, count(&[Fate::Completed])),
        (messages::REOPEN, count(&[Fate::Reopened])),
        (messages::RESTORE, count(&[Fate::Restored])),
        (messages::CHANGE, count(&[Fate::Changed, Fate::Unchanged])),
        (messages::ADD, count(&[Fate::Added])),
        (messages::READ, count(&[Fate::Read])),
    ];
    kinds.into_iter().filter(|(_, count)| *count > 0).map(|(verb, count)| messages::verb_tasks(verb, count)).collect()
}

fn expires(approval: &Approval, now: &Timestamp, zone: &str) -> String {
    let left_min = approval.expires_at.ms_since(now) / 60_000;
    match left_min {
        ..1 => messages::EXPIRES_WITHIN_A_MINUTE.to_owned(),
        1..60 => messages::expires_in(left_min),
        _ => messages::expires(&when::instant(&approval.expires_at, now, zone)),
    }
}

/// Summarises a decided approval in one line.
fn settled(approval: &Approval, heading: &str, now: &Timestamp, zone: &str) -> Option<String> {
    let word = match approval.status {
        ApprovalStatus::Pending => return None,
        ApprovalStatus::Approved => messages::APPROVED,
        ApprovalStatus::Rejected => messages::DECLINED,
        ApprovalStatus::Expired => messages::EXPIRED,
        ApprovalStatus::Void => messages::OUT_OF_DATE,
    };
    let at = approval.decided_at.as_ref().unwrap_or(&approval.expires_at);
    let by = approval.decided_by.as_ref().map(|name| format!("{name}, ")).unwrap_or_default();
    Some(format!("{word} · {} · {by}{}", heading.trim_end_matches('?'), when::instant(at, now, zone)))
}

fn decided(approval: &Approval, now: &Timestamp, zone: &str) -> Option<String> {
    let verb = match approval.status {
        ApprovalStatus::Pending => return None,
        ApprovalStatus::Approved => messages::APPROVED,
        ApprovalStatus::Rejected => messages::DECLINED,
        ApprovalStatus::Expired => return Some(messages::NOBODY_ANSWERED_IN_TIME.to_owned()),
        ApprovalStatus::Void if approval.reason.is_some() => return None,
        ApprovalStatus::Void => return Some(messages::THE_TASK_HAD_CHANGED.to_owned()),
    };
    let way = approval.decided_via.map(|via| format!(" {}", via.in_words())).unwrap_or_default();
    let by = approval.decided_by.as_deref().map(messages::by).unwrap_or_default();
    let at = approval.decided_at.as_ref().map(|at| format!(", {}", when::instant(at, now, zone))).unwrap_or_default();
    Some(format!("{verb}{by}{way}{at}."))
}
