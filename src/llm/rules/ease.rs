//! What is said so that nobody worries: "no worries", "not to worry, it's fine".

use super::set::{Set, set};

const EASES: Set = set(
    "no worries|no worry|no probs|no prob|no problem|no problems|not a problem|np|nps|nw|no bother|no bother at all|no stress|\
     no stress at all|no drama|no dramas|no biggie|no big deal|not a big deal|not to worry|dont worry|dont you worry|dont worry about it|\
     dont worry about that|no harm done|no trouble|no trouble at all|no worries at all|no problem at all|not a bother|no fuss|\
     hakuna matata|its fine|thats fine|its ok|its okay|thats ok|thats okay|thats alright|its alright|its all right|\
     no need to apologise|no need to apologize|no need to worry|never mind that|all fine|no matter|no hard feelings|it happens|\
     youre fine|youre ok|youre good|were good|its no bother|its no problem|thats no problem|all is well|its nothing",
);
const FILLS: Set = set(
    "ok|okay|k|oh|ah|well|all|good|cool|great|thanks|thank|you|ta|cheers|then|so|mate|pal|really|honestly|haha|lol|yeah|yes|\
     alright|right|fine|sure|aw|anyway|x",
);

/// Whether a message only says so.
pub(super) fn eases(keys: &[&str]) -> bool {
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
