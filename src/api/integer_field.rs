//! A whole number in a form field.

use serde::{Deserialize, Serialize};

use crate::domain::Invalid;
use crate::domain::id::whole;
use crate::messages::errors as messages;

/// A whole number as programs write it, `3` or `3.0`; `None` for an empty field.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct IntegerField(pub Option<i64>);

impl TryFrom<String> for IntegerField {
    type Error = Invalid;

    fn try_from(sent: String) -> Result<Self, Invalid> {
        match sent.trim() {
            "" => Ok(Self(None)),
            text => whole(text)
                .map(|number| Self(Some(number)))
                .ok_or_else(|| Invalid::because(messages::no_whole_number(text))),
        }
    }
}

impl From<IntegerField> for String {
    fn from(number: IntegerField) -> Self {
        number.0.map(|number| number.to_string()).unwrap_or_default()
    }
}
