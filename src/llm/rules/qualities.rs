//! What only tells of what kind or how much a thing is: "batteries, double A" are one thing.

use super::matching::is_past;
use super::set::{Set, set};
use super::words::{Kind, Word};

/// What says of what kind something is, and names nothing by itself.
const KINDS: Set = set(
    "double|triple|single|size|large|small|medium|big|little|mini|jumbo|giant|extra|free|range|semi|skimmed|full|half|fat|low|\
     organic|fresh|frozen|dried|tinned|canned|wholemeal|wholegrain|unsalted|salted|unscented|unsweetened|sweetened|plain|sliced|\
     unsliced|grated|ripe|smoked|unsmoked|decaf|lactose|gluten|dairy|seedless|boneless|washable|rechargeable|preferably|ideally|\
     the|a|an|not|of|any|only|at|least|about|around|or|aa|aaa|a4|a3|xl|xxl|ones|one|sort|kind|type|kinds|sorts|brand|own|cheap|\
     cheapest|nice|good|strong|mild|mature|thick|thin|long|short|wide|narrow|heavy|light|colour|color|assorted|mixed|black|white|\
     red|green|blue|brown|yellow|grey|gray|pink|purple|orange|silver|gold|semi-skimmed|free-range|full-fat|low-fat|fat-free|\
     gluten-free|dairy-free|sugar-free|d|c|hand|home|made|handmade|homemade|ready|pre|cooked|chopped|pitted|peeled|roasted|toasted|\
     freshly|locally|grown|ground",
);
/// What things are counted in.
const UNITS: Set = set(
    "pint|pints|litre|litres|liter|liters|kilo|kilos|kg|g|grams|gram|ml|cl|pack|packs|packet|packets|box|boxes|bottle|bottles|bag|\
     bags|tin|tins|can|cans|jar|jars|roll|rolls|loaf|loaves|tub|tubs|dozen|couple|few|pair|pairs|slices|bunch|bunches|pounds|lbs|\
     oz|mm|cm|inch|inches|metre|metres|meters|watt|watts|volt|volts|sheets|pieces|sachets|cartons|carton|crate|crates|two|three|\
     four|five|six|seven|eight|nine|ten|twelve|them",
);

/// Whether all that follows the comma at `at`, up to the next, says more of what stands before it.
pub(super) fn follows(stretch: &[Word], at: usize) -> bool {
    let cuts = |word: &Word| word.is_mark() && matches!(word.key.as_str(), "," | ";" | "\n") || word.key == "and";
    let Some(rest) = stretch.get(at + 1..).filter(|_| stretch[at].is_mark()) else { return false };
    let end = rest.iter().position(cuts).unwrap_or(rest.len());
    let piece: Vec<&Word> = rest[..end].iter().filter(|word| !word.is_mark()).collect();
    let counts = |word: &Word| word.key.starts_with(|c: char| c.is_ascii_digit());
    let says =
        |word: &&Word| word.kind == Kind::Plain && (KINDS.has(&word.key) || UNITS.has(&word.key) || counts(word));
    // "orange" and "mince, light" are things; what only links says nothing.
    const THINGS: Set =
        set("orange|light|d|c|one|ones|mixed|gold|silver|range|a|an|the|of|or|not|any|only|at|kind|sort|type");
    let telling = match piece.as_slice() {
        [only] => !(THINGS.has(&only.key) || UNITS.has(&only.key)),
        more => !more.is_empty(),
    };
    let led = stretch[..at].iter().any(|word| !word.is_mark());
    led && telling && piece.len() <= 5 && piece.iter().all(says)
}

/// "add soap, half baked, and foil": whether what comes next among things to add is two words that state nothing, though they could.
pub(super) fn among(left: &[Word], rest: &[Word]) -> bool {
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
    use super::super::words::words;
    use super::{among, follows};

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
