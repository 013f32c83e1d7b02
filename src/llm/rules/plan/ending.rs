//! The last action of a turn: a line per part, or a question or refusal with examples from the user's own tasks.

use serde_json::json;

use crate::domain::task::{Status, Task};
use crate::domain::tool::{Call, ToolName};
use crate::llm::rules::resolve::steps::{Step, call};
use crate::llm::{Act, Unclear};

pub(in crate::llm::rules) const EXAMPLES: usize = 2;
/// Maximum characters of a title in an example; longer titles are replaced by the number.
const SHORT: usize = 40;

/// Returns a line per part or, if no call was made, a question or refusal.
pub(in crate::llm::rules) fn act(mut lines: Vec<String>, steps: &[Step]) -> Act {
    let remarks = remarks(steps);
    if lines.is_empty() {
        return last_word(steps).unwrap_or_else(|| crate::llm::rules::plan::turn::say(remarks));
    }
    if !remarks.is_empty() {
        lines.push(remarks);
    }
    crate::llm::rules::plan::turn::say(lines.join("\n"))
}

/// Returns the question or refusal of a turn without calls.
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

/// Returns the questions and refusals to mention next to the results.
pub(in crate::llm::rules) fn remarks(steps: &[Step]) -> String {
    let lines: Vec<&str> = steps
        .iter()
        .filter_map(|step| match step {
            Step::Say(text) | Step::Refuse(text) | Step::Ask { question: text, .. } => Some(text.as_str()),
            Step::Call(_) | Step::Batch(..) => None,
        })
        .collect();
    lines.join("\n")
}

/// Returns true if an action needs examples. A question between tasks has its options as examples.
pub(in crate::llm::rules) fn teaches(act: &Act) -> bool {
    match act {
        Act::Refuse { .. } => true,
        Act::Ask { question, options, why } => *why == Unclear::Intent || is_made_up(question, options),
        Act::Calls { .. } | Act::Say { .. } | Act::AskAgain { .. } => false,
    }
}

/// Returns the call that finds tasks for examples.
pub(in crate::llm::rules) fn lookup() -> Call {
    call(ToolName::ListTasks, json!({ "status": "pending", "limit": EXAMPLES }))
}

/// Returns the tasks that examples can use.
pub(in crate::llm::rules) fn open(tasks: &[Task]) -> impl Iterator<Item = &Task> {
    tasks.iter().filter(|task| task.status == Status::Pending)
}

/// Adds two possible next messages to a question or refusal.
pub(in crate::llm::rules) fn teach(act: Act, tasks: &[Task]) -> Act {
    let mut open = open(tasks).map(named);
    let (first, second) = (open.next(), open.next());
    let own = first.as_ref().map(|first| {
        let other = second.map_or("show my tasks".to_owned(), |second| format!("move {second} to friday"));
        format!("“complete {first}” or “{other}”.")
    });
    match act {
        Act::Refuse { text } => {
            let examples = own.unwrap_or_else(|| "“add buy milk tomorrow” or “show my tasks”.".into());
            Act::Refuse { text: format!("{text} Try {examples}") }
        }
        Act::Ask { question, options, why } => {
            let question =
                first.as_deref().map_or_else(|| question.clone(), |first| with_own(&question, &options, first));
            let own = own.filter(|_| why == Unclear::Intent);
            let question = own.map_or_else(|| question.clone(), |own| format!("{question} Or say {own}"));
            Act::Ask { question, options, why }
        }
        act @ (Act::Say { .. } | Act::AskAgain { .. } | Act::Calls { .. }) => act,
    }
}

/// An invented task for examples if the user's tasks are unknown.
const MADE_UP: &str = "task 3";

/// Returns true if a question has the invented example. A number that the question or an option names is real.
fn is_made_up(question: &str, options: &[String]) -> bool {
    let is_real = options.iter().any(|option| option.contains(MADE_UP));
    let parts = question.split_once("or example");
    !is_real && parts.is_some_and(|(asked, example)| !asked.contains(MADE_UP) && example.contains(MADE_UP))
}

/// Replaces the invented example by one of the user's tasks.
fn with_own(question: &str, options: &[String], named: &str) -> String {
    if is_made_up(question, options) { question.replace(MADE_UP, named) } else { question.to_owned() }
}

/// Returns a task's name in an example: its title if it is short and plain, else its number.
fn named(task: &Task) -> String {
    let title = task.title.as_str();
    let plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '\'');
    let reads = title.chars().count() <= SHORT && title.chars().all(plain) && title.contains(char::is_alphabetic);
    if reads { title.to_owned() } else { format!("task {}", task.task_id) }
}
