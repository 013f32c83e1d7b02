//! Intent classification: which of the known intents a message has, by multinomial logistic regression over runs of its
//! tokens.

use std::collections::BTreeSet;

use super::tokens::Token;
use crate::domain::linear::Table;

/// What a message may ask for; the order is that of the weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Intent {
    Add,
    List,
    Get,
    Complete,
    Reopen,
    Delete,
    Due,
    Priority,
    Title,
    Note,
    /// It is not about tasks.
    Refuse,
    /// It asks for nothing.
    Talk,
    /// It is about tasks, but says too little.
    Ask,
}

impl Intent {
    pub const ALL: [Self; 13] = [
        Self::Add,
        Self::List,
        Self::Get,
        Self::Complete,
        Self::Reopen,
        Self::Delete,
        Self::Due,
        Self::Priority,
        Self::Title,
        Self::Note,
        Self::Refuse,
        Self::Talk,
        Self::Ask,
    ];

    /// Its name in the tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::List => "list",
            Self::Get => "get",
            Self::Complete => "complete",
            Self::Reopen => "reopen",
            Self::Delete => "delete",
            Self::Due => "due",
            Self::Priority => "priority",
            Self::Title => "title",
            Self::Note => "note",
            Self::Refuse => "refuse",
            Self::Talk => "talk",
            Self::Ask => "ask",
        }
    }
}

/// For each feature the weights of all intents in hundredths, from `intents.tsv.gz`; the biases are behind an empty name.
const WEIGHTS: Table<{ Intent::ALL.len() }> = Table(include_bytes!(concat!(env!("OUT_DIR"), "/intents.bin")));

/// The likeliest intent and its probability, 0 to 1.
pub(super) fn likeliest(tokens: &[Token]) -> (Intent, f64) {
    let mut scores = [0_i64; Intent::ALL.len()];
    for feature in features(tokens) {
        for (score, weight) in scores.iter_mut().zip(WEIGHTS.get(&feature)) {
            *score += weight;
        }
    }
    let best = (0..scores.len()).max_by_key(|at| scores[*at]).unwrap_or_default();
    #[expect(clippy::cast_precision_loss, reason = "scores are small")]
    let odds: f64 = scores.iter().map(|score| ((score - scores[best]) as f64 / 100.0).exp()).sum();
    (Intent::ALL[best], 1.0 / odds)
}

/// What of a message bears witness; `end2end/understanding/train.py` has the same.
fn features(tokens: &[Token]) -> BTreeSet<String> {
    let names = tokens.iter().map(|token| token.name.as_str());
    let all: Vec<&str> = std::iter::once("^").chain(names).chain(["$"]).collect();
    let mut found = BTreeSet::from([String::new()]);
    for length in 1..=3 {
        found.extend(all.windows(length).map(|run| run.join(" ")));
    }
    found.extend(all.windows(3).map(|run| format!("{} _ {}", run[0], run[2])));
    let inner = &all[1..all.len() - 1];
    let words: Vec<&str> = inner.iter().copied().filter(|name| name.starts_with(char::is_alphanumeric)).collect();
    if let (Some(first), Some(last)) = (words.first(), words.last()) {
        found.extend([format!("F {first}"), format!("L {last}"), format!("FL {first} {last}")]);
    }
    if let [first, second, ..] = words[..] {
        found.insert(format!("F {first} {second}"));
    }
    found.insert(format!("len {}", words.len().min(14) / 2));
    for (at, early) in words.iter().enumerate().take(4) {
        for late in &words[(at + 2).max(words.len().saturating_sub(3)).min(words.len())..] {
            found.insert(format!("P {early} {late}"));
        }
    }
    found
}
