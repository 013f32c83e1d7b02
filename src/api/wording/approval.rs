//! Requests that wait for a yes, in words: verbs instead of "OK", made from the tool's own preview.

use super::differences;
use crate::api::approvals::{ApprovalView, PreviewLine};
use crate::domain::approval::{Approval, ApprovalStatus};
use crate::domain::time::Timestamp;
use crate::domain::tool::ToolName;
use crate::domain::when;
use crate::words::{approvals as words, tasks};

/// A request as a card shows it.
pub fn approval(approval: Approval, now: &Timestamp, zone: &str) -> ApprovalView {
    let lines = approval.preview.iter().map(|preview| {
        let due = preview.before.due.as_deref().and_then(|due| when::resolve(due, now, zone).ok());
        let binned = preview.after.deleted_at.is_some();
        PreviewLine {
            task_id: preview.task_id,
            title: preview.before.title.to_string(),
            due_label: due.map(|due| when::label(&due, now, zone)),
            binned,
            changes: if binned { vec![] } else { differences(&preview.before, &preview.after, now, zone) },
        }
    });
    let lines = lines.collect::<Vec<_>>();
    let (heading, yes, no) = words(&approval, &lines);
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
        lines,
        decided_label,
        settled_label,
        said: None,
    }
}

fn words(approval: &Approval, lines: &[PreviewLine]) -> (String, String, String) {
    let say = |heading: String, yes: String, no: &str| (heading, yes, no.to_owned());
    let count = lines.len();
    let only = |tool: ToolName| approval.calls.iter().all(|call| call.tool == tool);
    let renames = lines.iter().all(|line| line.changes.iter().any(|change| change.field == tasks::FIELD_TITLE));
    match lines {
        // A policy had it ask; the question is all that there is to show.
        [] => {
            let asked = words::asked(approval.asked());
            let yes = if only(ToolName::AddTask) { words::ADD_IT } else { words::ALLOW_IT };
            say(asked, yes.into(), if only(ToolName::AddTask) { words::ADD_NOTHING } else { words::DO_NOT_ALLOW_IT })
        }
        [one] if one.binned => say(words::delete_asked(&one.title), words::DELETE_TASK.into(), words::KEEP_TASK),
        [one] if renames => say(words::rename_asked(&one.title), words::RENAME_TASK.into(), words::KEEP_THE_NAME),
        [one] => say(words::change_asked(&one.title), words::CHANGE_TASK.into(), words::KEEP_AS_IT_IS),
        _ if lines.iter().all(|line| line.binned) => {
            say(words::delete_tasks_asked(count), words::delete_tasks(count), words::KEEP_TASKS)
        }
        _ if only(ToolName::CompleteTask) => {
            say(words::complete_tasks_asked(count), words::complete_tasks(count), words::LEAVE_THEM_OPEN)
        }
        _ => say(words::change_tasks_asked(count), words::change_tasks(count), words::KEEP_AS_THEY_ARE),
    }
}

fn expires(approval: &Approval, now: &Timestamp, zone: &str) -> String {
    let left_min = approval.expires_at.ms_since(now) / 60_000;
    match left_min {
        ..1 => words::EXPIRES_WITHIN_A_MINUTE.to_owned(),
        1..60 => words::expires_in(left_min),
        _ => words::expires(&when::instant(&approval.expires_at, now, zone)),
    }
}

/// What a decided request comes to in one line.
fn settled(approval: &Approval, heading: &str, now: &Timestamp, zone: &str) -> Option<String> {
    let word = match approval.status {
        ApprovalStatus::Pending => return None,
        ApprovalStatus::Approved => words::APPROVED,
        ApprovalStatus::Rejected => words::DECLINED,
        ApprovalStatus::Expired => words::EXPIRED,
        ApprovalStatus::Void => words::OUT_OF_DATE,
    };
    let at = approval.decided_at.as_ref().unwrap_or(&approval.expires_at);
    let by = approval.decided_by.as_ref().map(|name| format!("{name}, ")).unwrap_or_default();
    Some(format!("{word} · {} · {by}{}", heading.trim_end_matches('?'), when::instant(at, now, zone)))
}

fn decided(approval: &Approval, now: &Timestamp, zone: &str) -> Option<String> {
    let verb = match approval.status {
        ApprovalStatus::Pending => return None,
        ApprovalStatus::Approved => words::APPROVED,
        ApprovalStatus::Rejected => words::DECLINED,
        ApprovalStatus::Expired => return Some(words::NOBODY_ANSWERED_IN_TIME.to_owned()),
        ApprovalStatus::Void if approval.reason.is_some() => return None,
        ApprovalStatus::Void => return Some(words::THE_TASK_HAD_CHANGED.to_owned()),
    };
    let way = approval.decided_via.map(|via| format!(" {}", via.in_words())).unwrap_or_default();
    let by = approval.decided_by.as_deref().map(words::by).unwrap_or_default();
    let at = approval.decided_at.as_ref().map(|at| format!(", {}", when::instant(at, now, zone))).unwrap_or_default();
    Some(format!("{verb}{by}{way}{at}."))
}
