//! Ranges of a text that are kept unread or removed, and the remaining text.

use std::ops::Range;

/// A byte range of the text.
pub type Stretch = Range<usize>;

/// A cursor over sorted ranges, for queries in ascending order. Each range is visited once.
pub(super) struct Walk<'a>(&'a [Stretch]);

impl<'a> Walk<'a> {
    /// Sorts the ranges by start.
    pub fn along(stretches: &'a mut [Stretch]) -> Self {
        stretches.sort_by_key(|stretch| stretch.start);
        Self(stretches)
    }

    /// Returns the first range that overlaps `place`. Queries must not go backwards.
    pub fn meets(&mut self, place: &Stretch) -> Option<&'a Stretch> {
        while self.0.first().is_some_and(|stretch| stretch.end <= place.start) {
            self.0 = &self.0[1..];
        }
        self.0.first().filter(|stretch| stretch.start < place.end)
    }
}

/// Returns ranges that are never parsed: quoted text, e-mail addresses, links.
pub(super) fn literals(text: &str) -> Vec<Stretch> {
    let mut stretches = vec![];
    let mut open: Option<(usize, char)> = None;
    let mut before = None;
    for (at, c) in text.char_indices() {
        match (open, c) {
            (None, '"') => open = Some((at, '"')),
            (None, '“') => open = Some((at, '”')),
            (None, '\'' | '‘') if before.is_none_or(char::is_whitespace) => {
                open = Some((at, if c == '\'' { c } else { '’' }))
            }
            // An apostrophe closes nothing.
            (Some((_, '\'' | '’')), c) if c != '\'' && c != '’' => {}
            (Some((_, '\'' | '’')), _) if text[at + c.len_utf8()..].starts_with(char::is_alphanumeric) => {}
            (Some((start, close)), c) if c == close => {
                stretches.push(start..at + c.len_utf8());
                open = None;
            }
            _ => {}
        }
        before = Some(c);
    }
    let mut at = 0;
    for chunk in text.split_inclusive(char::is_whitespace) {
        let mail = chunk.find('@').is_some_and(|place| place > 0) && chunk.contains('.');
        if mail || chunk.contains("://") || chunk.starts_with("www.") {
            stretches.push(at..at + chunk.trim_end().len());
        }
        at += chunk.len();
    }
    stretches
}

/// Replaces the ranges with `with`, repeated for each byte.
pub(super) fn covered(text: &str, stretches: &mut [Stretch], with: &str) -> String {
    let mut cover = Walk::along(stretches);
    let mut rest = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        match cover.meets(&(at..at + 1)) {
            Some(_) => rest.extend(std::iter::repeat_n(with, c.len_utf8())),
            None => rest.push(c),
        }
    }
    rest
}

/// Returns the rest of a line with single spaces. Drops the punctuation around removed ranges, and quotes around literal text.
pub(super) fn remainder(text: &str, removed: &mut [Stretch]) -> String {
    const LOOSE: [char; 15] =
        [',', ' ', '-', '–', '—', ':', ';', '=', '~', '•', '|', '，', '\u{200e}', '\u{200f}', '…'];
    let last = text.rfind(char::is_alphanumeric).unwrap_or(text.len());
    let mut removed = Walk::along(removed);
    let mut title = String::with_capacity(text.len());
    let mut gap = false;
    let mut spaced = false;
    for (at, c) in text.char_indices() {
        if removed.meets(&(at..at + 1)).is_some() {
            (gap, spaced) = (true, false);
            continue;
        }
        spaced |= c.is_whitespace();
        // A mark after a gap needs text on both sides.
        if gap && !c.is_whitespace() {
            let before = title.trim_end_matches(LOOSE).chars().next_back();
            let pair = before.and_then(closing).filter(|close| *close == c);
            if pair.is_some() {
                title.truncate(title.trim_end_matches(LOOSE).len() - before.map_or(0, char::len_utf8));
                continue;
            }
            let opened = before.is_none() || before.and_then(closing).is_some();
            // "tomorrow .NET", "tomorrow :)": a mark that begins a word keeps its blank.
            let begins = spaced && text[at + c.len_utf8()..].starts_with(|next: char| !next.is_whitespace());
            if LOOSE.contains(&c) && (opened || at > last) && !begins || c == '.' && at > last {
                continue;
            }
            if matches!(c, ',' | ';' | '.' | '?' | '!' | ')' | ']') && !begins || before.is_none() {
                title.truncate(title.trim_end_matches(LOOSE).len());
            } else if opened {
                title.truncate(title.trim_end().len());
            } else if !title.ends_with(' ') {
                title.push(' ');
            }
            gap = false;
        }
        title.push(c);
    }
    let joined = title.split_whitespace().collect::<Vec<_>>().join(" ");
    let bare = if gap { joined.trim_end_matches(LOOSE) } else { &joined };
    let bare = bare.trim_matches([',', ' ', '-', '–']).trim();
    let quoted = bare.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).filter(|inner| !inner.contains('"'));
    quoted.unwrap_or(bare).to_owned()
}

/// Returns the mark that closes `open`.
fn closing(open: char) -> Option<char> {
    Some(match open {
        '(' => ')',
        '[' => ']',
        '*' => '*',
        '\'' => '\'',
        '‘' => '’',
        _ => return None,
    })
}
