//! Words and signs of a message. Unlike [`plain_words`](crate::domain::text::plain_words), no sign is dropped.

use std::ops::Range;

/// A word or a sign with its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    /// Byte offsets.
    pub span: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Letters and digits, in lower case and without apostrophes.
    Word(String),
    /// Any other character but a blank.
    Sign(char),
}

impl Token {
    pub fn word(&self) -> Option<&str> {
        match &self.kind {
            Kind::Word(word) => Some(word),
            Kind::Sign(_) => None,
        }
    }

    pub fn sign(&self) -> Option<char> {
        match self.kind {
            Kind::Word(_) => None,
            Kind::Sign(sign) => Some(sign),
        }
    }
}

/// Returns the tokens of a text. A blank is U+0020 or U+00A0. An apostrophe belongs to a word only between two of its characters.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut all: Vec<Token> = vec![];
    let mut chars = text.char_indices().peekable();
    let mut joined = false;
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        let within = chars.peek().is_some_and(|(_, next)| next.is_alphanumeric());
        if c.is_alphanumeric() {
            let lower = c.to_lowercase();
            match all.last_mut() {
                Some(Token { kind: Kind::Word(word), span }) if joined => {
                    word.extend(lower);
                    span.end = end;
                }
                _ => all.push(Token { kind: Kind::Word(lower.collect()), span: at..end }),
            }
            joined = true;
        } else if !(joined && within && matches!(c, '\'' | '’' | '‘')) {
            joined = false;
            if !matches!(c, ' ' | '\u{a0}') {
                all.push(Token { kind: Kind::Sign(c), span: at..end });
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_sign_is_dropped() {
        let told: Vec<String> = tokens("Delete #3, I’m 'sure'！🚫\n")
            .into_iter()
            .map(|token| match token.kind {
                Kind::Word(word) => word,
                Kind::Sign(sign) => format!("<{sign}>"),
            })
            .collect();
        assert_eq!(told, ["delete", "<#>", "3", "<,>", "im", "<'>", "sure", "<'>", "<！>", "<🚫>", "<\n>"]);
    }
}
