//! The last act of a turn: a line for every part, or a question or a refusal that teaches by examples from the user's own tasks.

use serde_json::json;

use super::resolve::{Step, call};
use crate::domain::task::{Status, Task};
use crate::domain::tool::{Call, ToolName};
use crate::llm::{Act, Unclear};

/// How many examples are given.
pub(super) const EXAMPLES: usize = 2;
/// The longest title that is used in an example, in characters; of another the number is.
const SHORT: usize = 40;

/// A line for every part, or, where no call was made, a question or a refusal.
pub(super) fn act(mut lines: Vec<String>, steps: &[Step]) -> Act {
    let remarks = remarks(steps);
    if lines.is_empty() {
        return last_word(steps).unwrap_or_else(|| super::plan::say(remarks));
    }
    if !remarks.is_empty() {
        lines.push(remarks);
    }
    super::plan::say(lines.join("\n"))
}

/// What is asked or refused where no call was made.
fn last_word(steps: &[Step]) -> Option<Act> {
    let asked = steps.iter().find_map(|step| match step {
        Step::Ask { question, options, several } => {
            let why = if *several { Unclear::Target } else { Unclear::Intent };
            Some(Act::Ask { question: question.clone(), options: options.clone(), why })
        }
        Step::Call(_) | Step::Batch(..) | Step::Say(_) | Step::Refuse(_) => None,
    });
    let refused = || {
        steps.iter().find_map(|step| match step {
            Step::Refuse(text) => Some(Act::Refuse { text: text.clone() }),
            Step::Call(_) | Step::Batch(..) | Step::Say(_) | Step::Ask { .. } => None,
        })
    };
    asked.or_else(refused)
}

/// Questions and refusals of parts that are said along with what was done.
pub(super) fn remarks(steps: &[Step]) -> String {
    let lines: Vec<&str> = steps
        .iter()
        .filter_map(|step| match step {
            Step::Say(text) | Step::Refuse(text) | Step::Ask { question: text, .. } => Some(text.as_str()),
            Step::Call(_) | Step::Batch(..) => None,
        })
        .collect();
    lines.join("\n")
}

/// Whether an act is one that examples belong to. A question between tasks has them as its options.
pub(super) fn teaches(act: &Act) -> bool {
    matches!(act, Act::Refuse { .. } | Act::Ask { why: Unclear::Intent, .. })
}

/// The call that finds tasks for examples.
pub(super) fn lookup() -> Call {
    call(ToolName::ListTasks, json!({ "status": "pending", "limit": EXAMPLES }))
}

/// The tasks that examples can be made from.
pub(super) fn open(tasks: &[Task]) -> impl Iterator<Item = &Task> {
    tasks.iter().filter(|task| task.status == Status::Pending)
}

/// A question or a refusal with two things that can be said next.
pub(super) fn teach(act: Act, tasks: &[Task]) -> Act {
    let mut open = open(tasks).map(named);
    let (first, second) = (open.next(), open.next());
    let own = first.map(|first| {
        let other = second.map_or("show my tasks".to_owned(), |second| format!("move {second} to friday"));
        format!("“complete {first}” or “{other}”.")
    });
    match act {
        Act::Refuse { text } => {
            let examples = own.unwrap_or_else(|| "“add buy milk tomorrow” or “show my tasks”.".into());
            Act::Refuse { text: format!("{text} Try {examples}") }
        }
        Act::Ask { question, options, why } => {
            let question = own.map_or_else(|| question.clone(), |own| format!("{question} Or say {own}"));
            Act::Ask { question, options, why }
        }
        act @ (Act::Say { .. } | Act::AskAgain { .. } | Act::Calls { .. }) => act,
    }
}

/// What a task is called in an example: its title, if that is short and reads as one.
fn named(task: &Task) -> String {
    let title = task.title.as_str();
    let plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '\'');
    let reads = title.chars().count() <= SHORT && title.chars().all(plain) && title.contains(char::is_alphabetic);
    if reads { title.to_owned() } else { format!("task {}", task.task_id) }
}
