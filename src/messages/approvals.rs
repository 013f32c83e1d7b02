//! Approvals and their verdicts.

use super::counts::{self, grouped, plural, tasks};

pub const WAITING_FOR_YOU: &str = "Waiting for you";
pub const SENDING_YOUR_ANSWER: &str = "Sending…";
pub const HIGH_RISK: &str = "High risk";
pub const OPEN: &str = "Open";
pub const READ_ALL_OF_IT: &str = "Scroll through the whole request to approve.";
pub const YOU_SAID: &str = "You said ";
pub const SOON_OVER: &str = "Expires soon. ";
pub const MORE_TIME: &str = "Extend";
pub const DECLINE_WITH_A_REASON: &str = "Decline with a reason";
pub const ASK_AGAIN: &str = "Ask again";
pub const WHY_NOT: &str = "Reason (sent to Docket)";
pub const DECLINE: &str = "Decline";
pub const BEFORE: &str = "before: ";
pub const AFTER: &str = "after: ";
pub const TO_THE_BIN: &str = "to the bin";
pub const DOCKET_ASKS: &str = "Approval request";
pub const DOCKET_ASKS_FIRST: &str = "Approval required";
pub const DECIDE_LATER: &str = "Decide later";
pub const APPROVAL: &str = "Approval";
pub const ALL_APPROVALS: &str = "All approvals";
pub const APPROVALS: &str = "Approvals";
pub const WHEN_DOCKET_ASKS: &str =
    "Docket needs your approval to delete or rename tasks, or to change several at once.";
pub const NOTHING_WAITS_FOR_YOU: &str = "No pending approvals";
pub const HOW_TO_BE_ASKED: &str = "Ask Docket to delete a task, and an approval appears here.";
pub const DECIDED: &str = "Decided";

/// Announces an approval that arrives from elsewhere.
pub fn asks(heading: &str) -> String {
    format!("Docket asks: {heading}")
}

/// Heading of several approvals of one turn.
pub fn asked_together(count: usize) -> String {
    format!("{count} approvals from one request")
}

/// Turns the gate's question into a heading.
pub fn asked(question: &str) -> String {
    let asked = question.trim_start_matches("Are you sure you want to ");
    asked.replacen("let ", "Let ", 1).replacen("add ", "Add ", 1)
}

pub const ADD_IT: &str = "Add it";
pub const ALLOW_IT: &str = "Allow it";
pub const ADD_NOTHING: &str = "Add nothing";
pub const DO_NOT_ALLOW_IT: &str = "Do not allow it";

pub fn delete_asked(title: &str) -> String {
    format!("Delete “{title}”?")
}

pub const DELETE_TASK: &str = "Delete task";
pub const KEEP_TASK: &str = "Keep task";

pub fn rename_asked(title: &str) -> String {
    format!("Rename “{title}”?")
}

pub const RENAME_TASK: &str = "Rename task";
pub const KEEP_THE_NAME: &str = "Keep the name";

/// `Rename “milk” and change notes, due?`
pub fn rename_and_change_asked(title: &str, fields: &str) -> String {
    format!("Rename “{title}” and change {fields}?")
}

/// `Change “milk”: notes, due?`
pub fn change_asked(title: &str, fields: &str) -> String {
    if fields.is_empty() { format!("Change “{title}”?") } else { format!("Change “{title}”: {fields}?") }
}

pub fn complete_asked(title: &str) -> String {
    format!("Complete “{title}”?")
}

pub const COMPLETE_TASK: &str = "Complete task";
pub const LEAVE_IT_OPEN: &str = "Leave it open";

pub fn add_asked(title: &str) -> String {
    format!("Add “{title}”?")
}

pub fn add_tasks_asked(count: usize) -> String {
    format!("Add {}?", tasks(count))
}

pub fn add_tasks(count: usize) -> String {
    format!("Add {}", tasks(count))
}

pub const DELETE: &str = "delete";
pub const COMPLETE: &str = "complete";
pub const REOPEN: &str = "reopen";
pub const CHANGE: &str = "change";
pub const RESTORE: &str = "restore";
pub const ADD: &str = "add";
pub const READ: &str = "read";

/// `delete 2 tasks`.
pub fn verb_tasks(verb: &str, count: usize) -> String {
    format!("{verb} {}", tasks(count))
}

/// `Delete 1 task, change 2 tasks and add 1 task?`
pub fn several_asked(kinds: &[String]) -> String {
    let text = match kinds {
        [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
        kinds => kinds.join(", "),
    };
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_uppercase().collect::<String>()).unwrap_or_default();
    format!("{first}{}?", chars.as_str())
}

pub fn make_changes(count: usize) -> String {
    format!("Make all {count} changes")
}

pub const CHANGE_NOTHING: &str = "Change nothing";

/// `100 more tasks`, `100 more tasks to the bin`, `100 more tasks, 3 of them to the bin`.
fn others(others: usize, binned: usize) -> String {
    let tasks = format!("{others} more {}", plural(others, "task", "tasks"));
    match binned {
        0 => tasks,
        _ if binned == others => format!("{tasks} to the bin"),
        _ => format!("{tasks}, {binned} of them to the bin"),
    }
}

/// `100 more tasks and the shortened texts`; `None` if a card shows everything. `binned` of the others would go to the bin.
pub fn more(count: usize, binned: usize, shortened: bool) -> Option<String> {
    let others = (count > 0).then(|| others(count, binned));
    let texts = shortened.then(|| "the shortened texts".to_owned());
    let all = others.into_iter().chain(texts).collect::<Vec<_>>();
    (!all.is_empty()).then(|| all.join(" and "))
}

/// `… and 100 more tasks.`
pub fn and(more: &str) -> String {
    format!("… and {more}.")
}

/// Mark of a task that would be added.
pub const NEW: &str = "new";

/// Link to the whole approval.
pub const SHOW_EVERYTHING: &str = "Show everything";

pub const CHANGE_TASK: &str = "Change task";
pub const KEEP_AS_IT_IS: &str = "Keep as it is";

pub fn delete_tasks_asked(count: usize) -> String {
    format!("Delete {}?", tasks(count))
}

pub fn delete_tasks(count: usize) -> String {
    format!("Delete {}", tasks(count))
}

pub const KEEP_TASKS: &str = "Keep tasks";

pub fn complete_tasks_asked(count: usize) -> String {
    format!("Complete {}?", tasks(count))
}

pub fn complete_tasks(count: usize) -> String {
    format!("Complete {}", tasks(count))
}

pub const LEAVE_THEM_OPEN: &str = "Leave them open";

/// `Undo the changes to 3 tasks?`
pub fn undo_asked(count: usize) -> String {
    format!("Undo the changes to {}?", tasks(count))
}

pub const UNDO_CHANGES: &str = "Undo changes";

pub fn change_tasks_asked(count: usize, fields: &str) -> String {
    if fields.is_empty() { format!("Change {}?", tasks(count)) } else { format!("Change {}: {fields}?", tasks(count)) }
}

pub fn change_tasks(count: usize) -> String {
    format!("Change {}", tasks(count))
}

pub const KEEP_AS_THEY_ARE: &str = "Keep as they are";
pub const EXPIRES_WITHIN_A_MINUTE: &str = "Expires within a minute";

pub fn expires_in(minutes: i64) -> String {
    format!("Expires in {minutes} min")
}

pub fn expires(at: &str) -> String {
    format!("Expires {at}")
}

pub const APPROVED: &str = "Approved";
pub const DECLINED: &str = "Declined";
pub const EXPIRED: &str = "Expired";
pub const OUT_OF_DATE: &str = "Out of date";
pub const NOBODY_ANSWERED_IN_TIME: &str = "Not answered in time.";
pub const THE_TASK_HAD_CHANGED: &str = "The task changed in the meantime. Nothing was done.";

pub fn by(name: &str) -> String {
    format!(" by {name}")
}

/// Fate of a task, after its title. Questions are part of replies, which a replay compares with the recorded ones.
pub const IS_ADDED: &str = "is added";
pub const IS_COMPLETED: &str = "is completed";
pub const IS_REOPENED: &str = "is reopened";
pub const OUT_OF_THE_BIN: &str = "out of the bin";
pub const COMES_OUT_OF_THE_BIN: &str = "comes out of the bin";
pub const GOES_TO_THE_BIN: &str = "goes to the bin";
pub const STAYS_AS_IT_IS: &str = "stays as it is";
pub const IS_READ: &str = "is read";
pub const YOUR_TASK_LIST: &str = "your task list";
pub const NEW_TASK: &str = "the new task";
/// Field of a completed task with the date of its next occurrence.
pub const NEXT_ONE: &str = "next one";
pub const THE_BIN: &str = "the bin";

/// `task 3`.
pub fn task(number: impl std::fmt::Display) -> String {
    format!("task {number}")
}

/// `3,912 → 3,930 characters`.
pub fn lengths(before: usize, after: usize) -> String {
    format!("{} → {}", grouped(before), counts::characters_grouped(after))
}

/// `2 lines changed`, `5 lines changed, 3 of 8 changed places shown`; empty for one line with every place shown.
pub fn changed_parts(lines: usize, places: usize, shown: usize) -> String {
    let lines = (lines > 0).then(|| format!("{} changed", counts::counted(lines, "line", "lines")));
    let places = (places > shown).then(|| format!("{shown} of {places} changed places shown"));
    lines.into_iter().chain(places).collect::<Vec<_>>().join(", ")
}

/// `3,912 characters, 1 line changed, shortened`.
pub fn shortened(lengths: &str, changes: &str) -> String {
    let parts = [lengths, changes, "shortened"];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// `… and 3 more fields of #5 and 80 more tasks: LINK`.
pub fn and_more((fields, of): (usize, &str), (count, binned): (usize, usize), texts: bool, link: &str) -> String {
    let fields = (fields > 0).then(|| format!("{fields} more {} of {of}", plural(fields, "field", "fields")));
    let others = more(count, binned, texts);
    let all = fields.into_iter().chain(others).collect::<Vec<_>>();
    format!("… and {}: {link}", all.join(" and "))
}

/// Link below a question with shortened texts.
pub fn in_full(link: &str) -> String {
    format!("In full: {link}")
}
