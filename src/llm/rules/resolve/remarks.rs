//! Questions between tasks, and the task that a remark means: "the plumber came, so tick that".

use crate::domain::task::{Status, Task};
use crate::domain::task_line::TaskLine;
use crate::llm::rules::lex::matching::{self, Fit};
use crate::llm::rules::read::intent::{Part, Target};
use crate::llm::rules::read::{coverage, scope};
use crate::llm::rules::resolve::steps::{Known, Step, ids, missed};

/// Returns the task that a remark names clearly, else the one just looked at. For verbs that ask or show, any shared word suffices.
pub(in crate::llm::rules) fn task_of(text: &str, known: &Known, verb: &str, prefer: Status) -> Result<Vec<i64>, Step> {
    if text.is_empty() {
        return ids(&Target::It, known, verb, prefer);
    }
    let unsure = || match verb {
        "delete" | "show" => matching::told(text, known.tasks, prefer, true),
        _ => Fit::None,
    };
    let fit = match (matching::told(text, known.tasks, prefer, false), known.looked_at) {
        (Fit::None, looked_at) => match (matching::alone(text, known.tasks, prefer), looked_at) {
            (Some(id), _) => Fit::One(id),
            (None, [id]) => Fit::One(*id),
            (None, _) => unsure(),
        },
        (fit, _) => fit,
    };
    match fit {
        Fit::One(id) => Ok(vec![id]),
        Fit::Several(ids) => Err(several(&ids, known, verb)),
        Fit::None => Err(missed(text)),
    }
}

/// Returns the remark on words of a loose description that its only task lacks.
pub(in crate::llm::rules) fn beyond(target: &Target, ids: &[i64], known: &Known) -> Option<Step> {
    let (Target::Words { text, quoted: false, .. }, [id]) = (target, ids) else { return None };
    coverage::beyond(text, known.task(*id)?.title.as_str()).map(Step::Say)
}

/// Returns the open tasks that share most words with a description.
fn nearest(text: &str, tasks: &[Task]) -> Fit {
    // Two lookups may return the same task.
    let mut open: Vec<Task> = vec![];
    for task in tasks.iter().filter(|task| task.status == Status::Pending) {
        if open.iter().all(|known| known.task_id != task.task_id) {
            open.push(task.clone());
        }
    }
    match matching::find(text, &open, Status::Pending, matching::LIKELY) {
        Fit::None => matching::told(text, &open, Status::Pending, true),
        fit => fit,
    }
}

/// Returns the only one of them.
pub(in crate::llm::rules) fn supposed(text: &str, tasks: &[Task]) -> Option<i64> {
    match nearest(text, tasks) {
        Fit::One(id) => Some(id),
        Fit::Several(_) | Fit::None => None,
    }
}

/// Returns the question for a description without a match; names the only task that shares a word with it.
pub(in crate::llm::rules) fn unknown(text: &str, known: &Known, verb: &str) -> Step {
    let task = supposed(text, known.tasks).and_then(|id| known.task(id)).filter(|_| verb != "show");
    let Some(task) = task else { return missed(text) };
    let short: String = text.chars().take(120).collect();
    let (title, id) = (&task.title, task.task_id);
    Step::Ask {
        question: format!(
            "I couldn't find a task like “{short}”. Did you mean “{title}” (#{id})? For example: “{verb} task {id}”."
        ),
        options: vec!["yes".into(), "show my tasks".into()],
        several: true,
    }
}

/// Returns the question for the open task that a statement may have finished: "I've paid the VAT" for “pay VAT return”. A finished thing is
/// no new task.
pub(in crate::llm::rules) fn nearly(statement: &str, known: &Known) -> Step {
    let fit = nearest(statement, known.tasks);
    let done = statement.split([' ', ',', '.']).any(|word| matching::is_past(&word.to_lowercase()));
    let (question, options) = match fit {
        Fit::One(id) => {
            let title = known.task(id).map(|task| task.title.as_str()).unwrap_or_default();
            let question = format!("Did you finish “{title}” (#{id})? For example: “complete task {id}”.");
            (question, vec![format!("complete task {id}"), format!("add {statement}")])
        }
        Fit::Several(ids) if done => return several(&ids, known, "complete"),
        Fit::None if done => return missed(statement),
        Fit::Several(_) | Fit::None => match scope::add_or_find(statement) {
            Part::Ask { question, options } => (question, options),
            _ => return missed(statement),
        },
    };
    Step::Ask { question, options, several: false }
}

/// Returns the question between several tasks, each offered as a message to send.
pub(in crate::llm::rules) fn several(ids: &[i64], known: &Known, verb: &str) -> Step {
    let line = |id: &i64| {
        let task = known.task(*id).map(TaskLine::from).unwrap_or_default();
        // Notes may be long and rarely distinguish tasks.
        let facts = TaskLine { notes: None, ..task.clone() }.facts(known.now, known.zone);
        format!("{} (#{id}){facts}", task.title)
    };
    // "change task 3" would leave out the new value.
    let say = |id: &i64| if verb == "change" { format!("task {id}") } else { format!("{verb} task {id}") };
    let named: Vec<String> = ids.iter().take(8).map(line).collect();
    Step::Ask {
        question: format!(
            "Several tasks fit: {}. Which one should I {verb}? For example: “{}”.",
            named.join(", "),
            ids.first().map(say).unwrap_or_default()
        ),
        options: ids.iter().take(8).map(say).collect(),
        several: true,
    }
}
