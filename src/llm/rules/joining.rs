//! Parts of one message that belong together: what is said of "it" goes to what was named before, and two changes of a task are one.

use super::intent::{Edits, Part, Target, aim, target_of};
use super::lending::points;

/// "Add x. Make it urgent": what is said of "it" later in a message goes to what was named before.
pub(super) fn join(parts: Vec<Part>) -> Vec<Part> {
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
            // "3 is not that urgent, make it low" says what is to change and then how.
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
