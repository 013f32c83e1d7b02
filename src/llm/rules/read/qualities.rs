//! Qualities and quantities that name no item of their own: "batteries, double A" is one item.

use crate::llm::rules::lex::matching::is_past;
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::{Kind, Word};

/// Words for qualities, which name nothing by themselves.
const KINDS: Set = file_set!("qualities_kinds");
/// Units of quantity.
const UNITS: Set = file_set!("qualities_units");

/// Returns true if the words after the comma at `at`, up to the next one, describe the item before it.
pub(in crate::llm::rules) fn follows(stretch: &[Word], at: usize) -> bool {
    let cuts = |word: &Word| word.is_mark() && matches!(word.key.as_str(), "," | ";" | "\n") || word.key == "and";
    let Some(rest) = stretch.get(at + 1..).filter(|_| stretch[at].is_mark()) else { return false };
    let end = rest.iter().position(cuts).unwrap_or(rest.len());
    let piece: Vec<&Word> = rest[..end].iter().filter(|word| !word.is_mark()).collect();
    let counts = |word: &Word| word.key.starts_with(|c: char| c.is_ascii_digit());
    let says =
        |word: &&Word| word.kind == Kind::Plain && (KINDS.has(&word.key) || UNITS.has(&word.key) || counts(word));
    // "orange" and "light" may be items; link words alone say nothing.
    const THINGS: Set =
        set("orange|light|d|c|one|ones|mixed|gold|silver|range|a|an|the|of|or|not|any|only|at|kind|sort|type");
    let telling = match piece.as_slice() {
        [only] => !(THINGS.has(&only.key) || UNITS.has(&only.key)),
        more => !more.is_empty(),
    };
    let led = stretch[..at].iter().any(|word| !word.is_mark());
    led && telling && piece.len() <= 5 && piece.iter().all(says)
}

/// Returns true if the next two words are an item although they could be a statement: "add soap, half baked, and foil".
pub(in crate::llm::rules) fn among(left: &[Word], rest: &[Word]) -> bool {
    const ADDS: Set = set("add|put|get|buy|stick|pop|need|bung|chuck|jot|grab|order|append|list|LIST");
    const SUBJECTS: Set =
        set("i|we|it|he|she|they|you|that|this|who|mum|dad|mom|nobody|someone|somebody|everyone|already|just|all");
    let end = rest.iter().position(|word| word.is_mark() || word.key == "and").unwrap_or(rest.len());
    let [kind, state] = &rest[..end] else { return false };
    let adds = left.iter().take(3).any(|word| ADDS.has(&word.key));
    let names = adds && !(SUBJECTS.has(&kind.key) || kind.key.ends_with("'s")) && is_past(&state.key);
    let more = rest[end..].iter().filter(|word| !(word.is_mark() || word.key == "and")).count();
    names && (1..=3).contains(&more) && rest[end..].iter().any(|word| word.key == "and")
}

#[cfg(test)]
mod tests {
    use super::{among, follows};
    use crate::llm::rules::normalise::words::words;

    #[test]
    fn a_list_is_told_from_a_reason() {
        for said in ["hand made, and foil", "half baked and two pens"] {
            assert!(among(&words("add soap"), &words(said)), "{said}");
        }
        for said in ["mum brought some, and foil", "we ran and hid", "hand made", "jo came round, and brought hers too"]
        {
            assert!(!among(&words("add soap"), &words(said)), "{said}");
        }
    }

    #[test]
    fn kinds_and_amounts_are_told_from_things() {
        for said in
            ["bulbs, 40 watt", "milk, semi skimmed", "eggs, a dozen", "pens, the black ones", "cheese, not grated"]
        {
            let said = words(said);
            assert!(follows(&said, 1), "{said:?}");
        }
        for said in ["milk, bread", "milk, white wine", "fish, chips", "apples, orange", "milk, two loaves of bread"] {
            let said = words(said);
            assert!(!follows(&said, 1), "{said:?}");
        }
    }
}
