//! Mentions of tasks by number in a text: `#42`.

use super::id::TaskNumber;

/// Maximum number of mentions per text that are looked up.
pub const MOST: usize = 50;

/// Calls `each` with the pieces of the text: `Ok` for text, `Err` for the digits of a mention.
pub fn pieces<'a>(text: &'a str, mut each: impl FnMut(Result<&'a str, &'a str>)) {
    let (mut from, mut rest) = (0, text);
    while let Some(start) = rest.find('#') {
        let digits = rest[start + 1..].bytes().take_while(u8::is_ascii_digit).count();
        let (before, end) = (from + start, from + start + 1 + digits);
        if digits > 0 {
            each(Ok(&text[from..before]));
            each(Err(&text[before + 1..end]));
        } else {
            each(Ok(&text[from..end]));
        }
        (from, rest) = (end, &text[end..]);
    }
    each(Ok(rest));
}

/// Returns the first [`MOST`] numbers mentioned in the text, in order.
pub fn numbers(text: &str) -> Vec<TaskNumber> {
    let mut found = vec![];
    pieces(text, |piece| found.extend(piece.err().and_then(|digits| TaskNumber::parse(digits).ok())));
    found.truncate(MOST);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_wherever_they_stand() {
        let found = |text: &str| numbers(text).into_iter().map(|number| number.0).collect::<Vec<_>>();
        assert_eq!(found("Added milk (#42), as #7 was; # 3 and C# are none. #"), [42, 7]);
        assert_eq!(found("#99999999999999999999"), Vec::<i64>::new());
    }
}
