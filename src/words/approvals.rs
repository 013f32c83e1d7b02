//! Requests that wait for a yes, and what became of them.

use super::counts::tasks;

pub const WAITING_FOR_YOU: &str = "Waiting for you";
pub const SENDING_YOUR_ANSWER: &str = "Sending your answer…";
pub const HIGH_RISK: &str = "High risk";
pub const OPEN: &str = "Open";
pub const YOU_SAID: &str = "You said ";
pub const SOON_OVER: &str = "Soon over. ";
pub const MORE_TIME: &str = "More time";
pub const DECLINE_WITH_A_REASON: &str = "Decline with a reason";
pub const ASK_AGAIN: &str = "Ask again";
pub const WHY_NOT: &str = "Why not? Docket is told.";
pub const DECLINE: &str = "Decline";
pub const BEFORE: &str = "before: ";
pub const AFTER: &str = "after: ";
pub const TO_THE_BIN: &str = "to the bin";
pub const DOCKET_ASKS: &str = "Docket asks";
pub const DOCKET_ASKS_FIRST: &str = "Docket asks first";
pub const DECIDE_LATER: &str = "Decide later";
pub const APPROVAL: &str = "Approval";
pub const ALL_APPROVALS: &str = "All approvals";
pub const APPROVALS: &str = "Approvals";
pub const WHEN_DOCKET_ASKS: &str = "Docket asks here before it deletes or renames tasks, or changes several at once.";
pub const NOTHING_WAITS_FOR_YOU: &str = "Nothing waits for you";
pub const HOW_TO_BE_ASKED: &str = "Ask Docket to delete a task, and it will ask you back.";
pub const DECIDED: &str = "Decided";

/// Said of a request that comes from elsewhere.
pub fn asks(heading: &str) -> String {
    format!("Docket asks: {heading}")
}

/// Above the requests of one turn that asked several times.
pub fn asked_together(count: usize) -> String {
    format!("{count} requests, asked together")
}

/// The gate's question as a heading.
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

pub fn change_asked(title: &str) -> String {
    format!("Change “{title}”?")
}

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

pub fn change_tasks_asked(count: usize) -> String {
    format!("Change {}?", tasks(count))
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
pub const NOBODY_ANSWERED_IN_TIME: &str = "Nobody answered in time.";
pub const THE_TASK_HAD_CHANGED: &str = "The task changed before you answered; nothing was done.";

pub fn by(name: &str) -> String {
    format!(" by {name}")
}
