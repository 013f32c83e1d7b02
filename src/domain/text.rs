//! Bounded text: one newtype for each kind, with its own length.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Invalid;

/// Declares bounded text: trimmed, without control characters (line breaks only where `multiline`).
macro_rules! bounded_text {
    ($(#[$doc:meta])* $name:ident, $noun:literal, $min:literal..=$max:literal, multiline: $multiline:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(feature = "ssr", derive(schemars::JsonSchema))]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Most characters (Unicode scalar values) after trimming.
            pub const MAX: usize = $max;

            /// Trims and checks length and characters.
            pub fn parse(text: &str) -> Result<Self, Invalid> {
                let text = text.trim();
                let count = text.chars().count();
                if $min > 0 && count == 0 {
                    return Err(Invalid::because(concat!($noun, " must not be empty.")));
                }
                if count > $max {
                    return Err(Invalid::because(format!(
                        concat!($noun, " has {} characters; at most ", stringify!($max), " fit."), count
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

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}
pub(super) use bounded_text;

bounded_text!(
    /// What a person wrote in chat: 1–8,000 characters.
    MessageText, "A message", 1..=8000, multiline: true
);
bounded_text!(
    /// What a client calls one request of its own, so that sending it again does nothing twice: 1–200 characters.
    ClientKey, "A client_key", 1..=200, multiline: false
);

/// The first `most` characters of a text, with “…” where it goes on.
pub fn shortened(text: String, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

impl ClientKey {
    /// The key of one of several things that a request under this key makes, counted from 0; the first has the key itself. No client can
    /// send those of the others: a line break divides key and number.
    #[must_use]
    pub fn of_line(&self, line: usize) -> Self {
        if line == 0 { self.clone() } else { Self(format!("{}\n{line}", self.0)) }
    }
}
