//! Typos in words of the grammar, repaired at their expected places and never inside a title.

use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::{Kind, Word};

/// Words that begin requests and are unlike other words.
const VERBS: Set = file_set!("slips_verbs");
/// Words of the grammar that are repaired anywhere.
const NOUNS: Set = set("reminder|reminders|priority|groceries|completed|finished|deadline|shopping|everything");
/// Real words that resemble a word of the grammar.
const REAL: Set = file_set!("slips_real");

/// Short words that begin requests, repaired only if the message has another sign of tasks.
const SHORT: Set = set("mark|tick|show|put|move|push|cross|stick");
/// Real words that resemble a short one.
const REAL_SHORT: Set = file_set!("slips_real_short");
/// Words for "done" at the end of a request.
const DONE: Set = set("done|complete|completed|finished");
/// Real words that resemble a word for "done".
const REAL_DONE: Set = file_set!("slips_real_done");
/// Words next to "ad" in the sense of an advertisement.
const ADVERTS: Set = file_set!("slips_adverts");

/// Repairs typos in the first word of a request: "mrak", "delte", "creat". Also repairs longer nouns of the grammar and
/// the last word of such a request.
pub(in crate::llm::rules) fn slips(words: &mut [Word]) {
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

/// Returns true if a word indicates tasks: "list", "off", "#3".
fn tells(word: &Word) -> bool {
    set!("list|lists|task|tasks|todo|todos|off|done|complete|completed|finished").has(&word.key)
        || word.key.trim_start_matches('#').starts_with(|c: char| c.is_ascii_digit())
}

/// Returns true if "ad" means "add", as in "ad eggs".
fn adds(words: &[Word], at: usize) -> bool {
    let next = words.get(at + 1).filter(|next| next.kind != Kind::Mark);
    let placed = || words.iter().any(|word| matches!(word.key.as_str(), "list" | "task" | "todo"));
    matches!(words[at].key.as_str(), "ad" | "aad" | "addd" | "adda")
        && next
            .is_some_and(|next| !ADVERTS.has(&next.key) && (!set!("to|on|in|for|from|with").has(&next.key) || placed()))
}

/// Repairs the last word of a request that marks tasks: "mark 3 doen".
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
    // "don" may be a name.
    let sure = led || key.len() > 3;
    slip(key, DONE, |key, word| slipped(key, word).is_some()).filter(|_| marks && sure)
}

/// Returns the intended word of the set.
fn slip(key: &str, known: Set, meant: impl Fn(&str, &str) -> bool) -> Option<&'static str> {
    known.iter().find(|word| word.len().abs_diff(key.len()) <= 1 && meant(key, word))
}

/// A single typo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slip {
    /// Two transposed letters.
    Order,
    /// An extra or missing letter.
    Count,
    /// A wrong letter.
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

/// Returns true if the words differ by one typo; in short words only by a transposition.
fn near(key: &str, word: &str) -> bool {
    match slipped(key, word) {
        Some(Slip::Order) => key.len() >= 4,
        Some(Slip::Count | Slip::Letter) => word.len() >= 5 && key.len() >= 5,
        None => false,
    }
}

/// Returns the parts of two words between their common prefix and suffix.
fn between<'a>(a: &'a [u8], b: &'a [u8]) -> (&'a [u8], &'a [u8]) {
    let begins = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[begins..], &b[begins..]);
    let ends = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    (&a[..a.len() - ends], &b[..b.len() - ends])
}

#[cfg(test)]
mod tests {
    use crate::llm::rules::normalise::words::words;

    #[test]
    fn typo_is_corrected_only_in_command_position() {
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
