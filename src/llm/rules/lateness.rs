//! Questions for deadlines that went by, in other words than "overdue".

use super::intent::ListQuery;
use super::set::{Set, set};
use super::words::Word;
use crate::domain::task::Status;

/// "have any of my deadlines gone by", "what's past its date".
pub(super) fn list(clause: &[Word]) -> Option<ListQuery> {
    const ASKS: Set =
        set("have|has|did|are|is|do|any|anything|what|whats|which|show|list|tell|give|am|was|were|let|see|check|does");
    const WORDS: Set = set(
        "have|has|had|did|do|does|are|is|am|was|were|any|anything|everything|all|what|whats|which|show|list|tell|give|let|know|if|me|i|ive|we|\
         weve|my|our|the|of|on|TASKS|TASK|LIST|ones|one|things|stuff|jobs|that|thats|gone|went|go|by|past|passed|missed|miss|missing|\
         lapsed|slipped|slip|expired|elapsed|blown|over|already|now|yet|due|date|dates|deadline|deadlines|its|their|they|theyre|been|\
         still|just|there|see|for|to|up|out|it|behind|check|run|these|those|cutoff|us",
    );
    const DATES: Set = set("deadline|deadlines|date|dates");
    const GONE: Set =
        set("gone|went|past|passed|missed|miss|missing|lapsed|slipped|slip|expired|elapsed|blown|behind|over");
    let keys: Vec<&str> = clause.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let has = |set: Set| keys.iter().any(|key| set.has(key));
    // "has the deadline passed" asks about one.
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
