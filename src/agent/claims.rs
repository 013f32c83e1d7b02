//! Whether a reply says that something was changed. Code asks this of a model's words where no call has changed anything, and
//! then says so.
//!
//! There are more ways to say it than rules can hold: a linear model, logistic regression over runs of words and of kinds of
//! words, was trained on some 35,000 replies written for it (`end2end/claims`). The whole reply bears witness, and once more the
//! sentence that speaks loudest: among many honest sentences one claim is still a claim. Where it suspects an honest reply, the
//! sentence that follows is true as well.

use std::collections::BTreeSet;

use crate::domain::linear::Table;

/// What of a reply bears witness.
mod features;

/// The weights of each feature in thousandths, from `claims.tsv.gz`: as one of the reply, and as one of its strongest sentence. The bias
/// is behind an empty name.
const WEIGHTS: Table<2> = Table(include_bytes!(concat!(env!("OUT_DIR"), "/claims.bin")));

/// Whether it says that something was changed just now.
pub fn speaks_of_a_change(text: &str) -> bool {
    evidence(text) > 0
}

/// How much speaks for it, and with a minus against it: the logarithm of the odds, in thousandths.
fn evidence(text: &str) -> i64 {
    let sentences = features::of(text);
    let whole: BTreeSet<&String> = sentences.iter().flatten().collect();
    let [bias, _] = WEIGHTS.get("");
    let strongest = sentences.iter().map(|sentence| sentence.iter().map(|name| WEIGHTS.get(name)[1]).sum()).max();
    bias + whole.iter().map(|name| WEIGHTS.get(name)[0]).sum::<i64>() + strongest.unwrap_or(0)
}

#[cfg(test)]
mod tests;
