//! Bytes as lower-case hexadecimal text, for files that other programs read.

use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

pub fn text(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from_digit(half.into(), 16).expect("a half byte is a digit");
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Parses hexadecimal text; `None` if invalid.
pub fn read(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pairs = text.as_bytes().chunks(2).map(|pair| match pair {
        [high, low] => Some((digit(high)? << 4) | digit(low)?),
        _ => None,
    });
    pairs.collect()
}

/// For `#[serde(with)]`.
pub fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&text(bytes))
}

/// For `#[serde(with)]`.
pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(from)?;
    read(&text).ok_or_else(|| D::Error::custom("it is not hexadecimal"))
}
