//! Slot filling: finds the stretch that names a task or a new value. Logistic regression over the surrounding tokens
//! scores beginning, end and inner tokens of each stretch.

use std::ops::Range;

use super::tokens::Token;
use crate::domain::linear_model::{Table, hash, then};

/// Weights per feature in hundredths, from `slots.tsv.gz`. Features begin with `s`, `e` or `i` for beginning, end and inside.
const WEIGHTS: Table<1> = Table(include_bytes!(concat!(env!("OUT_DIR"), "/slots.bin")));
/// Weight of inner tokens in percent, since neighbours are correlated.
const INSIDE: i64 = 40;
/// Minimum score of a stretch, in hundredths.
const LEAST: i64 = -400;

/// Returns the likeliest stretch for `slot` as token positions; `None` if every score is too low.
pub(super) fn stretch(tokens: &[Token], slot: &str) -> Option<Range<usize>> {
    let names: Vec<&str> = tokens.iter().map(|token| token.name.as_str()).collect();
    let score = |kind: &str, features: &[(&str, &[&str])]| -> i64 {
        // Each feature counts once for all slots and once for this one.
        let prefixes = [hash(kind), then(then(hash(kind), slot), " ")];
        let bias: i64 = prefixes.iter().map(|prefix| weight(*prefix)).sum();
        let of = |(tag, names): &(&str, &[&str])| -> i64 {
            let named =
                |prefix: &u64| names.iter().fold(then(*prefix, tag), |known, name| then(then(known, " "), name));
            prefixes.iter().map(|prefix| weight(named(prefix))).sum()
        };
        bias + features.iter().map(of).sum::<i64>()
    };
    let places = 0..names.len();
    let begins: Vec<i64> = places.clone().map(|at| score("s", &beginning(&around(&names, at)))).collect();
    let ends: Vec<i64> = places.clone().map(|at| score("e", &ending(&around(&names, at)))).collect();
    let inside: Vec<i64> = places.clone().map(|at| score("i", &inner(&around(&names, at)))).collect();
    let mut best = (LEAST, None);
    for start in places {
        let mut held = 0;
        for end in start..names.len() {
            held += inside[end];
            let total = begins[start] + ends[end] + held * INSIDE / 100;
            if total > best.0 {
                best = (total, Some(start..end + 1));
            }
        }
    }
    best.1
}

fn weight(feature: u64) -> i64 {
    let [weight] = WEIGHTS.at(feature);
    weight
}

/// The names from three before to three after a position, and its distances from both edges.
struct Around<'a> {
    names: [&'a str; 7],
    before: &'static str,
    after: &'static str,
}

fn around<'a>(names: &[&'a str], at: usize) -> Around<'a> {
    const FAR: [&str; 7] = ["0", "1", "2", "3", "4", "5", "6"];
    let near = |offset: usize| match (at + offset).checked_sub(3) {
        None => "^",
        Some(place) => names.get(place).copied().unwrap_or("$"),
    };
    let (before, after) = (FAR[at.min(6)], FAR[(names.len() - 1 - at).min(6)]);
    Around { names: std::array::from_fn(near), before, after }
}

/// Features: a tag with its names.
type Features<'a, const N: usize> = [(&'static str, &'a [&'a str]); N];

fn beginning<'a>(around: &'a Around) -> Features<'a, 8> {
    let n = &around.names;
    [
        ("1", &n[2..3]),
        ("2", &n[1..3]),
        ("3", &n[0..3]),
        ("f", &n[3..4]),
        ("fg", &n[3..5]),
        ("b", &n[2..4]),
        ("bb", &n[1..4]),
        ("p", std::slice::from_ref(&around.before)),
    ]
}

fn ending<'a>(around: &'a Around) -> Features<'a, 8> {
    let n = &around.names;
    [
        ("1", &n[4..5]),
        ("2", &n[4..6]),
        ("3", &n[4..7]),
        ("f", &n[3..4]),
        ("fg", &n[2..4]),
        ("b", &n[3..5]),
        ("bb", &n[3..6]),
        ("p", std::slice::from_ref(&around.after)),
    ]
}

fn inner<'a>(around: &'a Around) -> Features<'a, 12> {
    let n = &around.names;
    [
        ("w", &n[3..4]),
        ("p", &n[2..3]),
        ("n", &n[4..5]),
        ("pw", &n[2..4]),
        ("wn", &n[3..5]),
        ("pwn", &n[2..5]),
        ("pp", &n[1..3]),
        ("nn", &n[4..6]),
        ("ppw", &n[1..4]),
        ("wnn", &n[3..6]),
        ("b", std::slice::from_ref(&around.before)),
        ("e", std::slice::from_ref(&around.after)),
    ]
}
