//! The history of a task.

pub fn erased(done: &str, by: &str) -> String {
    format!("{done} {by}; the text was erased")
}

pub const ADDED: &str = "Added";
pub const COMPLETED: &str = "Completed";
pub const REOPENED: &str = "Reopened";
pub const CHANGED_BACK: &str = "Changed back";
pub const CHANGED: &str = "Changed";
pub const MOVED_TO_THE_BIN: &str = "Moved to the bin";
pub const TAKEN_OUT_OF_THE_BIN: &str = "Restored from the bin";
pub const EMPTIED_FROM_THE_BIN: &str = "Deleted permanently";
pub const BY_YOU: &str = "by you";

pub fn by_your_program(token: &str) -> String {
    format!("by you, with the token “{token}”")
}

pub const BY_DOCKET_FOR_YOU: &str = "by Docket for you";
pub const BY_AN_OUTSIDE_AGENT: &str = "by an outside agent";
pub const BY_ITSELF: &str = "automatically";
