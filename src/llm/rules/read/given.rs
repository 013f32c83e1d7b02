//! Fields that a message gives to its own new tasks: "…, urgent, and put a note on it", "add these: …, the second is urgent".

use crate::llm::rules::lex::matching::stems;
use crate::llm::rules::normalise::leads::led;
use crate::llm::rules::normalise::spoken_fields::{self, Fields};
use crate::llm::rules::normalise::words::{Word, words};
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::intent::{Edits, NewItem, Part, Tags, Target};
use crate::llm::rules::read::target::target;

/// Sets the field that a clause consists of; returns false if it is none, or follows no new task.
pub(in crate::llm::rules) fn field(clause: &[Word], found: &mut [Part], context: Context) -> bool {
    let Some(Part::Add { items, .. }) = found.last_mut() else { return false };
    let Some(Fields { project, tags, priority }) = spoken_fields::field(context.raw_with_signs(clause)) else {
        return false;
    };
    let edit = Edits {
        priority,
        project: project.map(Some),
        tags: Some(tags).filter(|tags| !tags.is_empty()).map(Tags::Add),
        ..Edits::default()
    };
    // A priority after several tasks is that of the last one.
    let from = if edit.priority.is_some() { items.len().saturating_sub(1) } else { 0 };
    items[from..].iter_mut().for_each(|item| item.take(&edit));
    true
}

/// Applies a change to the new task that it describes; returns false if it describes none or several.
pub(in crate::llm::rules) fn change(part: &Part, found: &mut [Part]) -> bool {
    let Part::Edit { target: Target::Words { text, quoted: false, .. }, edit } = part else { return false };
    if edit.title.is_some() || edit.reword.is_some() || edit.shift.is_some() {
        return false;
    }
    let mut said = stems(text);
    said.retain(|stem| !matches!(stem.as_str(), "one" | "thing" | "task"));
    let mut fits: Vec<&mut NewItem> = found
        .iter_mut()
        .filter_map(|part| if let Part::Add { items, .. } = part { Some(items) } else { None })
        .flatten()
        .filter(|item| !said.is_empty() && said.is_subset(&stems(&item.title)))
        .collect();
    match fits.as_mut_slice() {
        [one] => {
            one.take(edit);
            true
        }
        _ => false,
    }
}

/// Splits off a project that follows all items: “add milk and bread to a project called Shopping”, “add "A" and "B" to Choir, …”.
pub(in crate::llm::rules) fn shared_project(text: &str) -> Option<(String, String)> {
    if led(text).0 == 0 || text.contains('\n') {
        return None;
    }
    if let Some((at, name)) = spoken_fields::project_at_end(text) {
        return Some((text[..at].trim_end_matches([',', ' ']).to_owned(), name));
    }
    let close = text.rfind('"')? + 1;
    let rest = text[close..].trim_start();
    let into = ["to ", "into ", "in ", "under "].iter().find_map(|word| rest.strip_prefix(word))?;
    let end = into.find([',', '.', ';']).unwrap_or(into.len());
    let name =
        into[..end].trim().trim_start_matches("project ").trim_end_matches(" project").trim_end_matches(" please");
    let large = name.split(' ').all(|word| word.starts_with(|c: char| c.is_uppercase() || c == '#'));
    (large && name.split(' ').count() <= 3)
        .then(|| (format!("{}{}", &text[..close], &into[end..]), name.trim_start_matches('#').to_owned()))
}

/// Gives a project to all new tasks; `None` if the message does anything else.
pub(in crate::llm::rules) fn with_project(mut parts: Vec<Part>, name: &str) -> Option<Vec<Part>> {
    let adds = parts.iter().all(|part| matches!(part, Part::Add { .. } | Part::Say(_)));
    let count: usize = parts.iter().map(|part| if let Part::Add { items, .. } = part { items.len() } else { 0 }).sum();
    for part in &mut parts {
        if let Part::Add { items, .. } = part {
            items.iter_mut().for_each(|item| item.project = item.project.take().or_else(|| Some(name.to_owned())));
        }
    }
    (adds && count > 1).then_some(parts)
}

/// Returns the move of tasks mentioned before into a project: "add all of those to project Exams".
pub(in crate::llm::rules) fn filed(rest: &str, name: &str) -> Option<Vec<Part>> {
    let said = words(led(rest).1);
    let target = Some(target(&said, led(rest).1)).filter(|target| matches!(target, Target::It | Target::Them))?;
    Some(vec![Part::Edit { target, edit: Edits { project: Some(Some(name.to_owned())), ..Edits::default() } }])
}
