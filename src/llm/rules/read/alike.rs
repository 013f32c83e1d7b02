//! Groups of tasks by a common property: "everything about the party", "all the party ones".

use crate::domain::task::Status;
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::{Kind, Word};
use crate::llm::rules::read::intent::Scope;
use crate::llm::rules::read::levels::priority;

/// Parses groups: "everything to do with the party", "all the low priority ones", "the finished one about paint", "all the party things".
pub(in crate::llm::rules) fn told(words: &[&Word], keys: &[&str], text: &str) -> Option<Scope> {
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

/// Returns the number of words that introduce the subject of tasks.
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

/// Returns true if the words name a thing and no day.
fn thing(keys: &[&str]) -> bool {
    const DAYS: Set = file_set!("alike_days");
    !keys.iter().any(|key| DAYS.has(key) || key.starts_with(|c: char| c.is_ascii_digit()))
}

/// Parses the words in between as the subject: "all the party tasks", "everything party related".
fn of_kind(words: &[&Word], keys: &[&str], text: &str) -> Option<Scope> {
    // "the low priority stuff"
    if let [the, level @ .., noun] = keys
        && matches!(*the, "the" | "my" | "all")
        && set!("TASKS|ones|stuff|things|jobs|items").has(noun)
        && !level.is_empty()
    {
        let level: Vec<Word> = words[1..words.len() - 1].iter().map(|word| (*word).clone()).collect();
        if let Some(level) = priority(&level) {
            return Some(Scope { priority: Some(level), ..Scope::default() });
        }
    }
    const EVERY: Set = set("all|every|each");
    const LEADS: Set = set("the|my|our|of|those|these|that|single|last");
    const NOUNS: Set = set("TASKS|TASK|ones|one|stuff|things|bits|jobs|items");
    const OTHER: Set = file_set!("alike_other");
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

/// Parses groups in which every word is known: "everything", "all completed tasks", "my whole list", "the finished ones".
pub(in crate::llm::rules) fn bulk(keys: &[&str]) -> Option<Scope> {
    let mut scope = Scope::default();
    let mut all = false;
    let mut noun = false;
    let mut not = false;
    for key in keys {
        match *key {
            "everything" | "everythings" | "all" | "every" | "each" | "any" | "entire" | "whole" | "anything"
            | "lot" | "whatever" | "whatevers" | "single" => {
                all = true;
                noun |= !matches!(*key, "every" | "each" | "any" | "entire" | "whole" | "single");
            }
            "expired" | "missed" | "past" | "before" if !scope.overdue => {
                scope.overdue = true;
                all = true;
            }
            "today" | "tomorrow" if scope.overdue || keys.contains(&"due") => {
                scope.day = Some((*key).to_owned()).filter(|_| !scope.overdue);
                all = true;
            }
            "todays" | "tomorrows" => {
                scope.day = Some(key.trim_end_matches('s').to_owned());
                (all, noun) = (true, true);
            }
            "due" | "date" | "dates" | "their" => {}
            "TASKS" | "TASK" | "ones" | "LIST" | "stuff" | "things" | "thing" | "one" | "bits" | "jobs" | "chores"
            | "works" | "errands" => noun = true,
            "completed" | "finished" | "done" | "complete" | "ticked" | "checked" | "closed" | "crossed" => {
                scope.status = Some(if not { Status::Pending } else { Status::Completed });
                all = true;
            }
            "pending" | "open" | "incomplete" | "unfinished" | "remaining" | "outstanding" | "undone" | "active"
            | "left" | "uncompleted" => {
                scope.status = Some(Status::Pending);
                all = true;
            }
            "overdue" | "late" => {
                scope.overdue = true;
                all = true;
            }
            "not" | "havent" | "arent" | "isnt" => not = true,
            "my" | "the" | "of" | "on" | "in" | "from" | "off" | "that" | "thats" | "is" | "are" | "already" | "i"
            | "ive" | "have" | "been" | "was" | "were" | "them" | "those" | "it" | "our" | "these" | "currently"
            | "which" | "now" | "please" | "at" | "once" | "your" | "existing" | "else" | "there" | "we" | "me"
            | "still" | "yet" | "has" | "this" | "here" | "heres" | "far" | "so" | "completely" | "entirely"
            | "totally" | "altogether" | "fully" | "clean" | "weve" => {}
            _ => return None,
        }
    }
    let list_alone = keys.contains(&"LIST") && !all;
    let plural = keys.contains(&"TASKS") && !all;
    let late = keys.contains(&"before") && !keys.iter().any(|key| matches!(*key, "today" | "now" | "due"));
    (!late && ((all && noun) || list_alone || plural)).then_some(scope)
}
