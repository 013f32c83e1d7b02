//! A message cut into words, with the phrases for "the list", "task" and "tasks" folded into one word each.

use super::mending::mend;
use super::numbers::counted;
use super::others::{added, beside, needed};
use super::set::{Set, set};

/// What a word is to the grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Plain,
    /// A text in quotes, taken literally.
    Quoted,
    /// Punctuation or a line break.
    Mark,
}

/// One word, or one folded phrase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// Lower case without apostrophes; `LIST`, `TASK` or `TASKS` for folded phrases; `\n` for a line break.
    pub key: String,
    /// Byte offsets in the message; of a quoted text without its quotes.
    pub start: usize,
    pub end: usize,
    pub kind: Kind,
}

impl Word {
    pub fn is_mark(&self) -> bool {
        self.kind == Kind::Mark
    }
}

/// Cuts a message and folds its phrases.
pub(super) fn words(text: &str) -> Vec<Word> {
    beside(fold(&mend(cut(text), text)))
}

/// Lower case, without apostrophes and with hyphens of "to-do" gone.
fn key_of(raw: &str) -> String {
    let lower: String = raw.to_lowercase().chars().filter(|c| !matches!(c, '\'' | '’' | '‘' | '`')).collect();
    match lower.as_str() {
        "to-do" | "to-dos" | "check-off" | "un-check" | "re-open" => lower.replace('-', ""),
        "to-do-list" | "todo-list" | "todolist" => "todolist".to_owned(),
        "&" => "and".to_owned(),
        _ => lower,
    }
}

const OPENING: [(char, char); 5] = [('"', '"'), ('“', '”'), ('«', '»'), ('\'', '\''), ('‘', '’')];

/// The most bytes between quotation marks; what is farther apart belongs to other words.
const LONGEST_QUOTATION: usize = 400;

/// The end of a quotation that opens at `at`, if it is one: closed, and not an apostrophe.
fn quotation(text: &str, at: usize) -> Option<(usize, usize, usize)> {
    let open = text[at..].chars().next()?;
    let close = OPENING.iter().find(|(o, _)| *o == open)?.1;
    let inner = at + open.len_utf8();
    if text[..at].chars().next_back().is_some_and(char::is_alphanumeric) {
        return None;
    }
    let near = &text[..text.floor_char_boundary(inner + LONGEST_QUOTATION + close.len_utf8())];
    let mut from = inner;
    while let Some(found) = near[from..].find([close, '\n']) {
        let end = from + found;
        if near[end..].starts_with('\n') {
            return None;
        }
        let after = end + close.len_utf8();
        if text[after..].chars().next().is_none_or(|c| !c.is_alphanumeric()) {
            return (end > inner).then_some((inner, end, after));
        }
        if close != '\'' && close != '’' {
            return None;
        }
        from = after;
    }
    None
}

fn cut(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = vec![];
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if c == '\n' {
            words.push(Word { key: "\n".into(), start: at, end: at + 1, kind: Kind::Mark });
            at += 1;
        } else if c.is_whitespace() || c.is_control() {
            at += c.len_utf8();
        } else if let Some((start, end, after)) = quotation(text, at) {
            words.push(Word { key: key_of(&text[start..end]), start, end, kind: Kind::Quoted });
            at = after;
        } else {
            let end = text[at..].find(char::is_whitespace).map_or(text.len(), |n| at + n);
            chunk(text, at, end, &mut words);
            at = end;
        }
    }
    words
}

/// One white-space separated chunk: leading and trailing punctuation become marks of their own.
fn chunk(text: &str, start: usize, end: usize, words: &mut Vec<Word>) {
    let core = |c: char| c.is_alphanumeric() || matches!(c, '#' | '@' | '+' | '$' | '€' | '£' | '%' | '&');
    let raw = &text[start..end];
    let Some(first) = raw.find(core) else {
        if raw.starts_with(['✅', '✔', '☑']) {
            words.push(Word { key: "done".into(), start, end, kind: Kind::Plain });
            return;
        }
        for (at, c) in raw.char_indices() {
            words.push(Word {
                key: c.to_string(),
                start: start + at,
                end: start + at + c.len_utf8(),
                kind: Kind::Mark,
            });
        }
        return;
    };
    let last = raw.char_indices().rfind(|(_, c)| core(*c)).map_or(first, |(at, c)| at + c.len_utf8());
    let marks = |from: usize, to: usize, words: &mut Vec<Word>| {
        for (at, c) in raw[from..to].char_indices() {
            let begin = start + from + at;
            words.push(Word { key: c.to_string(), start: begin, end: begin + c.len_utf8(), kind: Kind::Mark });
        }
    };
    marks(0, first, words);
    let body = &raw[first..last];
    // "#2's" is a number that has something.
    let owner = body.strip_suffix("'s").or_else(|| body.strip_suffix("’s"));
    let counts = |number: &&str| {
        number.trim_start_matches('#').bytes().all(|b| b.is_ascii_digit())
            || words.last().is_some_and(|last| matches!(last.key.as_str(), "number" | "task" | "item"))
                && super::target::number(&number.to_lowercase(), true).is_some()
    };
    if let Some(number) = owner.filter(counts) {
        let middle = start + first + number.len();
        words.push(Word { key: key_of(number), start: start + first, end: middle, kind: Kind::Plain });
        marks(last, raw.len(), words);
        return;
    }
    // "milk,eggs" and "done;next" are two words; "10:30", "p.m." and "3,5" are one.
    let split = body.char_indices().find(|(at, c)| {
        matches!(c, ',' | ';' | '–' | '—' | '…')
            && body[at + c.len_utf8()..].starts_with(|next: char| next.is_alphabetic())
    });
    if let Some((at, _)) = split {
        let middle = start + first + at;
        words.push(Word {
            key: key_of(&text[start + first..middle]),
            start: start + first,
            end: middle,
            kind: Kind::Plain,
        });
        return chunk(text, middle, end, words);
    }
    words.push(Word { key: key_of(body), start: start + first, end: start + last, kind: Kind::Plain });
    marks(last, raw.len(), words);
}

const DETERMINERS: Set = set("my|the|our|your|this|that|a|an|any|their|his|her|mine");
const BEFORE: Set = set("to|on|from|off|in|of|onto|into|under|out|for|at|with|and");
const LIST_KINDS: Set =
    set("todo|todos|shopping|grocery|groceries|task|tasks|chore|chores|laundry|homework|packing|reminder|reminders|\
         work|errand|errands|food|check|current|whole|entire|complete|full");
const OF_LIST: Set = set(
    "pending tasks|open tasks|pending items|daily tasks|daily chores|household chores|weekly chores|grocery items|\
     groceries to buy|shopping items|supplies|food|things to buy|things to get|stuff to buy|stuff to get|\
     items to buy|things i need to buy|things i need to do|things i need|things todo|things to do|stuff todo|\
     housework|chores|tasks|todos|errands|reminders|items|groceries|shopping|things|stuff",
);

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

/// "added to what i need to do", "to what i need from the shop": my list.
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

/// Whether "list" is a verb here: it opens a request and something follows it.
fn listing(words: &[Word], i: usize) -> bool {
    let opens =
        i == 0 || words[i - 1].is_mark() || set!("please|also|just|and|you|to|then|now|ok|hey|called|named|titled|entitled|labelled|labeled|saying|says|reading")
            .has(&words[i - 1].key);
    let object =
        words.get(i + 1).is_some_and(|next| !next.is_mark() && !set!("of|for|please|needs|should").has(&next.key));
    opens && object
}

/// "any more" at the end of a phrase is one word.
fn ends_more(cut: &[Word], i: usize) -> bool {
    cut[i].key == "any"
        && cut[i].kind == Kind::Plain
        && cut.get(i + 1).is_some_and(|next| matches!(next.key.as_str(), "more" | "longer"))
        && cut.get(i + 2).is_none_or(|next| next.is_mark() || set!("so|and|please").has(&next.key))
}

/// "to do" is one word where it is a noun: after a determiner, or before "list" and the like.
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

/// Nouns that are the list where they are owned and their phrase ends: "my todos", "on the groceries".
const LISTS: Set = set("todo|todos|agenda|groceries|grocery|shopping|chores|errands|reminders");

/// "my todo" at an end of its phrase is the list, and so are "on the groceries" and "shopping:"; "a todo", "new todo" and
/// "my todo named x" are a task.
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

/// "tick off the shopping", "bring in the groceries": the verb takes the word at `at` with it, and what follows is its object.
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

/// How many of the folded `words` belong to a list phrase that ends after them.
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
            // A modifier that no determiner announced: "to laundry list".
            return if words.len() - at <= 2 { at } else { known_kinds(words) };
        }
        at -= 1;
    }
    known_kinds(words)
}

/// Where the known kinds of lists ("shopping", "to do") before "list" begin.
fn known_kinds(words: &[Word]) -> usize {
    let kind = |word: &&Word| LIST_KINDS.has(&word.key) || matches!(word.key.as_str(), "TASK" | "TASKS");
    words.len() - words.iter().rev().take_while(kind).count()
}

/// "list of things to do", "list for shopping".
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

/// A noun for one task or for tasks.
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
        ("todo" | "list" | "task", "item" | "task" | "entry", _) => (i + 2, false),
        ("todo" | "list" | "task", "items" | "tasks" | "entries", _) => (i + 2, true),
        ("task" | "todo" | "item" | "reminder", _, _) => (i + 1, false),
        ("tasks" | "todos" | "items" | "reminders", _, _) => (i + 1, true),
        ("heads", "up", _) if i > 0 && matches!(words[i - 1].key.as_str(), "a" | "me") => (i + 2, false),
        (key, _, _) if names_task(words, i) || counted(words, i) => (i + 1, key.ends_with('s')),
        _ => return None,
    })
}

/// Nouns that are a task only where the words around them leave nothing else: "a job: …", "which chores are left".
fn names_task(words: &[Word], i: usize) -> bool {
    const NOUNS: Set = set("job|jobs|chore|chores|errand|errands|entry|entries|nudge|prod|poke|ping|buzz|shout|prompt");
    const LED: Set =
        set("a|an|my|the|our|any|all|some|no|more|many|new|another|few|other|these|those|which|what|two|three|four|\
             five|six|several|couple|of|urgent|important|overdue|open|pending|finished|completed|done|remaining|\
             outstanding|next|last|first|second|third|every|each|priority|me|that|this|quick|little|own|only|both");
    const FOLLOWED: Set =
        set("to|for|about|on|in|off|from|that|which|is|are|was|were|have|has|do|did|left|due|remaining|please|i|ive|\
             im|we|already|and|called|named|titled|saying|today|tomorrow|this|next|with|by|as|still|done|finished|\
             completed|now|so|at|or|can|should|need|needs|before|after|tonight|todo|me|you|yet|again|too|there");
    NOUNS.has(&words[i].key)
        && i > 0
        && LED.has(&words[i - 1].key)
        && words.get(i + 1).is_none_or(|next| next.is_mark() || FOLLOWED.has(&next.key))
}
