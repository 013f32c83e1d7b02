//! Particles that belong to the verb of a title even before a date: "switch the heating over at six".

use crate::llm::rules::lex::set::{Set, set};
use crate::llm::rules::normalise::words::Word;

/// Particles with the verbs that take them after their object, or alone.
const VERBS: &[(&str, Set)] = &[
    (
        "over",
        set(
            "turn|switch|flip|hand|take|move|roll|think|talk|look|go|bring|come|pull|give|send|drop|knock|run|carry|swap|\
             read|pass|put|paint|pop|change|copy|transfer|sign|pay|invite|have|start|get|tip|drive|walk|do|nip|head",
        ),
    ),
    (
        "on",
        set(
            "put|switch|turn|try|get|pass|keep|hang|hold|leave|plug|sew|log|carry|click|pop|stick|flick|screw|glue|start|\
             move|sign|set|have|send|fit|bring",
        ),
    ),
    (
        "in",
        set(
            "bring|hand|put|take|turn|plug|send|fill|check|log|tuck|drop|pop|get|call|let|move|come|phone|ring|dial|sign|\
             give|fit|join|stay|clock|key|type|tie|trade|cash|pay|book|go|nip",
        ),
    ),
    ("by", set("stop|drop|pop|swing|come|go|call|pass|run")),
];

/// Words that begin a date without a preposition before it; "over the weekend" and "on the third" need theirs.
const ALONE: Set =
    set("in|at|on|by|before|until|till|every|each|next|this|tomorrow|tonight|today|from|around|after|tom|tmrw|due|for");

/// Returns the title with its verb's particle, after a `date` was removed behind it, possibly with that particle.
/// `None` if the verb takes none.
pub(in crate::llm::rules) fn kept(title: &str, date: Option<&str>) -> Option<String> {
    let words: Vec<String> = title.split_whitespace().map(str::to_lowercase).collect();
    let keeps = |small: &str| {
        let verb = words.first().map_or("", String::as_str);
        VERBS.iter().any(|(word, verbs)| *word == small && verbs.has(verb))
    };
    let begins: Vec<String> =
        date.into_iter().flat_map(|date| date.split_whitespace().take(2)).map(str::to_lowercase).collect();
    // "over this weekend" is a date, "in this weekend" is not.
    let alone = |at: usize, small: &str| {
        let lasts = small == "over" && begins.get(at).is_some_and(|word| set!("this|next|every|each").has(word));
        !lasts && begins.get(at).is_some_and(|word| ALONE.has(word))
    };
    match (words.as_slice(), begins.as_slice()) {
        ([_, .., last], []) if keeps(last) => Some(title.to_owned()),
        ([_, .., last], [day, ..]) if keeps(last) && (alone(0, last) || last == "in" && day.ends_with("day")) => {
            Some(title.to_owned())
        }
        // "over tomorrow" was removed as a whole.
        ([_, ..], [small, _]) if keeps(small) && alone(1, small) => Some(format!("{title} {small}")),
        _ => None,
    }
}

/// Returns true if "drop it" means deletion; a particle would name a destination.
pub(in crate::llm::rules) fn drops(clause: &[Word]) -> bool {
    const PLACES: Set = set("LIST|TASK|TASKS|in|on|down|here|there|onto|to|for|up");
    let [verb, it, ..] = clause else { return false };
    let points = set!("it|that|this|them|those|these").has(&it.key);
    verb.key == "drop" && points && !clause.iter().any(|word| PLACES.has(&word.key))
}

#[cfg(test)]
mod tests {
    use super::kept;

    #[test]
    fn phrasal_verb_keeps_its_particle_before_a_date() {
        for (title, date, word) in [
            ("turn the mattress over", "in two hours", Some("turn the mattress over")),
            ("turn the mattress", "over tomorrow", Some("turn the mattress over")),
            ("bring the chairs in", "tonight", Some("bring the chairs in")),
            ("log in", "at 9", Some("log in")),
            ("visit mum over", "the weekend", None),
            ("paint the shed over", "the weekend", None),
            ("paint the shed", "over the weekend", None),
            ("send the slides over", "this weekend", None),
            ("buy bread on", "friday", None),
        ] {
            assert_eq!(kept(title, Some(date)).as_deref(), word, "{title} {date}");
        }
        assert_eq!(kept("put the oven on", None).as_deref(), Some("put the oven on"));
    }
}
