//! Questions about missed deadlines without the word "overdue".

use crate::domain::task::Status;
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::Word;
use crate::llm::rules::read::intent::ListQuery;

/// Parses "have any of my deadlines gone by" or "what's past its date".
pub(in crate::llm::rules) fn list(clause: &[Word]) -> Option<ListQuery> {
    const ASKS: Set =
        set("have|has|did|are|is|do|any|anything|what|whats|which|show|list|tell|give|am|was|were|let|see|check|does");
    const WORDS: Set = file_set!("lateness_words");
    const DATES: Set = set("deadline|deadlines|date|dates");
    const GONE: Set =
        set("gone|went|past|passed|missed|miss|missing|lapsed|slipped|slip|expired|elapsed|blown|behind|over");
    let keys: Vec<&str> = clause.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let has = |set: Set| keys.iter().any(|key| set.has(key));
    // "has the deadline passed" concerns one task.
    let one =
        keys.windows(2).any(|pair| set!("the|that|this|it").has(pair[0]) && set!("deadline|date|due").has(pair[1]))
            && !has(set!("TASKS|LIST|ones|which|any|anything"));
    let asks = (3..=14).contains(&keys.len()) && ASKS.has(keys[0]);
    (asks && !one && has(DATES) && has(GONE) && keys.iter().all(|key| WORDS.has(key))).then(|| ListQuery {
        status: Some(Status::Pending),
        due: Some("overdue".to_owned()),
        ..ListQuery::default()
    })
}
