//! Titles that name nothing to do: pronouns, moments and fillers.

use crate::llm::rules::lex::set::{Set, file_set, set};

/// Number words; "add seventeen and twenty six" is a calculation.
const NUMBERS: Set = file_set!("fields_numbers");

/// Returns true if a title only names a moment, such as "the current time".
fn is_moment(words: &[&str]) -> bool {
    const MOMENTS: Set = set("time|times|hour|moment|minute|now|then");
    const AROUND: Set =
        set("the|this|that|a|an|current|same|usual|right|exact|present|normal|regular|at|for|on|in|by|around|about");
    words.iter().any(|word| MOMENTS.has(word)) && words.iter().all(|word| MOMENTS.has(word) || AROUND.has(word))
}

/// Returns true if a title is only a reference: "do this in a while".
fn is_pointing(words: &[&str]) -> bool {
    const ACTS: Set = set(
        "do|doing|finish|handle|sort|fix|start|continue|check|see|revisit|try|tackle|complete|have|look|deal|get|come|go|return|take",
    );
    const LINKS: Set = set("with|to|at|into|back|on|out|up|about|care|of|over");
    const POINTS: Set = set("it|this|that|these|those|them");
    const VAGUE: Set = set(
        "in|a|awhile|while|bit|at|some|point|soon|sometime|someday|eventually|later|shortly|again|one|day|then|after|on|stage|moment|little|few",
    );
    const PEOPLE: Set = set("me|us|him|her|you|myself|yourself|himself|herself|ourselves|everyone|everybody");
    if words.iter().all(|word| PEOPLE.has(word) || *word == "and") {
        return true;
    }
    let acts = usize::from(words.first().is_some_and(|word| ACTS.has(word)));
    let linked = acts + words[acts..].iter().take_while(|word| acts > 0 && LINKS.has(word)).count();
    let tail = words.get(linked + 1..).unwrap_or_default();
    words.get(linked).is_some_and(|word| POINTS.has(word)) && tail.iter().all(|word| VAGUE.has(word))
}

/// Returns true if a title only refers to something unnamed.
pub(in crate::llm::rules) fn says_nothing(title: &str) -> bool {
    let lower = title.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).collect();
    words.is_empty()
        || is_moment(&words)
        || is_pointing(&words)
        || words.iter().all(|word| {
            set!(
                "it|this|that|thing|things|something|anything|stuff|do|later|in|a|bit|them|one|some|the|to|few|\
                 item|items|reminder|task|please|up|here|there|again|these|those|also|too|for|me|now|new|another|\
                 an|my|list|todo|of|on|at|set|nothing|none"
            )
            .has(word)
                || NUMBERS.has(word)
        })
}
