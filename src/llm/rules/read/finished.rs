//! Questions about tasks completed in a period: "what did I do today", "what have we finished this week".

use jiff::ToSpan;

use crate::domain::task::Status;
use crate::domain::time::CivilDate;
use crate::domain::when;
use crate::llm::rules::lex::set::{Set, set};
use crate::llm::rules::normalise::words::Word;
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::intent::ListQuery;

/// Verbs of completion.
const VERBS: Set = set(
    "do|done|did|finish|finished|complete|completed|achieve|achieved|accomplish|accomplished|tick|ticked|get|got|gotten|manage|managed|check|checked|\
     close|closed|cross|crossed|sort|sorted",
);
/// Maximum tokens of such a question.
const MOST: usize = 24;
/// Words of such a question that do not describe tasks.
const FILLS: Set = set(
    "what|whats|which|show|me|tell|list|did|have|ive|weve|has|i|we|TASK|TASKS|LIST|things|stuff|ones|already|actually|all|off|so|far|up|until|now|\
     that|were|was|been|are|my|the|everything|anything|to|on|in|this|of|how|many|much|done|for|with",
);

/// Parses a question about tasks completed in a past period.
pub(in crate::llm::rules) fn list(clause: &[Word], context: Context) -> Option<ListQuery> {
    let first = clause.iter().find(|word| !word.is_mark())?.key.as_str();
    let asks = set!("what|whats|which|show|list|tell|how|everything|anything").has(first);
    if !asks || clause.len() > MOST {
        return None;
    }
    let keys: Vec<&str> = clause.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let mine = keys.windows(2).any(|pair| {
        matches!(pair, ["did" | "have", "i" | "we"] | ["i" | "we", "did" | "have" | "finished" | "completed" | "got"])
    }) || keys.iter().any(|key| matches!(*key, "ive" | "weve"))
        || keys.iter().any(|key| matches!(*key, "completed" | "finished"))
            && matches!(first, "show" | "list" | "what" | "whats" | "which");
    if !asks
        || !mine
        || keys.iter().any(|key| matches!(*key, "due" | "not" | "left" | "still" | "need" | "havent" | "to"))
    {
        return None;
    }
    let (completed, rest) = time(clause, context)?;
    const DONE: Set =
        set("done|finished|completed|achieved|accomplished|ticked|gotten|managed|checked|closed|crossed|sorted");
    let did = keys.contains(&"did");
    let verb = rest.iter().any(|key| DONE.has(key) || did && VERBS.has(key) && *key != "did");
    let plain = rest.iter().all(|key| VERBS.has(key) || FILLS.has(key));
    (verb && plain).then(|| ListQuery {
        status: Some(Status::Completed),
        completed: Some(completed),
        ..ListQuery::default()
    })
}

/// Returns the past period that a clause names, and its other keys.
fn time<'a>(clause: &'a [Word], context: Context) -> Option<(String, Vec<&'a str>)> {
    let words: Vec<&Word> = clause.iter().filter(|word| !word.is_mark()).collect();
    let keys: Vec<&str> = words.iter().map(|word| word.key.as_str()).collect();
    let without = |at: usize, count: usize| {
        keys.iter()
            .enumerate()
            .filter(|(place, _)| !(at..at + count).contains(place))
            .map(|(_, key)| *key)
            .collect::<Vec<_>>()
    };
    for (name, phrases) in [
        (
            "today",
            &[&["today"][..], &["this", "morning"], &["this", "afternoon"], &["this", "evening"], &["tonight"]][..],
        ),
        ("yesterday", &[&["yesterday"][..]]),
        ("week", &[&["this", "week"][..]]),
        ("month", &[&["this", "month"][..]]),
    ] {
        for phrase in phrases {
            if let Some(at) = keys.windows(phrase.len()).position(|window| window == *phrase) {
                return Some((name.to_owned(), without(at, phrase.len())));
            }
        }
    }
    let found = context.dates().iter().find(|found| words.iter().any(|word| found.span.contains(&word.start)))?;
    let inside: Vec<usize> = (0..words.len()).filter(|at| found.span.contains(&words[*at].start)).collect();
    let today = CivilDate::parse(when::parse("today", context.now, context.zone)?.due.day()).ok()?;
    let day = CivilDate::parse(found.when.due.day()).ok()?;
    // "on monday" means the past one.
    let day = if day > today { CivilDate::from(day.to_jiff().checked_sub(7.days()).ok()?) } else { day };
    (day <= today).then(|| (day.as_str().to_owned(), without(inside[0], inside.len())))
}
