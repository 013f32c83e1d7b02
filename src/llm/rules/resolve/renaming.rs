//! The boundary between an old and a new title: "rename send invoice to Bo to send invoice to Jo" has two candidates.

use crate::domain::task::Task;
use crate::llm::rules::lex::matching::normal;
use crate::llm::rules::read::intent::{Edits, Part, Target};

/// Words between the titles.
const JOINTS: [&str; 3] = [" to ", " as ", " into "];

/// Moves the boundary of renames so that the left side is an existing title, word for word; `None` if nothing changes.
pub(in crate::llm::rules) fn divided(parts: &[Part], tasks: &[Task]) -> Option<Vec<Part>> {
    parts
        .iter()
        .any(|part| divided_again(part, tasks).is_some())
        .then(|| parts.iter().map(|part| divided_again(part, tasks).unwrap_or_else(|| part.clone())).collect())
}

fn divided_again(part: &Part, tasks: &[Task]) -> Option<Part> {
    let Part::Edit { target: Target::Words { text, quoted: false, named }, edit } = part else { return None };
    let title = edit.title.as_deref()?;
    let whole = format!("{text} to {title}");
    // The longest existing title wins.
    let (left, right) = divisions(&whole).filter(|(left, _)| left.len() > text.len() && names(left, tasks)).last()?;
    let target = Target::Words { text: left.to_owned(), quoted: false, named: *named };
    Some(Part::Edit { target, edit: Edits { title: Some(right.to_owned()), ..edit.clone() } })
}

/// Returns every division of a text at such a word, from the left.
fn divisions(whole: &str) -> impl Iterator<Item = (&str, &str)> {
    whole.char_indices().filter_map(|(at, _)| {
        let joint = JOINTS.iter().find(|joint| whole[at..].starts_with(**joint))?;
        Some((&whole[..at], whole[at + joint.len()..].trim())).filter(|(_, right)| !right.is_empty())
    })
}

fn names(left: &str, tasks: &[Task]) -> bool {
    let left = normal(left);
    tasks.iter().any(|task| normal(task.title.as_str()) == left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::rules::tests::task_called;

    #[test]
    fn titles_are_divided_where_the_left_one_names_a_task() {
        let tasks: Vec<Task> = ["send invoice to Holt", "talk to Bo", "write to mum"].map(task_called).into();
        let read = |text: &str, title: &str| {
            let target = Target::Words { text: text.into(), quoted: false, named: false };
            [Part::Edit { target, edit: Edits { title: Some(title.into()), ..Edits::default() } }]
        };
        for (text, title, left, right) in [
            ("send invoice", "Holt to send invoice to Bolt", "send invoice to Holt", "send invoice to Bolt"),
            ("talk", "Bo to talk to Jo and Bo", "talk to Bo", "talk to Jo and Bo"),
            ("write", "mum into write to dad", "write to mum", "write to dad"),
        ] {
            assert_eq!(divided(&read(text, title), &tasks), Some(read(left, right).into()), "{text} to {title}");
        }
        for (text, title) in [("talk to Bo", "talk to Jo"), ("send invoice", "bill Holt"), ("walk", "Bo to go")] {
            assert_eq!(divided(&read(text, title), &tasks), None, "{text} to {title}");
        }
    }
}
