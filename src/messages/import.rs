//! Import of tasks from files.

use super::counts::{plural, rows, tasks};

pub const A_FILE_OR_ITS_TEXT: &str = "File or text";
pub const WHICH_FILES: &str = "A CSV file with a header line that includes title; a Todoist or TickTick backup (CSV); tasks from Outlook (CSV) \
     or Microsoft To Do (JSON); Tasks.json from Google Takeout; or a Docket export. Up to 5,000 tasks and 4 MB.";
pub const FILE: &str = "File";
pub const OR_PASTE_IT: &str = "Or paste the text (ignored if a file is selected)";
pub const LOOK_AT_IT_FIRST: &str = "Preview";
pub const DOCKETS_JSON: &str = "Docket JSON";
pub const A_BACKUP_OF_TODOIST: &str = "Todoist backup";
pub const A_BACKUP_OF_TICKTICK: &str = "TickTick backup";
pub const TASKS_OF_OUTLOOK: &str = "Outlook tasks";
pub const JSON_OF_MICROSOFT: &str = "Microsoft To Do JSON";
pub const TASKS_OF_GOOGLE: &str = "Google Tasks";
pub const A_TABLE: &str = "CSV table";

pub fn would_be_added(tasks: &str) -> String {
    format!("{tasks} will be added")
}

pub fn already_there(count: usize) -> String {
    let are = plural(count, "is", "are");
    format!("{} {are} already on your list.", tasks(count))
}

pub fn and_more(more: usize) -> String {
    format!("… and {more} more.")
}

pub fn cannot_be_taken(rows: &str) -> String {
    format!("{rows} cannot be imported")
}

pub fn details_left_out(count: usize) -> String {
    format!("{count} {} skipped", plural(count, "detail is", "details are"))
}

pub fn file_too_large(limit: usize) -> String {
    format!("The file is too large; the limit is {} KB.", limit / 1024)
}

pub const MEND_OR_LEAVE_OUT: &str = "Fix them below and preview again, or skip them.";
pub const MEND_THE_FILE_OR_LEAVE_OUT: &str = "Fix them in the file and select it again, or skip them.";
pub const IT_WAS_READ_AS: &str = "Detected format: ";
pub const NOTHING_IS_STORED_YET: &str = " Nothing is stored yet.";

pub fn add(tasks: &str) -> String {
    format!("Add {tasks}")
}

pub fn add_and_leave_out(tasks: &str, rows: &str) -> String {
    format!("Add {tasks}, skip {rows}")
}

/// Label of a completed task.
pub const DONE: &str = "done";
pub const SHOW_MY_TASKS: &str = "Show my tasks";
pub const UNDO_THE_IMPORT: &str = "Undo the import";

pub const IMPORT_TASKS: &str = "Import tasks";
pub const TASKS: &str = "Tasks";

/// `refused` is the number of rejected rows, `first` the position of the first one, such as `line 7`.
pub fn nothing_was_added(refused: usize, first: &str, why: &str) -> String {
    let rows = rows(refused);
    format!("Nothing was added: {rows} cannot be imported. First error, {first}: {why}")
}
