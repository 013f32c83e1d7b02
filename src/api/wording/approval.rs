//! Requests that wait for a yes, in words: verbs instead of "OK", made from the tool's own preview.

use super::differences;
use crate::api::approvals::{ApprovalView, PreviewLine};
use crate::domain::approval::{Approval, ApprovalStatus};
use crate::domain::time::Timestamp;
use crate::domain::tool::ToolName;
use crate::domain::when;

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
    let renames = lines.iter().all(|line| line.changes.iter().any(|change| change.field == "title"));
    match lines {
        // A policy had it ask; the question is all that there is to show.
        [] => {
            let asked = approval.asked().trim_start_matches("Are you sure you want to ");
            let asked = asked.replacen("let ", "Let ", 1).replacen("add ", "Add ", 1);
            let yes = if only(ToolName::AddTask) { "Add it" } else { "Allow it" };
            say(asked, yes.into(), if only(ToolName::AddTask) { "Add nothing" } else { "Do not allow it" })
        }
        [one] if one.binned => say(format!("Delete “{}”?", one.title), "Delete task".into(), "Keep task"),
        [one] if renames => say(format!("Rename “{}”?", one.title), "Rename task".into(), "Keep the name"),
        [one] => say(format!("Change “{}”?", one.title), "Change task".into(), "Keep as it is"),
        _ if lines.iter().all(|line| line.binned) => {
            say(format!("Delete {count} tasks?"), format!("Delete {count} tasks"), "Keep tasks")
        }
        _ if only(ToolName::CompleteTask) => {
            say(format!("Complete {count} tasks?"), format!("Complete {count} tasks"), "Leave them open")
        }
        _ => say(format!("Change {count} tasks?"), format!("Change {count} tasks"), "Keep as they are"),
    }
}

fn expires(approval: &Approval, now: &Timestamp, zone: &str) -> String {
    let left_min = approval.expires_at.ms_since(now) / 60_000;
    match left_min {
        ..1 => "Expires within a minute".to_owned(),
        1..60 => format!("Expires in {left_min} min"),
        _ => format!("Expires {}", when::instant(&approval.expires_at, now, zone)),
    }
}

/// What a decided request comes to in one line.
fn settled(approval: &Approval, heading: &str, now: &Timestamp, zone: &str) -> Option<String> {
    let word = match approval.status {
        ApprovalStatus::Pending => return None,
        ApprovalStatus::Approved => "Approved",
        ApprovalStatus::Rejected => "Declined",
        ApprovalStatus::Expired => "Expired",
        ApprovalStatus::Void => "Out of date",
    };
    let at = approval.decided_at.as_ref().unwrap_or(&approval.expires_at);
    let by = approval.decided_by.as_ref().map(|name| format!("{name}, ")).unwrap_or_default();
    Some(format!("{word} · {} · {by}{}", heading.trim_end_matches('?'), when::instant(at, now, zone)))
}

fn decided(approval: &Approval, now: &Timestamp, zone: &str) -> Option<String> {
    let verb = match approval.status {
        ApprovalStatus::Pending => return None,
        ApprovalStatus::Approved => "Approved",
        ApprovalStatus::Rejected => "Declined",
        ApprovalStatus::Expired => return Some("Nobody answered in time.".to_owned()),
        ApprovalStatus::Void if approval.reason.is_some() => return None,
        ApprovalStatus::Void => return Some("The task changed before you answered; nothing was done.".to_owned()),
    };
    let way = approval.decided_via.map(|via| format!(" {}", via.in_words())).unwrap_or_default();
    let by = approval.decided_by.as_ref().map(|name| format!(" by {name}")).unwrap_or_default();
    let at = approval.decided_at.as_ref().map(|at| format!(", {}", when::instant(at, now, zone))).unwrap_or_default();
    Some(format!("{verb}{by}{way}{at}."))
}
