//! Requests for other programs: alarms and timers, social networks, shop orders, calculations.

use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::Word;

/// Returns true for a calculation, which names no task: "what's 15 percent of 240".
pub(in crate::llm::rules) fn reckons(message: &[Word]) -> bool {
    const ASKS: Set = set("what|whats|how|work|calculate|compute|tell|figure|can|could|is|add|whatre|does");
    const SIGNS: Set = file_set!("devices_signs");
    const NAMES: Set = set("TASK|TASKS|LIST|number|my|priority|due|note|done|remind|it");
    let keys: Vec<&str> = message.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let number = |key: &str| {
        let digits = key.trim_start_matches(['£', '$', '€']).trim_end_matches('%').replace(',', "");
        digits.starts_with(|c: char| c.is_ascii_digit()) && digits.parse::<f64>().is_ok()
    };
    let numbers = keys.iter().filter(|key| number(key)).count();
    let share = keys.iter().any(|key| key.ends_with('%') || matches!(*key, "percent" | "vat" | "squared" | "root"));
    keys.first().is_some_and(|first| set!("what|whats|how|calculate|compute|whatre").has(first) && ASKS.has(first))
        && (numbers >= 2 || numbers == 1 && share)
        && keys.iter().any(|key| SIGNS.has(key) || key.ends_with('%'))
        && !message.iter().any(|word| NAMES.has(&word.key))
}

/// Returns true if a sentence of the message begins with a request for a clock, a shop or a network.
pub(in crate::llm::rules) fn served(message: &[Word]) -> bool {
    let begins =
        |at: &usize| *at == 0 || message[*at - 1].is_mark() || matches!(message[*at - 1].key.as_str(), "so" | "and");
    (0..message.len()).filter(begins).any(|at| orders(&message[at..]))
}

fn orders(clause: &[Word]) -> bool {
    let keys: Vec<&str> =
        clause.iter().take_while(|word| !word.is_mark()).map(|word| word.key.as_str()).take(16).collect();
    let skip = keys
        .iter()
        .take_while(|key| set!("please|can|could|you|will|would|just|to|need|i|want|and|so").has(key))
        .count();
    let keys = &keys[skip..];
    clock(keys) || network(keys) || shop(keys) || sums(keys) || funds(keys)
}

/// Matches "how much have I got in savings".
fn funds(keys: &[&str]) -> bool {
    let at = keys.iter().rposition(|key| set!("in|on|at|with").has(key)).filter(|at| at + 1 < keys.len());
    keys.starts_with(&["how", "much"])
        && at.is_some()
        && keys.iter().any(|key| set!("have|has|got|is|owe|spent|owing|left|ive").has(key))
        && !keys.iter().any(|key| set!("LIST|TASK|TASKS|done|doing|finish|work|plate|time|stuff").has(key))
}

/// Matches "wake me at six", "count me down from ten" and "time my eggs".
fn clock(keys: &[&str]) -> bool {
    matches!(
        keys,
        ["wake" | "time", "me" | "us", ..]
            | ["count", "down" | "backwards" | "from" | "to", ..]
            | ["count", "me" | "us", "down" | "in", ..]
            | ["start" | "begin" | "stop" | "pause", "a" | "the", "countdown" | "stopwatch" | "clock", ..]
    )
}

/// Matches "unfollow Jo".
fn network(keys: &[&str]) -> bool {
    const VERBS: Set = set("unfollow|unfriend|befriend|tweet|retweet|unblock|unsubscribe|defriend|dm|friend");
    keys.first().is_some_and(|first| VERBS.has(first)) && keys.len() >= 2
}

/// Returns true for other lists: "take Jo off my list of friends", "a list of things to do in Leeds".
pub(in crate::llm::rules) fn elsewhere(message: &[Word], text: &str) -> bool {
    const PLACES: Set = set("facebook|instagram|twitter|tiktok|youtube|snapchat|netflix|spotify|linkedin|reddit");
    let plain: Vec<&Word> = message.iter().filter(|word| !word.is_mark()).collect();
    let keys: Vec<&str> = plain.iter().map(|word| word.key.as_str()).collect();
    let first = keys.first().copied().unwrap_or_default();
    let mine = keys.iter().any(|key| set!("i|ive|my|me|we|our|TASK|TASKS|LIST").has(key));
    let asks =
        set!("what|whats|who|whos|which|is|are|how").has(first) && keys.iter().any(|key| PLACES.has(key)) && !mine;
    let Some(at) = keys.iter().rposition(|key| *key == "LIST") else { return asks };
    let of_place = set!("give|show|find|get|tell").has(first)
        && keys.get(at + 1).is_some_and(|next| set!("in|near|around").has(next))
        && !keys.get(at + 2).is_some_and(|next| set!("my|the|a|order|full|this|total|one").has(next))
        && text[plain[at].start..plain[at].end].to_lowercase().starts_with("a list of ");
    of_place || another_list(&keys, at)
}

/// Returns true if the list at `at` is a list of other things, at the end of a request.
fn another_list(keys: &[&str], at: usize) -> bool {
    const NOUNS: Set = file_set!("devices_nouns");
    let titled = keys.first().is_some_and(|first| set!("remind|note|remember").has(first));
    let placed =
        at >= 2 && set!("to|from|off|on|in|of").has(keys[at - 1]) && matches!(keys.get(at + 1), Some(&("of" | "for")));
    placed && !titled && keys[at + 2..].iter().take(3).any(|key| NOUNS.has(key))
}

/// Matches "order everything on my list".
fn shop(keys: &[&str]) -> bool {
    let whole = keys.len() <= 8 && keys.contains(&"LIST");
    let all = keys.get(1).is_some_and(|key| set!("everything|all|LIST|the|my|whatever|whats|stuff").has(key));
    set!("order|purchase|deliver|reorder|checkout").has(keys.first().copied().unwrap_or_default())
        && whole
        && all
        && !keys.iter().any(|key| set!("by|as|alphabetically|priority|date|due").has(key))
}

/// Matches "solve these equations".
fn sums(keys: &[&str]) -> bool {
    const VERBS: Set =
        set("solve|calculate|compute|multiply|divide|subtract|factorise|factorize|simplify|differentiate");
    keys.first().is_some_and(|first| VERBS.has(first)) && keys.len() >= 2
}

#[cfg(test)]
mod tests {
    use super::{elsewhere, served};
    use crate::llm::rules::normalise::words::words;

    #[test]
    fn what_other_programs_do_is_told_from_tasks_about_it() {
        for other in [
            "wake me up at half six",
            "rice is in, count me down 12 minutes",
            "unfollow Jo on there",
            "order everything on my list",
            "solve x plus two",
        ] {
            assert!(served(&words(other)), "{other}");
        }
        for other in ["take Jo off my list of friends", "show me a list of things to do in Leeds", "who is on tiktok"] {
            assert!(elsewhere(&words(other), other), "{other}");
        }
        for task in
            ["add make a list of friends to my list", "what should i put on tiktok", "show me a list of things to do"]
        {
            assert!(!elsewhere(&words(task), task), "{task}");
        }
        for task in [
            "remind me to wake dad",
            "wake dad at six",
            "add order pizza to my list",
            "count the chairs",
            "order my list by date",
            "add soap to my list of things to do",
        ] {
            assert!(!served(&words(task)), "{task}");
        }
    }
}
