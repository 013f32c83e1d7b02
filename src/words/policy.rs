//! Which tools may run, and which ask.

pub const SAVE_THE_POLICY: &str = "Save the policy";

pub fn ask_would_have_asked(times: &str) -> String {
    format!("“Ask” would have asked {times}")
}

pub fn deny_would_have_refused(times: &str) -> String {
    format!("“Deny” would have refused {times}")
}

pub const ASSISTANT_BY_A_MODEL: &str = "Assistant, by a model";
pub const ASSISTANT_BY_RULES: &str = "Assistant, by rules";
pub const OUTSIDE_AGENTS: &str = "Outside agents";
pub const ADD_TASKS: &str = "Add tasks";
pub const COMPLETE_TASKS: &str = "Complete tasks";
pub const DELETE_TASKS: &str = "Delete tasks";
pub const READ_A_TASK: &str = "Read a task";
pub const LIST_TASKS: &str = "List tasks";
pub const CHANGE_TASKS: &str = "Change tasks";
pub const AS_USUAL_ASK: &str = "As usual: ask";
pub const AS_USUAL_RUN_ONE_ASK: &str = "As usual: run one, ask for more";
pub const AS_USUAL_RUN_ONE_ASK_FOR_TITLES: &str = "As usual: ask for titles or several";
pub const AS_USUAL_RUN: &str = "As usual: run";
pub const ASK_EACH_TIME: &str = "Ask each time";
pub const DENY: &str = "Deny";
pub const DENIED_BY_AN_ADMIN: &str = "Denied by an admin";
pub const ASK_EACH_TIME_BY_ADMIN: &str = "Ask each time, by an admin";
