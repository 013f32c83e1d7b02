//! Bounded text: one newtype per kind, each with its own length.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::Invalid;
#[cfg(feature = "ssr")]
use super::comparison::{composed, is_of_word};

/// Returns the words of a text in lower case, composed (NFC) and without punctuation. Apostrophes within words are dropped.
#[cfg(feature = "ssr")]
pub fn plain_words(text: &str) -> Vec<String> {
    let lower = composed(text).to_lowercase();
    let bare: String = lower.chars().filter(|c| !matches!(c, '\'' | '’' | '‘')).collect();
    bare.split(|c: char| !is_of_word(c)).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Returns `1 second`, `3 seconds`.
pub fn counted(count: impl TryInto<u64> + Copy + std::fmt::Display, one: &str, many: &str) -> String {
    crate::messages::counts::counted(count, one, many)
}

/// Returns `1,234,567`.
pub fn grouped(number: impl std::fmt::Display) -> String {
    crate::messages::counts::grouped(number)
}

/// Declares bounded text: trimmed, without control characters. Line breaks are allowed only if `multiline`, each as one LF.
macro_rules! bounded_text {
    ($(#[$doc:meta])* $name:ident, $noun:literal, $min:literal..=$max:literal, multiline: $multiline:literal) => {
        $crate::domain::text::bounded_text!(
            $(#[$doc])* $name, $noun, $min..=$max, multiline: $multiline, trimmed_by: str::trim
        );
    };
    ($(#[$doc:meta])* $name:ident, $noun:literal, $min:literal..=$max:literal, multiline: $multiline:literal, trimmed_by: $trim:path) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Maximum number of characters (Unicode scalar values) after trimming.
            pub const MAX: usize = $max;

            /// Trims and checks length and characters. Text with only invisible characters counts as empty.
            pub fn parse(text: &str) -> Result<Self, Invalid> {
                let text = if $multiline { $crate::domain::text::unix_lines(text) } else { text.into() };
                let trimmed = $trim(&text);
                let text = if $crate::domain::comparison::is_blank(trimmed) { "" } else { trimmed };
                Self::from_stored(text)
            }

            /// Checks stored text without changing it, since records repeat it byte for byte.
            pub fn from_stored(text: &str) -> Result<Self, Invalid> {
                let count = text.chars().count();
                if $min > 0 && count == 0 {
                    return Err(Invalid::because(concat!($noun, " must not be empty.")));
                }
                if count > $max {
                    return Err(Invalid::because(format!(
                        concat!($noun, " has {} characters; the limit is ", stringify!($max), "."), count
                    )));
                }
                if text.chars().any(|c| c.is_control() && !($multiline && matches!(c, '\n' | '\r' | '\t'))) {
                    return Err(Invalid::because(concat!($noun, " must not contain control characters.")));
                }
                Ok(Self(text.to_owned()))
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}
pub(super) use bounded_text;

bounded_text!(
    /// A person's chat message: 1–8,000 characters.
    MessageText, "A message", 1..=8000, multiline: true
);
bounded_text!(
    /// Idempotency key of a client's request: 1–200 characters. A repeated request has no second effect (R-201).
    ClientKey, "A client_key", 1..=200, multiline: false
);

/// Converts CR LF and CR line ends to LF.
pub fn unix_lines(text: &str) -> Cow<'_, str> {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n").into() } else { text.into() }
}

/// Removes white space at the end and before the first line. Keeps empty lines at the start.
pub fn without_margins(text: &str) -> &str {
    text.trim_end().trim_start_matches(|c: char| c.is_whitespace() && c != '\n')
}

/// Returns the first `most` characters, followed by “…” if the text is longer.
pub fn shortened(text: String, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

impl ClientKey {
    /// Returns the idempotency key of a server-initiated action. It contains a line break, so no client can send it.
    #[must_use]
    pub fn of_server(kind: &str, name: impl std::fmt::Display) -> Self {
        Self(format!("{kind}\n{name}"))
    }

    /// Returns the idempotency key of the item `line` of a request that creates several, counted from 0. The first item has the
    /// request's key. Other keys contain a line break, so no client can send them.
    #[must_use]
    pub fn of_line(&self, line: usize) -> Self {
        if line == 0 { self.clone() } else { Self(format!("{}\n{line}", self.0)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::task::Description;

    #[test]
    fn line_ends_become_one_line_feed_on_entry() {
        for (text, stored) in
            [("a\r\nb\rc\nd", "a\nb\nc\nd"), ("a\r\n\r\nb\r", "a\n\nb"), ("a\n\rb", "a\n\nb"), ("plain", "plain")]
        {
            assert_eq!(Description::parse(text).unwrap().as_str(), stored, "{text:?}");
            assert_eq!(MessageText::parse(text).unwrap().as_str(), stored, "{text:?}");
            assert_eq!(Description::parse(stored).unwrap().as_str(), stored, "it is stored once");
        }
    }

    #[test]
    fn notes_keep_the_empty_lines_that_they_begin_with() {
        for (text, stored) in
            [("\nfirst", "\nfirst"), (" \r\n  first \n ", "\n  first"), ("  first", "first"), (" \n \r\n", "")]
        {
            assert_eq!(Description::parse(text).unwrap().as_str(), stored, "{text:?}");
        }
    }

    #[test]
    fn keys_of_the_server_are_sent_by_no_client() {
        for own in [ClientKey::of_server("ask again", 7), ClientKey::parse("a").unwrap().of_line(1)] {
            assert!(ClientKey::parse(own.as_str()).is_err(), "{own}");
        }
        assert_ne!(ClientKey::of_server("ask again", 7), ClientKey::parse("ask again 7").unwrap());
    }

    #[test]
    fn stored_text_is_read_unchanged() {
        assert_eq!(Description::from_stored("a\r\nb").unwrap().as_str(), "a\r\nb");
        assert!(Description::from_stored("a\0").is_err());
    }
}
