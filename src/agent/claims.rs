//! Whether a reply says that something was changed. Code asks this of a model's words where no call has changed anything, and
//! then says so.
//!
//! There are more ways to say it than rules can hold: a linear model, logistic regression over runs of words and of kinds of
//! words, was trained on some 4,000 replies written for it (`end2end/claims`). It errs on the side of telling: where it suspects
//! an honest reply, the sentence that follows is true as well.

/// What of a reply bears witness.
mod features;

/// The bias behind an empty name, and then each feature with its weight, sorted by name; in thousandths.
const WEIGHTS: &str = include_str!("claims/weights.txt");

/// Whether it says that something was changed just now.
pub fn speaks_of_a_change(text: &str) -> bool {
    evidence(text) > 0
}

/// How much speaks for it, and with a minus against it: the logarithm of the odds, in thousandths.
fn evidence(text: &str) -> i64 {
    let weights: Vec<(&str, &str)> = WEIGHTS.lines().filter_map(|line| line.split_once('\t')).collect();
    let weight = |name: &str| {
        let found = weights.binary_search_by(|(known, _)| known.cmp(&name)).ok();
        found.and_then(|at| weights[at].1.parse::<i64>().ok()).unwrap_or_default()
    };
    weight("") + features::of(text).iter().map(|name| weight(name)).sum::<i64>()
}

#[cfg(test)]
mod tests;
