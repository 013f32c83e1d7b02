//! Slips of the finger, mended where a word of the grammar stands and never inside of a title.

use super::set::{Set, set};
use super::words::{Kind, Word};

/// Words that open requests, of which a slip makes no other word.
const VERBS: Set = set(
    "delete|remove|complete|finish|rename|remind|create|update|mark|show|list|erase|cancel|reschedule|change|check|\
         please|postpone|uncheck|reopen|display|schedule",
);
/// Words of the grammar that are mended wherever they stand.
const NOUNS: Set = set("reminder|reminders|priority|groceries|completed|finished|deadline|shopping|everything");
/// Words that a slip away from a word of the grammar is not.
const REAL: Set = set(
    "deleted|deletes|removed|removes|remote|remover|completed|completes|compete|competed|finnish|renamed|renames|\
         reminds|rewind|remand|created|creates|crate|crease|creature|updated|updates|erased|erases|eraser|ease|cancels|\
         cancer|chancel|changed|changes|charge|chance|changer|checks|cheek|chuck|chick|check|pleased|pleases|displays|\
         schedules|scheduled|scheduler|reminded|remainder|finishes|finisher|stopping|chopping|hopping|shipping|slopping|\
         whopping|swopping|dopping|topping|popping|mopping|deadlines|priory|postponed|postpones|reopens|rechecks|\
         cancel|relist|relish|marks|shows|lists|reminders|reminder|grocers",
);

/// Short words that open requests: a slip in one is mended only where more of the message tells of tasks.
const SHORT: Set = set("mark|tick|show|put|move|push|cross|stick");
/// Words that a letter more or less makes of those.
const REAL_SHORT: Set = set(
    "mar|ark|marks|market|tic|tics|ticks|trick|thick|stick|tick|sick|how|sow|shows|shown|putt|puts|pout|punt|moe|moves|\
     moved|movie|pus|ross|across|sticky|sticks",
);
/// What says that a task is done, at the end of a request.
const DONE: Set = set("done|complete|completed|finished");
/// Words that a slip away from those are others.
const REAL_DONE: Set = set(
    "dong|dine|dome|dove|dose|doze|gone|bone|tone|lone|none|zone|one|cone|hone|dune|down|dont|dona|donna|donor|competed",
);
/// What an "ad" is spoken of with.
const ADVERTS: Set = set(
    "agency|campaign|copy|blocker|hoc|spend|break|budget|space|revenue|proposal|design|is|was|sales|manager|team|hominem|lib",
);

/// Mends a slip of the finger in a word that opens a request: "mrak", "delte", "creat"; in the grammar's longer nouns; and in
/// what such a request ends with.
pub(super) fn slips(words: &mut [Word]) {
    const BEFORE: Set = set("please|you|and|then|hey|ok|to|pls|plz|just|also|now|so|kindly|lets|hi|i");
    let tells = words.iter().any(tells);
    for at in 0..words.len() {
        let key = words[at].key.as_str();
        if words[at].kind != Kind::Plain || !key.is_ascii() {
            continue;
        }
        let opens = at == 0 || words[at - 1].kind == Kind::Mark || BEFORE.has(&words[at - 1].key);
        if opens && adds(words, at) {
            words[at].key = "add".to_owned();
            continue;
        }
        let short = || {
            slip(key, SHORT, |key, word| matches!(slipped(key, word), Some(Slip::Order | Slip::Count)))
                .filter(|_| tells && !(SHORT.has(key) || REAL_SHORT.has(key)))
        };
        let verb =
            if opens && key.len() >= 3 && !VERBS.has(key) { slip(key, VERBS, near).or_else(short) } else { None };
        let noun = || slip(key, NOUNS, near).filter(|_| !(NOUNS.has(key) || VERBS.has(key)));
        let meant = verb.or_else(noun).filter(|_| !REAL.has(key)).or_else(|| ended(words, at));
        if let Some(word) = meant {
            words[at].key = word.to_owned();
        }
    }
}

/// Whether a word tells of tasks: "list", "off", "#3".
fn tells(word: &Word) -> bool {
    set!("list|lists|task|tasks|todo|todos|off|done|complete|completed|finished").has(&word.key)
        || word.key.trim_start_matches('#').starts_with(|c: char| c.is_ascii_digit())
}

/// "ad eggs": nobody advertises them.
fn adds(words: &[Word], at: usize) -> bool {
    let next = words.get(at + 1).filter(|next| next.kind != Kind::Mark);
    let placed = || words.iter().any(|word| matches!(word.key.as_str(), "list" | "task" | "todo"));
    matches!(words[at].key.as_str(), "ad" | "aad" | "addd" | "adda")
        && next
            .is_some_and(|next| !ADVERTS.has(&next.key) && (!set!("to|on|in|for|from|with").has(&next.key) || placed()))
}

/// "mark 3 doen": what a request that marks ends with.
fn ended(words: &[Word], at: usize) -> Option<&'static str> {
    const MARKS: Set = set("mark|tick|set|flag|count|check");
    const AFTER: Set = set("please|pls|plz|thanks|thx|now|ta|and|then");
    let key = words[at].key.as_str();
    let last = words.get(at + 1).is_none_or(|next| next.kind == Kind::Mark || AFTER.has(&next.key));
    if at < 2 || !last || DONE.has(key) || REAL_DONE.has(key) {
        return None;
    }
    let begun = words[..at].iter().rposition(|word| word.kind == Kind::Mark).map_or(0, |mark| mark + 1);
    let marks = words[begun..at].iter().take(4).any(|word| MARKS.has(&word.key));
    let led = words[at - 1].key == "as";
    // "don" may be somebody.
    let sure = led || key.len() > 3;
    slip(key, DONE, |key, word| slipped(key, word).is_some()).filter(|_| marks && sure)
}

/// The word of a set that `key` was meant to be.
fn slip(key: &str, known: Set, meant: impl Fn(&str, &str) -> bool) -> Option<&'static str> {
    known.iter().find(|word| word.len().abs_diff(key.len()) <= 1 && meant(key, word))
}

/// How one word differs from another by a single slip of the finger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slip {
    /// Two letters in the wrong order.
    Order,
    /// A letter too many or too few.
    Count,
    /// Another letter in the place of one.
    Letter,
}

fn slipped(key: &str, word: &str) -> Option<Slip> {
    match between(key.as_bytes(), word.as_bytes()) {
        ([a, b], [c, d]) if a == d && b == c => Some(Slip::Order),
        ([_], []) | ([], [_]) => Some(Slip::Count),
        ([_], [_]) => Some(Slip::Letter),
        _ => None,
    }
}

/// One slip away. Of short words only letters in the wrong order are mended.
fn near(key: &str, word: &str) -> bool {
    match slipped(key, word) {
        Some(Slip::Order) => key.len() >= 4,
        Some(Slip::Count | Slip::Letter) => word.len() >= 5 && key.len() >= 5,
        None => false,
    }
}

/// What is left of two words without the beginning and the end that they share.
fn between<'a>(a: &'a [u8], b: &'a [u8]) -> (&'a [u8], &'a [u8]) {
    let begins = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[begins..], &b[begins..]);
    let ends = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    (&a[..a.len() - ends], &b[..b.len() - ends])
}

#[cfg(test)]
mod tests {
    use super::super::words::words;

    #[test]
    fn a_slip_is_mended_where_a_command_or_its_mark_stands() {
        for (said, meant) in [
            ("ad soap", "add soap"),
            ("pls ad soap to my list", "please add soap to LIST"),
            ("ad campaign", "ad campaign"),
            ("mark 2 as dnoe", "mark 2 as done"),
            ("mark soap doen pls", "mark soap done please"),
            ("mark lunch with don", "mark lunch with don"),
            ("tik off soap", "tick off soap"),
            ("sick note on my list", "sick note on LIST"),
            ("add doen to my list", "add doen to LIST"),
            ("how is the list", "how is LIST"),
        ] {
            let keys: Vec<String> = words(said).into_iter().map(|word| word.key).collect();
            let keys = keys.join(" ").replace("pls", "please");
            assert_eq!(keys, meant, "{said}");
        }
    }
}
