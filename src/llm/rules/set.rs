//! Sets of words and phrases, written as one text so that a table of a hundred words stays readable.

/// Phrases divided by `|`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Set(pub &'static str);

impl Set {
    /// Whether `phrase` is one of them, exactly.
    pub fn has(self, phrase: &str) -> bool {
        !phrase.is_empty() && self.iter().any(|known| known == phrase)
    }

    /// Whether `text`, words divided by single spaces, begins with one of them.
    pub fn begins(self, text: &str) -> bool {
        self.iter().any(|phrase| text.strip_prefix(phrase).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')))
    }

    /// Every phrase in the order in which it was written.
    pub fn iter(self) -> impl Iterator<Item = &'static str> {
        self.0.split('|').filter(|phrase| !phrase.is_empty())
    }
}
