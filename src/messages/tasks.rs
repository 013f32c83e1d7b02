//! The task list and its tasks.

use super::counts;

pub const RESTORE: &str = "Restore";
pub const REOPEN: &str = "Reopen";
pub const DELETE: &str = "Delete";
pub const COMPLETE: &str = "Complete";
pub const SELECTED_TASKS: &str = "Selected tasks";
pub const SELECT_SEVERAL: &str = "Select several";
pub const SELECTED: &str = " selected";
pub const DUE: &str = "Due";
pub const TOMORROW: &str = "tomorrow";
pub const SET_DUE: &str = "Set due";
pub const PRIORITY: &str = "Priority";
pub const SET_PRIORITY: &str = "Set priority";
pub const SET_PROJECT: &str = "Set project";
pub const TASKS_OF_THIS_ANSWER: &str = "Tasks in this answer";
pub const ONE_TASK: &str = "One task";
pub const CLOSE: &str = "Close";
pub const NO_SUCH_TASK: &str = "No such task";
pub const HISTORY: &str = "History";
pub const EDIT_AND_HISTORY: &str = "Edit, history";
pub const IN_THE_BIN: &str = "This task is in the bin.";

pub fn undo_of(what: &str, at_label: &str) -> String {
    format!("Undo: {what}, {at_label}")
}

pub const UNDO: &str = "Undo";
pub const WHY: &str = "Details";
pub const UNDONE: &str = "Undone: ";

/// Returns the label of a priority; `of` is its wire name.
pub fn priority(of: &str) -> &'static str {
    match of {
        "high" => "High (p1)",
        "medium" => "Medium (p2)",
        "low" => "Low (p3)",
        _ => "None",
    }
}

pub const TITLE: &str = "Title";
pub const TOMORROW_5PM: &str = "tomorrow 5pm";
pub const REPEATS: &str = "Repeats";
pub const EVERY_MONDAY: &str = "every monday";
pub const PROJECT: &str = "Project";
pub const TAGS: &str = "Tags";
pub const NOTES: &str = "Notes";
pub const SAVE: &str = "Save";

pub fn lines_pasted(count: &str) -> String {
    format!("{count} lines pasted")
}

/// Texts before and after the number of tasks to add.
pub const ADD_TASKS: (&str, &str) = ("Add ", " tasks");
pub const ONE_TASK_REST_AS_NOTES: &str = "One task, the rest as notes";
pub const CANCEL: &str = "Cancel";
pub const SELECT_THE_TASKS_FIRST: &str = "Select the tasks first.";

pub fn too_many_at_once(count: usize, max: usize) -> String {
    format!("Too many tasks ({count}); the limit is {max}.")
}

pub fn cannot_be_done_to_several(text: &str, names: &str) -> String {
    format!("“{text}” is not a bulk action; use one of {names}.")
}

pub fn cannot_be_cleared(name: &str) -> String {
    format!("“{name}” cannot be cleared; use description, due, priority, project, tags or recurrence.")
}

pub fn given_and_cleared(name: &str) -> String {
    format!("{name} is both set and cleared; do only one of the two.")
}

pub fn reopen_before_due(number: &str) -> String {
    format!("Task #{number} is completed: reopen it before you set its due date.")
}

pub fn completed(tasks: &str) -> String {
    format!("Completed {tasks}")
}

pub fn reopened(tasks: &str) -> String {
    format!("Reopened {tasks}")
}

pub fn moved_to_the_bin(tasks: &str) -> String {
    format!("Moved {tasks} to the bin")
}

pub fn restored(tasks: &str) -> String {
    format!("Restored {tasks}")
}

pub fn changed(tasks: &str) -> String {
    format!("Changed {tasks}")
}

pub const TODAY: &str = "Today";
pub const UPCOMING: &str = "Upcoming";
pub const ALL: &str = "All";
pub const DONE: &str = "Done";
pub const BIN: &str = "Bin";

pub fn no_view(name: &str) -> String {
    format!("“{name}” is not a view of the task list.")
}

pub const TITLE_MISSING: &str = "The field title is missing.";

pub fn give_lines(max: usize, given: usize) -> String {
    format!("Send 1 to {max} lines at a time, not {given}.")
}

pub fn line_too_long(characters: usize, plain: usize) -> String {
    format!("A quick-add line may have at most {characters} characters, and at most {plain} phrases kept as text.")
}

pub fn nothing_was_added(line: usize, why: &str) -> String {
    format!("Nothing was added. Line {line}: {why}")
}

pub const GIVE_ONE_TARGET: &str = "Give exactly one of change_id, invocation_id, turn_id and import_id.";

pub fn no_due_filter(due: &str) -> String {
    format!("“{due}” is not a due filter; use overdue, today, week or a date.")
}

pub const OVERDUE: &str = "Overdue";
pub const NO_DATE: &str = "No date";

/// Names of changed fields.
pub const FIELD_TITLE: &str = "title";
pub const FIELD_NOTES: &str = "notes";
pub const FIELD_STATUS: &str = "status";
pub const FIELD_DUE: &str = "due";
pub const FIELD_PRIORITY: &str = "priority";
pub const FIELD_PROJECT: &str = "project";
pub const FIELD_TAGS: &str = "tags";
pub const FIELD_REPEATS: &str = "repeats";
pub const FIELD_ORDER: &str = "order";

/// Values of the order of a task that was moved.
pub const BY_HAND: &str = "by hand";
pub const ELSEWHERE_BY_HAND: &str = "elsewhere by hand";

/// Value of an empty field.
pub const NOTHING: &str = "none";
pub const RESTS_IN_THE_BIN: &str = "Deleted tasks stay here for 30 days, then they are deleted permanently.";
pub const TASKS: &str = "Tasks";
pub const SEARCH_TASKS: &str = "Search tasks";
pub const SEARCH: &str = "Search";
pub const VIEWS: &str = "Views";
pub const MORE: &str = "More";
pub const THE_LIST_AS_OF: &str = "Time travel…";
pub const IMPORT: &str = "Import…";
pub const PROJECTS_AND_TAGS: &str = "Projects and tags";
pub const NOTHING_FOUND: &str = "Nothing found";

pub fn no_task_here_has(words: &str) -> String {
    format!("No task matches “{words}”.")
}

pub const NOTHING_DUE_TODAY: &str = "Nothing due today";
pub const GIVE_A_TASK_A_DATE: &str = "Write “today” when you add a task.";
pub const NOTHING_AHEAD: &str = "Nothing upcoming";
pub const WRITE_A_DAY: &str = "Write “friday” or “in 3 days” when you add a task.";
pub const YOUR_LIST_IS_EMPTY: &str = "Your list is empty";
pub const TYPE_A_TASK: &str = "Type a task above and press Enter.";
pub const NOTHING_DONE_YET: &str = "Nothing done yet";
pub const CHECK_A_TASK_OFF: &str = "Completed tasks appear here.";
pub const THE_BIN_IS_EMPTY: &str = "The bin is empty";

pub const ADD_A_TASK: &str = "Add a task";
pub const ADD_A_TASK_SUCH_AS: &str = "Call mum tomorrow 5pm";
pub const ADD: &str = "Add";

/// States of a task that is being added.
pub const BEING_ADDED: &str = "Being added";
pub const ADDING: &str = "Adding…";
pub const ADDED: &str = "Added";
/// State of a task whose form is being sent.
pub const SAVING: &str = "Saving…";

pub fn keep_it_as_text(label: &str) -> String {
    format!("{label}: keep as text")
}

pub const KEEP_AS_TEXT: &str = "Keep as text";
pub const UNDERSTOOD: &str = "Understood";

// A row of a list.
pub fn select(title: &str) -> String {
    format!("Select: {title}")
}

/// Label of the checkbox.
pub fn done(title: &str) -> String {
    format!("Done: {title}")
}

pub fn restore(title: &str) -> String {
    format!("Restore {title}")
}

pub const DRAG_TO_ANOTHER_PLACE: &str = "Drag to reorder";
pub const MOVE_UP: &str = "Move up";
pub const MOVE_DOWN: &str = "Move down";

/// Screen reader text before the date of an overdue task.
pub const OVERDUE_BEFORE: &str = "Overdue: ";
pub const BY_DOCKET: &str = "by Docket";
pub const BY_AN_OUTSIDE_AGENT: &str = "by an outside agent";
/// Authors of a change that this page did not make.
pub const YOU_ELSEWHERE: &str = "you, elsewhere";
pub const AN_OUTSIDE_AGENT: &str = "an outside agent";
pub const WAITS_FOR_YOUR_YES: &str = "Change awaiting your approval";
pub const GIVE_BEFORE_OR_AFTER: &str = "Give exactly one of before and after.";

// Sample tasks.
pub const ADD_A_SAMPLE_LIST: &str = "Add a sample list";
pub const FIVE_TASKS_TO_TRY: &str = "Five tasks to try things out. You can remove them at any time.";
pub const REMOVE_THE_SAMPLES: &str = "Remove the samples";

/// Number of samples in a list that shows open ones only.
pub fn are_samples(count: usize) -> String {
    format!("{} {} in your list, including completed ones.", counts::samples(count), counts::plural(count, "is", "are"))
}

#[test]
fn the_samples_are_counted_in_a_sentence() {
    assert_eq!(are_samples(1), "1 sample is in your list, including completed ones.");
    assert_eq!(are_samples(5), "5 samples are in your list, including completed ones.");
}
