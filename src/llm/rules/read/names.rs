//! New tasks with a proper name as the title: “add On the Road”, “add Love Actually”. No word of a name is a command or a courtesy.

use crate::domain::time::Timestamp;
use crate::domain::when;
use crate::llm::rules::normalise::leads::keys;
use crate::llm::rules::read::intent::{NewItem, Part};

/// Words of a name that stay in lower case.
const SMALL: &[&str] = &["a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"];

/// Returns the new task of a message that is “add” with a name; `None` for any other.
pub(in crate::llm::rules) fn named(text: &str, now: &Timestamp, zone: &str) -> Option<Part> {
    let name = text.trim().strip_prefix("add ").or_else(|| text.trim().strip_prefix("Add "))?.trim();
    let about_list =
        |word: &String| matches!(word.as_str(), "list" | "task" | "tasks" | "todo" | "reminder" | "calendar");
    if name.contains('\n') || keys(name).iter().any(about_list) || !is_name(name) {
        return None;
    }
    let quick = when::quick_add(name, now, zone);
    let item = NewItem {
        title: quick.title,
        due: quick.due.map(|due| due.as_str().to_owned()),
        recurrence: quick.recurrence,
        priority: quick.priority,
        project: quick.project,
        tags: quick.tags,
        ..NewItem::default()
    };
    (!item.title.is_empty()).then(|| Part::Add { items: vec![item], unless_there: false })
}

/// Returns true if two or more words are capitalised and all others are small words, numbers or dates.
fn is_name(text: &str) -> bool {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c == '-').filter(|word| !word.is_empty()).collect();
    let letter = |word: &&str| word.chars().find(|c| c.is_alphabetic());
    let large = words.iter().filter(|word| letter(word).is_some_and(char::is_uppercase)).count();
    let fits = |word: &&&str| letter(word).is_none_or(|c| c.is_uppercase()) || SMALL.contains(*word);
    large >= 2 && words.iter().all(|word| fits(&word)) && words.first().and_then(letter).is_some_and(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use super::is_name;

    #[test]
    fn names_are_written_large() {
        for name in ["On the Road", "Love Actually", "Guns, Germs, and Steel", "I, Robot"] {
            assert!(is_name(name), "{name}");
        }
        for text in ["Buy milk", "milk", "call Bob Smith", "to Do", "p1 Visa form"] {
            assert!(!is_name(text), "{text}");
        }
    }
}
