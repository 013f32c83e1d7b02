//! Patterns that empty a field or skip an occurrence of a repeating task, and corrections of a note.

use crate::llm::rules::lex::set::set;
use crate::llm::rules::normalise::words::Word;
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::intent::Edits;
use crate::llm::rules::read::rule::{Row, Rule};

/// Maximum words of a rejected text.
const LONGEST: usize = 4;

pub(in crate::llm::rules) const TABLE: &[Row] = &[
    (
        Rule::NoNote,
        &[
            "@delete the|its|his|her|that|those|any|all? @note off|from|of|on|for|in *x",
            "take|strip|wipe|empty|clear|get the|its|that|those|any|all? @note off|from|of|on|out of? *x",
            "@delete the|its|that|those|any|all @note off|away|out?",
            "take|strip|wipe|empty|clear the|its|that|those|any|all? @note off|away|out again?",
            "take|strip|wipe|empty|clear the|its|that|those|any|all? @note off|away|out from|of it|that|this|there",
            "*x : take|strip|wipe|empty|clear|remove|delete|drop the|its|that? @note off|away|out?",
            "*x needs|need|wants|should|must have? no @note anymore?",
            "no|without @note on|for|needed on|for? *x",
        ],
    ),
    (
        Rule::Untag,
        &[
            "@delete the|my|its|that *y tag|label from|off|of|on *x",
            "take the|my|its|that *y tag|label from|off|of|on *x",
            "@delete tag|label *y from|off|of *x",
        ],
    ),
    (
        Rule::Skip,
        &[
            "skip|miss *x this|next time|week|month|round|instance|occurrence",
            "skip *x just|only? once",
            "skip this|the next? weeks|months|time|occurrence|instance of? *x",
            "skip this|that|the? next|following|coming? one|time|occurrence|instance|round|go",
            "skip it|this|that? on|for? *d",
            "skip *x on|for? *d",
            "give *x a miss on|for? *d",
            "give *x a miss this|next? time|week|month?",
            "skip *x",
        ],
    ),
];

/// Returns the change of a note; the end of “… should say red folder, not blue” names what it replaces.
pub(in crate::llm::rules) fn noted(note: &[Word], clause: &[Word], context: Context) -> Edits {
    let corrects = clause.iter().any(|word| set!("should|must|meant|ought|supposed").has(&word.key));
    let at = note.iter().rposition(|word| word.key == "not").filter(|at| *at > 0 && corrects);
    let rest = at.map_or(&[][..], |at| &note[at + 1..]);
    let plain = (1..=LONGEST).contains(&rest.len()) && rest.iter().all(|word| !word.is_mark());
    match at.filter(|_| plain) {
        Some(at) => {
            let end = note[..at].iter().rposition(|word| !word.is_mark()).map_or(at, |last| last + 1);
            let rejected = Some(context.raw(rest).to_owned());
            Edits { description: Some(context.raw(&note[..end]).to_owned()), rejected, ..Edits::default() }
        }
        None => Edits { description: Some(context.raw(note).to_owned()), ..Edits::default() },
    }
}
