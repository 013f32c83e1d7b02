//! The tool policy.

pub const SAVE_THE_POLICY: &str = "Save tool policy";

pub fn ask_would_have_asked(times: &str) -> String {
    format!("“Ask” would have asked {times}")
}

pub fn deny_would_have_refused(times: &str) -> String {
    format!("“Deny” would have refused {times}")
}

pub const ASSISTANT_BY_A_MODEL: &str = "Assistant with a model";
pub const ASSISTANT_BY_RULES: &str = "Assistant with rules";
pub const OUTSIDE_AGENTS: &str = "Outside agents";
pub const ADD_TASKS: &str = "Add tasks";
pub const COMPLETE_TASKS: &str = "Complete tasks";
pub const DELETE_TASKS: &str = "Delete tasks";
pub const READ_A_TASK: &str = "Read a task";
pub const LIST_TASKS: &str = "List tasks";
pub const CHANGE_TASKS: &str = "Change tasks";
pub const UNDO_CHANGES: &str = "Undo changes";
pub const AS_USUAL_ASK: &str = "Default: ask";
pub const AS_USUAL_RUN_ONE_ASK: &str = "Default: ask for several";
pub const AS_USUAL_RUN_ONE_ASK_FOR_TITLES: &str = "Default: ask for titles or several";
pub const AS_USUAL_RUN_OWN: &str = "Default: ask except for your last action";
pub const AS_USUAL_RUN: &str = "Default: run";
pub const ASK_EACH_TIME: &str = "Always ask";
pub const DENY: &str = "Deny";
pub const DENIED_BY_AN_ADMIN: &str = "Deny (set by an admin)";
pub const ASK_EACH_TIME_BY_ADMIN: &str = "Always ask (set by an admin)";
