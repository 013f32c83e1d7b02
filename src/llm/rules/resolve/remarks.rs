//! The task that a remark means: "the plumber came, so tick that".

use crate::domain::task::Status;
use crate::llm::rules::lex::matching::{self, Fit};
use crate::llm::rules::read::coverage;
use crate::llm::rules::read::intent::Target;
use crate::llm::rules::resolve::steps::{Known, Step, ids, missed, several};

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
