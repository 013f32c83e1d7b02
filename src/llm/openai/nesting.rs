//! Nesting of JSON that arrives in pieces. Each byte is looked at once, whatever the number of pieces.

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
}

impl Nesting {
    pub fn take(&mut self, piece: &str) {
        for byte in piece.bytes() {
            if self.in_string {
                self.in_string = self.escaped || byte != b'"';
                self.escaped = byte == b'\\' && !self.escaped;
                continue;
            }
            match byte {
                b'"' => (self.in_string, self.begun) = (true, true),
                b'{' | b'[' => (self.depth, self.begun) = (self.depth + 1, true),
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

#[cfg(test)]
mod tests {
    use super::*;

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
            pieces.iter().for_each(|piece| nesting.take(piece));
            assert_eq!(nesting.is_closed(), closed, "{pieces:?}");
        }
    }
}
