//! Words that neither answer nor ask for anything but time, and questions about what waits for an answer.

use super::frames::COMMANDS;
use super::matching::is_past;
use super::set::{Index, Set, set};
use super::words::Word;

/// Ways to ask for time.
const HESITATES: Index = Index::of(set(
    "a sec|a second|a moment|a minute|ask me later|ask me again later|ask me in a minute|ask again later|bear with me|\
     back in a sec|brb|cant decide|come back to me|could go either way|could be|cant remember|cant say|depends|dunno|\
     dont know|dont think so|either way|give me a tick|give me a sec|give me a second|give me a moment|give me a minute|\
     give me a bit|gotta think|hang on|hang about|hold on|hold up|hold it|hold fire|hang fire|half a mo|half a sec|\
     hang on a sec|hang on a second|hang on a minute|hang on a moment|hold on a sec|hold on a second|hold on a minute|\
     hold on a moment|havent decided|havent decided yet|hard to say|having second thoughts|im thinking|im still thinking|\
     ill think about it|i will think about it|i need to think|i need to think about it|i need a moment|i need a second|\
     i have to think|i have to think about it|im not sure yet|i havent decided|i havent decided yet|im undecided|\
     i cant decide|it depends|i dunno|im not sure|i am not sure|im not so sure|im not too sure|im not really sure|\
     im not certain|i dont know|i do not know|idk|i might|i think so|i guess so|i suppose so|i dont think so|i think|\
     i guess|i suppose|im torn|in two minds|im in two minds|im on the fence|i wonder|im not convinced|\
     im having second thoughts|ill come back to that|ill come back to it|ill get back to you|i cant remember|i cant say|\
     just a tick|just a sec|just a second|just a moment|just a minute|kinda|kind of|let me think|let me think about it|\
     let me think about that|let me have a think|let me see|let me check|let me check first|let me sleep on it|maybe|\
     maybe not|might do|mixed feelings|need to think|not sure yet|not sure|not so sure|not too sure|not really sure|\
     not certain|not entirely sure|not 100 sure|no idea|no clue|not yet|not convinced|one sec|one tick|one second|\
     one moment|one minute|on the fence|perhaps|perhaps not|possibly|probably|probably not|still thinking|sort of|two secs|\
     two seconds|thinking about it|that depends|torn|undecided|wait up|wait a sec|wait a second|wait a minute|\
     wait a moment|who knows|we will see|well see",
));
/// Words that may stand beside.
const FILLS: Set = set(
    "ok|okay|hmm|hm|hmmm|mm|mmm|um|umm|uh|uhh|er|erm|well|oh|ooh|ah|wait|sorry|please|first|now|so|just|actually|maybe|right|\
     then|for|yeah|yes|no|but|and|or|really|still|tbh|though|tho|like|eh|meh|yet|quite|honestly|sure",
);
/// What is told of the way back where somebody asks for it before deciding.
pub(super) const WAY_BACK: &str = "What is deleted rests in the bin for 30 days and can be taken out again, and a change can be undone from its receipt.";

/// Whether a message only asks for time: "hang on, let me think".
pub(super) fn hesitates(keys: &[&str]) -> bool {
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

/// A message without the words that only fill before it: "hmm but is it gone for good" is a question.
pub(super) fn unfilled<'a, 'b>(keys: &'a [&'b str]) -> &'a [&'b str] {
    &keys[keys.iter().take_while(|key| FILLS.has(key)).count()..]
}

/// Whether somebody asks if a deleted task or a change can be had back: "will i be able to get it back".
pub(super) fn wants_back(keys: &[&str]) -> bool {
    const BACK: Set = set(
        "undo|undone|undoable|restore|restored|restorable|recover|recovered|recoverable|retrieve|retrieved|retrievable|\
         reverse|reversed|reversible|irreversible|permanent|permanently|forever|unrecoverable|undelete|undeleted",
    );
    const ASKS: Set = set("will|can|could|is|are|would|does|do|may|might|wont|cant|isnt|how|what|where|whats|am|if");
    const GETS: Set = set("get|gets|have|bring|take|come|comes|want");
    let has = |set: Set| keys.iter().any(|key| set.has(key));
    let returns = keys.contains(&"back") && has(GETS);
    let good = keys.windows(2).any(|pair| pair == ["for", "good"]);
    keys.first().is_some_and(|first| ASKS.has(first)) && (good || returns || has(BACK))
}

/// The same where nothing waits: a question and no order.
pub(super) fn asks_way_back(keys: &[&str]) -> bool {
    let ordered = keys.get(1) == Some(&"you") || keys.contains(&"LIST");
    wants_back(keys) && !ordered && concerns(&[keys, &["it"]].concat(), "")
}

/// "delete it? first add salt": a message without the words at its end that only put it before what waits.
pub(super) fn beforehand(text: &str) -> &str {
    const TAILS: [&str; 12] = [
        "first",
        "first please",
        "first though",
        "first tho",
        "first of all",
        "before that",
        "before you do that",
        "before we do that",
        "before i decide",
        "before i answer",
        "beforehand",
        "in the meantime",
    ];
    // "complete the first", "come in first": which one, or how.
    const BOUND: Set = set(
        "the|my|our|very|at|in|on|of|a|come|came|comes|coming|finish|be|is|go|goes|for|just|right|shortly|january|february|\
             march|april|may|june|july|august|september|october|november|december|week|weeks|day|days|night|hour|hours|minutes|\
             month|safety|ladies",
    );
    let body = text.trim_end().trim_end_matches(['.', '!', ',']);
    let cut = |tail: &&str| {
        let at = body.len().checked_sub(tail.len())?;
        let same = body.get(at..)?.eq_ignore_ascii_case(tail);
        (same && body[..at].ends_with([' ', ','])).then(|| body[..at].trim_end_matches([' ', ',']))
    };
    let shortest = TAILS.iter().filter_map(cut).min_by_key(|kept| kept.len());
    let last = |kept: &str| kept.rsplit(' ').next().unwrap_or_default().to_lowercase();
    let more = |kept: &&str| kept.contains(' ') && !BOUND.has(&last(kept));
    shortest.filter(more).unwrap_or(text)
}

/// Whether what was taken for a title only asks for time, or ends in such words: "hang on", "soap, hold on a sec".
pub(super) fn stalls(title: &str) -> bool {
    const LED: Set = set("to|and|can|must|should|will|please|that|not");
    const OPENS: Set = set("hang|hold|wait|let|bear|give");
    let lower: String = title.to_lowercase().chars().filter(|c| !matches!(c, '\'' | '’')).collect();
    let keys: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let tail = |at: usize| OPENS.has(keys[at]) && !LED.has(keys[at - 1]) && hesitates(&keys[at..]);
    hesitates(&keys) || keys.iter().all(|key| FILLS.has(key)) || (1..keys.len()).any(tail)
}

/// Whether a question can be about what waits for an answer: it points at it, and says nothing that has no part in it.
pub(super) fn concerns(keys: &[&str], pending: &str) -> bool {
    const POINTS: Set = set("that|it|this|you|really|again|sure|one|those|them|happens|undo");
    const PLAIN: Set = set(
        "a|able|about|after|afterwards|again|all|already|also|always|am|an|and|any|anything|are|as|ask|asked|asking|at|away|\
         back|be|because|been|before|being|bin|both|bring|but|by|came|case|can|cant|change|changed|come|complete|completed|\
         confirm|could|definitely|delete|deleted|did|do|docket|does|doing|done|dont|due|else|ever|exactly|first|for|forever|from|get|go|going|gone|good|happen|happens|has|have|how|\
         i|if|in|is|isnt|it|its|just|keep|know|later|list|many|lose|lost|LIST|mean|meant|me|mind|must|my|name|named|need|new|no|\
         not|now|of|off|ok|old|on|one|ones|only|or|other|out|permanent|permanently|please|possible|question|\
         really|recover|recoverable|recovered|regret|remove|removed|rename|renamed|restore|restored|retrieve|retrieved|reverse|\
         reversed|reversible|irreversible|right|safe|same|say|see|should|so|some|still|sure|take|TASK|TASKS|talking|than|\
         that|the|them|then|there|these|they|thing|think|this|those|to|too|under|undo|undone|undoable|up|want|wanted|was|\
         way|were|what|whats|when|where|which|who|why|will|with|wont|would|wouldnt|yes|yet|you|your",
    );
    let pending = pending.to_lowercase();
    let asked = |key: &str| pending.split(|c: char| !c.is_alphanumeric()).any(|word| word == key);
    let known = |key: &&str| PLAIN.has(key) || asked(key);
    keys.iter().any(|key| POINTS.has(key)) && keys.iter().all(known)
}

/// "half done with the rent": not yet.
pub(super) fn unfinished(keys: &[&str]) -> bool {
    const NEARLY: Set =
        set("nearly|almost|half|halfway|partly|partially|mostly|quite|practically|virtually|barely|hardly");
    const DONE: Set = set("done|finished|completed|complete|through|finish|sorted|there");
    const ORDERS: Set =
        set("add|remind|put|note|show|list|what|which|whats|delete|remove|rename|mark|tick|is|are|my|change");
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

/// "nowhere near done", "far from finished", "barely started": how far off the end is.
pub(super) fn distant(keys: &[&str]) -> bool {
    const FAR: Index = Index::of(set(
        "a long way from|a long way off|ages from|ages off|ages away from|a way off|a fair way off|close to|\
         far from|far off|long way from|long way off|miles from|miles off|miles away from|nowhere near|\
         nowhere close|not anywhere near|not anywhere close|not even close|not close|not even near|not near|\
         not even nearly|not nearly|not even remotely|not remotely|nothing like|near enough|near to|some way off|\
         some way from",
    ));
    const TO_GO: Set = set("way to go|ways to go|miles to go|ages to go");
    const BEGUN: Set = set("started|begun|touched|began|scratched|dented");
    const LINKS: Set =
        set("to|being|getting|having|it|them|that|enough|fully|all|even|close|me|us|be|get|from|anything|as");
    const DONE: Set = set(
        "done|finished|completed|complete|through|finish|finishing|completing|sorted|ready|there|over|doing|started|starting",
    );
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

/// Whether a clause says so; most are known not to by their words alone.
pub(super) fn far(clause: &[Word]) -> bool {
    const TELLING: Set =
        set("nowhere|anywhere|close|near|nearly|remotely|nothing|far|way|ways|miles|ages|barely|hardly|scarcely");
    if !clause.iter().any(|word| TELLING.has(&word.key)) {
        return false;
    }
    distant(&clause.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect::<Vec<_>>())
}

/// Whether a message says only that: "lol, nowhere near done with the essay".
pub(super) fn remains(message: &[Word]) -> bool {
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

/// "no, the tyres have not been changed yet", "not posted the cards yet": it is told, and not asked, what is not done.
fn outstanding(keys: &[&str], perfect: bool) -> bool {
    const ASKS: Set = set(
        "have|has|havent|hasnt|any|anything|all|everything|TASKS|LIST|TASK|stuff|things|jobs|who|why|how|when|where|if|\
         see|tell|give|read|see|only|just",
    );
    let denied = matches!(keys.first(), Some(&("no" | "nope" | "nah")));
    let yet = keys.last() == Some(&"yet");
    let first = keys.iter().find(|key| !set!("no|nope|nah").has(key));
    let bare = first == Some(&"not") && keys.len() > 2;
    !first.is_none_or(|first| ASKS.has(first))
        && !keys.iter().any(|key| set!("which|what|show|list|LIST|because|so").has(key))
        && (perfect && (yet || denied) || bare && yet)
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
