//! Whether a reply says that something was changed. Code asks this of a model's words where no call has changed anything, and
//! then says so.
//!
//! There are more ways to say it than rules can hold: a linear model, logistic regression over runs of words and of kinds of
//! words, was trained on some 9,500 replies written for it (`end2end/claims`). It errs on the side of telling: where it suspects
//! an honest reply, the sentence that follows is true as well.

use crate::domain::linear::Table;

/// What of a reply bears witness.
mod features;

/// The weight of each feature in thousandths, from `claims.tsv`; the bias is behind an empty name.
const WEIGHTS: Table<1> = Table(include_bytes!(concat!(env!("OUT_DIR"), "/claims.bin")));

/// Whether it says that something was changed just now.
pub fn speaks_of_a_change(text: &str) -> bool {
    evidence(text) > 0
}

/// How much speaks for it, and with a minus against it: the logarithm of the odds, in thousandths.
fn evidence(text: &str) -> i64 {
    let weight = |name: &str| {
        let [weight] = WEIGHTS.get(name);
        weight
    };
    weight("") + features::of(text).iter().map(|name| weight(name)).sum::<i64>()
}

#[cfg(test)]
mod tests;
