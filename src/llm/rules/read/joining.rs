//! Merging of a message's parts: resolves "it" to an earlier target and merges two changes of one task.

use crate::llm::rules::read::intent::points;
use crate::llm::rules::read::intent::{Edits, Part, Target, aim, target_of};

/// Merges parts: "Add x. Make it urgent" sets the priority of the new task.
pub(in crate::llm::rules) fn join(parts: Vec<Part>) -> Vec<Part> {
    let mut joined: Vec<Part> = vec![];
    for part in parts {
        let pointing = target_of(&part).is_some_and(|target| matches!(target, Target::It | Target::Them));
        let named = joined.iter().rev().find_map(target_of).filter(|target| pointing && !points(target)).cloned();
        let both = match (&part, joined.last()) {
            (Part::Edit { edit, target }, Some(Part::Edit { edit: open, target: last }))
                if pointing || target == last =>
            {
                open.with(edit)
            }
            _ => None,
        };
        match (&part, joined.last_mut()) {
            // "make 3 urgent and due friday" is one change.
            (_, Some(Part::Edit { edit: open, .. })) if both.is_some() => *open = both.unwrap_or_default(),
            // "3 is not that urgent, make it low" names the task first and the value later.
            (Part::Edit { edit, .. }, Some(Part::Edit { target: _, edit: open }))
                if pointing && *open == Edits::default() =>
            {
                *open = edit.clone();
            }
            (Part::Edit { edit, .. }, Some(Part::Add { items, .. }))
                if pointing && (edit.title.is_none() || items.len() == 1) && edit.reword.is_none() =>
            {
                items.iter_mut().for_each(|item| item.take(edit));
            }
            (_, Some(last)) if pointing && target_of(last).is_some() => {
                let part = named.map_or_else(|| part.clone(), |target| aim(&part, target));
                joined.push(part);
            }
            _ => joined.push(part),
        }
    }
    joined
}
