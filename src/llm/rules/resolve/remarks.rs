//! Questions between tasks, and the task that a remark means: "the plumber came, so tick that".

use crate::domain::task::Status;
use crate::domain::task_line::TaskLine;
use crate::llm::rules::lex::matching::{self, Fit};
use crate::llm::rules::read::coverage;
use crate::llm::rules::read::intent::{Part, Target};
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

/// Returns the question for the only open task that a statement may have finished: "I've paid the VAT" for “pay VAT return”.
pub(in crate::llm::rules) fn nearly(statement: &str, known: &Known) -> Option<Part> {
    let open: Vec<_> = known.tasks.iter().filter(|task| task.status == Status::Pending).cloned().collect();
    let Fit::One(id) = matching::find(statement, &open, Status::Pending, matching::LIKELY) else { return None };
    let title = &known.task(id)?.title;
    Some(Part::Ask {
        question: format!("Did you finish “{title}” (#{id})? For example: “complete task {id}”."),
        options: vec![format!("complete task {id}"), format!("add {statement}")],
    })
}

/// Returns the question between several tasks, each offered as a message to send.
pub(in crate::llm::rules) fn several(ids: &[i64], known: &Known, verb: &str) -> Step {
    let line = |id: &i64| {
        let task = known.tasks.iter().find(|task| task.task_id.0 == *id).map(TaskLine::from).unwrap_or_default();
        // Notes may be long and rarely distinguish tasks.
        let facts = TaskLine { notes: None, ..task.clone() }.facts(known.now, known.zone);
        format!("{} (#{id}){facts}", task.title)
    };
    let named: Vec<String> = ids.iter().take(8).map(line).collect();
    Step::Ask {
        question: format!(
            "Several tasks fit: {}. Which one should I {verb}? For example: “{verb} task {}”.",
            named.join(", "),
            ids.first().copied().unwrap_or_default()
        ),
        options: ids.iter().take(8).map(|id| format!("{verb} task {id}")).collect(),
        several: true,
    }
}
