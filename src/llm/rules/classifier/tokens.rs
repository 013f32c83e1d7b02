//! A message as the models see it: numbers, dates and quotations are alike whatever they say.

use std::ops::Range;

use super::super::words::{Kind, Word};
use crate::domain::when::Found;

/// A word, or a stretch of them that counts as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The word's key; `0` for numbers, `DATE` for dates, `QUOTED` for what stands in quotes, `⏎` for the end of a line.
    pub name: String,
    /// Which words it stands for.
    pub words: Range<usize>,
}

/// The most tokens of a message that are looked at; what is longer is a text and no request.
const MOST: usize = 60;

pub(super) fn tokens(words: &[Word], dates: &[Found]) -> Vec<Token> {
    let mut tokens: Vec<Token> = vec![];
    let mut last_date = None;
    for (at, word) in words.iter().enumerate() {
        let date = dates.iter().position(|date| date.span.contains(&word.start));
        if let (Some(last), true) = (tokens.last_mut(), date.is_some() && date == last_date) {
            last.words.end = at + 1;
            continue;
        }
        last_date = date;
        let name = match word.kind {
            _ if date.is_some() => "DATE".to_owned(),
            Kind::Quoted => "QUOTED".to_owned(),
            Kind::Mark if word.key == "\n" => "⏎".to_owned(),
            _ if word.key.trim_start_matches('#').starts_with(|c: char| c.is_ascii_digit()) => "0".to_owned(),
            Kind::Plain | Kind::Mark => word.key.clone(),
        };
        tokens.push(Token { name, words: at..at + 1 });
    }
    tokens.truncate(MOST);
    tokens
}
