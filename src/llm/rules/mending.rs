//! What fingers and tongues do to words, undone before a message is read: slips, slurred words, fillers, false starts.

use std::borrow::Cow;

use super::dictated::dictated;
use super::midway::uncourteous;
use super::set::{Set, set};
use super::slips::slips;
use super::tens::figured;
use super::words::{Kind, Word};

/// Words that only fill a pause.
const FILLERS: Set = set("um|umm|ummm|uh|uhh|uhm|uhmm|er|erm|err|errr|ermm");
/// Cries that mean nothing at an edge of a message.
const CRIES: Set = set(
    "lol|lmao|rofl|haha|hahaha|hehe|ugh|argh|phew|whew|yay|woohoo|hooray|omg|yo|psst|ahem|ooh|aha|eek|gah|meh|tbh|\
         btw|fyi|ah|aww|aw|yikes|blimey|crikey",
);
/// What is said twice where a sentence is begun anew.
const STUTTERED: Set = set(
    "a|an|the|to|my|our|on|off|of|for|in|into|onto|from|i|im|and|can|could|you|would|please|me|it|that|is|add|put|\
         list|remind|delete|remove|mark|show|what|whats|do|need|want|have|with|at|by|LIST|shopping|todo",
);
/// Words run together, and what they stand for.
const SLURRED: &[(&str, &str)] = &[
    ("gimme", "give me"),
    ("lemme", "let me"),
    ("wanna", "want to"),
    ("gotta", "have to"),
    ("gonna", "going to"),
    ("hafta", "have to"),
    ("oughta", "ought to"),
    ("needa", "need to"),
    ("tryna", "trying to"),
    ("outta", "out of"),
    ("dunno", "dont know"),
    ("whatre", "what are"),
    ("wotcha", "what do you"),
    ("thatll", "that will"),
    ("em", "them"),
    ("u", "you"),
    ("ya", "you"),
    ("ur", "your"),
    ("n", "and"),
    ("til", "till"),
    ("wot", "what"),
    ("wat", "what"),
    ("plse", "please"),
    ("pleez", "please"),
    ("teh", "the"),
    ("hte", "the"),
    ("tge", "the"),
    ("taht", "that"),
    ("abuot", "about"),
    ("aobut", "about"),
    ("abotu", "about"),
    ("tht", "that"),
    ("thsi", "this"),
    ("evry", "every"),
    ("everythin", "everything"),
    ("evrythin", "everything"),
    ("evryting", "everything"),
    ("adn", "and"),
    ("nad", "and"),
    ("nd", "and"),
    ("waht", "what"),
    ("whta", "what"),
    ("wut", "what"),
    ("whut", "what"),
    ("wats", "whats"),
    ("wuts", "whats"),
    ("wots", "whats"),
    ("whts", "whats"),
    ("shwo", "show"),
    ("hsow", "show"),
    ("lits", "list"),
    ("lsit", "list"),
    ("tasl", "task"),
    ("tsak", "task"),
    ("taskk", "task"),
    ("tsk", "task"),
    ("tsks", "tasks"),
    ("taskes", "tasks"),
    ("tasts", "tasks"),
    ("thnx", "thanks"),
    ("thanx", "thanks"),
    ("tnx", "thanks"),
    ("thks", "thanks"),
    ("tks", "thanks"),
    ("thx", "thanks"),
    ("tysm", "thank you"),
    ("ty", "thank you"),
    ("cheerz", "cheers"),
    ("pleas", "please"),
    ("plx", "please"),
    ("pwease", "please"),
    ("l8r", "later"),
    ("l8er", "later"),
    ("b4", "before"),
    ("w", "with"),
    ("abt", "about"),
    ("rn", "right now"),
    ("kno", "know"),
    ("nvm", "never mind"),
    ("nm", "never mind"),
    ("w/o", "without"),
    ("gotsta", "have to"),
    ("shoulda", "should have"),
    ("iv", "ive"),
    ("dnt", "dont"),
    ("dont't", "dont"),
    ("rmv", "remove"),
    ("rmove", "remove"),
    ("mrk", "mark"),
    ("prio", "priority"),
    ("incl", "including"),
];
/// A text without what fills pauses in it, quotations aside: "tomorrow uh at like seven" is a date in one piece.
pub(super) fn smooth(text: &str) -> Cow<'_, str> {
    const ARTICLES: Set = set("the|an|a|to|our|my");
    const LEADS: Set = set("at|in|for|by|around|about|until|till|to|on|is|maybe|before|after|its|it's");
    const COUNTS: Set = set(
        "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|half|quarter|a|an|noon|\
         midday|midnight|monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|today|tonight|next|every",
    );
    let chunks: Vec<&str> = text.split_inclusive(char::is_whitespace).collect();
    let bare = |at: usize| chunks.get(at).map_or("", |chunk| chunk.trim_matches([' ', ',', '.', '\t', '…', '-']));
    let key = |at: Option<usize>| at.map_or(String::new(), |at| bare(at).to_lowercase());
    let opening = chunks.iter().position(|chunk| chunk.contains(char::is_alphanumeric)).unwrap_or_default();
    let mut quoted = false;
    let mut fills = |at: usize| {
        let before = quoted;
        quoted ^= chunks[at].matches(['"', '“', '”']).count() % 2 == 1;
        // "Um Bongo" is a name; only what opens a message is written large anyway.
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

/// Mends a message that was cut into words.
pub(super) fn mend(words: Vec<Word>, text: &str) -> Vec<Word> {
    let mut words = figured(unslur(dictated(words)));
    slips(&mut words);
    let words = requested(unfilled(numbered(words), text));
    uncourteous(unstuttered(words))
}

/// "1) salt 2) soap": items of a line, each on a line of its own.
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

/// "would you mind dropping 3", "what about adding soap": what is asked for as an order.
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

/// Slurred words as the words that they stand for, each with the whole of the letters.
fn unslur(words: Vec<Word>) -> Vec<Word> {
    let mut whole: Vec<Word> = Vec::with_capacity(words.len());
    for word in words {
        let known = SLURRED.iter().find(|(slurred, _)| *slurred == word.key).filter(|_| word.kind == Kind::Plain);
        let alone = matches!(word.key.as_str(), "n" | "ad" | "ya" | "u" | "w" | "nd" | "ty")
            && whole.is_empty()
            && word.key != "ad";
        // "incl." ends no sentence.
        if word.key == "." && whole.last().is_some_and(|last| last.key == "including" && last.end == word.start) {
            continue;
        }
        match known.filter(|_| !alone) {
            Some((_, stands_for)) => {
                whole.extend(stands_for.split(' ').map(|part| Word { key: part.to_owned(), ..word.clone() }));
            }
            // "my taks": of several.
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
            // Whoever reminds us reminds me.
            None if word.key == "us" && whole.last().is_some_and(|last| last.key == "remind") => {
                whole.push(Word { key: "me".to_owned(), ..word });
            }
            None => whole.push(word),
        }
    }
    whole
}

/// Whether an infinitive may follow: "remind me 2 call", "i need 2 go".
fn calls_for_verb(said: &[Word]) -> bool {
    let key = |back: usize| said.len().checked_sub(back).map_or("", |at| said[at].key.as_str());
    set!("need|want|have|forget|gotta|got|supposed|like|left|things|stuff").has(key(1))
        && (said.len() == 1 || set!("i|we|u|you|dont|ive|id|whats|what|any|pls").has(key(2)))
        || key(1) == "me" && key(2) == "remind"
}

/// Words without what fills pauses, unless nothing else was said.
fn unfilled(words: Vec<Word>, text: &str) -> Vec<Word> {
    let plain = |word: &Word| word.kind == Kind::Plain;
    // "add Um Bongo": a capital inside a sentence begins a name.
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

/// Words without the first of two like beginnings: "to the to the list".
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
    use super::super::words::words;
    use super::smooth;

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
