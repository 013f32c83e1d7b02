//! Intent classification by multinomial logistic regression over n-grams of tokens.

use std::collections::BTreeSet;

use super::Kind;
use super::tokens::Token;
use crate::domain::linear_model::Table;

/// Intents, in the order of the weights.
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
    /// Unrelated to tasks.
    Refuse,
    /// No request.
    Talk,
    /// Related to tasks, but incomplete.
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

    /// Returns the kind of action.
    pub const fn kind(self) -> Kind {
        match self {
            Self::Add => Kind::Add,
            Self::List | Self::Get => Kind::Read,
            Self::Complete => Kind::Complete,
            Self::Delete => Kind::Delete,
            Self::Reopen | Self::Due | Self::Priority | Self::Title | Self::Note => Kind::Update,
            Self::Refuse => Kind::Refuse,
            Self::Talk => Kind::Talk,
            Self::Ask => Kind::Ask,
        }
    }

    /// Returns the name used in the tables.
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

/// Weights of all intents per feature in hundredths, from `intents.tsv.gz`; the biases have an empty name.
const WEIGHTS: Table<{ Intent::ALL.len() }> = Table(include_bytes!(concat!(env!("OUT_DIR"), "/intents.bin")));

/// Returns the likeliest intent and its probability, 0 to 1.
pub(super) fn likeliest(tokens: &[Token]) -> (Intent, f64) {
    let odds = odds(tokens);
    let best = (0..odds.len()).max_by(|one, other| odds[*one].total_cmp(&odds[*other])).unwrap_or_default();
    (Intent::ALL[best], odds[best])
}

/// Returns the probability of every intent, 0 to 1.
pub(super) fn odds(tokens: &[Token]) -> [f64; Intent::ALL.len()] {
    let mut scores = [0_i64; Intent::ALL.len()];
    for feature in features(tokens) {
        for (score, weight) in scores.iter_mut().zip(WEIGHTS.get(&feature)) {
            *score += weight;
        }
    }
    let best = scores.iter().copied().max().unwrap_or_default();
    #[expect(clippy::cast_precision_loss, reason = "scores are small")]
    let odds = scores.map(|score| ((score - best) as f64 / 100.0).exp());
    let sum: f64 = odds.iter().sum();
    odds.map(|one| one / sum)
}

/// Returns the features of a message, as in `end2end/understanding/train.py`.
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
