//! Tokenisation with folding: phrases for "the list", "task" and "tasks" become one word each.

use crate::llm::rules::lex::numbers::counted;
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::lex::token::cut;
pub(in crate::llm::rules) use crate::llm::rules::lex::token::{Kind, Word};
use crate::llm::rules::normalise::mending::mend;
use crate::llm::rules::normalise::others::{added, beside, needed};

/// Tokenises a message and folds its phrases.
pub(in crate::llm::rules) fn words(text: &str) -> Vec<Word> {
    beside(fold(&mend(cut(text), text)))
}

const DETERMINERS: Set = set("my|the|our|your|this|that|a|an|any|their|his|her|mine");
const BEFORE: Set = set("to|on|from|off|in|of|onto|into|under|out|for|at|with|and");
const LIST_KINDS: Set = file_set!("words_list_kinds");
const OF_LIST: Set = file_set!("words_of_list");

/// Folds list and task phrases, longest first.
fn fold(cut: &[Word]) -> Vec<Word> {
    let merged = merge_todo(cut);
    let mut words: Vec<Word> = vec![];
    let mut i = 0;
    while i < merged.len() {
        let key = merged[i].key.as_str();
        if merged[i].kind == Kind::Plain
            && !(key == "list" && (task_noun(&merged, i).is_some() || listing(&merged, i)))
            && (matches!(key, "list" | "lists" | "lisr" | "lsit" | "todolist") || bare_todo(&merged, i))
        {
            let end = after_list(&merged, i + 1);
            let start = before_list(&words);
            let from = words.get(start).map_or(merged[i].start, |word| word.start);
            words.truncate(start);
            words.push(Word { key: "LIST".into(), start: from, end: merged[end - 1].end, kind: Kind::Plain });
            i = end;
        } else if let Some(end) = my_needs(&merged, i) {
            words.push(Word {
                key: "LIST".into(),
                start: merged[i].start,
                end: merged[end - 1].end,
                kind: Kind::Plain,
            });
            i = end;
        } else if let Some((end, plural)) = task_noun(&merged, i) {
            let key = if plural { "TASKS" } else { "TASK" };
            words.push(Word { key: key.into(), start: merged[i].start, end: merged[end - 1].end, kind: Kind::Plain });
            i = end;
        } else {
            words.push(merged[i].clone());
            i += 1;
        }
    }
    words
}

/// Returns the end of a phrase for my list: "added to what i need to do", "to what i need from the shop".
fn my_needs(words: &[Word], i: usize) -> Option<usize> {
    let key = |at: usize| words.get(at).filter(|word| word.kind == Kind::Plain).map_or("", |word| word.key.as_str());
    let placed = i > 0 && set!("to|onto|into|on|in|with|from|off").has(key(i - 1));
    if !(placed && matches!(key(i), "what" | "everything") && matches!(key(i + 1), "i" | "we")) {
        return None;
    }
    let end = match (key(i + 2), key(i + 3), key(i + 4)) {
        ("need" | "have" | "want" | "got", "to", "do" | "get" | "buy" | "remember") => i + 5,
        ("need" | "want", "from", "the") => i + 6,
        ("need" | "want", "from", _) => i + 5,
        _ => return None,
    };
    (end <= words.len() && words.get(end).is_none_or(Word::is_mark)).then_some(end)
}

/// Returns true if "list" is a verb here: it begins a request and has an object.
fn listing(words: &[Word], i: usize) -> bool {
    let opens =
        i == 0 || words[i - 1].is_mark() || set!("please|also|just|and|you|to|then|now|ok|hey|called|named|titled|entitled|labelled|labeled|saying|says|reading")
            .has(&words[i - 1].key);
    let object =
        words.get(i + 1).is_some_and(|next| !next.is_mark() && !set!("of|for|please|needs|should").has(&next.key));
    opens && object
}

/// Returns true if "any more" ends a phrase, where it is one word.
fn ends_more(cut: &[Word], i: usize) -> bool {
    cut[i].key == "any"
        && cut[i].kind == Kind::Plain
        && cut.get(i + 1).is_some_and(|next| matches!(next.key.as_str(), "more" | "longer"))
        && cut.get(i + 2).is_none_or(|next| next.is_mark() || set!("so|and|please").has(&next.key))
}

/// Merges "to do" as a noun: after a determiner, or before "list" and similar nouns.
fn merge_todo(cut: &[Word]) -> Vec<Word> {
    let mut words: Vec<Word> = vec![];
    let mut i = 0;
    while i < cut.len() {
        let pair = cut[i].key == "to" && cut.get(i + 1).is_some_and(|next| matches!(next.key.as_str(), "do" | "dos"));
        const NOUNS: Set = set("list|lists|item|items|task|tasks|lisr|named|called|titled|entitled|labelled|labeled");
        let noun_after = cut.get(i + 2).is_some_and(|next| NOUNS.has(&next.key));
        let noun_before = words.last().is_some_and(|last: &Word| DETERMINERS.has(&last.key) || last.key == "new");
        let alone = pair
            && words.iter().all(Word::is_mark)
            && cut.get(i + 2).is_some_and(|next| matches!(next.key.as_str(), ":" | "-" | "–"));
        if pair && (noun_after || noun_before || alone) {
            let key = if cut[i + 1].key == "dos" { "todos" } else { "todo" };
            words.push(Word { key: key.into(), start: cut[i].start, end: cut[i + 1].end, kind: Kind::Plain });
            i += 2;
        } else if ends_more(cut, i) {
            words.push(Word { key: "anymore".into(), start: cut[i].start, end: cut[i + 1].end, kind: Kind::Plain });
            i += 2;
        } else {
            words.push(cut[i].clone());
            i += 1;
        }
    }
    words
}

/// Nouns that mean the list after a possessive at the end of a phrase: "my todos", "on the groceries".
const LISTS: Set = set("todo|todos|agenda|groceries|grocery|shopping|chores|errands|reminders");

/// Returns true for nouns that mean the list: "my todo" at the end of its phrase, "on the groceries", "shopping:". A
/// single task is "a todo", "new todo" or "my todo named x".
fn bare_todo(words: &[Word], i: usize) -> bool {
    let key = words[i].key.as_str();
    if !LISTS.has(key) {
        return false;
    }
    let led = words.get(i + 1).is_some_and(|next| matches!(next.key.as_str(), ":" | "-" | "–"));
    if i == 0 || words[..i].iter().all(Word::is_mark) {
        return led && key != "reminders" && words.len() > i + 2;
    }
    let owner = matches!(words[i - 1].key.as_str(), "my" | "the" | "our");
    let placed = |set: Set| i >= 2 && set.has(&words[i - 2].key);
    let closes = words.get(i + 1).is_none_or(|next| {
        next.is_mark() || set!("please|today|tomorrow|for|when|if|as|then|and|so|by|will|would|now|too").has(&next.key)
    });
    match key {
        // "add soap to todo"
        "todo" if i >= 3 && closes && set!("to|onto|into|on").has(&words[i - 1].key) => true,
        _ if i >= 3 && closes && added(words, i) => true,
        "todo" | "agenda" => owner && closes && placed(BEFORE),
        "todos" => owner && closes,
        _ => owner && closes && placed(set!("to|on|onto|into|off|from|in|under|through")) && !phrasal(words, i - 2),
    }
}

/// Returns true if the word at `at` belongs to a phrasal verb with an object: "tick off the shopping", "bring in the groceries".
fn phrasal(words: &[Word], at: usize) -> bool {
    const OFF: Set =
        set("tick|ticking|ticked|cross|check|checking|mark|strike|scratch|chalk|knock|drop|polish|finish|put|call|pay");
    const IN: Set = set("bring|get|carry|fetch|take|lug|haul");
    let verb = at.checked_sub(1).map_or("", |before| words[before].key.as_str());
    match words[at].key.as_str() {
        "off" => OFF.has(verb),
        "in" => IN.has(verb),
        _ => false,
    }
}

/// Returns how many of the folded `words` belong to a list phrase that ends after them.
fn before_list(words: &[Word]) -> usize {
    let mut at = words.len();
    let plain = |at: usize| at > 0 && words[at - 1].kind == Kind::Plain;
    for _ in 0..5 {
        if !plain(at) {
            break;
        }
        let key = words[at - 1].key.as_str();
        if DETERMINERS.has(key) {
            return at - 1;
        }
        if BEFORE.has(key) || key == "LIST" {
            // A modifier without a determiner: "to laundry list".
            return if words.len() - at <= 2 { at } else { known_kinds(words) };
        }
        at -= 1;
    }
    known_kinds(words)
}

/// Returns the start of the known kinds of lists ("shopping", "to do") before "list".
fn known_kinds(words: &[Word]) -> usize {
    let kind = |word: &&Word| LIST_KINDS.has(&word.key) || matches!(word.key.as_str(), "TASK" | "TASKS");
    words.len() - words.iter().rev().take_while(kind).count()
}

/// Returns the end of "list of things to do" or "list for shopping".
fn after_list(words: &[Word], i: usize) -> usize {
    let follows = |at: usize, phrase: &str| {
        phrase
            .split(' ')
            .enumerate()
            .all(|(n, part)| words.get(at + n).is_some_and(|word| word.key == part))
            .then(|| at + phrase.split(' ').count())
    };
    if words.get(i).is_some_and(|word| matches!(word.key.as_str(), "of" | "for")) {
        let at = if words.get(i + 1).is_some_and(|word| word.key == "my") { i + 2 } else { i + 1 };
        if let Some(end) = needed(words, i + 1) {
            return end;
        }
        if let Some(end) = OF_LIST.iter().find_map(|phrase| follows(at, phrase)) {
            return end;
        }
    }
    i
}

/// Returns the end of a task noun, and true for a plural.
fn task_noun(words: &[Word], i: usize) -> Option<(usize, bool)> {
    if words[i].kind != Kind::Plain {
        return None;
    }
    let next = words.get(i + 1).map_or("", |word| word.key.as_str());
    let after = words.get(i + 2).map_or("", |word| word.key.as_str());
    Some(match (words[i].key.as_str(), next, after) {
        ("things" | "stuff" | "bits", "to", "do") => (i + 3, true),
        ("things" | "stuff" | "bits", "todo", _) => (i + 2, true),
        ("reminder", "alert" | "notification" | "note", _) => (i + 2, false),
        ("todo" | "list" | "task" | "grocery" | "shopping", "item" | "task" | "entry", _) => (i + 2, false),
        ("todo" | "list" | "task", "items" | "tasks" | "entries", _) => (i + 2, true),
        ("task" | "todo" | "item" | "reminder", _, _) => (i + 1, false),
        ("tasks" | "todos" | "items" | "reminders", _, _) => (i + 1, true),
        ("heads", "up", _) if i > 0 && matches!(words[i - 1].key.as_str(), "a" | "me") => (i + 2, false),
        (key, _, _) if names_task(words, i) || counted(words, i) => (i + 1, key.ends_with('s')),
        _ => return None,
    })
}

/// Returns true for nouns that mean a task only in certain contexts: "a job: …", "which chores are left".
fn names_task(words: &[Word], i: usize) -> bool {
    const NOUNS: Set = set("job|jobs|chore|chores|errand|errands|entry|entries|nudge|prod|poke|ping|buzz|shout|prompt");
    const LED: Set = file_set!("words_led");
    const FOLLOWED: Set = file_set!("words_followed");
    NOUNS.has(&words[i].key)
        && i > 0
        && LED.has(&words[i - 1].key)
        && words.get(i + 1).is_none_or(|next| next.is_mark() || FOLLOWED.has(&next.key))
}
