//! Messages that only ask for time, and questions about a pending approval.

use crate::llm::rules::lex::frames::COMMANDS;
use crate::llm::rules::lex::matching::is_past;
use crate::llm::rules::lex::set::{Index, Set, file_set, set};
use crate::llm::rules::normalise::words::Word;

/// Phrases that ask for time.
const HESITATES: Index = Index::of(file_set!("waiting_hesitates"));
/// Filler words around them.
const FILLS: Set = file_set!("waiting_fills");
/// The reply to questions if an action is reversible.
pub(in crate::llm::rules) const WAY_BACK: &str = "What is deleted rests in the bin for 30 days and can be taken out again, and a change can be undone from its receipt.";

/// Returns true if a message only asks for time: "hang on, let me think".
pub(in crate::llm::rules) fn hesitates(keys: &[&str]) -> bool {
    let mut rest = keys;
    let mut waits = false;
    while let Some(first) = rest.first() {
        let known = HESITATES.under(first);
        let longest = (1..=rest.len().min(6)).rev().find(|end| known.has(&rest[..*end].join(" ")));
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

/// Returns the keys without leading fillers: "hmm but is it gone for good" is a question.
pub(in crate::llm::rules) fn unfilled<'a, 'b>(keys: &'a [&'b str]) -> &'a [&'b str] {
    &keys[keys.iter().take_while(|key| FILLS.has(key)).count()..]
}

/// Returns true for questions if an action is reversible: "will i be able to get it back".
pub(in crate::llm::rules) fn wants_back(keys: &[&str]) -> bool {
    const BACK: Set = file_set!("waiting_back");
    const ASKS: Set = set("will|can|could|is|are|would|does|do|may|might|wont|cant|isnt|how|what|where|whats|am|if");
    const GETS: Set = set("get|gets|have|bring|take|come|comes|want");
    let has = |set: Set| keys.iter().any(|key| set.has(key));
    let returns = keys.contains(&"back") && has(GETS);
    let good = keys.windows(2).any(|pair| pair == ["for", "good"]);
    keys.first().is_some_and(|first| ASKS.has(first)) && (good || returns || has(BACK))
}

/// Like [`wants_back`], for messages without a pending approval: a question and no command.
pub(in crate::llm::rules) fn asks_way_back(keys: &[&str]) -> bool {
    let ordered = keys.get(1) == Some(&"you") || keys.contains(&"LIST");
    wants_back(keys) && !ordered && concerns(&[keys, &["it"]].concat(), "")
}

/// Returns a message without a closing phrase that only orders it before the pending approval: "delete it? first add salt".
pub(in crate::llm::rules) fn beforehand(text: &str) -> &str {
    const TAILS: Set =
        set("first|first please|first though|first tho|first of all|before that|before you do that|before we do that|\
         before i decide|before i answer|beforehand|in the meantime");
    // "complete the first" and "come in first" mean something else.
    const BOUND: Set = file_set!("waiting_bound");
    let body = text.trim_end().trim_end_matches(['.', '!', ',']);
    let cut = |tail: &str| {
        let at = body.len().checked_sub(tail.len())?;
        let same = body.get(at..)?.eq_ignore_ascii_case(tail);
        (same && body[..at].ends_with([' ', ','])).then(|| body[..at].trim_end_matches([' ', ',']))
    };
    let shortest = TAILS.iter().filter_map(cut).min_by_key(|kept| kept.len());
    let last = |kept: &str| kept.rsplit(' ').next().unwrap_or_default().to_lowercase();
    let more = |kept: &&str| kept.contains(' ') && !BOUND.has(&last(kept));
    shortest.filter(more).unwrap_or(text)
}

/// Returns true if a supposed title only asks for time or ends so: "hang on", "soap, hold on a sec".
pub(in crate::llm::rules) fn stalls(title: &str) -> bool {
    const LED: Set = set("to|and|can|must|should|will|please|that|not");
    const OPENS: Set = set("hang|hold|wait|let|bear|give");
    let lower: String = title.to_lowercase().chars().filter(|c| !matches!(c, '\'' | '’')).collect();
    let keys: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let tail = |at: usize| OPENS.has(keys[at]) && !LED.has(keys[at - 1]) && hesitates(&keys[at..]);
    hesitates(&keys) || keys.iter().all(|key| FILLS.has(key)) || (1..keys.len()).any(tail)
}

/// Returns true if a question can concern the pending approval: it has a pronoun and no unrelated words.
pub(in crate::llm::rules) fn concerns(keys: &[&str], pending: &str) -> bool {
    const POINTS: Set = set("that|it|this|you|really|again|sure|one|those|them|happens|undo");
    const PLAIN: Set = file_set!("waiting_plain");
    let pending = pending.to_lowercase();
    let asked = |key: &str| pending.split(|c: char| !c.is_alphanumeric()).any(|word| word == key);
    let known = |key: &&str| PLAIN.has(key) || asked(key);
    keys.iter().any(|key| POINTS.has(key)) && keys.iter().all(known)
}

/// Returns true if something is not finished yet: "half done with the rent".
pub(in crate::llm::rules) fn unfinished(keys: &[&str]) -> bool {
    const NEARLY: Set =
        set("nearly|almost|half|halfway|partly|partially|mostly|quite|practically|virtually|barely|hardly");
    const DONE: Set = set("done|finished|completed|complete|through|finish|sorted|there");
    const ORDERS: Set =
        set("add|remind|put|note|show|list|what|which|whats|delete|remove|rename|mark|tick|is|are|my|change");
    // "not done with the dishes"
    if keys.len() <= 9 && keys.first() == Some(&"not") && keys.get(1).is_some_and(|done| DONE.has(done)) {
        return true;
    }
    let near = |pair: &[&str]| NEARLY.has(pair[0]) && DONE.has(pair[1]) && pair != ["quite", "done"];
    let led = keys.first().is_some_and(|first| !ORDERS.has(first));
    let still =
        |pair: &[&str]| set!("hasnt|havent").has(pair[0]) || set!("has|have|ive|weve").has(pair[0]) && pair[1] == "not";
    if (led || keys.first() == Some(&"my")) && keys.len() <= 14 && outstanding(keys, keys.windows(2).any(still)) {
        return true;
    }
    led && keys.len() <= 9
        && (keys.windows(2).any(near) || keys.windows(3).any(|three| three[0] == "not" && three[1] == "quite"))
}

/// Returns true if something is far from finished: "nowhere near done", "far from finished", "barely started".
pub(in crate::llm::rules) fn distant(keys: &[&str]) -> bool {
    const FAR: Index = Index::of(file_set!("waiting_far"));
    const TO_GO: Set = set("way to go|ways to go|miles to go|ages to go");
    const BEGUN: Set = set("started|begun|touched|began|scratched|dented");
    const LINKS: Set =
        set("to|being|getting|having|it|them|that|enough|fully|all|even|close|me|us|be|get|from|anything|as");
    const DONE: Set = file_set!("waiting_done");
    let done = |from: usize| {
        let links = keys[from..].iter().take(3).take_while(|key| LINKS.has(key)).count();
        keys.get(from + links).is_some_and(|key| DONE.has(key))
    };
    let away = |at: usize| {
        let phrases = FAR.under(keys[at]);
        let ends = (at + 2..=keys.len().min(at + 4)).rev();
        ends.into_iter().any(|end| done(end) && phrases.has(&keys[at..end].join(" ")))
    };
    let to_go = |three: &[&str]| three[1] == "to" && three[2] == "go" && TO_GO.has(&three.join(" "));
    let hardly = |pair: &[&str]| set!("barely|hardly|scarcely").has(pair[0]) && BEGUN.has(pair[1]);
    (0..keys.len()).any(away) || keys.windows(3).any(to_go) || keys.windows(2).any(hardly)
}

/// Like [`distant`], for a clause, with a quick check first.
pub(in crate::llm::rules) fn far(clause: &[Word]) -> bool {
    const TELLING: Set =
        set("nowhere|anywhere|close|near|nearly|remotely|nothing|far|way|ways|miles|ages|barely|hardly|scarcely");
    if !clause.iter().any(|word| TELLING.has(&word.key)) {
        return false;
    }
    distant(&clause.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect::<Vec<_>>())
}

/// Returns true if a message says only that something is far from finished: "lol, nowhere near done with the essay".
pub(in crate::llm::rules) fn remains(message: &[Word]) -> bool {
    const ORDERS: Set = set("add|remind|put|note|show|list|delete|remove|rename|mark|tick|is|are|change|does|do|why");
    // "close to done"
    let nearly = matches!(message, [close, to, ..] if close.key == "close" && to.key == "to");
    let first = message.iter().find(|word| !word.is_mark());
    let led = nearly || first.is_some_and(|first| !(ORDERS.has(&first.key) || COMMANDS.has(&first.key)));
    // "finished the essay, nowhere near done with the dentist"
    let does = |word: &Word| is_past(&word.key) || COMMANDS.has(&word.key) || word.key == "done";
    led && message.len() <= 24
        && far(message)
        && message.split(Word::is_mark).filter(|piece| !far(piece)).all(|piece| !piece.iter().take(3).any(does))
}

/// Returns true for a statement of what is not done: "no, the tyres have not been changed yet", "not posted the cards yet".
fn outstanding(keys: &[&str], perfect: bool) -> bool {
    const ASKS: Set = file_set!("waiting_asks");
    let denied = matches!(keys.first(), Some(&("no" | "nope" | "nah")));
    let yet = keys.last() == Some(&"yet");
    let first = keys.iter().find(|key| !set!("no|nope|nah").has(key));
    let bare = first == Some(&"not") && keys.len() > 2;
    !first.is_none_or(|first| ASKS.has(first))
        && !keys.iter().any(|key| set!("which|what|show|list|LIST|because|so").has(key))
        && (perfect && (yet || denied) || bare && yet)
}

/// Returns true for "was going to delete 3 but changed my mind" or "I wouldn't tick it".
pub(in crate::llm::rules) fn undecided(keys: &[&str]) -> bool {
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
