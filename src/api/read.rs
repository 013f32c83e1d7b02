//! Reading structs out of JSON values in the browser.

use std::fmt;

use serde::de::value::{MapDeserializer, SeqDeserializer, StrDeserializer};
use serde::de::{Deserializer, Error, Expected, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Value;

/// Something else was expected. It does not say what: the browser can only say that it does not know the answer, and the
/// words, with all that formats numbers into them, would be a fiftieth of the download.
#[derive(Debug)]
pub struct Unread;

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(crate::words::errors::ANOTHER_KIND_OF_VALUE)
    }
}

impl std::error::Error for Unread {}

impl Error for Unread {
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

/// A value as its readers see it. Whoever asks for a kind is shown that kind only: the readers' other forms, such as structs
/// written as arrays, would weigh as much as the first.
#[derive(Clone, Copy)]
pub struct Read<'de>(pub &'de Value);

impl<'de> IntoDeserializer<'de, Unread> for Read<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Read<'de> {
    type Error = Unread;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unread> {
        match self.0 {
            Value::Array(items) => visitor.visit_seq(SeqDeserializer::new(items.iter().map(Read))),
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
    ) -> Result<V::Value, Unread> {
        let Value::Object(fields) = self.0 else { return Err(Unread) };
        visitor.visit_map(MapDeserializer::new(fields.iter().map(|(name, value)| (name.as_str(), Read(value)))))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unread> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _name: &'static str, visitor: V) -> Result<V::Value, Unread> {
        visitor.visit_newtype_struct(self)
    }

    /// A variant by its name; none here holds anything.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unread> {
        let Value::String(name) = self.0 else { return Err(Unread) };
        visitor.visit_enum(StrDeserializer::new(name))
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unread> {
        let Value::String(text) = self.0 else { return Err(Unread) };
        visitor.visit_borrowed_str(text)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unread> {
        self.deserialize_str(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unread> {
        let Value::Array(items) = self.0 else { return Err(Unread) };
        visitor.visit_seq(SeqDeserializer::new(items.iter().map(Read)))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unread> {
        let Value::Bool(yes) = self.0 else { return Err(Unread) };
        visitor.visit_bool(*yes)
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unread> {
        let Some(number) = self.0.as_i64() else { return Err(Unread) };
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

    use super::Read;

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
    fn a_struct_is_read_from_an_object_and_from_nothing_else() {
        let value =
            json!({"inner": [{"words": ["a"], "count": 3}, {"words": [], "count": null}], "yes": true, "more": {}});
        let read = Outer::deserialize(Read(&value)).unwrap();
        let expected = [Inner { words: vec!["a".to_owned()], count: Some(3) }, Inner { words: vec![], count: None }];
        assert_eq!(read, Outer { inner: expected.into(), yes: true });
        assert!(Outer::deserialize(Read(&json!([[], true]))).is_err());
    }

    #[test]
    fn a_variant_is_read_by_its_name() {
        #[derive(Debug, PartialEq, Deserialize)]
        #[serde(rename_all = "lowercase")]
        enum Kind {
            Open,
        }
        assert_eq!(Kind::deserialize(Read(&json!("open"))).unwrap(), Kind::Open);
        assert!(Kind::deserialize(Read(&json!("shut"))).is_err());
        assert!(Kind::deserialize(Read(&json!({"open": null}))).is_err());
    }
}
