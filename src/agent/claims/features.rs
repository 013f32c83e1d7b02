//! Features of a reply: n-grams of its words and of their classes, as in `end2end/claims/train.py`.

use std::collections::{BTreeSet, HashMap};

/// Word classes, one per line after the class letter: actions, their imperatives, days, past times, denials, modals,
/// you, I, list contents, forms of "be".
const CLASSES: &str = include_str!("classes.txt");

/// Characters that are ignored.
const SKIPPED: &str = "*_~>()[]{}\"'-/\\=+&%$€£@<`\u{200d}\u{fe0f}’“”«»‘";

/// Returns the set of features of each sentence.
pub fn of(text: &str) -> Vec<BTreeSet<String>> {
    let classes: HashMap<&str, &str> = CLASSES
        .lines()
        .filter_map(|line| line.split_once(' '))
        .flat_map(|(class, words)| words.split(' ').map(move |word| (word, class)))
        .collect();
    sentences(text).iter().map(|words| of_sentence(&classes, words)).collect()
}

fn of_sentence(classes: &HashMap<&str, &str>, words: &[String]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let kinds: Vec<_> = words.iter().map(|word| kind(classes, word)).collect();
    let both = |of: fn(&str) -> &str| kinds.iter().zip(&words).map(|(kind, word)| kind.unwrap_or(of(word))).collect();
    runs(&mut found, "", &words, 1..=3);
    runs(&mut found, "C ", &both(|_| "x"), 2..=4);
    runs(&mut found, "X ", &both(|word| word), 2..=3);
    runs(&mut found, "K ", &kinds.iter().flatten().copied().collect(), 2..=4);
    found.extend(words.windows(3).map(|run| format!("{} _ {}", run[0], run[2])));
    if let [_, first, .., last] = words[..] {
        found.insert(format!("E {last}"));
        found.insert(format!("E {first} {last}"));
    }
    found
}

/// Adds the n-grams of the given lengths.
fn runs(found: &mut BTreeSet<String>, name: &str, words: &Vec<&str>, lengths: std::ops::RangeInclusive<usize>) {
    for length in lengths {
        found.extend(words.windows(length).map(|run| format!("{name}{}", run.join(" "))));
    }
}

/// Returns the class of a word from the table or its ending; punctuation is its own class. `None` for unclassified words.
fn kind<'a>(classes: &HashMap<&str, &'a str>, word: &'a str) -> Option<&'a str> {
    if let Some(class) = classes.get(word) {
        return Some(class);
    }
    if !word.starts_with(char::is_alphabetic) {
        return Some(word);
    }
    let long = word.chars().count() > 4;
    match word {
        _ if long && word.ends_with("ed") => Some("d"),
        _ if long && word.ends_with("ing") => Some("g"),
        _ => None,
    }
}

/// Splits a text into sentences. Each has a start mark, and ends with punctuation, `⏎` (line end) or `$` (text end).
fn sentences(text: &str) -> Vec<Vec<String>> {
    let begin = || vec!["^".to_owned()];
    let mut found = vec![];
    let mut now = begin();
    for token in tokens(text) {
        if !matches!(token.as_str(), "." | "!" | "?" | ";" | "⏎") {
            now.push(token);
        } else if now.len() > 1 {
            now.push(token);
            found.push(std::mem::replace(&mut now, begin()));
        }
    }
    if now.len() > 1 {
        now.push("$".to_owned());
        found.push(now);
    }
    found
}

/// Returns lower-case words, `0` for numbers, `#0` for task numbers, `☐` for quotations, and punctuation.
fn tokens(text: &str) -> Vec<String> {
    let text: Vec<char> = unquoted(text).replace('’', "'").to_lowercase().chars().collect();
    let peek = |at: usize| text.get(at).copied().unwrap_or(' ');
    let mut found = vec![];
    let mut at = 0;
    while let Some(&sign) = text.get(at) {
        let begin = at;
        at += 1;
        if sign.is_alphabetic() {
            while peek(at).is_alphabetic() || peek(at) == '\'' && peek(at + 1).is_alphabetic() {
                at += 1;
            }
            found.push(text[begin..at].iter().collect());
        } else if sign.is_ascii_digit() || sign == '#' && peek(at).is_ascii_digit() {
            found.push(if sign == '#' { "#0" } else { "0" }.to_owned());
            while peek(at).is_ascii_digit() || ".:,/".contains(peek(at)) && peek(at + 1).is_ascii_digit() {
                at += 1;
            }
        } else if matches!(sign, '—' | '–') {
            found.push(",".to_owned());
        } else if sign == '\n' {
            found.push("⏎".to_owned());
        } else if !sign.is_whitespace() && !SKIPPED.contains(sign) {
            found.push(sign.to_string());
        }
    }
    found
}

/// Replaces every quotation by a mark, since a quoted title claims nothing.
fn unquoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(['"', '“', '«', '`', '‘', '\'']) {
        let open = rest[start..].chars().next().unwrap_or('"');
        let close = match open {
            '“' => '”',
            '«' => '»',
            '‘' => '’',
            other => other,
        };
        let after = &rest[start + open.len_utf8()..];
        let before = rest[..start].chars().next_back().or_else(|| out.chars().next_back());
        // An apostrophe inside a word opens no quotation.
        let inside_word = open == '\'' && before.is_some_and(char::is_alphanumeric);
        let line = after.split('\n').next().unwrap_or_default();
        let ends = if open == '\'' {
            line.match_indices('\'').map(|(at, _)| at).find(|at| !line[at + 1..].starts_with(char::is_alphanumeric))
        } else {
            line.find(close)
        };
        out.push_str(&rest[..start]);
        match ends {
            Some(end) if !inside_word => {
                out.push('☐');
                rest = &after[end + close.len_utf8()..];
            }
            _ => {
                out.push(open);
                rest = after;
            }
        }
    }
    out + rest
}
