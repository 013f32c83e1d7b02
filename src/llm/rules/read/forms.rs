//! New tasks in the form of labelled fields: "Title: water the ferns. Priority: low."

use crate::domain::time::Timestamp;
use crate::domain::when;
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::words;
use crate::llm::rules::read::intent::{NewItem, Part};
use crate::llm::rules::read::levels::priority;

const LABELS: Set =
    set("title|task|name|todo|due|due date|deadline|date|when|priority|prio|notes|note|description|details");
/// Words allowed before the first field.
const LEADS: Set = file_set!("forms_leads");

/// Parses a message with a title and at least one more field.
pub(in crate::llm::rules) fn form(text: &str, now: &Timestamp, zone: &str) -> Option<Part> {
    let fields = fields(text);
    let (lead, _, _) = *fields.first()?;
    let led = text[..lead].to_lowercase();
    let only = led.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).all(|word| LEADS.has(word));
    if fields.len() < 2 || !only {
        return None;
    }
    let mut item = NewItem::default();
    for (at, (_, label, from)) in fields.iter().enumerate() {
        let to = fields.get(at + 1).map_or(text.len(), |(start, _, _)| *start);
        let value = text[*from..to].trim().trim_matches(['.', ',', ';', '-', '"', '“', '”']).trim();
        match label.as_str() {
            "title" | "task" | "name" | "todo" if item.title.is_empty() => item.title = value.to_owned(),
            "due" | "due date" | "deadline" | "date" | "when" => {
                let when = when::parse(value, now, zone)?;
                item.due = Some(when.due.as_str().to_owned());
                item.recurrence = when.recurrence;
            }
            "priority" | "prio" => item.priority = Some(priority(&words(value))?),
            "notes" | "note" | "description" | "details" => item.description = Some(value.to_owned()),
            _ => return None,
        }
    }
    (!item.title.is_empty()).then(|| Part::Add { items: vec![item], unless_there: false })
}

/// Returns the start, the label and the value's start of each field.
fn fields(text: &str) -> Vec<(usize, String, usize)> {
    let mut found = vec![];
    for (colon, _) in text.match_indices(':') {
        let open = text[..colon].rfind(['.', ',', ';', '\n', ':']).map_or(0, |at| at + 1);
        let label = text[open..colon].trim().to_lowercase();
        let said = label.trim_start_matches("add ").trim_start_matches("new ");
        if LABELS.has(said) && text[colon + 1..].starts_with(char::is_whitespace) {
            found.push((open, said.to_owned(), colon + 1));
        }
    }
    found
}
