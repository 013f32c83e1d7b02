//! Shopping lists by other names: "the weekly shop", "my grocery order".

use super::intent::Part;
use super::matching::{self, Fit};
use super::resolve::Known;
use super::scope;
use super::set::{Set, set};
use super::words::{Kind, Word};
use crate::domain::task::Status;

/// What may stand before the noun.
const KINDS: Set = set(
    "weekly|monthly|big|main|next|food|grocery|groceries|shopping|supermarket|online|regular|usual|saturday|sunday|weekend|this|weeks|\
     months|todays|tomorrows",
);
const NOUNS: Set = set("shop|order|run|trip|basket|haul|delivery");

/// Whether a stretch, without its article, is such a name.
pub(super) fn names(stretch: &[Word]) -> bool {
    let plain = stretch.iter().all(|word| word.kind == Kind::Plain);
    let keys: Vec<&str> = stretch.iter().map(|word| word.key.as_str()).collect();
    let Some((noun, kinds)) = keys.split_last() else { return false };
    let known = kinds.iter().all(|key| KINDS.has(key));
    // "the run", "my order" and "online order" may be anything.
    let food = kinds.iter().any(|key| set!("food|grocery|groceries|shopping|supermarket").has(key));
    let shop = *noun == "shop" || food && NOUNS.has(noun) || *noun == "shopping" && !kinds.is_empty();
    plain && known && shop
}

/// The question about something for a shopping list by a name that a task has; `None` where no task has it.
pub(super) fn taken(title: &str, shop: Option<&String>, known: &Known) -> Option<Part> {
    let shop = shop?;
    let fit = matching::find(shop, known.tasks, Status::Pending, matching::LIKELY);
    (fit != Fit::None).then(|| scope::add_or_find(title))
}
