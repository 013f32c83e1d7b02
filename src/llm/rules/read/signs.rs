//! Symbols at the edges of a title that belong to it: quotes, brackets, emoji.

use crate::llm::rules::normalise::words::{Kind, Word};
use crate::llm::rules::read::context::Context;

impl<'a> Context<'a> {
    /// Like [`Context::raw`], including quotes and symbols that belong to a title: “[bug] login”, “🍎 apples”.
    pub(in crate::llm::rules) fn raw_with_signs(&self, stretch: &[Word]) -> &'a str {
        let raw = self.raw(stretch);
        let quoted = |word: Option<&Word>| word.is_some_and(|word| word.kind == Kind::Quoted);
        let from = raw.as_ptr() as usize - self.text.as_ptr() as usize;
        let to = from + raw.len();
        let before = self.text[..from]
            .chars()
            .next_back()
            .filter(|_| quoted(stretch.iter().find(|word| !word.is_mark())))
            .map_or_else(|| signs_before(&self.text[..from], &self.text[from..]), char::len_utf8);
        let after = self.text[to..]
            .chars()
            .next()
            .filter(|_| quoted(stretch.iter().rfind(|word| !word.is_mark())))
            .map_or_else(|| signs_after(&self.text[from - before..to], &self.text[to..]), char::len_utf8);
        &self.text[from - before..to + after]
    }
}

/// Returns true if a character belongs to a title anywhere: an emoji, an arrow.
fn is_picture(c: char) -> bool {
    !c.is_ascii() && !c.is_alphanumeric() && !c.is_whitespace() && !"–—…“”‘’«»„‚•·◦‣☐☑✓✔✅¿¡".contains(c)
}

/// Returns the bytes of the symbols directly before a title.
fn signs_before(before: &str, rest: &str) -> usize {
    let close = |open: char| match open {
        '(' => Some(')'),
        '[' => Some(']'),
        '{' => Some('}'),
        '<' => Some('>'),
        '*' | '_' | '~' | '`' => Some(open),
        _ => None,
    };
    let mut from = before.len();
    while let Some(c) = before[..from].trim_end_matches(' ').chars().next_back() {
        let spaced = before[..from].ends_with(' ');
        let pairs = !spaced && close(c).is_some_and(|close| rest.contains(close));
        if !(is_picture(c) || pairs) {
            break;
        }
        from = before[..from].trim_end_matches(' ').len() - c.len_utf8();
    }
    before.len() - from
}

/// Returns the bytes of the symbols directly after a title: a closing bracket with its last mark, and pictures.
fn signs_after(title: &str, after: &str) -> usize {
    let mut end = 0;
    loop {
        let said = [title, &after[..end]].concat();
        let open = |open: char, close: char| said.matches(open).count() > said.matches(close).count();
        let rest = &after[end..];
        let marks = rest.len() - rest.trim_start_matches(['!', '?', '.']).len();
        let pairs = match rest[marks..].chars().next() {
            Some(')') => open('(', ')'),
            Some(']') => open('[', ']'),
            Some('}') => open('{', '}'),
            // Part of a name: `__init__`.
            Some('_') => marks == 0,
            Some(c @ ('*' | '~' | '`')) => marks == 0 && said.matches(c).count() % 2 == 1,
            _ => false,
        };
        let spaces = rest.len() - rest.trim_start_matches(' ').len();
        let picture = rest[spaces..].chars().next().filter(|c| is_picture(*c)).map(|c| spaces + c.len_utf8());
        match (pairs, picture) {
            (true, _) => end += marks + 1,
            (false, Some(length)) => end += length,
            (false, None) => return end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{signs_after, signs_before};

    #[test]
    fn brackets_and_pictures_belong_to_a_title() {
        for (before, rest, signs) in [
            ("add [", "bug] login fails", "["),
            ("add 🍎 ", "apples", "🍎 "),
            ("add (", "maybe) sell the bike", "("),
            ("add: ", "soap", ""),
            ("add - ", "soap", ""),
            ("add (", "soap", ""),
        ] {
            assert_eq!(signs_before(before, rest), signs.len(), "{before}{rest}");
        }
        for (title, after, signs) in [
            ("oven (greasy", "!) please", "!)"),
            ("cake", " 🎂", " 🎂"),
            ("soap", ") x", ""),
            ("a *b", "* c", "*"),
            ("read __init", "__", "__"),
            ("plants", "_", "_"),
        ] {
            assert_eq!(signs_after(title, after), signs.len(), "{title}{after}");
        }
    }
}
