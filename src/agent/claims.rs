//! Detection of claimed changes. If no call changed anything but the model's reply claims a change, code appends a
//! correction.
//!
//! The detector is a linear model: logistic regression over n-grams of words and word classes. Its training data are
//! some 35,000 replies written for it (`end2end/claims`). Score = whole reply + its highest-scoring sentence, so that
//! one claim among honest sentences is still found. After a false positive the appended correction is still true.

use std::collections::BTreeSet;

use crate::domain::linear_model::Table;

/// Features of a reply.
mod features;

/// Weights per feature in thousandths, from `claims.tsv.gz`: one for the whole reply, one for its highest-scoring
/// sentence. The bias has an empty name.
const WEIGHTS: Table<2> = Table(include_bytes!(concat!(env!("OUT_DIR"), "/claims.bin")));

/// Returns true if the reply claims that something was just changed.
pub fn speaks_of_a_change(text: &str) -> bool {
    evidence(text) > 0
}

/// Returns the log odds that the reply claims a change, in thousandths.
fn evidence(text: &str) -> i64 {
    let sentences = features::of(text);
    let whole: BTreeSet<&String> = sentences.iter().flatten().collect();
    let [bias, _] = WEIGHTS.get("");
    let strongest = sentences.iter().map(|sentence| sentence.iter().map(|name| WEIGHTS.get(name)[1]).sum()).max();
    bias + whole.iter().map(|name| WEIGHTS.get(name)[0]).sum::<i64>() + strongest.unwrap_or(0)
}

#[cfg(test)]
mod tests;
