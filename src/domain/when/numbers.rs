//! Numbers as digits and words, ordinals, and names of months and weekdays.

use jiff::civil::Weekday;

use super::tokens::Words;

const ONES: &str = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen \
    sixteen seventeen eighteen nineteen";
const TENS: &str = "twenty thirty forty fifty sixty seventy eighty ninety";
const ORDINALS: &str = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth \
    fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth";
const MONTHS: &str = "january february march april may june july august september october november december";
const WEEKDAYS: [(&str, &[&str]); 7] = [
    ("monday", &["mon"]),
    ("tuesday", &["tue", "tues"]),
    ("wednesday", &["wed", "weds", "wednes"]),
    ("thursday", &["thu", "thur", "thurs"]),
    ("friday", &["fri"]),
    ("saturday", &["sat"]),
    ("sunday", &["sun"]),
];

fn place(list: &str, word: &str) -> Option<i64> {
    list.split(' ').position(|name| name == word).and_then(|at| i64::try_from(at).ok())
}

fn ones(word: &str) -> Option<i64> {
    place(ONES, word)
}

fn tens(word: &str) -> Option<i64> {
    place(TENS, word).map(|at| (at + 2) * 10)
}

/// Parses a whole number at `i` in digits or words ("12", "twelve", "forty five").
pub(super) fn cardinal(words: Words, i: usize) -> Option<(usize, i64)> {
    if let Some(number) = words.0.get(i)?.digits() {
        return Some((i + 1, number));
    }
    if let Some(number) = ones(words.at(i)) {
        return Some((i + 1, number));
    }
    let number = tens(words.at(i))?;
    let dash = if words.at(i + 1) == "-" { i + 2 } else { i + 1 };
    match ones(words.at(dash)) {
        Some(unit @ 1..=9) => Some((dash + 1, number + unit)),
        _ => Some((i + 1, number)),
    }
}

/// Parses an amount at `i`: a number, or "a", "an", "a couple of", "a few" (3).
pub(super) fn amount(words: Words, i: usize) -> Option<(usize, i64)> {
    for (phrase, number) in [
        ("a couple of", 2),
        ("a couple", 2),
        ("couple of", 2),
        ("a few", 3),
        ("few", 3),
        ("several", 3),
        ("a", 1),
        ("an", 1),
    ] {
        if let Some(end) = words.phrase(i, phrase) {
            return Some((end, number));
        }
    }
    cardinal(words, i)
}

/// Parses an ordinal at `i`: "27th", "first", "twenty second", but not `last`.
pub(super) fn ordinal(words: Words, i: usize) -> Option<(usize, i64)> {
    if let Some(number) = words.0.get(i)?.digits() {
        let suffix = matches!(words.at(i + 1), "st" | "nd" | "rd" | "th") && words.glued(i + 1);
        return suffix.then_some((i + 2, number));
    }
    if let Some(number) = place(ORDINALS, words.at(i)) {
        return (number > 0).then_some((i + 1, number));
    }
    match words.at(i) {
        "twentieth" => return Some((i + 1, 20)),
        "thirtieth" => return Some((i + 1, 30)),
        _ => {}
    }
    let number = tens(words.at(i))?;
    let dash = if words.at(i + 1) == "-" { i + 2 } else { i + 1 };
    place(ORDINALS, words.at(dash)).filter(|unit| (1..=9).contains(unit)).map(|unit| (dash + 1, number + unit))
}

/// Parses an ordinal or a whole number at `i`.
pub(super) fn number(words: Words, i: usize) -> Option<(usize, i64)> {
    ordinal(words, i).or_else(|| cardinal(words, i))
}

/// Returns a month's number, 1 to 12, from its name or its first three letters (four for "sept").
pub(super) fn month(word: &str) -> Option<i8> {
    let at = MONTHS.split(' ').position(|name| name == word || (word.len() == 3 && name.starts_with(word)))?;
    i8::try_from(at + 1).ok()
}

/// Parses a month at `i`, with the dot of an abbreviation.
pub(super) fn month_at(words: Words, i: usize) -> Option<(usize, i8)> {
    let word = words.at(i);
    let number = if word == "sept" { 9 } else { month(word)? };
    let dot = words.at(i + 1) == "." && words.glued(i + 1) && word.len() <= 4;
    Some((if dot { i + 2 } else { i + 1 }, number))
}

/// Returns a weekday from its name, abbreviation or plural ("mondays").
pub(super) fn weekday(word: &str) -> Option<Weekday> {
    let single = word.strip_suffix("'s").unwrap_or(word);
    let at = WEEKDAYS.iter().position(|(name, short)| {
        *name == single || short.contains(&single) || single.strip_suffix('s').is_some_and(|stem| stem == *name)
    })?;
    Weekday::from_monday_zero_offset(i8::try_from(at).ok()?).ok()
}

/// Returns true for a weekday in the plural, which recurs.
pub(super) fn plural_weekday(word: &str) -> bool {
    word.strip_suffix('s').is_some_and(|stem| WEEKDAYS.iter().any(|(name, _)| *name == stem))
}
