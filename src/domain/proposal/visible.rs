//! Display of untrusted text on one line, with all characters visible that could hide or imitate another part of a question.

use std::borrow::Cow;

/// Replacement for a line break.
pub const BREAK: char = '↵';
/// Replacement for a tab.
const TAB: char = '⇥';
/// Maximum run of blanks that is shown unchanged; longer ones are shown as a count.
const BLANKS: usize = 2;
/// Maximum run of combining marks that is shown unchanged; more would overlap other lines.
const MARKS: usize = 3;

/// Printable characters without a visible glyph.
const BLANK_LETTERS: [(u32, u32); 14] = [
    (0x34F, 0x34F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180D),
    (0x180F, 0x180F),
    (0x2800, 0x2800),
    (0x3164, 0x3164),
    (0xFFA0, 0xFFA0),
    (0xFFFC, 0xFFFC),
    (0x1_3441, 0x1_3446),
    (0x1_6FE4, 0x1_6FE4),
    (0x1_D159, 0x1_D159),
    (0x1_DA9B, 0x1_DAAF),
    (0xE_0100, 0xE_01EF),
];

/// Right-to-left scripts, including blocks reserved for them.
const RIGHT_TO_LEFT: [(u32, u32); 5] =
    [(0x590, 0x8FF), (0xFB1D, 0xFDFF), (0xFE70, 0xFEFE), (0x1_0800, 0x1_0FFF), (0x1_E800, 0x1_EFFF)];

/// Wraps a text with right-to-left characters in an isolate (Unicode Annex 9), so that it cannot reorder the surrounding line.
pub fn isolated(text: &str) -> Cow<'_, str> {
    if text.chars().any(|c| within(c, &RIGHT_TO_LEFT)) { format!("\u{2068}{text}\u{2069}").into() } else { text.into() }
}

/// Returns the text on one line: line breaks as `
/// `, invisible characters as `[U+202E]`, long runs of blanks as `[40 spaces]`. Characters that could imitate the end of a quoted
/// value are shown by code point as well.
pub fn visible(text: &str) -> String {
    shown(text, false)
}

/// Returns both sides of a change. If they differ only in look-alikes, such as kinds of blanks, these are shown by code point as
/// well.
pub fn visible_pair(before: Option<&str>, after: Option<&str>) -> (Option<String>, Option<String>) {
    let both = |strict| (before.map(|text| shown(text, strict)), after.map(|text| shown(text, strict)));
    let shown = both(false);
    if shown.0 == shown.1 && before != after { both(true) } else { shown }
}

fn shown(text: &str, strict: bool) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let (mut at, mut marks) = (0, 0);
    while at < chars.len() {
        let c = chars[at];
        let rest = &chars[at..];
        let run = rest.iter().take_while(|c| is_blank(**c)).count();
        marks = if is_mark(c) { marks + 1 } else { 0 };
        if run > BLANKS {
            out += &format!("[{run} spaces]");
            at += run;
            continue;
        }
        match c {
            '\r' if rest.get(1) == Some(&'\n') && !strict => {}
            '\n' => out.push(BREAK),
            '\t' => out.push(TAB),
            // A replacement character in the text itself, or an imitated end of a value.
            BREAK | TAB => push_number(&mut out, c),
            '[' if imitates(rest) => push_number(&mut out, c),
            '”' if leads_to(&rest[1..], '→') => push_number(&mut out, c),
            '“' if comes_after(&chars[..at], '→') => push_number(&mut out, c),
            '•' if leads_to(&rest[1..], '#') => push_number(&mut out, c),
            _ if is_blank(c) && (c == ' ' || !strict) => out.push(' '),
            _ if marks > MARKS => push_number(&mut out, c),
            _ if joins(c) && !strict && is_joined(&chars, at) => out.push(c),
            _ if is_blank(c) || joins(c) || is_hidden(c) => push_number(&mut out, c),
            _ => out.push(c),
        }
        at += 1;
    }
    out
}

fn push_number(out: &mut String, c: char) {
    *out += &format!("[U+{:04X}]", u32::from(c));
}

fn within(c: char, ranges: &[(u32, u32)]) -> bool {
    ranges.iter().any(|(first, last)| (*first..=*last).contains(&u32::from(c)))
}

/// Returns true for characters that are invisible or move others: controls, formats, private and unassigned characters, and
/// letters without a glyph.
fn is_hidden(c: char) -> bool {
    if c.is_ascii() {
        return c.is_control();
    }
    // After a letter, the standard library escapes unprintable characters but not combining marks.
    let text = String::from_iter(['x', c]);
    !text.escape_debug().eq(text.chars()) || within(c, &BLANK_LETTERS)
}

/// Returns true for combining marks.
fn is_mark(c: char) -> bool {
    !c.is_ascii() && c.escape_debug().len() > 1 && !is_hidden(c)
}

/// Returns true for blanks other than line breaks.
fn is_blank(c: char) -> bool {
    c.is_whitespace() && !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}')
}

/// Returns true for joiners and variation selectors, which emoji and some scripts need.
fn joins(c: char) -> bool {
    matches!(c, '\u{200C}' | '\u{200D}' | '\u{FE00}'..='\u{FE0F}')
}

/// Returns true if a joiner follows a character that it can affect, and a zero-width one also precedes one.
fn is_joined(chars: &[char], at: usize) -> bool {
    let concerned = |c: Option<&char>| c.is_some_and(|c| !c.is_ascii() && !is_blank(*c) && !is_hidden(*c));
    let before = at.checked_sub(1).and_then(|before| chars.get(before));
    let variation = !matches!(chars[at], '\u{200C}' | '\u{200D}');
    concerned(before) && (variation || concerned(chars.get(at + 1)))
}

/// Returns true for a bracket that begins a text like the replacements for hidden characters and blanks.
fn imitates(rest: &[char]) -> bool {
    let text: String = rest.iter().skip(1).take(24).collect();
    let digits = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == ',');
    text.starts_with("U+")
        || digits.len() < text.len() && (digits.starts_with(" spaces]") || digits.starts_with(" characters]"))
}

/// Returns true if the next non-blank character is `mark`.
fn leads_to(rest: &[char], mark: char) -> bool {
    rest.iter().find(|c| !is_blank(**c)) == Some(&mark)
}

/// Returns true if the last non-blank character is `mark`.
fn comes_after(before: &[char], mark: char) -> bool {
    before.iter().rev().find(|c| !is_blank(**c)) == Some(&mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_stays_on_its_line_and_hides_nothing() {
        for (text, shown) in [
            ("buy milk", "buy milk"),
            ("Crème brûlée – 2 €, “sweet”", "Crème brûlée – 2 €, “sweet”"),
            ("one\ntwo\r\nthree\rfour", "one↵two↵three[U+000D]four"),
            ("a\u{2028}b\u{2029}c\u{85}d\u{b}e", "a[U+2028]b[U+2029]c[U+0085]d[U+000B]e"),
            ("\u{202e}klim yub\u{202c}", "[U+202E]klim yub[U+202C]"),
            ("mi\u{200b}lk\u{feff}\u{ad}", "mi[U+200B]lk[U+FEFF][U+00AD]"),
            ("a\u{200d}b", "a[U+200D]b"),
            ("👩\u{200d}🚀 ❤\u{fe0f} می\u{200c}خواهم", "👩\u{200d}🚀 ❤\u{fe0f} می\u{200c}خواهم"),
            ("\u{e0064}\u{3164}\u{2800}", "[U+E0064][U+3164][U+2800]"),
            ("a  b\tc", "a  b⇥c"),
            ("a          b", "a[10 spaces]b"),
            ("a\u{a0}b", "a b"),
            ("milk” → “eggs", "milk[U+201D] → [U+201C]eggs"),
            ("• #2 title", "[U+2022] #2 title"),
            ("[U+202E] [40 spaces] ↵ [1]", "[U+005B]U+202E] [U+005B]40 spaces] [U+21B5] [1]"),
            ("e\u{301}\u{301}\u{301}\u{301}", "e\u{301}\u{301}\u{301}[U+0301]"),
            ("ก\u{e49}\u{e49}\u{e49}\u{e49}", "ก\u{e49}\u{e49}\u{e49}[U+0E49]"),
            ("ཀ\u{f71}\u{f72}\u{f71}\u{f72}", "ཀ\u{f71}\u{f72}\u{f71}[U+0F72]"),
            ("a\u{13430}b\u{110bd}c\u{600}", "a[U+13430]b[U+110BD]c[U+0600]"),
            ("❤\u{fe0f}\u{fe0f}\u{fe0f}\u{fe0f}", "❤\u{fe0f}\u{fe0f}\u{fe0f}[U+FE0F]"),
            ("שלום नमस्ते สวัสดี 日本語 한국어 🏳\u{fe0f}\u{200d}🌈", "שלום नमस्ते สวัสดี 日本語 한국어 🏳\u{fe0f}\u{200d}🌈"),
        ] {
            assert_eq!(visible(text), shown, "{text:?}");
        }
    }

    #[test]
    fn text_from_right_to_left_is_isolated() {
        for (text, shown) in [
            ("milk", "milk"),
            ("Crème 日本語", "Crème 日本語"),
            ("חלב", "\u{2068}חלב\u{2069}"),
            ("buy حليب", "\u{2068}buy حليب\u{2069}"),
            ("\u{1e900}", "\u{2068}\u{1e900}\u{2069}"),
        ] {
            assert_eq!(isolated(text), shown, "{text:?}");
        }
    }

    #[test]
    fn sides_that_look_alike_are_told_apart() {
        let pair = |before, after| visible_pair(Some(before), Some(after));
        assert_eq!(pair("a b", "a\u{a0}b"), (Some("a b".into()), Some("a[U+00A0]b".into())));
        assert_eq!(pair("❤", "❤\u{fe0f}"), (Some("❤".into()), Some("❤\u{fe0f}".into())), "they are drawn in two ways");
        assert_eq!(pair("a\nb", "a\r\nb"), (Some("a↵b".into()), Some("a[U+000D]↵b".into())));
        assert_eq!(visible_pair(None, Some("x")), (None, Some("x".into())));
    }

    proptest::proptest! {
        #[test]
        fn no_text_breaks_a_line_or_turns_it(text in "\\PC{0,40}|[\\x00-\\x{10FFFF}]{0,40}") {
            let shown = visible(&text);
            let bad = |c: char| is_hidden(c) && !joins(c);
            proptest::prop_assert!(!shown.contains(bad), "{shown:?}");
        }
    }
}
