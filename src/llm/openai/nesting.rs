//! Nesting and size of JSON that arrives in pieces. Each byte is looked at once, whatever the number of pieces.

use serde_json::Value;

/// Maximum depth of an event or of arguments. Records wrap them in a few more levels, and their readers stop at 128.
const DEEPEST: usize = 64;
/// Maximum number of commas and opening brackets of an event. Each value takes up to a kilobyte of memory.
const MOST_MARKS: usize = 20_000;

/// State after the pieces so far.
#[derive(Debug, Default)]
pub struct Nesting {
    /// Open objects and arrays.
    depth: usize,
    in_string: bool,
    /// True after a backslash within a string.
    escaped: bool,
    /// True once a value has begun.
    begun: bool,
    /// Bytes of a value without brackets or quotes, such as `null`.
    bare: usize,
    deepest: usize,
    /// Commas and opening brackets outside strings.
    marks: usize,
}

impl Nesting {
    pub fn take(&mut self, piece: &[u8]) {
        for &byte in piece {
            if self.in_string {
                self.in_string = self.escaped || byte != b'"';
                self.escaped = byte == b'\\' && !self.escaped;
                continue;
            }
            match byte {
                b'"' => (self.in_string, self.begun) = (true, true),
                b'{' | b'[' => {
                    (self.depth, self.begun) = (self.depth + 1, true);
                    (self.deepest, self.marks) = (self.deepest.max(self.depth), self.marks + 1);
                }
                b',' => self.marks += 1,
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                byte if byte.is_ascii_whitespace() => {}
                _ => self.bare += usize::from(!self.begun),
            }
        }
    }

    /// Returns true if a value was complete at the end of the last piece. The text may still be invalid.
    pub fn is_closed(&self) -> bool {
        !self.in_string && self.depth == 0 && (self.begun || self.bare == "null".len())
    }
}

impl Nesting {
    /// Returns true if the text so far may be parsed.
    pub fn fits(&self) -> bool {
        self.deepest <= DEEPEST && self.marks <= MOST_MARKS
    }
}

/// Returns true if the text may be parsed.
pub fn fits(json: &[u8]) -> bool {
    let mut nesting = Nesting::default();
    nesting.take(json);
    nesting.fits()
}

/// Returns the number of values in the value; `None` if it is nested too deeply.
pub fn values(value: &Value) -> Option<usize> {
    fn within(value: &Value, left: usize) -> Option<usize> {
        let inner = match value {
            Value::Array(values) => {
                values.iter().map(|value| within(value, left.checked_sub(1)?)).sum::<Option<usize>>()
            }
            Value::Object(fields) => fields.values().map(|value| within(value, left.checked_sub(1)?)).sum(),
            _ => Some(0),
        };
        inner.map(|inner| inner + 1)
    }
    within(value, DEEPEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_or_numerous_values_do_not_fit() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(fits(nested(DEEPEST).as_bytes()) && !fits(nested(DEEPEST + 1).as_bytes()));
        assert!(fits(format!("\"{}\"", "[".repeat(30_000)).as_bytes()));
        assert!(!fits("{\"\":0},".repeat(MOST_MARKS).as_bytes()));
        let value = |depth| serde_json::from_str::<Value>(&nested(depth)).unwrap();
        assert_eq!((values(&value(DEEPEST)), values(&value(DEEPEST + 2))), (Some(DEEPEST), None));
    }

    #[test]
    fn value_is_closed_at_its_last_piece() {
        for (pieces, closed) in [
            (&["{\"a\":", " \"}\\", "\"\"}"][..], true),
            (&["{\"a\":", " \"}\\", "\"}"], false),
            (&["[[1,", "1]"], false),
            (&["nu", "ll"], true),
            (&["\"{\\\"a\\\":1}", "\""], true),
            (&[" ", ""], false),
        ] {
            let mut nesting = Nesting::default();
            pieces.iter().for_each(|piece| nesting.take(piece.as_bytes()));
            assert_eq!(nesting.is_closed(), closed, "{pieces:?}");
        }
    }
}
