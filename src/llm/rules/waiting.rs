//! Words that neither answer nor ask for anything but time, and questions about what waits for an answer.

use super::frames::COMMANDS;
use super::set::Set;

/// Ways to ask for time.
const HESITATES: Set = Set(
    "hang on|hold on|hold up|one sec|one second|one moment|one minute|a sec|a second|a moment|a minute|just a sec|just a second|\
     just a moment|just a minute|two secs|two seconds|give me a sec|give me a second|give me a moment|give me a minute|\
     give me a bit|hang on a sec|hang on a second|hang on a minute|hang on a moment|hold on a sec|hold on a second|\
     hold on a minute|hold on a moment|wait a sec|wait a second|wait a minute|wait a moment|bear with me|\
     let me think|let me think about it|let me think about that|let me have a think|let me see|let me check|\
     let me check first|let me sleep on it|im thinking|im still thinking|still thinking|thinking about it|ill think about it|\
     i will think about it|i need to think|i need to think about it|i need a moment|i need a second|i have to think|\
     i have to think about it|need to think|gotta think|not sure yet|im not sure yet|i havent decided|i havent decided yet|\
     havent decided|havent decided yet|im undecided|undecided|i cant decide|cant decide|it depends|that depends|depends|\
     dunno|i dunno|who knows|hard to say",
);
/// Words that may stand beside.
const FILLS: Set = Set(
    "ok|okay|hmm|hm|hmmm|um|uh|er|erm|well|oh|ah|wait|sorry|please|first|now|so|just|actually|maybe|right|then|for|yeah",
);

/// Whether a message only asks for time: "hang on, let me think".
pub(super) fn hesitates(keys: &[&str]) -> bool {
    let mut rest = keys;
    let mut waits = false;
    while let Some(first) = rest.first() {
        let longest = (1..=rest.len().min(6)).rev().find(|end| HESITATES.has(&rest[..*end].join(" ")));
        match longest {
            Some(end) => {
                waits = true;
                rest = &rest[end..];
            }
            None if FILLS.has(first) => rest = &rest[1..],
            None => return false,
        }
    }
    waits
}

/// Whether a question can be about what waits for an answer: it points at it, and says nothing that has no part in it.
pub(super) fn concerns(keys: &[&str], pending: &str) -> bool {
    const POINTS: Set = Set("that|it|this|you|really|again|sure|one|those|them|happens|undo");
    const PLAIN: Set = Set(
        "a|about|again|all|already|also|am|an|and|any|anything|are|as|ask|asked|asking|at|away|back|be|because|been|before|being|\
         both|but|by|came|can|cant|change|changed|come|complete|completed|confirm|could|definitely|delete|deleted|did|do|docket|\
         does|doing|done|dont|due|else|ever|exactly|first|for|forever|from|get|go|going|gone|good|happen|happens|has|have|how|\
         i|if|in|is|isnt|it|its|just|keep|know|later|list|many|lose|lost|LIST|mean|meant|me|mind|must|my|name|named|need|new|no|\
         not|now|of|off|ok|old|on|one|ones|only|or|other|out|permanent|permanently|please|question|really|recover|reversible|\
         remove|removed|rename|renamed|restore|restored|right|safe|same|say|see|should|so|some|still|sure|TASK|TASKS|talking|\
         than|that|the|them|then|there|these|they|thing|think|this|those|to|too|under|undo|undone|undoable|up|want|wanted|was|\
         way|were|what|whats|when|which|who|why|will|with|wont|would|wouldnt|yes|yet|you|your",
    );
    let pending = pending.to_lowercase();
    let asked = |key: &str| pending.split(|c: char| !c.is_alphanumeric()).any(|word| word == key);
    let known = |key: &&str| PLAIN.has(key) || asked(key);
    keys.iter().any(|key| POINTS.has(key)) && keys.iter().all(known)
}

/// "half done with the rent": not yet.
pub(super) fn unfinished(keys: &[&str]) -> bool {
    const NEARLY: Set =
        Set("nearly|almost|half|halfway|partly|partially|mostly|quite|practically|virtually|barely|hardly");
    const DONE: Set = Set("done|finished|completed|complete|through|finish|sorted|there");
    const ORDERS: Set =
        Set("add|remind|put|note|show|list|what|which|whats|delete|remove|rename|mark|tick|is|are|my|change");
    let near = |pair: &[&str]| NEARLY.has(pair[0]) && DONE.has(pair[1]) && pair != ["quite", "done"];
    let led = keys.first().is_some_and(|first| !ORDERS.has(first));
    led && keys.len() <= 9
        && (keys.windows(2).any(near) || keys.windows(3).any(|three| three[0] == "not" && three[1] == "quite"))
}

/// "was going to delete 3 but changed my mind", "I wouldn't tick it".
pub(super) fn undecided(keys: &[&str]) -> bool {
    let from = usize::from(matches!(keys.first(), Some(&("i" | "we"))));
    let rest = &keys[from.min(keys.len())..];
    let meant = matches!(rest, ["was" | "were", "going" | "about" | "gonna", "to", ..] | ["wouldnt", _, ..]);
    let back = keys.ends_with(&["changed", "my", "mind"]) || keys.ends_with(&["decided", "not", "to"]);
    meant && (back || rest[0] == "wouldnt" && COMMANDS.has(rest[1]) && from == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_for_time_decides_nothing() {
        for said in ["hold on i need to think", "hmm let me see", "wait a sec im still thinking", "ok give me a minute"]
        {
            assert!(hesitates(&said.split(' ').collect::<Vec<_>>()), "{said}");
        }
        for said in ["ok", "let me see my list", "hold on delete it", "wait", "i need a moment with mum"] {
            assert!(!hesitates(&said.split(' ').collect::<Vec<_>>()), "{said}");
        }
    }

    #[test]
    fn a_question_about_something_else_is_not_about_what_waits() {
        let pending = "Delete “wash the van” (#4)?";
        for said in ["is that the van one", "can you undo it", "will it be gone forever", "why are you asking that"] {
            assert!(concerns(&said.split(' ').collect::<Vec<_>>(), pending), "{said}");
        }
        for said in ["is it raining", "how long is that film", "what is it in euros", "when does this shop open"] {
            assert!(!concerns(&said.split(' ').collect::<Vec<_>>(), pending), "{said}");
        }
    }
}
