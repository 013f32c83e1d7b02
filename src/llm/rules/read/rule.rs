//! Rules of the grammar, and rows of its tables.

/// A rule determines the request of a clause. Common captures are `x` (a task or a new title), `y` (a new value) and
/// `d` (a date).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::llm::rules) enum Rule {
    Add,
    /// Adds unless already present.
    AddIfAbsent,
    /// A reminder or task without a title.
    AddNothing,
    Complete,
    /// A statement in the past tense, which completes only the task that it repeats: "I washed the dog".
    Happened,
    Reopen,
    Delete,
    /// A wish not to have something, which deletes only if a task matches.
    Unneeded,
    Rename,
    /// A partial change of a title: adds `y`, or replaces `w` by `y`.
    Reword,
    /// Changes `x` to `y`: a date, a priority or a title.
    Change,
    Due,
    NoDue,
    /// Shifts the due date by the amount `n`.
    Shift,
    Priority,
    Describe,
    /// Removes the note of a task.
    NoNote,
    /// Moves a repeating task to its next occurrence.
    Skip,
    /// Moves a task to the project `y` or `j`.
    Project,
    NoProject,
    /// Adds the tags `y` or `g` to a task.
    Tag,
    Untag,
    Get,
    NewList,
    /// Changes a field to an unspecified value.
    EditWhat,
}

/// A rule with its patterns.
pub(in crate::llm::rules) type Row = (Rule, &'static [&'static str]);
