//! Repair of typos, slurred words, fillers and false starts before parsing.

use std::borrow::Cow;

use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::dictated::dictated;
use crate::llm::rules::normalise::midway::uncourteous;
use crate::llm::rules::normalise::slips::slips;
use crate::llm::rules::normalise::tens::figured;
use crate::llm::rules::normalise::words::{Kind, Word};

const FILLERS: Set = set("um|umm|ummm|uh|uhh|uhm|uhmm|er|erm|err|errr|ermm");
/// Exclamations without meaning at the beginning or end of a message.
const CRIES: Set = file_set!("mending_cries");
/// Words that are repeated in false starts.
const STUTTERED: Set = file_set!("mending_stuttered");
/// Contracted words and their expansions, in order.
const SLURRED: &[(&str, &str)] = {
    const TEXT: &str = include_str!("../lexicon/slurred_words.txt");
    &pairs::<{ lines(TEXT) }>(TEXT)
};

const fn lines(text: &str) -> usize {
    let (mut count, mut at) = (0, 0);
    while at < text.len() {
        count += (text.as_bytes()[at] == b'\n') as usize;
        at += 1;
    }
    count
}

/// Splits lines at their tabs.
const fn pairs<const N: usize>(text: &str) -> [(&str, &str); N] {
    let (mut pairs, mut at, mut rest) = ([("", ""); N], 0, text);
    while at < N {
        let (key, after) = split(rest, b'\t');
        let (value, after) = split(after, b'\n');
        (pairs[at], rest) = ((key, value), after);
        at += 1;
    }
    pairs
}

/// Splits a text at the first `mark`, which it contains.
const fn split(text: &str, mark: u8) -> (&str, &str) {
    let mut at = 0;
    while text.as_bytes()[at] != mark {
        at += 1;
    }
    let (before, after) = text.split_at(at);
    (before, after.split_at(1).1)
}

/// Returns the expansion of a contracted word.
fn unslurred(key: &str) -> Option<&'static str> {
    let found = SLURRED.binary_search_by(|(known, _)| (*known).cmp(key));
    found.ok().map(|at| SLURRED[at].1)
}

/// Returns the text without fillers, except in quotations: "tomorrow uh at like seven" becomes one date.
pub(in crate::llm::rules) fn smooth(text: &str) -> Cow<'_, str> {
    const ARTICLES: Set = set("the|an|a|to|our|my");
    const LEADS: Set = set("at|in|for|by|around|about|until|till|to|on|is|maybe|before|after|its|it's");
    const COUNTS: Set = file_set!("mending_counts");
    let chunks: Vec<&str> = text.split_inclusive(char::is_whitespace).collect();
    let bare = |at: usize| chunks.get(at).map_or("", |chunk| chunk.trim_matches([' ', ',', '.', '\t', '…', '-']));
    let key = |at: Option<usize>| at.map_or(String::new(), |at| bare(at).to_lowercase());
    let opening = chunks.iter().position(|chunk| chunk.contains(char::is_alphanumeric)).unwrap_or_default();
    let mut quoted = false;
    let mut fills = |at: usize| {
        let before = quoted;
        quoted ^= chunks[at].matches(['"', '“', '”']).count() % 2 == 1;
        // "Um Bongo" is a name; only the first word of a message has a capital anyway.
        let small = bare(at).chars().skip(usize::from(at == opening)).all(char::is_lowercase);
        let (last, next) = (key(at.checked_sub(1)), key(Some(at + 1)));
        let counts = COUNTS.has(&next) || next.starts_with(|c: char| c.is_ascii_digit());
        let hedge = bare(at) == "like" && LEADS.has(&last) && counts;
        let pause = small && FILLERS.has(&key(Some(at))) && !ARTICLES.has(&last);
        !(before || quoted) && (hedge || pause) && !chunks[at].contains('\n')
    };
    let kept: Vec<&str> = (0..chunks.len()).filter(|at| !fills(*at)).map(|at| chunks[at]).collect();
    if kept.len() == chunks.len() || kept.iter().all(|chunk| !chunk.contains(char::is_alphanumeric)) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(kept.concat())
}

/// Repairs a tokenised message.
pub(in crate::llm::rules) fn mend(words: Vec<Word>, text: &str) -> Vec<Word> {
    let mut words = figured(unslur(dictated(words)));
    slips(&mut words);
    let words = requested(unfilled(numbered(words), text));
    uncourteous(unstuttered(words))
}

/// Splits numbered items into lines: "1) salt 2) soap".
fn numbered(mut words: Vec<Word>) -> Vec<Word> {
    let marks = |words: &[Word], at: usize, number: usize| {
        words[at].key == number.to_string()
            && words.get(at + 1).is_some_and(|mark| {
                mark.is_mark() && matches!(mark.key.as_str(), ")" | ".") && mark.start == words[at].end
            })
            && words.get(at + 2).is_some_and(|next| !next.is_mark())
    };
    let mut places = vec![];
    for at in 0..words.len() {
        if marks(&words, at, places.len() + 1) {
            places.push(at);
        }
    }
    if places.len() < 2 || places[0] == 0 || words.iter().any(|word| word.key == "\n") {
        return words;
    }
    for (count, at) in places.iter().enumerate().rev() {
        let led = count == 0 && words[at - 1].is_mark();
        let key = if count == 0 { ":" } else { "\n" };
        let mark = Word { key: key.to_owned(), kind: Kind::Mark, ..words[*at].clone() };
        words.splice(at..&(at + 2), if led { vec![] } else { vec![mark] });
    }
    words
}

/// Converts polite questions to commands: "would you mind dropping 3", "what about adding soap".
fn requested(mut words: Vec<Word>) -> Vec<Word> {
    const ORDERS: &[(&str, &str)] = &[
        ("adding", "add"),
        ("putting", "put"),
        ("popping", "pop"),
        ("sticking", "stick"),
        ("removing", "remove"),
        ("deleting", "delete"),
        ("dropping", "drop"),
        ("binning", "bin"),
        ("scrapping", "scrap"),
        ("clearing", "clear"),
        ("marking", "mark"),
        ("ticking", "tick"),
        ("crossing", "cross"),
        ("checking", "check"),
        ("moving", "move"),
        ("changing", "change"),
        ("renaming", "rename"),
        ("reminding", "remind"),
        ("showing", "show"),
        ("listing", "list"),
        ("taking", "take"),
        ("setting", "set"),
        ("pushing", "push"),
        ("noting", "note"),
    ];
    let lead = words.iter().position(|word| word.key.ends_with("ing")).filter(|at| *at >= 2).unwrap_or_default();
    let key = |at: usize| words.get(at).map_or("", |word| word.key.as_str());
    let Some((_, order)) = ORDERS.iter().find(|(said, _)| lead >= 2 && *said == key(lead)) else { return words };
    let about = lead == 2 && key(1) == "about" && set!("what|how").has(key(0));
    let minds = lead >= 3 && key(lead - 1) == "mind" && key(lead - 2) == "you" && set!("would|do").has(key(lead - 3));
    if about && !set!("check|change|take|set").has(order) || minds {
        words[lead].key = (*order).to_owned();
        words.drain(if about { 0 } else { lead - 3 }..lead);
    }
    words
}

/// Expands contracted words; each part keeps the whole byte range.
fn unslur(words: Vec<Word>) -> Vec<Word> {
    let mut whole: Vec<Word> = Vec::with_capacity(words.len());
    for word in words {
        let known = unslurred(&word.key).filter(|_| word.kind == Kind::Plain);
        let alone = matches!(word.key.as_str(), "n" | "ad" | "ya" | "u" | "w" | "nd" | "ty")
            && whole.is_empty()
            && word.key != "ad";
        // The point of "incl." ends no sentence.
        if word.key == "." && whole.last().is_some_and(|last| last.key == "including" && last.end == word.start) {
            continue;
        }
        match known.filter(|_| !alone) {
            Some(stands_for) => {
                whole.extend(stands_for.split(' ').map(|part| Word { key: part.to_owned(), ..word.clone() }));
            }
            // "my taks" means several.
            None if word.key == "taks" && word.kind == Kind::Plain => {
                let many = whole.last().is_some_and(|last| set!("my|all|our|open|any|pending").has(&last.key));
                whole.push(Word { key: if many { "tasks" } else { "task" }.to_owned(), ..word });
            }
            // "high-priority", "remind me 2 …"
            None if word.kind == Kind::Plain && word.key.ends_with("-priority") => {
                whole.extend(word.key.split('-').map(|part| Word { key: part.to_owned(), ..word.clone() }));
            }
            None if word.key == "2" && word.kind == Kind::Plain && calls_for_verb(&whole) => {
                whole.push(Word { key: "to".to_owned(), ..word });
            }
            // "remind us" means "remind me".
            None if word.key == "us" && whole.last().is_some_and(|last| last.key == "remind") => {
                whole.push(Word { key: "me".to_owned(), ..word });
            }
            None => whole.push(word),
        }
    }
    whole
}

/// Returns true if an infinitive may follow: "remind me 2 call", "i need 2 go".
fn calls_for_verb(said: &[Word]) -> bool {
    let key = |back: usize| said.len().checked_sub(back).map_or("", |at| said[at].key.as_str());
    set!("need|want|have|forget|gotta|got|supposed|like|left|things|stuff").has(key(1))
        && (said.len() == 1 || set!("i|we|u|you|dont|ive|id|whats|what|any|pls").has(key(2)))
        || key(1) == "me" && key(2) == "remind"
}

/// Removes fillers, unless the message consists of them.
fn unfilled(words: Vec<Word>, text: &str) -> Vec<Word> {
    let plain = |word: &Word| word.kind == Kind::Plain;
    // A capital within a sentence begins a name: "add Um Bongo".
    let name =
        |at: usize| at > 0 && !words[at - 1].is_mark() && text[words[at].start..].starts_with(char::is_uppercase);
    let edge = |at: usize| words[..at].iter().all(Word::is_mark) || words[at + 1..].iter().all(Word::is_mark);
    let fills = |at: usize| {
        let word = &words[at];
        let between = |at: Option<&Word>| at.is_none_or(Word::is_mark);
        let hedge = word.key == "like"
            && between(at.checked_sub(1).and_then(|before| words.get(before)))
            && between(words.get(at + 1));
        plain(word) && !name(at) && (FILLERS.has(&word.key) || CRIES.has(&word.key) && edge(at) || hedge)
    };
    let filling: Vec<bool> = (0..words.len()).map(fills).collect();
    let all = words.iter().zip(&filling).all(|(word, fills)| *fills || word.is_mark());
    if all || !filling.contains(&true) {
        return words;
    }
    let follows = |at: usize| at > 0 && filling[at - 1] && words[at].key == ",";
    let kept: Vec<bool> = (0..words.len()).map(|at| !filling[at] && !follows(at)).collect();
    words.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(word, _)| word).collect()
}

/// Removes the first of two equal beginnings: "to the to the list".
fn unstuttered(words: Vec<Word>) -> Vec<Word> {
    let mut kept: Vec<Word> = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        let again = |count: usize| {
            let (once, twice) = (words.get(at..at + count)?, words.get(at + count..at + 2 * count)?);
            let same = |(a, b): (&Word, &Word)| a.key == b.key && a.kind == Kind::Plain && b.kind == Kind::Plain;
            let stutters = once.iter().zip(twice).all(same) && once.iter().all(|word| STUTTERED.has(&word.key));
            stutters.then_some(count)
        };
        match [3, 2, 1].into_iter().find_map(again) {
            Some(count) => at += count,
            None => {
                kept.push(words[at].clone());
                at += 1;
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::smooth;
    use crate::llm::rules::normalise::words::words;

    #[test]
    fn slurred_words_are_in_order() {
        assert!(super::SLURRED.is_sorted());
    }

    #[test]
    fn pauses_are_no_part_of_a_text() {
        for (said, meant) in [
            ("remind me um tomorrow at like eight to go", "remind me tomorrow at eight to go"),
            ("add uh, soap", "add soap"),
            ("add something like soap", "add something like soap"),
            ("visit jo at the er", "visit jo at the er"),
            ("add \"um and uh\"", "add \"um and uh\""),
            ("um", "um"),
        ] {
            assert_eq!(smooth(said), meant);
        }
    }

    #[test]
    fn slips_and_false_starts_are_mended() {
        for (said, meant) in [
            ("plaese delte milk", "please delete milk"),
            ("um add uh salt to the to the list", "add salt to LIST"),
            ("gimme a remindr", "give me a TASK"),
            ("remind us to go", "remind me to go"),
            ("i, i need the the list", "i , i need LIST"),
            ("wipe the slate lol", "wipe the slate"),
            ("remind me 2 call", "remind me to call"),
            ("a high-priority one", "a high priority one"),
            ("thnx m8", "thanks m8"),
            ("would you mind dropping soap", "drop soap"),
            ("how about adding soap to the list", "add soap to LIST"),
            ("what about taking photos", "what about taking photos"),
            ("add these: 1) salt 2) soap", "add these : salt \n soap"),
            ("read chapter 1) of 3", "read chapter 1 ) of 3"),
            ("um", "um"),
            ("cancer charity", "cancer charity"),
            ("bye bye", "bye bye"),
        ] {
            let keys: Vec<String> = words(said).into_iter().map(|word| word.key).collect();
            assert_eq!(keys.join(" "), meant, "{said}");
        }
    }
}
