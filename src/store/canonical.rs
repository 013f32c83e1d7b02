//! Canonical JSON (RFC 8785), the input of all digests: sorted member names and one encoding of each character and number.
//!
//! Tests compare it with a library that allocates a buffer per name, value and object. This version writes to a single buffer and
//! sorts objects in place, only if needed.

use std::io::{Error, ErrorKind, Result, Write, sink};

use serde::Serialize;
use serde::ser::Error as _;
use serde_json::Serializer;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter};

/// Largest integer that JSON numbers represent exactly: 2⁵³.
const EXACT: u64 = 1 << 53;
/// Initial buffer size in bytes, enough for most records.
const USUAL: usize = 512;

/// Returns the canonical form of a value.
///
/// # Errors
/// If the value is not valid JSON, e.g. has an object with duplicate member names.
pub fn to_string(value: &impl Serialize) -> serde_json::Result<String> {
    let mut text = Text { out: Vec::with_capacity(USUAL), ..Text::default() };
    value.serialize(&mut Serializer::with_formatter(sink(), Canonical(&mut text)))?;
    String::from_utf8(text.out).map_err(serde_json::Error::custom)
}

/// The output so far.
#[derive(Debug, Default)]
struct Text {
    out: Vec<u8>,
    /// Members of all open objects, the innermost object's last.
    members: Vec<Member>,
    /// Index in `members` of each open object's first member.
    open: Vec<usize>,
}

/// Positions of a member in the output.
#[derive(Debug, Clone, Copy)]
struct Member {
    /// Starts of the quoted name and of the value, and the end of the value.
    name: usize,
    value: usize,
    end: usize,
}

impl Text {
    /// Sorts the members of the innermost object.
    fn sort(&mut self, first: usize) -> Result<()> {
        let out = &self.out;
        let members = &mut self.members[first..];
        let plain =
            |member: &Member| out[member.name..member.value].iter().all(|byte| byte.is_ascii() && *byte != b'\\');
        let name = |member: &Member| &out[member.name + 1..member.value - 1];
        // Names are ordered by UTF-16 code units (section 3.2.3), which for ASCII equal the bytes.
        let sorted = if members.iter().all(plain) {
            let sorted = members.is_sorted_by(|one, next| name(one) < name(next));
            if !sorted {
                members.sort_by(|one, other| name(one).cmp(name(other)));
            }
            sorted
        } else {
            let mut units = Vec::with_capacity(members.len());
            for member in members.iter() {
                let name: String = serde_json::from_slice(&out[member.name..member.value])?;
                units.push((name.encode_utf16().collect::<Vec<_>>(), *member));
            }
            let sorted = units.is_sorted_by(|one, next| one.0 < next.0);
            units.sort_by(|one, other| one.0.cmp(&other.0));
            members.iter_mut().zip(&units).for_each(|(place, (_, member))| *place = *member);
            sorted
        };
        if sorted {
            return Ok(());
        }
        let same = |one: &Member, next: &Member| out[one.name..one.value] == out[next.name..next.value];
        if members.windows(2).any(|pair| same(&pair[0], &pair[1])) {
            return Err(Error::new(ErrorKind::InvalidData, "an object has two members of one name"));
        }
        let begin = members.iter().map(|member| member.name).min().unwrap_or(out.len());
        let mut ordered = Vec::with_capacity(out.len() - begin);
        for (at, member) in members.iter().enumerate() {
            if at > 0 {
                ordered.push(b',');
            }
            ordered.extend_from_slice(&out[member.name..member.end]);
        }
        self.out.truncate(begin);
        self.out.extend_from_slice(&ordered);
        Ok(())
    }

    /// Writes a fractional or inexact number in ECMAScript's format.
    fn number(&mut self, number: f64) -> Result<()> {
        self.out.extend_from_slice(&serde_json_canonicalizer::to_vec(&number)?);
        Ok(())
    }
}

/// A formatter that writes to its text and ignores the serializer's writer.
struct Canonical<'a>(&'a mut Text);

/// Writers for each integer type.
macro_rules! whole {
    ($($write:ident: $number:ty, $magnitude:ident;)*) => {
        $(fn $write<W: ?Sized + Write>(&mut self, _: &mut W, number: $number) -> Result<()> {
            if u64::try_from($magnitude!(number)).is_ok_and(|magnitude| magnitude <= EXACT) {
                CompactFormatter.$write(&mut self.0.out, number)
            } else {
                self.0.number(number as f64)
            }
        })*
    };
}

macro_rules! signed {
    ($number:ident) => {
        $number.unsigned_abs()
    };
}
macro_rules! unsigned {
    ($number:ident) => {
        $number
    };
}

impl Formatter for Canonical<'_> {
    whole! {
        write_i8: i8, signed;
        write_i16: i16, signed;
        write_i32: i32, signed;
        write_i64: i64, signed;
        write_i128: i128, signed;
        write_u8: u8, unsigned;
        write_u16: u16, unsigned;
        write_u32: u32, unsigned;
        write_u64: u64, unsigned;
        write_u128: u128, unsigned;
    }

    fn write_f32<W: ?Sized + Write>(&mut self, _: &mut W, number: f32) -> Result<()> {
        self.0.number(number.into())
    }

    fn write_f64<W: ?Sized + Write>(&mut self, _: &mut W, number: f64) -> Result<()> {
        self.0.number(number)
    }

    fn write_number_str<W: ?Sized + Write>(&mut self, _: &mut W, number: &str) -> Result<()> {
        self.0.number(number.parse().map_err(|_| ErrorKind::InvalidInput)?)
    }

    fn write_null<W: ?Sized + Write>(&mut self, _: &mut W) -> Result<()> {
        self.0.out.write_all(b"null")
    }

    fn write_bool<W: ?Sized + Write>(&mut self, _: &mut W, value: bool) -> Result<()> {
        CompactFormatter.write_bool(&mut self.0.out, value)
    }

    fn begin_string<W: ?Sized + Write>(&mut self, _: &mut W) -> Result<()> {
        self.0.out.push(b'"');
        Ok(())
    }

    fn end_string<W: ?Sized + Write>(&mut self, _: &mut W) -> Result<()> {
        self.0.out.push(b'"');
        Ok(())
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, _: &mut W, fragment: &str) -> Result<()> {
        self.0.out.extend_from_slice(fragment.as_bytes());
        Ok(())
    }

    fn write_char_escape<W: ?Sized + Write>(&mut self, _: &mut W, escape: CharEscape) -> Result<()> {
        match escape {
            CharEscape::Solidus => self.0.out.write_all(b"/"),
            escape => CompactFormatter.write_char_escape(&mut self.0.out, escape),
        }
    }

    fn begin_array<W: ?Sized + Write>(&mut self, _: &mut W) -> Result<()> {
        self.0.out.push(b'[');
        Ok(())
    }

    fn end_array<W: ?Sized + Write>(&mut self, _: &mut W) -> Result<()> {
        self.0.out.push(b']');
        Ok(())
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, _: &mut W, first: bool) -> Result<()> {
        if !first {
            self.0.out.push(b',');
        }
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, _: &mut W) -> Result<()> {
        self.0.out.push(b'{');
        self.0.open.push(self.0.members.len());
        Ok(())
    }

    fn end_object<W: ?Sized + Write>(&mut self, _: &mut W) -> Result<()> {
        let first = self.0.open.pop().ok_or(ErrorKind::InvalidData)?;
        self.0.sort(first)?;
        self.0.members.truncate(first);
        self.0.out.push(b'}');
        Ok(())
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, _: &mut W, first: bool) -> Result<()> {
        if !first {
            self.0.out.push(b',');
        }
        let name = self.0.out.len();
        self.0.members.push(Member { name, value: name, end: name });
        Ok(())
    }

    fn end_object_key<W: ?Sized + Write>(&mut self, _: &mut W) -> Result<()> {
        let value = self.0.out.len();
        self.0.members.last_mut().ok_or(ErrorKind::InvalidData)?.value = value;
        Ok(())
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> Result<()> {
        self.0.out.push(b':');
        Ok(())
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> Result<()> {
        let end = self.0.out.len();
        self.0.members.last_mut().ok_or(ErrorKind::InvalidData)?.end = end;
        Ok(())
    }

    fn write_raw_fragment<W: ?Sized + Write>(&mut self, _: &mut W, _: &str) -> Result<()> {
        Err(Error::new(ErrorKind::InvalidInput, "text that was written elsewhere is not known to be canonical"))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            (-100_i64..100).prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<f32>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            "[a-z\"\\\\/\u{0}-\u{20}é€\u{e000}\u{ffff}😀]{0,8}".prop_map(Value::from),
        ];
        let name = prop_oneof![any::<String>(), "[a-c!\"\\\\\u{1}é\u{e000}\u{ffff}😀]{0,3}"];
        leaf.prop_recursive(4, 64, 8, move |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
                proptest::collection::btree_map(name.clone(), inner, 0..8)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    /// An object whose members keep the given order.
    struct Given<'a>(&'a [(String, Value)]);

    impl Serialize for Given<'_> {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
            serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn any_value_is_written_as_the_library_writes_it(value in values()) {
            prop_assert_eq!(to_string(&value).unwrap(), serde_json_canonicalizer::to_string(&value).unwrap());
        }

        #[test]
        fn canonical_json_with_members_in_any_order_matches_the_library(
            members in proptest::collection::vec(("[a-c\"\\\\é\u{e000}😀]{0,2}", values()), 0..6),
        ) {
            let (ours, theirs) = (to_string(&Given(&members)), serde_json_canonicalizer::to_string(&Given(&members)));
            prop_assert_eq!(ours.ok(), theirs.ok(), "and two of one name by neither");
        }
    }

    #[test]
    fn canonical_json_of_other_types_matches_the_library() {
        let check = |value: &dyn Fn() -> (serde_json::Result<String>, serde_json::Result<String>)| {
            let (ours, theirs) = value();
            assert_eq!(ours.unwrap(), theirs.unwrap());
        };
        macro_rules! same {
            ($($value:expr),* $(,)?) => {
                $(check(&|| (to_string(&$value), serde_json_canonicalizer::to_string(&$value)));)*
            };
        }
        let names = BTreeMap::from([(10_i32, "ten"), (9, "nine"), (-1, "less")]);
        same!(
            i8::MIN,
            u8::MAX,
            i16::MIN,
            u16::MAX,
            i32::MIN,
            u32::MAX,
            i64::MIN,
            i64::MAX,
            u64::MAX,
            i128::MIN,
            u128::MAX
        );
        same!(EXACT, EXACT + 1, EXACT - 1, -(EXACT as i64), -(EXACT as i64) - 1, 0.0, -0.0, 1e21, 1e-7, 0.1_f32);
        same!(names, Some('😀'), (1, "two", [3.5]), json!({ "b": {}, "a": [] }));
    }
}
