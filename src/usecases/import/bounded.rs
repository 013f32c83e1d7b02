//! Bounded JSON lists: rejects an oversized list while parsing, which limits the memory that a file takes.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};

use super::{LINES, too_many};
use crate::domain::Invalid;

#[derive(Debug)]
pub struct Bounded<T, const MOST: usize>(pub Vec<T>);

impl<T, const MOST: usize> Default for Bounded<T, MOST> {
    fn default() -> Self {
        Self(vec![])
    }
}

impl<'de, T: Deserialize<'de>, const MOST: usize> Deserialize<'de> for Bounded<T, MOST> {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        struct Entries<T, const MOST: usize>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>, const MOST: usize> Visitor<'de> for Entries<T, MOST> {
            type Value = Bounded<T, MOST>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut entries = vec![];
                while let Some(entry) = list.next_element()? {
                    if entries.len() == MOST {
                        return Err(A::Error::custom(format!("more than {MOST} entries in a list")));
                    }
                    entries.push(entry);
                }
                Ok(Bounded(entries))
            }
        }

        json.deserialize_seq(Entries(PhantomData))
    }
}

/// Returns the reason why a file is not its program's JSON, or which bound it exceeds.
pub fn refusal(program: &str, error: &serde_json::Error) -> Invalid {
    let text = error.to_string();
    match text.split_once(" entries in a list").and_then(|(most, _)| most.strip_prefix("more than ")) {
        Some(most) if most == LINES.to_string() => too_many(),
        Some(most) => Invalid::because(format!(
            "A task in the file has a list with more than {most} entries. Remove some of them."
        )),
        None => Invalid::because(format!("The file is not JSON{program}: {text}.")),
    }
}
