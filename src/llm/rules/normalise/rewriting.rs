//! Turns of phrase that are rewritten in the text before parsing: “x is done, and so is y”, “…, would you, at six”.

use std::borrow::Cow;

use crate::llm::rules::lex::matching;
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::spoken_fields;

/// Courtesies in the middle of a request.
const COURTESIES: Set =
    set("would you|will you|could you|can you|if you would|if you could|if you can|if you please|please|dear|\
     my dear|if you don't mind");

/// Returns the text in the form that the grammar parses.
pub(in crate::llm::rules) fn rewritten(text: &str) -> Cow<'_, str> {
    if text.contains(['\n', '“']) {
        return Cow::Borrowed(text);
    }
    let mut text = Cow::Borrowed(text);
    for rewrite in [
        unasked,
        as_well,
        renamed_both,
        unexplained,
        reasoned,
        at_same_time,
        noted,
        needed,
        graded,
        listed_for,
        in_project,
        on_weekdays,
    ] {
        if let Some(other) = rewrite(&text) {
            text = Cow::Owned(other);
        }
    }
    text
}

/// Rewrites a list named after an occasion as a project: “add candles to my things for Christmas list”.
fn listed_for(text: &str) -> Option<String> {
    const FEASTS: Set = file_set!("holidays");
    const THINGS: [&str; 4] = ["things for ", "stuff for ", "bits for ", "presents for "];
    const ADDS: Set = set("add|put|please|stick|pop");
    const ASKS: Set = set("what|whats|show|list|read|which|is|whatre");
    let body = text.trim_end_matches(['.', '!', '?', ' ']);
    let body = body.strip_suffix(" list").unwrap_or(body);
    let (at, end) = THINGS.iter().find_map(|things| find(body, things).map(|at| (at, at + things.len())))?;
    let name = body.get(end..).filter(|name| FEASTS.has(&name.to_lowercase()))?;
    let lead = text[..at].trim_end();
    let lead = [" my", " the", " our"].iter().find_map(|owner| lead.strip_suffix(owner)).unwrap_or(lead);
    let (lead, place) = lead.rsplit_once(' ')?;
    let first = text.split_whitespace().next()?.to_lowercase().replace(['\'', '’'], "");
    match place {
        "to" | "onto" | "on" | "in" if ADDS.has(&first) => Some(format!("{lead} #{name}")),
        "on" | "in" | "of" if ASKS.has(&first) => Some(format!("show #{name}")),
        _ => None,
    }
}

/// Rewrites several days in a row as a repetition: “gym mon wed fri 7am”.
fn on_weekdays(text: &str) -> Option<String> {
    const DAYS: Set = set(
        "mon|tue|tues|wed|weds|thu|thur|thurs|fri|sat|sun|monday|tuesday|wednesday|thursday|friday|saturday|sunday|mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays",
    );
    const OTHER: Set = set("move|push|change|shift|put|what|whats|show|not|or|from|to|between|every|last|next");
    let words: Vec<&str> = text.split(' ').collect();
    let is_day = |word: &&&str| DAYS.has(&word.to_lowercase());
    let from = words.iter().position(|word| is_day(&word)).filter(|from| *from > 0)?;
    let count = words[from..].iter().take_while(is_day).count();
    let other = words[..from].iter().any(|word| OTHER.has(&word.to_lowercase()));
    let (last, days) = words[from..from + count].split_last().filter(|_| (2..=6).contains(&count) && !other)?;
    let led = usize::from(words[from - 1].eq_ignore_ascii_case("on"));
    let before = words[..from - led].join(" ");
    let after = words[from + count..].iter().fold(String::new(), |text, word| text + " " + word);
    (!before.is_empty() && !text.contains('"')).then(|| format!("{before} every {} and {last}{after}", days.join(", ")))
}

/// Rewrites a new project with its tasks, or a holiday's list, as an addition: “make a project Garden with soil, seeds and pots”.
fn in_project(text: &str) -> Option<String> {
    const FEASTS: Set = file_set!("holidays");
    const LEADS: [&str; 8] = [
        "make a project ",
        "make a new project ",
        "create a project ",
        "create a new project ",
        "start a project ",
        "new project ",
        "set up a project ",
        "add a project ",
    ];
    let feast =
        text.strip_prefix("add to ").or_else(|| text.strip_prefix("Add to ")).and_then(|rest| rest.split_once(':'));
    if let Some((name, items)) = feast.filter(|(name, _)| FEASTS.has(&name.to_lowercase())) {
        return Some(format!("add to project {name}:{items}"));
    }
    let rest = LEADS.iter().find_map(|lead| text.get(lead.len()..).filter(|_| find(text, lead) == Some(0)))?;
    let rest = rest.strip_prefix("called ").or_else(|| rest.strip_prefix("named ")).unwrap_or(rest);
    let (name, items) = rest.split_once(" with ").or_else(|| rest.split_once(": "))?;
    (name.split(' ').count() <= 3 && !name.contains(['"', ','])).then(|| format!("add to project {name}: {items}"))
}

/// Sets a comma before a reason that has none: “skip the tablets tonight shes in hospital”, “books back by friday or ill get fined”.
fn reasoned(text: &str) -> Option<String> {
    const SUBJECTS: Set = set("shes|hes|theyre|its");
    const FINES: Set = set("ill|else|theyll|hell|shell|itll|well|we|i|they");
    const SAYS: Set = file_set!("saying_verbs");
    let words: Vec<&str> = text.split(' ').collect();
    let keys: Vec<String> = words.iter().map(|word| word.to_lowercase().replace(['\'', '’'], "")).collect();
    let starts = |at: usize| match keys[at].as_str() {
        "or" => keys.get(at + 1).is_some_and(|next| FINES.has(next)),
        // “feed the cat its dinner”
        "its" => keys.get(at + 1).is_some_and(|next| next.len() > 4 && next.ends_with("ing")),
        // “7 is too early make gym 7:30”
        key => SUBJECTS.has(key) || at > 2 && keys[at - 2] == "too" && set!("make|move|push|put|change|set").has(key),
    };
    let at = (2..words.len().saturating_sub(1)).find(|at| starts(*at))?;
    let told = keys[..at].iter().any(|key| SAYS.has(key) || key.contains('"')) || keys[0] == "i";
    let closed = words[at - 1].ends_with(|c: char| c.is_ascii_punctuation());
    (!(told || closed)).then(|| format!("{}, {}", words[..at].join(" "), words[at..].join(" ")))
}

/// Returns the place of a phrase outside quotes, ignoring case.
fn find(text: &str, phrase: &str) -> Option<usize> {
    let lower = text.to_ascii_lowercase();
    let at = lower.find(phrase)?;
    text[..at].matches('"').count().is_multiple_of(2).then_some(at)
}

/// Removes a courtesy between commas: “move it to wednesday, would you, at half past ten”.
fn unasked(text: &str) -> Option<String> {
    COURTESIES.iter().find_map(|words| {
        let at = find(text, &format!(", {words}, "))?;
        Some(format!("{} {}", &text[..at], &text[at + words.len() + 4..]))
    })
}

/// Rewrites “the milk is done, and so is the bread” as “the milk and the bread is done”.
fn as_well(text: &str) -> Option<String> {
    const DONE: Set = set("done|finished|complete|completed|sorted|bought|paid|posted|sent|ready");
    let verbs = ["is", "are", "was", "were"];
    let (at, end) = verbs.iter().find_map(|verb| {
        [format!(" and so {verb} "), format!(", so {verb} ")]
            .iter()
            .find_map(|phrase| find(text, phrase).map(|at| (at, at + phrase.len())))
    })?;
    let left = text[..at].trim_end_matches([',', ' ', ';']);
    let right = text[end..].trim_end_matches(['.', '!', ' ']);
    let (subject, verb, done) =
        verbs.iter().find_map(|verb| left.rsplit_once(&format!(" {verb} ")).map(|(x, done)| (x, verb, done)))?;
    let key = done.to_lowercase();
    // The second task may have another verb: “the books are returned, and so is the form”.
    let done = if DONE.has(&key) { done } else { "done" };
    (DONE.has(&key) || matching::is_past(&key)).then(|| format!("{subject} and {right} {verb} {done}"))
}

/// Repeats the verb of two renames: “rename 16 to "A" and task 6 to "B"”.
fn renamed_both(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    if !["rename ", "please rename ", "can you rename ", "retitle "].iter().any(|lead| lower.starts_with(lead)) {
        return None;
    }
    let places = lower.match_indices(" and ").filter(|(at, _)| text[..*at].matches('"').count().is_multiple_of(2));
    let next = |at: usize| {
        let rest = &lower[at + 5..];
        if rest.starts_with("rename ") || rest.starts_with("retitle ") {
            return false;
        }
        let digits = rest.trim_start_matches("task ").trim_start_matches("number ").trim_start_matches('#');
        let numbered = digits.starts_with(|c: char| c.is_ascii_digit());
        let to = rest.find(" to ").is_some_and(|to| to <= 16 || rest[..to].len() <= 60 && text[..at].ends_with('"'));
        to && (numbered || text[..at].ends_with('"'))
    };
    let at = places.map(|(at, _)| at).find(|at| next(*at) && lower[..*at].contains(" to "))?;
    Some(format!("{} and rename {}", &text[..at], &text[at + 5..]))
}

/// Removes a reason between a task and its fields: “buy a keyboard, because I need one, low priority #shopping”.
fn unexplained(text: &str) -> Option<String> {
    let (at, _) =
        [", because ", ", cos ", ", since "].iter().find_map(|words| find(text, words).map(|at| (at, words)))?;
    let fields = |end: &usize| text[end + 2..].split(", ").all(is_field);
    let end = text[at + 2..].match_indices(", ").map(|(end, _)| at + 2 + end).find(fields)?;
    Some(format!("{}{}", &text[..at], &text[end..]))
}

/// Returns true for a priority, markers, or a date with its preposition.
fn is_field(segment: &str) -> bool {
    const DATES: Set = set("by|on|due|until|every|at|before|tomorrow|today");
    let plain: Vec<&str> = segment.split_whitespace().filter(|word| !word.starts_with(['#', '@'])).collect();
    let dated = plain.first().is_some_and(|first| DATES.has(&first.to_lowercase())) && plain.len() <= 5;
    plain.is_empty() || dated || spoken_fields::field(&plain.join(" ")).is_some()
}

/// Removes “same time” at the end of a change of the day, which keeps the time anyway.
fn at_same_time(text: &str) -> Option<String> {
    const VERBS: Set = set("move|change|push|put|shift|reschedule|make|bring|set|postpone|delay");
    let lower = text.to_ascii_lowercase();
    let body = lower.trim_end_matches(['.', '!', ' ']);
    let end = [", at the same time", " at the same time", ", same time", " same time"];
    let cut = end.iter().find_map(|words| body.strip_suffix(words))?.len();
    lower.split(|c: char| !c.is_alphanumeric()).any(|word| VERBS.has(word)).then(|| text[..cut].to_owned())
}

/// Divides a change and a note: “set the return to high priority with the note: …”.
fn noted(text: &str) -> Option<String> {
    const VERBS: Set = set("set|make|mark|move|change|push|flag");
    let first = text.split_whitespace().next()?.to_lowercase();
    if !VERBS.has(&first) {
        return None;
    }
    let (at, length) =
        [" with the note: ", " with a note: ", " with the note that ", " with a note that ", " and the note: "]
            .iter()
            .find_map(|words| find(text, words).map(|at| (at, words.len())))?;
    Some(format!("{}. The note should say {}", &text[..at], &text[at + length..]))
}

/// Rewrites “the sheets are urgent, need it till monday” with “it is due”.
fn needed(text: &str) -> Option<String> {
    let leads = [", need it ", ", i need it ", ", we need it ", ", need them ", ", i need them ", ", need this "];
    let ends = ["till ", "until ", "by ", "before ", "for ", "on "];
    let (at, end) = leads.iter().find_map(|lead| find(text, lead).map(|at| (at, at + lead.len())))?;
    let rest = ends.iter().find_map(|word| text[end..].strip_prefix(word))?;
    Some(format!("{} and it is due {rest}", &text[..at]))
}

/// Rewrites two names of one priority: “high priority or urgent”.
fn graded(text: &str) -> Option<String> {
    const PAIRS: Set =
        set("high priority or urgent|high priority and urgent|urgent or high priority|urgent and high priority|\
         high or urgent|urgent or important|important or urgent|urgent or high");
    let (at, pair) = PAIRS.iter().find_map(|pair| find(text, pair).map(|at| (at, pair)))?;
    Some(format!("{}high priority{}", &text[..at], &text[at + pair.len()..]))
}

#[cfg(test)]
mod tests {
    use super::rewritten;

    #[test]
    fn turns_of_phrase_are_rewritten() {
        let cases = include_str!("../tests/rewriting.tsv");
        for line in cases.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (text, expected) = line.split_once('\t').unwrap();
            assert_eq!(rewritten(text), expected, "{text}");
        }
    }
}
