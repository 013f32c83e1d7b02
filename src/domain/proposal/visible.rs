//! Texts of people, agents and files on one line, with every character visible that could hide or imitate another part of a question.

/// Stands for a line break.
pub const BREAK: char = '↵';
/// Stands for a tab.
const TAB: char = '⇥';
/// Blanks in a row that are shown as they are; more are shown by their number.
const BLANKS: usize = 2;
/// Combining marks in a row that are shown as they are; more would be drawn over other lines.
const MARKS: usize = 3;

/// Characters that are drawn as nothing, or change where others are drawn.
const HIDDEN: [(u32, u32); 24] = [
    (0xAD, 0xAD),
    (0x34F, 0x34F),
    (0x61C, 0x61C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200B),
    (0x200E, 0x200F),
    (0x2028, 0x202E),
    (0x2060, 0x206F),
    (0x2800, 0x2800),
    (0x3164, 0x3164),
    (0xD7FC, 0xD7FF),
    (0xE000, 0xF8FF),
    (0xFDD0, 0xFDEF),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0xFFFE, 0xFFFF),
    (0x1_BCA0, 0x1_BCA3),
    (0x1_D173, 0x1_D17A),
    (0xE_0000, 0xE_0FFF),
    (0xF_0000, 0xF_FFFF),
    (0x10_0000, 0x10_FFFF),
];

/// Combining marks of the common blocks.
const COMBINING: [(u32, u32); 5] =
    [(0x300, 0x36F), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF), (0xFE20, 0xFE2F)];

/// The text on one line: line breaks as `↵`, what is drawn as nothing as `[U+202E]`, long runs of blanks as `[40 spaces]`. What
/// could be taken for the end of a quoted value is shown by its number as well.
pub fn visible(text: &str) -> String {
    shown(text, false)
}

/// Both sides of a change. Where only characters differ that look alike, such as another kind of blank, these are shown by their
/// numbers too.
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
        marks = if within(c, &COMBINING) { marks + 1 } else { 0 };
        if run > BLANKS {
            out += &format!("[{run} spaces]");
            at += run;
            continue;
        }
        match c {
            '\r' if rest.get(1) == Some(&'\n') && !strict => {}
            '\n' => out.push(BREAK),
            '\t' => out.push(TAB),
            // A mark of this text's own, or the end of a value.
            BREAK | TAB => push_number(&mut out, c),
            '[' if imitates(rest) => push_number(&mut out, c),
            '”' if leads_to(&rest[1..], '→') => push_number(&mut out, c),
            '“' if comes_after(&chars[..at], '→') => push_number(&mut out, c),
            '•' if leads_to(&rest[1..], '#') => push_number(&mut out, c),
            _ if is_blank(c) && (c == ' ' || !strict) => out.push(' '),
            _ if joins(c) && !strict && is_joined(&chars, at) => out.push(c),
            _ if is_blank(c) || joins(c) || c.is_control() || within(c, &HIDDEN) || marks > MARKS => {
                push_number(&mut out, c);
            }
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

/// True of blanks on one line.
fn is_blank(c: char) -> bool {
    c.is_whitespace() && !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}')
}

/// True of what joins or varies the character before it: in emoji and in the scripts that need it, it has an effect.
fn joins(c: char) -> bool {
    matches!(c, '\u{200C}' | '\u{200D}' | '\u{FE00}'..='\u{FE0F}')
}

/// True where a joiner stands behind a character that it can concern, and a zero-width one before another.
fn is_joined(chars: &[char], at: usize) -> bool {
    let concerned = |c: Option<&char>| c.is_some_and(|c| !c.is_ascii() && !is_blank(*c) && !within(*c, &HIDDEN));
    let before = at.checked_sub(1).and_then(|before| chars.get(before));
    let variation = !matches!(chars[at], '\u{200C}' | '\u{200D}');
    concerned(before) && (variation || concerned(chars.get(at + 1)))
}

/// True of a bracket that begins a text like those that stand for hidden characters and for runs of blanks.
fn imitates(rest: &[char]) -> bool {
    let text: String = rest.iter().skip(1).take(24).collect();
    let digits = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == ',');
    text.starts_with("U+")
        || digits.len() < text.len() && (digits.starts_with(" spaces]") || digits.starts_with(" characters]"))
}

/// True where the next character but blanks is `mark`.
fn leads_to(rest: &[char], mark: char) -> bool {
    rest.iter().find(|c| !is_blank(**c)) == Some(&mark)
}

/// True where the last character but blanks is `mark`.
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
        ] {
            assert_eq!(visible(text), shown, "{text:?}");
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
            let bad = |c: char| c.is_control() || within(c, &HIDDEN);
            proptest::prop_assert!(!shown.contains(bad), "{shown:?}");
        }
    }
}
