//! The status of a list query, and matching of titles.

use crate::domain::task::Status;
use crate::llm::rules::lex::matching::stems;
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::Word;
use crate::llm::rules::read::intent::{Scope, Target};

/// Participles of completion.
pub(in crate::llm::rules) const FINISHED: Set =
    set("completed|finished|done|ticked|accomplished|knocked|crossed|checked|wrapped|sorted|achieved|polished");

/// Returns the status of a question; pending by default, `None` for both.
pub(in crate::llm::rules) fn status(keys: &[&str]) -> Option<Status> {
    let not = keys.iter().any(|key| {
        set!("not|incomplete|havent|left|still|need|needs|unfinished|undone|dont|pending|open|remaining").has(key)
    });
    let past = keys.iter().any(|key| matches!(*key, "did" | "managed" | "manage" | "able" | "gotten"));
    let ahead = |pair: &[&str]| {
        matches!(pair, ["be", "done"] | ["yet", "to"]) || pair[0] == "get" && FINISHED.has(pair[1]) && !past
    };
    let not = not || keys.windows(2).any(ahead);
    if either(keys) || included(keys) {
        return None;
    }
    let at = keys.iter().position(|key| FINISHED.has(key));
    let besides = keys.iter().any(|key| set!("too|also|including|include|even|plus|well|both").has(key));
    if at.is_some()
        && besides
        && keys.iter().any(|key| set!("all|everything|them|whole|full|entire|both|pending|open|lot").has(key))
    {
        return None;
    }
    // "all tasks, done ones too"
    let whole = keys.windows(2).any(|pair| matches!(pair, ["all", "TASKS" | "my" | "of" | "the"] | ["everything", _]));
    let added = keys.windows(2).any(|pair| FINISHED.has(pair[0]) && matches!(pair[1], "ones" | "stuff"));
    if whole && added && keys.windows(2).all(|pair| !(pair[0] == "the" && FINISHED.has(pair[1]))) {
        return None;
    }
    let finish = keys.windows(2).any(|pair| {
        matches!(pair, ["i" | "we", "finish" | "complete"])
            || matches!(pair, ["to", "finish" | "complete" | "tick" | "do"]) && keys.contains(&"manage")
            || pair == ["tick", "off"] && keys.contains(&"did")
    });
    if (at.is_some() || finish) && !not {
        return Some(Status::Completed);
    }
    let everything =
        keys.windows(2).any(|pair| matches!(pair, ["all" | "every", "TASKS" | "TASK" | "my" | "the" | "of"])) && !not;
    let both = keys.contains(&"completed") && keys.contains(&"pending");
    if both || everything && keys.contains(&"everything") { None } else { Some(Status::Pending) }
}

/// Returns true if a title contains all significant stems of the words.
pub(in crate::llm::rules) fn mentions(title: &str, words: &str) -> bool {
    let has = stems(title);
    stems(words).iter().all(|stem| has.contains(stem))
}

/// Returns true for both kinds of tasks: "done or not", "open and finished".
fn either(keys: &[&str]) -> bool {
    const OPEN: Set = set("not|undone|unfinished|open|pending|outstanding|incomplete|todo|unticked|still");
    let joined = |three: &[&str]| matches!(three[1], "or" | "and");
    let kinds = |one: &str, other: &str| (FINISHED.has(one) || matches!(one, "closed" | "complete")) && OPEN.has(other);
    keys.windows(3).any(|three| joined(three) && (kinds(three[0], three[2]) || kinds(three[2], three[0])))
}

/// Returns true if completed tasks are included: "including the done ones", "with what's finished".
fn included(keys: &[&str]) -> bool {
    const WITH: Set = set("including|include|with|plus|even");
    (0..keys.len()).any(|at| {
        let denied = at.checked_sub(1).is_some_and(|before| set!("not|dont|without|never|no").has(keys[before]));
        // "with done" alone may be search words.
        let named = keys[at] != "with" || keys.len() > at + 2;
        WITH.has(keys[at]) && named && !denied && done_ones(keys[at + 1..].iter().copied())
    })
}

/// Returns true if the words are only "the done ones" or similar.
pub(in crate::llm::rules) fn done_ones<'a>(keys: impl Iterator<Item = &'a str>) -> bool {
    const WORDS: Set = file_set!("status_words");
    let mut done = false;
    let only = keys.take(9).all(|key| {
        done |= FINISHED.has(key) || key == "complete";
        FINISHED.has(key) || WORDS.has(key)
    });
    only && done
}

/// Returns true if a stretch only says that both kinds are meant: ", both done and not done".
pub(in crate::llm::rules) fn kinds(stretch: &[Word]) -> bool {
    const WORDS: Set =
        set("both|the|ones|tasks|TASKS|stuff|or|and|not|undone|unfinished|open|pending|closed|complete|it|them|all");
    let keys: Vec<&str> =
        stretch.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).take(10).collect();
    const BESIDES: Set = set("too|also|as|well|included|including|even|plus");
    let besides = keys.iter().any(|key| BESIDES.has(key)) && keys.iter().any(|key| FINISHED.has(key));
    if besides && keys.iter().all(|key| WORDS.has(key) || FINISHED.has(key) || BESIDES.has(key)) {
        let noun = keys.iter().any(|key| matches!(*key, "ones" | "stuff" | "tasks" | "TASKS"));
        return noun || keys.first() == Some(&"including");
    }
    keys.len() < 10 && either(&keys) && keys.iter().all(|key| WORDS.has(key) || FINISHED.has(key))
}

/// Resolves "clear completed" and "delete overdue" to those tasks.
pub(in crate::llm::rules) fn ones(target: Target) -> Target {
    match &target {
        Target::Words { text, quoted: false, named: false } => match text.to_lowercase().as_str() {
            "completed" | "done" | "finished" => {
                Target::All(Scope { status: Some(Status::Completed), ..Scope::default() })
            }
            "overdue" => Target::All(Scope { overdue: true, ..Scope::default() }),
            _ => target,
        },
        _ => target,
    }
}

/// Returns true for a completion instead of a question: "tick it off my list".
pub(in crate::llm::rules) fn ticks(keys: &[&str]) -> bool {
    let off = |at: usize| keys[at + 1..].iter().take(3).any(|key| *key == "off");
    (0..keys.len()).any(|at| matches!(keys[at], "check" | "tick" | "cross" | "mark") && off(at))
}

/// Returns true for the whole list without a question word: "everything, done and undone".
pub(in crate::llm::rules) fn all(keys: &[&str]) -> bool {
    if forgotten(keys) {
        return true;
    }
    const WORDS: Set = set("all|everything|the|lot|whole|both|them|of|it|please|kinds|sorts|TASKS|LIST");
    const STATES: Set = set("or|and|not|undone|unfinished|open|pending|outstanding|incomplete");
    matches!(keys.first(), Some(&("all" | "everything" | "both")))
        && either(keys)
        && keys.iter().all(|key| WORDS.has(key) || STATES.has(key) || FINISHED.has(key))
}

/// Returns true for a question about a forgotten task: "you were to remind me of something, what was it".
fn forgotten(keys: &[&str]) -> bool {
    const ASKS: [&[&str]; 10] = [
        &["what", "was", "it"],
        &["what", "was", "that"],
        &["what", "is", "it"],
        &["whats", "it"],
        &["what", "were", "they"],
        &["what", "was", "it", "again"],
        &["what", "did", "i", "say"],
        &["what", "was", "it", "i", "said"],
        &["what", "are", "they"],
        &["what", "though"],
    ];
    const VAGUE: Set = set("something|stuff|things|thing|somethings|some|TASK|TASKS|one");
    const KEPT: Set = set("remind|reminded|remember|forget|told|asked|forgotten|said|gave|do|TASK|TASKS");
    let Some(end) = ASKS.iter().find(|asks| keys.ends_with(asks)) else { return false };
    let told = &keys[..keys.len() - end.len()];
    told.len() >= 3
        && told.iter().any(|key| KEPT.has(key))
        && told.iter().any(|key| VAGUE.has(key))
        && told.iter().any(|key| matches!(*key, "i" | "me" | "we" | "us" | "you"))
}

/// Returns true for a list query without a question word: "jobs left?", "tasks outstanding".
pub(in crate::llm::rules) fn bare(keys: &[&str]) -> bool {
    if all(keys) {
        return true;
    }
    const NOUNS: Set = set("TASKS|jobs|chores|things|todos|stuff|errands|bits|reminders");
    const STATES: Set = set(
        "left|outstanding|remaining|pending|open|unfinished|done|completed|finished|still|to|do|go|so|far|not|yet|now",
    );
    // "tasks to do …" and "tasks done …" continue.
    let more = |rest: &[&str]| matches!(rest, ["to" | "do" | "not", ..] | ["done" | "completed" | "finished"]);
    match keys {
        [noun, rest @ ..] => {
            let states = !rest.is_empty() && rest.len() <= 4 && rest.iter().all(|key| STATES.has(key));
            NOUNS.has(noun) && states && !more(rest)
        }
        [] => false,
    }
}

/// Returns true if all parts of one task are meant, not all tasks: "that's all of it done", "all sorted".
pub(in crate::llm::rules) fn all_of_it(clause: &[Word], named: &[&str]) -> bool {
    let points = clause.first().is_some_and(|first| set!("thats|its|that|it").has(&first.key));
    let only = named.iter().all(|key| set!("all|of|it|that|this|thats|its").has(key));
    let all = named.contains(&"all") && only;
    let says = clause.get(1).is_some_and(|next| set!("are|is|have|has|been|were|can|should|need|now").has(&next.key));
    all && (points || named == ["all"] && clause.first().is_some_and(|first| first.key == "all") && !says)
}
