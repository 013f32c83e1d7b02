//! Reassurances: "no worries", "not to worry, it's fine".

use crate::llm::rules::lex::set::{Set, file_set};

const EASES: Set = file_set!("ease_eases");
const FILLS: Set = file_set!("ease_fills");

/// Returns true if a message is only a reassurance.
pub(in crate::llm::rules) fn eases(keys: &[&str]) -> bool {
    let mut rest = keys;
    let mut eased = false;
    while let Some(first) = rest.first() {
        match (1..=rest.len().min(6)).rev().find(|end| EASES.has(&rest[..*end].join(" "))) {
            Some(end) => {
                eased = true;
                rest = &rest[end..];
            }
            None if FILLS.has(first) => rest = &rest[1..],
            None => return false,
        }
    }
    eased
}

#[cfg(test)]
mod tests {
    use super::eases;

    #[test]
    fn who_says_that_nothing_is_wrong_asks_for_nothing() {
        for said in ["no problem", "ok no worries mate", "ah not to worry its fine", "np"] {
            assert!(eases(&said.split(' ').collect::<Vec<_>>()), "{said}");
        }
        for said in ["no problem with the rent", "ok", "dont worry mum", "no worries add salt"] {
            assert!(!eases(&said.split(' ').collect::<Vec<_>>()), "{said}");
        }
    }
}
