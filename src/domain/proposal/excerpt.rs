//! Excerpts of two long texts: their beginning, and as many differing ranges as fit.

use std::ops::Range;

use super::visible::BREAK;

/// Characters of the beginning that are always shown.
const HEAD: usize = 40;
/// Characters of context around a differing range.
const CONTEXT: usize = 12;
/// Maximum number of ranges shown separately.
pub const PLACES: usize = 3;
/// Minimum gap in characters that is elided.
const GAP: usize = 20;
/// Maximum product of part counts up to which two texts are compared part by part.
const COMPARED: usize = 60_000;

/// Excerpts of both texts, and counts for a summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    pub before: String,
    pub after: String,
    /// Number of differing ranges, of which at most [`PLACES`] are shown.
    pub places: usize,
    /// Number of lines that these ranges touch; 0 if both texts have a single line.
    pub lines: usize,
}

/// Cuts both texts to about `side` characters each. Both are on one line, with [`BREAK`] for a line break.
pub fn excerpt(before: &str, after: &str, side: usize) -> Excerpt {
    let (b, a): (Vec<char>, Vec<char>) = (before.chars().collect(), after.chars().collect());
    let places = places(&b, &a);
    let of_before: Vec<_> = places.iter().map(|(range, _)| range.clone()).collect();
    let of_after: Vec<_> = places.iter().map(|(_, range)| range.clone()).collect();
    let several = before.contains(BREAK) || after.contains(BREAK);
    Excerpt {
        before: cut(&b, &of_before, side),
        after: cut(&a, &of_after, side),
        places: places.len(),
        lines: if several { lines(&b, &of_before).max(lines(&a, &of_after)) } else { 0 },
    }
}

/// Cuts a text to its beginning and end, without a comparison.
pub fn shortened(text: &str, side: usize) -> String {
    let chars: Vec<char> = text.chars().collect();
    let whole = 0..chars.len();
    cut(&chars, &[whole], side)
}

type Place = (Range<usize>, Range<usize>);

/// Returns the differing ranges in order. Compares words if that is cheap enough, otherwise lines, otherwise the whole texts.
fn places(before: &[char], after: &[char]) -> Vec<Place> {
    let words = |c: char| c == ' ' || c == BREAK;
    let lines = |c: char| c == BREAK;
    let found = compared(before, after, words).or_else(|| compared(before, after, lines));
    let found = found.unwrap_or_else(|| vec![(0..before.len(), 0..after.len())]);
    found.into_iter().map(|place| narrowed(before, after, place)).collect()
}

/// Returns the differing ranges of parts that end after a character of `ends`. `None` if there are too many parts.
fn compared(before: &[char], after: &[char], ends: impl Fn(char) -> bool + Copy) -> Option<Vec<Place>> {
    let (old, new) = (parts(before, ends), parts(after, ends));
    let same = |one: &Range<usize>, other: &Range<usize>| before[one.clone()] == after[other.clone()];
    let first = old.iter().zip(&new).take_while(|(one, other)| same(one, other)).count();
    let most = old.len().min(new.len()) - first;
    let last = (0..most).take_while(|at| same(&old[old.len() - 1 - at], &new[new.len() - 1 - at])).count();
    let (middle_old, middle_new) = (&old[first..old.len() - last], &new[first..new.len() - last]);
    if middle_old.len().saturating_mul(middle_new.len()) > COMPARED {
        return None;
    }
    // Lengths of the longest common subsequences from here to the end.
    let width = middle_new.len() + 1;
    let mut longest = vec![0_u16; (middle_old.len() + 1) * width];
    for one in (0..middle_old.len()).rev() {
        for other in (0..middle_new.len()).rev() {
            longest[one * width + other] = if same(&middle_old[one], &middle_new[other]) {
                longest[(one + 1) * width + other + 1] + 1
            } else {
                longest[(one + 1) * width + other].max(longest[one * width + other + 1])
            };
        }
    }
    let begin = |parts: &[Range<usize>], at: usize, end: usize| parts.get(at).map_or(end, |part| part.start);
    let ends = (begin(&old, old.len() - last, before.len()), begin(&new, new.len() - last, after.len()));
    let (mut found, mut at, mut from) = (vec![], (0, 0), (0, 0));
    loop {
        let (one, other) = (middle_old.get(at.0), middle_new.get(at.1));
        let equal = one.zip(other).is_some_and(|(one, other)| same(one, other));
        let over = one.is_none() && other.is_none();
        if (equal || over) && from != at {
            let old = begin(middle_old, from.0, ends.0)..begin(middle_old, at.0, ends.0);
            let new = begin(middle_new, from.1, ends.1)..begin(middle_new, at.1, ends.1);
            found.push((old, new));
        }
        if over {
            return Some(found);
        }
        if equal {
            at = (at.0 + 1, at.1 + 1);
            from = at;
        } else if other.is_none()
            || one.is_some() && longest[(at.0 + 1) * width + at.1] >= longest[at.0 * width + at.1 + 1]
        {
            at.0 += 1;
        } else {
            at.1 += 1;
        }
    }
}

/// Splits the text into parts, each ending after a run of `ends`.
fn parts(text: &[char], ends: impl Fn(char) -> bool) -> Vec<Range<usize>> {
    let (mut parts, mut start) = (vec![], 0);
    for at in 1..=text.len() {
        if at == text.len() || ends(text[at - 1]) && !ends(text[at]) {
            parts.push(start..at);
            start = at;
        }
    }
    parts
}

/// Returns a range without the common beginning and end of both sides.
fn narrowed(before: &[char], after: &[char], (old, new): Place) -> Place {
    let (b, a) = (&before[old.clone()], &after[new.clone()]);
    let first = b.iter().zip(a).take_while(|(one, other)| one == other).count();
    let most = b.len().min(a.len()) - first;
    let last = b.iter().rev().zip(a.iter().rev()).take(most).take_while(|(one, other)| one == other).count();
    (old.start + first..old.end - last, new.start + first..new.end - last)
}

/// Returns the number of lines that the ranges touch.
fn lines(text: &[char], places: &[Range<usize>]) -> usize {
    let mut touched: Vec<usize> = vec![];
    for place in places {
        // An added line begins with the break before it.
        let start = place.start + text[place.clone()].iter().take_while(|c| **c == BREAK).count();
        let line = |at: usize| text[..at].iter().filter(|c| **c == BREAK).count();
        if start < place.end {
            touched.extend(line(start)..=line(place.end - 1));
        }
    }
    touched.dedup();
    touched.len()
}

/// Returns the beginning and the ranges, with the numbers of elided characters between them.
fn cut(text: &[char], places: &[Range<usize>], side: usize) -> String {
    if text.len() <= side {
        return text.iter().collect();
    }
    let room = (side.saturating_sub(HEAD) / places.len().clamp(1, PLACES)).saturating_sub(2 * CONTEXT).max(CONTEXT);
    let mut kept: Vec<Range<usize>> = std::iter::once(0..HEAD.min(text.len())).collect();
    for place in places.iter().take(PLACES) {
        let (from, to) = (place.start.saturating_sub(CONTEXT), (place.end + CONTEXT).min(text.len()));
        if place.len() <= room {
            kept.push(from..to);
        } else {
            kept.push(from..place.start + room * 2 / 3);
            kept.push(place.end - room / 3..to);
        }
    }
    let (mut out, mut end) = (String::new(), 0);
    for range in kept {
        let start = if range.start.saturating_sub(end) < GAP { end } else { range.start };
        if start > end {
            out += &left_out(start - end);
        }
        end = range.end.max(start);
        out.extend(&text[start..end]);
    }
    if end < text.len() {
        out += &left_out(text.len() - end);
    }
    out
}

/// Returns `…[3,700 characters]…`.
fn left_out(count: usize) -> String {
    format!("…[{}]…", crate::messages::counts::characters_grouped(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letter(middle: &str, end: &str) -> String {
        let lines: Vec<String> = (0..100).map(|at| format!("line {at} of the letter")).collect();
        format!("{}↵{middle}↵{}↵{end}", lines[..50].join("↵"), lines[50..].join("↵"))
    }

    #[test]
    fn excerpt_shows_a_change_at_the_end_of_text() {
        let found = excerpt(&letter("same", "pay ada"), &letter("same", "pay eve"), 200);
        assert!(found.before.ends_with("letter↵pay ada") && found.after.ends_with("letter↵pay eve"), "{found:#?}");
        assert!(
            found.before.starts_with("line 0 of the letter↵") && found.before.contains(" characters]…"),
            "{found:#?}"
        );
        assert_eq!((found.places, found.lines), (1, 1));
    }

    #[test]
    fn places_far_apart_are_shown_each() {
        let found = excerpt(&letter("old one", "pay ada"), &letter("new one", "pay eve"), 200);
        for part in ["old", "pay ada"] {
            assert!(found.before.contains(part), "{found:#?}");
        }
        for part in ["new", "pay eve"] {
            assert!(found.after.contains(part), "{found:#?}");
        }
        assert_eq!((found.places, found.lines), (2, 2));
    }

    #[test]
    fn an_added_line_is_one_changed_line() {
        let (before, after) = (letter("same", "bye"), format!("{}↵and pay eve", letter("same", "bye")));
        let found = excerpt(&before, &after, 200);
        assert!(found.after.ends_with("bye↵and pay eve") && found.before.ends_with("↵bye"), "{found:#?}");
        assert_eq!((found.places, found.lines), (1, 1));
    }

    #[test]
    fn a_text_without_words_is_cut_as_well() {
        let (before, after) = ("x".repeat(4_000), format!("{}y", "x".repeat(3_999)));
        let found = excerpt(&before, &after, 200);
        assert!(found.after.ends_with("xy") && found.after.chars().count() < 240, "{found:#?}");
        assert!(shortened(&before, 200).chars().count() < 240);
        assert_eq!(shortened("short", 200), "short");
    }

    proptest::proptest! {
        #[test]
        fn what_differs_is_never_left_out_without_a_word(
            (start, end) in ("[a-e ↵]{0,600}", "[a-e ↵]{0,600}"), (old, new) in ("[fg]{0,9}", "[hi]{1,9}"),
        ) {
            let (before, after) = (format!("{start}{old}{end}"), format!("{start}{new}{end}"));
            let found = excerpt(&before, &after, 200);
            proptest::prop_assert!(found.after.contains(&new) && found.before.contains(&old), "{found:#?}");
            for (whole, shown) in [(before, &found.before), (after, &found.after)] {
                let hidden: usize = shown.split("…[").skip(1).filter_map(|it| it.split(' ').next()?.replace(',', "").parse::<usize>().ok()).sum();
                let marks: usize = shown.split("…[").skip(1).filter_map(|it| Some(it.split("]…").next()?.chars().count() + 4)).sum();
                proptest::prop_assert_eq!(shown.chars().count() - marks + hidden, whole.chars().count(), "{}", shown);
                proptest::prop_assert!(shown.chars().count() <= 320, "{}", shown);
            }
        }
    }
}
