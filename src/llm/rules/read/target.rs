//! References to tasks: "#3", "the second one", "it", "everything but rent", "the milk one".

use crate::llm::rules::lex::numbers::spelled;
pub(in crate::llm::rules) use crate::llm::rules::lex::numbers::{number, numbers};
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::{Kind, Word};
use crate::llm::rules::read::alike;
use crate::llm::rules::read::alike::bulk;
use crate::llm::rules::read::intent::{Scope, Target};
use crate::llm::rules::read::pattern::Captures;

const ORDINALS: Set = set("first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth");
/// Adverbs without meaning at the end of a reference.
const ADVERBS: Set = set("now|please|too|also|again|instead|already|anymore|just");
const ARTICLES: Set = set("the|my|a|an|our|that|this|your|whole|called|named|titled");

/// Phrases for all tasks other than those mentioned.
const OTHERS: Set = file_set!("target_others");

/// Returns the words of a stretch without punctuation.
fn plain(stretch: &[Word]) -> Vec<&Word> {
    stretch.iter().filter(|word| !word.is_mark()).collect()
}

/// Parses a reference.
pub(in crate::llm::rules) fn target(stretch: &[Word], text: &str) -> Target {
    let words = plain(stretch);
    if words.is_empty() {
        return Target::Missing;
    }
    let mut keys: Vec<&str> = words.iter().map(|word| word.key.as_str()).collect();
    if keys.len() > 1 && keys.last() == Some(&"first") && matches!(keys[0], "that" | "this" | "it" | "them" | "those") {
        keys.pop();
    }
    const EXCEPT: Set = set("except|but|besides|excluding|bar|barring|minus|apart");
    let other = |at: usize| keys[at] == "other" && keys.get(at + 1) == Some(&"than");
    if let Some(at) = (1..keys.len()).find(|at| EXCEPT.has(keys[*at]) || other(*at)) {
        let skip = usize::from(
            keys.get(at + 1)
                .is_some_and(|key| matches!(*key, "for" | "from" | "not" | "than" | "keep" | "leave" | "spare")),
        );
        if let Some(rest) = rest_of(stretch, &words, at + 1 + skip) {
            let them = pronoun(&keys[..at]) == Some(Target::Them);
            if let Some(mut scope) = bulk(&keys[..at]).or_else(|| them.then(Scope::default)) {
                scope.shown = keys[..at].iter().any(|key| set!("them|those|these|both").has(key));
                scope.except = Some(Box::new(target(rest, text)));
                return Target::All(scope);
            }
            if let Some(left) = without(&keys[..at], target(rest, text)) {
                return left;
            }
        }
    }
    let bare = keys.iter().rposition(|key| !ADVERBS.has(key)).map_or(0, |last| last + 1);
    if let Some(numbers) = numbers(&keys[..bare]) {
        return Target::Numbers(numbers);
    }
    if let Some(several) = spelled(&keys[..bare]) {
        return Target::Numbers(several);
    }
    if let Some(places) = places(&keys) {
        return Target::Places(places);
    }
    if several(&keys) {
        return Target::Them;
    }
    if let Some(simple) = pronoun(&keys).or_else(|| pronoun(&keys[..bare])) {
        return simple;
    }
    if OTHERS.has(&keys.join(" ")) && words.iter().all(|word| word.kind == Kind::Plain) {
        return Target::All(Scope { except: Some(Box::new(Target::Them)), ..Scope::default() });
    }
    if let Some(scope) = alike::told(&words, &keys, text) {
        return Target::All(scope);
    }
    if words.iter().all(|word| word.kind == Kind::Plain)
        && !names_one(&keys)
        && let Some(scope) = bulk(&keys)
    {
        return Target::All(scope);
    }
    by_words(stretch, text)
}

/// Returns the numbers or places that an exception leaves: "1 to 5 except 3".
fn without(keys: &[&str], except: Target) -> Option<Target> {
    let less = |all: Vec<i64>, but: &[i64]| -> Option<Vec<i64>> {
        Some(all.into_iter().filter(|at| !but.contains(at)).collect()).filter(|left: &Vec<i64>| !left.is_empty())
    };
    match except {
        Target::Numbers(but) => less(numbers(keys)?, &but).map(Target::Numbers),
        Target::Places(but) => less(places(keys)?, &but).map(Target::Places),
        _ => None,
    }
}

/// Returns true for "the All one": a single task with the word in its title.
fn names_one(keys: &[&str]) -> bool {
    const EVERY: Set = set("all|every|everything|any|anything|each|whole|lot|things|stuff|TASKS");
    let [first, named @ .., last] = keys else { return false };
    let single = matches!(*last, "one" | "TASK") && matches!(*first, "the" | "that" | "my" | "this");
    single && !named.is_empty() && named.iter().all(|key| EVERY.has(key))
}

fn rest_of<'a>(stretch: &'a [Word], words: &[&Word], at: usize) -> Option<&'a [Word]> {
    let start = words.get(at)?.start;
    let from = stretch.iter().position(|word| word.start == start)?;
    Some(&stretch[from..])
}

/// Returns true if the task is implied: "change the title to …".
pub(in crate::llm::rules) fn elided(captures: &Captures, clause: &[Word]) -> bool {
    const FIELDS: Set =
        set("title|name|wording|priority|prio|urgency|due|deadline|date|time|description|note|notes|details");
    let whole = captures.iter().find(|(name, _, _)| matches!(name, 'x' | 't'));
    whole.is_some_and(|(_, from, to)| {
        to - from == 1 && clause[*from].key == "the" && clause.get(*to).is_some_and(|next| FIELDS.has(&next.key))
    })
}

/// Returns true for "those five" and "all four of those".
fn several(keys: &[&str]) -> bool {
    let count = |key: &str| number(key, true).is_some_and(|count| count > 1);
    let those = |key: &str| matches!(key, "those" | "these" | "them");
    match keys {
        [first, second] => those(first) && (count(second) || matches!(*second, "TASKS" | "ones" | "both")),
        ["all" | "both", amount, "of", last] => count(amount) && those(last),
        ["all", those_, amount] => those(those_) && count(amount),
        [amount, "of", last] => count(amount) && those(last),
        _ => false,
    }
}

/// Returns a position by its ordinal.
fn place(key: &str) -> Option<i64> {
    match key {
        "last" | "bottom" | "final" | "latest" | "newest" => return Some(-1),
        "top" => return Some(1),
        _ => {}
    }
    if let Some(at) = ORDINALS.iter().position(|name| name == key) {
        return i64::try_from(at + 1).ok();
    }
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|end| key.strip_suffix(end))?;
    digits.parse().ok().filter(|n| (1..=200).contains(n))
}

/// Parses "the second one", "first and third", "the last two" or "the second to last".
pub(in crate::llm::rules) fn places(keys: &[&str]) -> Option<Vec<i64>> {
    let keys: Vec<&str> =
        keys.iter().copied().filter(|key| !set!("the|my|very|just|only|that|also|now").has(key)).collect();
    if keys.starts_with(&["second", "to", "last"]) || keys.first() == Some(&"penultimate") {
        return Some(vec![-2]);
    }
    if let [edge, count, rest @ ..] = keys.as_slice()
        && let Some(count) = number(count, true).filter(|n| *n <= 50 && *count != "one")
        && rest.iter().all(|key| matches!(*key, "TASKS" | "ones" | "on" | "in" | "of" | "LIST" | "TASK"))
    {
        return match *edge {
            "first" | "top" => Some((1..=count).collect()),
            "last" | "bottom" | "final" => Some((1..=count).map(|n| n - count - 1).collect()),
            _ => None,
        };
    }
    let mut found = vec![];
    for key in &keys {
        match place(key) {
            Some(at) => found.push(at),
            None if set!(
                "one|ones|TASK|TASKS|and|thing|things|on|in|of|from|LIST|entry|at|off|here|there|them|those|these|option|\
                 please|both|you|youve|read|out|said|listed|showed|shown|gave|mentioned|told|me|us|displayed|named|put|up|which|i|just|added|made",
            )
            .has(key) => {}
            None => return None,
        }
    }
    (!found.is_empty()).then_some(found)
}

/// Parses pronouns and references that name nothing.
fn pronoun(keys: &[&str]) -> Option<Target> {
    // "i did do it"
    if let ["do" | "doing" | "done", it @ ("it" | "that" | "this" | "them" | "those" | "both" | "these")] = keys {
        return pronoun(&[it]);
    }
    // The longest one is "the one you just added".
    if keys.len() > 5 {
        return None;
    }
    // "change its title", "rename that one's title"
    const IT: Set = set(
        "it|that|this|that one|this one|that TASK|this TASK|the same|the same one|it all|the one|same one|that thing|\
         this thing|the thing|said TASK|the TASK|it now|that now|it too|the same TASK|it yet|one you just added|\
         the one you just added|the TASK you just added|the one i just added|its|that ones|this ones",
    );
    const THEM: Set = set(
        "them|those|these|both|both of them|those TASKS|these TASKS|those two|these two|them both|both TASKS|them all|\
         those ones|the two|all those|all of those|the pair|both of those|each of them|all these|all of these|\
         all of them|the both",
    );
    const NONE: Set = set(
        "a TASK|TASK|something|TASKS|one|one TASK|some TASKS|a few TASKS|things|thing|stuff|some|an TASK|any TASK|\
         one of them|one of TASKS|one of my TASKS|one of the TASKS|another TASK|my TASK|anything|TASK one|a thing|a few|\
         some things|some stuff|few TASKS|certain TASKS|an entry",
    );
    let said = keys.join(" ");
    [(IT, Target::It), (THEM, Target::Them), (NONE, Target::Missing)]
        .into_iter()
        .find_map(|(phrases, target)| phrases.has(&said).then_some(target))
}

/// Parses a description, without the words around it.
fn by_words(stretch: &[Word], text: &str) -> Target {
    let quoted: Vec<&Word> = stretch.iter().filter(|word| word.kind == Kind::Quoted).collect();
    if let [only] = quoted.as_slice() {
        let others = stretch.iter().filter(|word| {
            word.kind == Kind::Plain
                && !ARTICLES.has(&word.key)
                && !matches!(word.key.as_str(), "TASK" | "LIST" | "one" | "from" | "on" | "in")
        });
        if others.count() == 0 {
            return Target::Words { text: only_text(only, text), quoted: true, named: true };
        }
    }
    let (from, to, named) = core(stretch);
    if from >= to {
        return Target::Missing;
    }
    let text = &text[stretch[from].start..stretch[to - 1].end];
    let text = text.strip_suffix("'s").or_else(|| text.strip_suffix("’s")).unwrap_or(text);
    Target::Words { text: text.to_owned(), quoted: false, named }
}

/// Returns the range of significant words, and true if the reference is explicitly a task.
fn core(stretch: &[Word]) -> (usize, usize, bool) {
    let mut from = 0;
    let mut to = stretch.len();
    let mut named = false;
    let is = |at: usize, set: Set| set.has(&stretch[at].key);
    while to > from {
        if stretch[to - 1].is_mark() {
            to -= 1;
        } else if is(to - 1, set!("TASK|TASKS|one|LIST|ones|thing|things|stuff|bit|entry|job|reminder"))
            && to - 1 > from
        {
            named = true;
            to -= 1;
            if to - 1 > from && is(to, set!("LIST")) && is(to - 1, set!("on|in|from|off|of|to|for|at|and")) {
                to -= 1;
            }
        } else if is(to - 1, set!("please|anymore|also|again|already|yet|now")) && to - 1 > from {
            to -= 1;
        } else {
            break;
        }
    }
    while from < to {
        if stretch[from].is_mark() || is(from, ARTICLES) {
            from += 1;
        } else if is(from, set!("TASK|TASKS|one|LIST|entry")) && from + 1 < to
            || is(from, set!("thing|things|bit|bits|stuff|job|note|nudge|anything|everything|whatever"))
                && from + 2 < to
                && is(from + 1, set!("about|for|with|where|regarding|saying|that|called|to"))
        {
            named = true;
            from += 1;
            while from + 1 < to
                && (stretch[from].is_mark()
                    || is(
                        from,
                        set!(
                            "about|for|called|named|titled|saying|that|with|says|which|to|regarding|of|where|i|is|\
                             involving|containing|mentioning|title|labelled"
                        ),
                    ))
            {
                from += 1;
            }
        } else {
            break;
        }
    }
    (from, to, named)
}

fn only_text(word: &Word, text: &str) -> String {
    text[word.start..word.end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::task::Status;
    use crate::llm::rules::normalise::words::words;

    #[test]
    fn references_are_read_as_people_mean_them() {
        let words_of = |text: &str, named| Target::Words { text: text.into(), quoted: false, named };
        for (text, expected) in [
            ("#3", Target::Numbers(vec![3])),
            ("tasks 1, 2 and 4", Target::Numbers(vec![1, 2, 4])),
            ("item three", Target::Numbers(vec![3])),
            ("the second one", Target::Places(vec![2])),
            ("the last two", Target::Places(vec![-2, -1])),
            ("it", Target::It),
            ("both of them", Target::Them),
            ("a task", Target::Missing),
            ("the milk one", words_of("milk", true)),
            ("the task about the old sofa", words_of("old sofa", true)),
            ("2 litres of milk", words_of("2 litres of milk", false)),
            ("all completed tasks", Target::All(Scope { status: Some(Status::Completed), ..Scope::default() })),
        ] {
            assert_eq!(target(&words(text), text), expected, "{text}");
        }
    }
}
