//! Normalisation of arguments as models and programs write them, for the gate, the audit log and the tools.

use serde_json::{Map, Number, Value};

/// Largest integer that a double represents exactly (2^53), also in the form `1.0`.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;
/// Maximum digits of an integer parsed from a text.
const MOST_DIGITS: usize = 15;

/// Returns the arguments with values of the types in `schema`, and without empty fields.
///
/// `null`, a blank text and an empty list mean "not given", for every field. An integer may be `1.0`, `"1"` or `"#1"`.
/// A list may be JSON text or its only item. Values that cannot be converted stay unchanged and fail schema validation.
pub fn normalised(schema: &Value, arguments: Value) -> Value {
    let Value::Object(given) = arguments else { return arguments };
    let fields = given.into_iter().filter_map(|(name, value)| {
        let value = match schema["properties"].get(&name) {
            Some(field) => read(field, value)?,
            None => value,
        };
        Some((name, value))
    });
    Value::Object(fields.collect::<Map<_, _>>())
}

/// Returns the normalised value of a field; `None` if it is empty.
fn read(field: &Value, value: Value) -> Option<Value> {
    if is_blank(&value) {
        return None;
    }
    if is_of(field, "integer") {
        return Some(integer(value));
    }
    if is_of(field, "array") {
        return list(&field["items"], value);
    }
    Some(value)
}

fn is_blank(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty())
}

/// Returns true if the field's type is `kind`, alone or with `null`.
fn is_of(field: &Value, kind: &str) -> bool {
    match &field["type"] {
        Value::String(only) => only == kind,
        Value::Array(kinds) => kinds.iter().any(|one| one == kind),
        _ => false,
    }
}

/// Returns the list without blank items; `None` if nothing is left. A text is split at commas.
fn list(item: &Value, value: Value) -> Option<Value> {
    let given = match value {
        Value::Array(given) => given,
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(Value::Array(given)) => given,
            _ => vec![Value::String(text)],
        },
        only @ Value::Number(_) => vec![only],
        other => return Some(other),
    };
    let items = given.into_iter().flat_map(|given| match given {
        Value::String(text) if is_of(item, "string") => text.split(',').map(|text| named(item, text)).collect(),
        given if is_of(item, "integer") => vec![integer(given)],
        given => vec![given],
    });
    let items: Vec<Value> = items.filter(|item| !is_blank(item)).collect();
    (!items.is_empty()).then_some(Value::Array(items))
}

/// Returns the enum value that matches the text, ignoring case and blanks, or the trimmed text.
fn named(item: &Value, text: &str) -> Value {
    let text = text.trim();
    let names = item["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let known = names.into_iter().find(|name| name.eq_ignore_ascii_case(text));
    known.unwrap_or(text).into()
}

/// Returns the integer that the value represents, or the value itself.
fn integer(value: Value) -> Value {
    let whole = match &value {
        Value::Number(number) => whole(number),
        Value::String(text) => digits(text),
        _ => None,
    };
    whole.map_or(value, Value::from)
}

fn whole(number: &Number) -> Option<i64> {
    let exact = |float: &f64| float.fract() == 0.0 && float.abs() <= LARGEST_EXACT;
    #[expect(clippy::cast_possible_truncation, reason = "it has no fraction and is small enough")]
    number.as_i64().or_else(|| number.as_f64().filter(exact).map(|float| float as i64))
}

/// Parses `7`, `#7`, `-7` or `7.0`.
fn digits(text: &str) -> Option<i64> {
    let text = text.trim();
    let text = text.strip_prefix('#').unwrap_or(text);
    let (head, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let bare = head.strip_prefix('-').unwrap_or(head);
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let exact = is_number(bare) && bare.len() <= MOST_DIGITS && is_number(fraction);
    (exact && fraction.bytes().all(|byte| byte == b'0')).then(|| head.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(given: Value, expected: Value) {
        let schema = json!({ "properties": {
            "id": { "type": ["integer", "null"] }, "ids": { "type": ["array", "null"], "items": { "type": "integer" } },
            "text": { "type": ["string", "null"] }, "tags": { "type": "array", "items": { "type": "string" } },
            "clear": { "type": "array", "items": { "type": "string", "enum": ["due", "tags"] } },
        } });
        assert_eq!(normalised(&schema, given), expected);
    }

    #[test]
    fn whole_numbers_are_read_however_they_are_written() {
        for given in [json!(3), json!(3.0), json!("3"), json!(" 3 "), json!("3.0"), json!("#3"), json!("03")] {
            check(json!({ "id": given }), json!({ "id": 3 }));
        }
        check(json!({ "id": "-3" }), json!({ "id": -3 }));
        check(json!({ "id": 9_007_199_254_740_991_i64 }), json!({ "id": 9_007_199_254_740_991_i64 }));
    }

    #[test]
    fn other_numbers_stay_as_they_are() {
        for odd in [
            json!(3.5),
            json!(1e300),
            json!("3.5"),
            json!("1e2"),
            json!("three"),
            json!("3 4"),
            json!("1,000"),
            json!("3."),
            json!("--3"),
            json!("##3"),
            json!("９"),
            json!("9999999999999999"),
            json!(true),
            json!([3]),
        ] {
            check(json!({ "id": odd }), json!({ "id": odd }));
        }
    }

    #[test]
    fn null_and_blank_texts_are_not_given() {
        for blank in [json!(null), json!(""), json!("  "), json!("\n\t")] {
            check(json!({ "id": blank, "ids": blank, "text": blank, "tags": blank }), json!({}));
        }
        check(json!({ "ids": [null, ""], "tags": ["", null] }), json!({}));
        check(json!({ "tags": [], "ids": [], "text": "null" }), json!({ "text": "null" }));
        check(json!({ "unknown": null }), json!({ "unknown": null }));
    }

    #[test]
    fn lists_are_read_from_their_json_and_from_one_item() {
        for given in
            [json!([1, 2]), json!([1.0, "2"]), json!("[1, 2]"), json!(" [\"1\", 2.0]"), json!(["1", null, "#2"])]
        {
            check(json!({ "ids": given }), json!({ "ids": [1, 2] }));
        }
        check(json!({ "ids": "7", "tags": "home" }), json!({ "ids": [7], "tags": ["home"] }));
        check(json!({ "ids": 7.0 }), json!({ "ids": [7] }));
        check(json!({ "ids": "1, 2" }), json!({ "ids": ["1, 2"] }));
        check(json!({ "tags": "[\"a\", \"b\"]" }), json!({ "tags": ["a", "b"] }));
        check(json!({ "tags": "garden, home" }), json!({ "tags": ["garden", "home"] }));
        check(
            json!({ "tags": ["a,b", " c "], "clear": "Due, TAGS, x" }),
            json!({ "tags": ["a", "b", "c"], "clear": ["due", "tags", "x"] }),
        );
        check(json!({ "ids": { "0": 1 } }), json!({ "ids": { "0": 1 } }));
    }

    #[test]
    fn what_is_no_object_stays_as_it_is() {
        check(json!([1]), json!([1]));
        check(json!("x"), json!("x"));
    }
}
