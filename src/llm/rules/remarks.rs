//! The task that a remark is about: "the plumber came, so tick that".

use super::intent::Target;
use super::matching::{self, Fit};
use super::resolve::{Known, Step, ids, missed, several};
use crate::domain::task::Status;

/// The task that a remark names surely, else the one that was just looked at. What is asked about anyway may go by any word.
pub(super) fn task_of(text: &str, known: &Known, verb: &str, prefer: Status) -> Result<Vec<i64>, Step> {
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
