//! Many tasks by what they have in common: "everything about the party", "all the party ones".

use super::intent::Scope;
use super::levels::priority;
use super::set::{Set, set};
use super::target::bulk;
use super::words::{Kind, Word};

/// "everything to do with the party", "all the low priority ones", "the finished one about paint", "all the party things".
pub(super) fn told(words: &[&Word], keys: &[&str], text: &str) -> Option<Scope> {
    about(words, keys, text).or_else(|| of_kind(words, keys, text).filter(|_| bulk(keys).is_none()))
}

fn about(words: &[&Word], keys: &[&str], text: &str) -> Option<Scope> {
    let (at, from) = (1..keys.len()).find_map(|at| Some((at, at + lead(&keys[at..])?)))?;
    if from >= keys.len() || !words[..at].iter().all(|word| word.kind == Kind::Plain) {
        return None;
    }
    let mut scope = bulk(&keys[..at])?;
    let every = |key: &&str| set!("everything|all|every|each|any|anything|whatever|lot|ones|TASKS").has(key);
    scope.one = !keys[..at].iter().any(every);
    let level: Vec<Word> = words[from..].iter().map(|word| (*word).clone()).collect();
    if let Some(level) = priority(&level) {
        return Some(Scope { priority: Some(level), ..scope });
    }
    if set!("marked|flagged").has(keys[at]) || keys[at] == "for" && !thing(&keys[from..]) {
        return None;
    }
    let rest = &words[from..];
    let tail = usize::from(keys.ends_with(&["in", "it"]) || keys.ends_with(&["in", "them"])) * 2;
    let rest = &rest[..rest.len().checked_sub(tail).filter(|left| *left > 0)?];
    scope.words = Some(text[rest.first()?.start..rest.last()?.end].to_owned());
    Some(scope)
}

/// How many words lead to what tasks are about.
fn lead(keys: &[&str]) -> Option<usize> {
    const LEADS: Set = set("about|with|mentioning|involving|containing|regarding|concerning|marked|flagged|saying|for");
    match keys {
        ["to", "do", "with", ..] => Some(3),
        ["related" | "relating" | "linked" | "connected" | "relevant", "to" | "with", ..] => Some(2),
        ["that" | "which", "mention" | "mentions" | "says" | "involves" | "concerns", ..] => Some(2),
        ["thats" | "theyre", "about" | "for", ..] => Some(2),
        ["that" | "which", "is" | "are", "about", ..] => Some(3),
        [first, ..] if LEADS.has(first) => Some(1),
        _ => None,
    }
}

/// Whether something is named and no day.
fn thing(keys: &[&str]) -> bool {
    const DAYS: Set = set(
        "today|tomorrow|tonight|now|later|next|this|monday|tuesday|wednesday|thursday|friday|saturday|sunday|week|weekend|\
         month|year|morning|afternoon|evening|me|us|it|them|that|good|ever|dinner|lunch|january|february|march|april|may|june|july|\
         august|september|october|november|december",
    );
    !keys.iter().any(|key| DAYS.has(key) || key.starts_with(|c: char| c.is_ascii_digit()))
}

/// "all the party tasks", "everything party related": what stands between.
fn of_kind(words: &[&Word], keys: &[&str], text: &str) -> Option<Scope> {
    const EVERY: Set = set("all|every|each");
    const LEADS: Set = set("the|my|our|of|those|these|that|single|last");
    const NOUNS: Set = set("TASKS|TASK|ones|one|stuff|things|bits|jobs|items");
    const OTHER: Set = set(
        "other|others|two|three|four|five|six|seven|eight|nine|ten|and|or|but|not|to|on|from|is|are|was|i|we|you|priority|high|\
         low|medium|urgent|important|due|done|new|old|the|for|of|in|at|with|about|that|which|it|them|same|first|second|third|last|next",
    );
    let from = match keys.first()? {
        first if EVERY.has(first) => 1 + keys[1..].iter().take_while(|key| LEADS.has(key)).count(),
        &"everything" | &"anything" => 1,
        _ => return None,
    };
    let related = keys.last().is_some_and(|last| set!("related|themed|based").has(last));
    let noun = from > 1 || EVERY.has(keys[0]);
    let ends = related || noun && keys.last().is_some_and(|last| NOUNS.has(last));
    let named = keys.get(from..keys.len() - 1).filter(|named| (1..=3).contains(&named.len()))?;
    let plain = words.iter().all(|word| word.kind == Kind::Plain);
    let says = named.iter().all(|key| !(OTHER.has(key) || NOUNS.has(key) || *key == "LIST")) && thing(named);
    let about = text[words[from].start..words[keys.len() - 2].end].to_owned();
    (ends && plain && says).then(|| Scope { words: Some(about), ..Scope::default() })
}
