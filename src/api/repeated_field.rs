//! Form fields that may be repeated.

use serde::{Deserialize, Deserializer, Serialize};

/// The values of a repeatable field: `tags=a` or `tags=a&tags=b` (INTERFACE, HTTP).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Sent")]
pub struct RepeatedField(pub Vec<String>);

#[derive(Deserialize)]
#[serde(untagged)]
enum Sent {
    One(String),
    Several(Vec<String>),
}

impl From<Sent> for RepeatedField {
    fn from(sent: Sent) -> Self {
        match sent {
            Sent::One(value) => Self(vec![value]),
            Sent::Several(values) => Self(values),
        }
    }
}

/// A repeatable field that may be absent. `tags=` is a list without tags, which a plain `Option` would read as absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct OptionalRepeatedField(pub Option<RepeatedField>);

impl<'de> Deserialize<'de> for OptionalRepeatedField {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        RepeatedField::deserialize(deserializer).map(|listed| Self(Some(listed)))
    }
}
