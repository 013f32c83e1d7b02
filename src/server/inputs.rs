//! Limits on the parts of a request, checked once before any handler: number of fields, length of their names, items of a list,
//! and text that a database cannot store. Each check takes linear time.

use std::collections::HashMap;
use std::fmt;

use axum::body::Bytes;
use axum::http::Uri;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::api::ApiError;
use crate::api::error::Code;
use crate::domain::tool::MOST_TARGETS;
use crate::messages::errors as messages;

/// Maximum number of fields of a form or query and of members of a JSON object: the tasks of one request, and its other fields.
const MOST_FIELDS: usize = MOST_TARGETS + 20;
/// Maximum length of a field's name in bytes, as sent.
const LONGEST_NAME: usize = 100;
/// Maximum number of items in a JSON list: above the limit of a tool call, so that the tool itself rejects a slight excess.
const MOST_ITEMS: usize = MOST_FIELDS;

/// Checks the path and the query of a request.
///
/// # Errors
/// 422 for text that no database can store, 400 for a query with too many fields.
pub fn address(uri: &Uri) -> Result<(), ApiError> {
    storable(&decoded(uri.path().as_bytes()))?;
    let Some(query) = uri.query() else { return Ok(()) };
    fields(query.as_bytes())?;
    storable(&decoded(query.as_bytes()))
}

/// Checks a form (`application/x-www-form-urlencoded`), and converts repeated fields to lists (INTERFACE, HTTP): `tags=a&tags=b`
/// becomes `tags[0]=a&tags[1]=b`, as server functions expect.
///
/// # Errors
/// As [`address`], and 400 for a form that is not UTF-8: later decoding would replace invalid bytes and store the result.
pub fn form(form: &Bytes) -> Result<Bytes, ApiError> {
    let fields = fields(form)?;
    let plain = decoded(form);
    if std::str::from_utf8(&plain).is_err() {
        return Err(ApiError::new(Code::Malformed, messages::FORM_NOT_UTF_8));
    }
    storable(&plain)?;
    let mut counts: HashMap<&[u8], usize> = HashMap::new();
    for (name, _) in &fields {
        *counts.entry(name).or_default() += 1;
    }
    if counts.values().all(|count| *count == 1) {
        return Ok(form.clone());
    }
    counts.retain(|_, count| *count > 1);
    counts.values_mut().for_each(|count| *count = 0);
    let mut listed = Vec::with_capacity(form.len() + 6 * fields.len());
    for (name, value) in fields {
        listed.extend_from_slice(name);
        if let Some(before) = counts.get_mut(name) {
            listed.extend_from_slice(format!("[{before}]").as_bytes());
            *before += 1;
        }
        listed.extend_from_slice(value);
        listed.push(b'&');
    }
    listed.pop();
    Ok(listed.into())
}

/// Returns the first value of a form field whose name and value need no escapes.
pub fn value(form: &[u8], name: &str) -> Option<String> {
    let mut fields =
        form.split(|byte| *byte == b'&').filter_map(|field| field.strip_prefix(name.as_bytes())?.strip_prefix(b"="));
    fields.next().map(|value| String::from_utf8_lossy(value).into_owned())
}

/// Checks JSON. Invalid JSON passes: its later reader reports it.
///
/// # Errors
/// As [`address`], and 422 for a list or an object that is too long.
pub fn json(body: &[u8]) -> Result<(), ApiError> {
    let mut refused = None;
    let mut reader = serde_json::Deserializer::from_slice(body);
    // The library's error would name lines and columns; `refused` has the message.
    let _unread = Checked(&mut refused).deserialize(&mut reader);
    refused.map_or(Ok(()), Err)
}

/// Checks the arguments of a call that came without a request.
///
/// # Errors
/// As [`json`].
pub fn arguments(arguments: &Value) -> Result<(), ApiError> {
    let mut refused = None;
    let _unread = Checked(&mut refused).deserialize(arguments);
    refused.map_or(Ok(()), Err)
}

/// Rejects NUL, the one character that PostgreSQL cannot store in text. The only such check: handlers rely on it.
pub fn storable(text: &[u8]) -> Result<(), ApiError> {
    if text.contains(&0) { Err(ApiError::new(Code::Invalid, messages::NUL_IN_TEXT)) } else { Ok(()) }
}

/// A field as sent: its name, then the rest including `=`.
type Field<'a> = (&'a [u8], &'a [u8]);

/// Splits a form into its fields, without empty ones.
fn fields(form: &[u8]) -> Result<Vec<Field<'_>>, ApiError> {
    let mut fields = vec![];
    for field in form.split(|byte| *byte == b'&').filter(|field| !field.is_empty()) {
        let (name, value) = field.split_at(field.iter().position(|byte| *byte == b'=').unwrap_or(field.len()));
        self::field(fields.len() + 1, name)?;
        fields.push((name, value));
    }
    Ok(fields)
}

/// Checks the name of the `count`th field of a form.
pub fn field(count: usize, name: &[u8]) -> Result<(), ApiError> {
    if count > MOST_FIELDS {
        return Err(ApiError::new(Code::Malformed, messages::too_many_fields(MOST_FIELDS)));
    }
    if name.len() > LONGEST_NAME {
        return Err(ApiError::new(Code::Malformed, messages::name_too_long(LONGEST_NAME)));
    }
    Ok(())
}

fn decoded(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        let digit = |at: usize| tail.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        rest = match (first, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                plain.extend(u8::try_from(high * 16 + low));
                &tail[2..]
            }
            _ => {
                plain.push(*first);
                tail
            }
        };
    }
    plain
}

/// Visits a JSON value and keeps only the reason for which it is rejected.
struct Checked<'a>(&'a mut Option<ApiError>);

impl Checked<'_> {
    fn refuse<E: Error>(&mut self, error: ApiError) -> E {
        *self.0 = Some(error);
        E::custom("refused")
    }

    fn text<E: Error>(&mut self, text: &str) -> Result<(), E> {
        storable(text.as_bytes()).map_err(|error| self.refuse(error))
    }

    fn counted<E: Error>(&mut self, count: usize, most: usize, sentence: fn(usize) -> String) -> Result<(), E> {
        if count <= most { Ok(()) } else { Err(self.refuse(ApiError::new(Code::Invalid, sentence(most)))) }
    }
}

impl<'de> DeserializeSeed<'de> for Checked<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Checked<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(messages::ANOTHER_KIND_OF_VALUE)
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: Error>(self, _value: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(self, _value: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: Error>(self, _value: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: Error>(self, _value: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E: Error>(mut self, text: &str) -> Result<(), E> {
        self.text(text)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        let mut count = 0;
        while items.next_element_seed(Checked(self.0))?.is_some() {
            count += 1;
            self.counted(count, MOST_ITEMS, |_| messages::list_too_long(MOST_TARGETS))?;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<(), A::Error> {
        let mut count = 0;
        while let Some(name) = members.next_key::<std::borrow::Cow<'de, str>>()? {
            count += 1;
            self.counted(count, MOST_FIELDS, messages::too_many_fields)?;
            self.counted(name.len(), LONGEST_NAME, messages::name_too_long)?;
            self.text(&name)?;
            members.next_value_seed(Checked(self.0))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_field_is_a_list() {
        for (sent, read) in [
            ("title=a&tags=x&tags=y", "title=a&tags[0]=x&tags[1]=y"),
            ("tags=x&title=a&tags=y", "tags[0]=x&title=a&tags[1]=y"),
            ("title=a&tags[0]=x&tags[1]=y", "title=a&tags[0]=x&tags[1]=y"),
            ("title=a&tags=x", "title=a&tags=x"),
            ("a&a&b=", "a[0]&a[1]&b="),
            ("", ""),
        ] {
            assert_eq!(form(&Bytes::from(sent)).unwrap(), read, "{sent}");
        }
    }

    #[test]
    fn a_form_is_text_once_decoded() {
        for (sent, refused) in [
            ("message=add+buy+milk", None),
            ("message=%F0%9F%A6%80", None),
            ("message=🦀", None),
            ("message=100%", None),
            ("message=%zz", None),
            ("message=%00zz", Some(Code::Invalid)),
            ("mess%00age=x", Some(Code::Invalid)),
            ("message=a\0b", Some(Code::Invalid)),
            ("message=%ff%fe", Some(Code::Malformed)),
            ("message=%F0%9F", Some(Code::Malformed)),
        ] {
            assert_eq!(form(&Bytes::from(sent)).err().map(|error| error.code), refused, "{sent}");
        }
        assert!(form(&Bytes::from_static(b"message=\xff")).is_err());
    }

    #[test]
    fn a_form_has_so_many_fields_with_short_names() {
        let many = |count: usize| form(&Bytes::from("a=1&".repeat(count)));
        assert!(many(MOST_FIELDS).is_ok());
        assert_eq!(many(MOST_FIELDS + 1).unwrap_err().code, Code::Malformed);
        let named = |length: usize| form(&Bytes::from("a".repeat(length)));
        assert!(named(LONGEST_NAME).is_ok());
        assert_eq!(named(LONGEST_NAME + 1).unwrap_err().code, Code::Malformed);
    }

    #[test]
    fn an_address_is_checked_like_a_form() {
        let check = |path: &str| address(&path.parse().unwrap()).err().map(|error| error.code);
        for (path, refused) in [
            ("/tasks?q=milk&view=all", None),
            ("/tasks", None),
            ("/tasks?q=%00", Some(Code::Invalid)),
            ("/approvals/%00", Some(Code::Invalid)),
        ] {
            assert_eq!(check(path), refused, "{path}");
        }
        assert_eq!(check(&format!("/tasks?{}", "a&".repeat(MOST_FIELDS + 1))), Some(Code::Malformed));
    }

    #[test]
    fn json_is_checked_whole() {
        let check = |text: &str| json(text.as_bytes()).err().map(|error| error.code);
        for (text, refused) in [
            (r#"{"a":[1,-1,1.5,true,null,"x",{"b":"\\u0000"}]}"#, None),
            ("no JSON", None),
            (r#"{"a":["x\u0000"]}"#, Some(Code::Invalid)),
            (r#"{"a\u0000":1}"#, Some(Code::Invalid)),
        ] {
            assert_eq!(check(text), refused, "{text}");
        }
        let list = |count: usize| check(&format!("[{}1]", "1,".repeat(count - 1)));
        assert_eq!((list(MOST_ITEMS), list(MOST_ITEMS + 1)), (None, Some(Code::Invalid)));
        let name = |length: usize| check(&format!("{{\"{}\":1}}", "a".repeat(length)));
        assert_eq!((name(LONGEST_NAME), name(LONGEST_NAME + 1)), (None, Some(Code::Invalid)));
        // Nesting beyond the parser's limit ends the check.
        assert_eq!(check(&"[".repeat(100_000)), None);
    }
}
