//! Other names of shopping lists: "the weekly shop", "my grocery order".

use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::{Kind, Word};

/// Words allowed before the noun.
const KINDS: Set = file_set!("shops_kinds");
const NOUNS: Set = set("shop|order|run|trip|basket|haul|delivery");

/// Returns true if a stretch, without its article, is such a name.
pub(in crate::llm::rules) fn names(stretch: &[Word]) -> bool {
    let plain = stretch.iter().all(|word| word.kind == Kind::Plain);
    let keys: Vec<&str> = stretch.iter().map(|word| word.key.as_str()).collect();
    let Some((noun, kinds)) = keys.split_last() else { return false };
    let known = kinds.iter().all(|key| KINDS.has(key));
    // "the run", "my order" and "online order" are ambiguous.
    let food = kinds.iter().any(|key| set!("food|grocery|groceries|shopping|supermarket").has(key));
    let shop = *noun == "shop" || food && NOUNS.has(noun) || *noun == "shopping" && !kinds.is_empty();
    plain && known && shop
}
