//! A field that may be sent once or several times.

use serde::{Deserialize, Serialize};

/// The values of a field that is a list: `tags=a` or `tags=a&tags=b` (INTERFACE, HTTP).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Sent")]
pub struct Listed(pub Vec<String>);

#[derive(Deserialize)]
#[serde(untagged)]
enum Sent {
    One(String),
    Several(Vec<String>),
}

impl From<Sent> for Listed {
    fn from(sent: Sent) -> Self {
        match sent {
            Sent::One(value) => Self(vec![value]),
            Sent::Several(values) => Self(values),
        }
    }
}
