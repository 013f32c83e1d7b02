//! Texts around every page: toasts, connection, navigation, unknown addresses.

use super::counts;

pub const NOTHING_HERE: &str = "There is nothing at this address";
pub const IT_MAY_HAVE_MOVED: &str = "The page may have moved, or the link may be wrong. ";
pub const BACK_TO_DOCKET: &str = "Back to Docket";
pub const COPY_IT_NOW: &str = "Copy it now";
pub const SHOWN_ONLY_ONCE: &str = "For security, it is shown only once.";
pub const SHOWN_ONCE: &str = "Shown once";
pub const COPIED: &str = "Copied";
pub const COPY: &str = "Copy";
pub const NOT_FOUND: &str = "Not found";
pub const SKIP_TO_THE_CONTENT: &str = "Skip to content";
pub const DOCKET: &str = "Docket";
pub const CONNECTION_LOST: &str = "Connection lost. Trying again…";
pub const CONNECTION_RESTORED: &str = "Connection restored.";
pub const UNDO_THE_REST: &str = "Undo the rest";
pub const UNDO: &str = "Undo";
pub const TRY_AGAIN: &str = "Try again";
pub const DONE: &str = "Done";
pub const IN_AN_HOUR: &str = "In an hour";
pub const DISMISS: &str = "Dismiss";
pub const REMINDERS: &str = "Reminders";
pub const THINKING: &str = "Thinking";
pub const ON_ITS_WAY: &str = "still sending the message";
pub const NO_ANSWER_YET: &str = "no answer yet";
pub const STOP: &str = "Stop";

pub fn step_of(doing: &str, at: i64, steps: i64) -> String {
    format!("{doing}, step {at} of {steps}")
}

pub const ADDING_TO_YOUR_LIST: &str = "Adding to your list";
pub const READING_YOUR_LIST: &str = "Reading your list";
pub const LOOKING_AT_A_TASK: &str = "Looking at a task";
pub const COMPLETING: &str = "Completing";
pub const CHANGING_A_TASK: &str = "Changing a task";
pub const PREPARING_A_REMOVAL: &str = "Preparing a deletion";
pub const WORKING: &str = "Working";

pub fn due_now(title: &str) -> String {
    format!("Due now: {title}")
}

/// Number of reminders that are not shown yet.
pub fn more_reminders(more: usize) -> String {
    format!("{more} more {}", counts::plural(more, "reminder", "reminders"))
}

pub const WHAT_DOCKET_IS: &str = "A todo list with an assistant that asks before it does anything risky.";

/// The title of the document.
pub fn page_title(page: &str) -> String {
    format!("{page} · Docket")
}

// Navigation.
pub const CHAT: &str = "Chat";
pub const TASKS: &str = "Tasks";
pub const APPROVALS: &str = "Approvals";
pub const AUDIT: &str = "Audit";
pub const SETTINGS: &str = "Settings";
pub const WAITING: &str = " waiting";
pub const MAIN: &str = "Main";
pub const CONVERSATIONS: &str = "Conversations";
pub const NEW_CONVERSATION: &str = "New conversation";
pub const SEARCH_AND_MANAGE: &str = "Search and manage";
pub const SIGN_OUT: &str = "Sign out";
