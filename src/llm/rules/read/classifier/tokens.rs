//! Tokens of the models: placeholders replace numbers, dates and quotations.

use std::ops::Range;

use crate::domain::when::Found;
use crate::llm::rules::normalise::words::{Kind, Word};

/// A word, or a stretch that counts as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The word's key; `0` for numbers, `DATE` for dates, `QUOTED` for quotations, `⏎` for the end of a line.
    pub name: String,
    pub words: Range<usize>,
}

/// Maximum tokens considered; anything longer is a text and no request.
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
