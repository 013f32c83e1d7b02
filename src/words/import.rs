//! Tasks from files.

use super::counts::{plural, rows, tasks};

pub const A_FILE_OR_ITS_TEXT: &str = "A file, or its text";
pub const WHICH_FILES: &str = "A table (CSV) whose first line names its columns, title among them, a backup of Todoist (CSV), or \
     what Docket itself gives out (JSON). Up to 5,000 tasks and 4 MB.";
pub const FILE: &str = "File";
pub const OR_PASTE_IT: &str = "Or paste it here; a file wins";
pub const LOOK_AT_IT_FIRST: &str = "Look at it first";
pub const DOCKETS_JSON: &str = "Docket’s JSON";
pub const A_BACKUP_OF_TODOIST: &str = "a backup of Todoist";
pub const A_TABLE: &str = "a table";

pub fn would_be_added(tasks: &str) -> String {
    format!("{tasks} would be added")
}

pub fn already_there(count: usize) -> String {
    let are = plural(count, "is", "are");
    format!("{} {are} already there from an import before.", tasks(count))
}

pub fn and_more(more: usize) -> String {
    format!("… and {more} more.")
}

pub fn cannot_be_taken(rows: &str) -> String {
    format!("{rows} cannot be taken")
}

pub const MEND_OR_LEAVE_OUT: &str = "Mend them below and look at it again, or leave them out.";
pub const MEND_THE_FILE_OR_LEAVE_OUT: &str = "Mend them in the file and choose it again, or leave them out.";
pub const IT_WAS_READ_AS: &str = "It was read as ";
pub const NOTHING_IS_STORED_YET: &str = " Nothing is stored yet.";

pub fn add(tasks: &str) -> String {
    format!("Add {tasks}")
}

pub fn add_and_leave_out(tasks: &str, rows: &str) -> String {
    format!("Add {tasks}, leave out {rows}")
}

/// Beside a task that was completed.
pub const DONE: &str = "done";
pub const SHOW_MY_TASKS: &str = "Show my tasks";
pub const UNDO_THE_IMPORT: &str = "Undo the import";

pub const IMPORT_TASKS: &str = "Import tasks";
pub const TASKS: &str = "Tasks";

/// `first` is the place of the first of so many rows.
pub fn nothing_was_added(refused: usize, first: &str, why: &str) -> String {
    let rows = rows(refused);
    format!("{rows} cannot be taken, so nothing was added; the first is {first}: {why}")
}
