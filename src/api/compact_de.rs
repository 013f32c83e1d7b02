//! A compact deserialiser of JSON values for the browser.

use std::fmt;

use serde::de::value::{MapDeserializer, SeqDeserializer, StrDeserializer};
use serde::de::{Deserializer, Error, Expected, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Value;

/// A type mismatch, without details. The browser can only report that it does not understand the answer, and formatted messages
/// would enlarge the download.
#[derive(Debug)]
pub struct CompactError;

impl fmt::Display for CompactError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(crate::messages::errors::ANOTHER_KIND_OF_VALUE)
    }
}

impl std::error::Error for CompactError {}

impl Error for CompactError {
    fn custom<T: fmt::Display>(_message: T) -> Self {
        Self
    }

    fn invalid_type(_found: Unexpected<'_>, _expected: &dyn Expected) -> Self {
        Self
    }

    fn invalid_value(_found: Unexpected<'_>, _expected: &dyn Expected) -> Self {
        Self
    }

    fn invalid_length(_length: usize, _expected: &dyn Expected) -> Self {
        Self
    }

    fn unknown_variant(_variant: &str, _expected: &'static [&'static str]) -> Self {
        Self
    }

    fn unknown_field(_field: &str, _expected: &'static [&'static str]) -> Self {
        Self
    }

    fn missing_field(_field: &'static str) -> Self {
        Self
    }

    fn duplicate_field(_field: &'static str) -> Self {
        Self
    }
}

/// A JSON value to be deserialised. Each method accepts one representation only: others, such as structs as arrays, would double
/// the code size.
#[derive(Clone, Copy)]
pub struct CompactDeserializer<'de>(pub &'de Value);

impl<'de> IntoDeserializer<'de, CompactError> for CompactDeserializer<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for CompactDeserializer<'de> {
    type Error = CompactError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CompactError> {
        match self.0 {
            Value::Array(items) => visitor.visit_seq(SeqDeserializer::new(items.iter().map(CompactDeserializer))),
            Value::Object(_) => self.deserialize_struct("", &[], visitor),
            Value::Null => visitor.visit_unit(),
            Value::Bool(yes) => visitor.visit_bool(*yes),
            Value::Number(number) => match number.as_i64() {
                Some(whole) => visitor.visit_i64(whole),
                None => visitor.visit_f64(number.as_f64().unwrap_or_default()),
            },
            Value::String(text) => visitor.visit_borrowed_str(text),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, CompactError> {
        let Value::Object(fields) = self.0 else { return Err(CompactError) };
        visitor.visit_map(MapDeserializer::new(
            fields.iter().map(|(name, value)| (name.as_str(), CompactDeserializer(value))),
        ))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CompactError> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, CompactError> {
        visitor.visit_newtype_struct(self)
    }

    /// Deserialises a variant by its name; no enum here holds data.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, CompactError> {
        let Value::String(name) = self.0 else { return Err(CompactError) };
        visitor.visit_enum(StrDeserializer::new(name))
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CompactError> {
        let Value::String(text) = self.0 else { return Err(CompactError) };
        visitor.visit_borrowed_str(text)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CompactError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CompactError> {
        let Value::Array(items) = self.0 else { return Err(CompactError) };
        visitor.visit_seq(SeqDeserializer::new(items.iter().map(CompactDeserializer)))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CompactError> {
        let Value::Bool(yes) = self.0 else { return Err(CompactError) };
        visitor.visit_bool(*yes)
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, CompactError> {
        let Some(number) = self.0.as_i64() else { return Err(CompactError) };
        visitor.visit_i64(number)
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct tuple tuple_struct map identifier
        ignored_any
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::CompactDeserializer;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Inner {
        words: Vec<String>,
        count: Option<i64>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Outer {
        inner: Vec<Inner>,
        yes: bool,
    }

    #[test]
    fn compact_struct_deserializes_only_from_an_object() {
        let value =
            json!({"inner": [{"words": ["a"], "count": 3}, {"words": [], "count": null}], "yes": true, "more": {}});
        let read = Outer::deserialize(CompactDeserializer(&value)).unwrap();
        let expected = [Inner { words: vec!["a".to_owned()], count: Some(3) }, Inner { words: vec![], count: None }];
        assert_eq!(read, Outer { inner: expected.into(), yes: true });
        assert!(Outer::deserialize(CompactDeserializer(&json!([[], true]))).is_err());
    }

    #[test]
    fn a_variant_is_read_by_its_name() {
        #[derive(Debug, PartialEq, Deserialize)]
        #[serde(rename_all = "lowercase")]
        enum Kind {
            Open,
        }
        assert_eq!(Kind::deserialize(CompactDeserializer(&json!("open"))).unwrap(), Kind::Open);
        assert!(Kind::deserialize(CompactDeserializer(&json!("shut"))).is_err());
        assert!(Kind::deserialize(CompactDeserializer(&json!({"open": null}))).is_err());
    }
}
