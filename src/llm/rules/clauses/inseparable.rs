//! Compounds that contain "and", such as "fish and chips".

use crate::llm::rules::lex::set::{Set, file_set};

/// Compounds that contain "and".
pub(in crate::llm::rules) const PAIRS: Set = file_set!("inseparable_pairs");

/// Returns true if "and" joins the last word of `left` and the first of `right` into a compound.
pub(in crate::llm::rules) fn is_pair(left: &str, right: &str) -> bool {
    let last = left.rsplit(' ').next().unwrap_or_default().to_lowercase();
    let first = right.split(' ').next().unwrap_or_default().to_lowercase();
    PAIRS.has(&format!("{last} and {first}"))
}
