//! Reading structs out of JSON values in the browser.

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, Error as _, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Error, Value};

/// A value as its readers see it. Whoever asks for a kind is shown that kind only: the readers' other forms, such as structs
/// written as arrays, would weigh as much as the first.
#[derive(Clone, Copy)]
pub struct Read<'de>(pub &'de Value);

impl<'de> IntoDeserializer<'de, Error> for Read<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Read<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Array(items) => visitor.visit_seq(SeqDeserializer::new(items.iter().map(Read))),
            Value::Object(_) => self.deserialize_struct("", &[], visitor),
            Value::Null => visitor.visit_unit(),
            Value::Bool(yes) => visitor.visit_bool(*yes),
            Value::Number(number) => number.deserialize_any(visitor),
            Value::String(text) => visitor.visit_borrowed_str(text),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let Value::Object(fields) = self.0 else { return Err(wrong()) };
        visitor.visit_map(MapDeserializer::new(fields.iter().map(|(name, value)| (name.as_str(), Read(value)))))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _name: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.0.deserialize_enum(name, variants, visitor)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let Value::String(text) = self.0 else { return Err(wrong()) };
        visitor.visit_borrowed_str(text)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let Value::Array(items) = self.0 else { return Err(wrong()) };
        visitor.visit_seq(SeqDeserializer::new(items.iter().map(Read)))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let Value::Bool(yes) = self.0 else { return Err(wrong()) };
        visitor.visit_bool(*yes)
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let Some(number) = self.0.as_i64() else { return Err(wrong()) };
        visitor.visit_i64(number)
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct tuple tuple_struct map identifier
        ignored_any
    }
}

fn wrong() -> Error {
    Error::custom("another kind of value")
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
}
