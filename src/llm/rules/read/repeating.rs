//! Ends of a recurrence: "stop repeating it", "pay rent should no longer repeat".

use crate::llm::rules::normalise::words::Word;
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::intent::{Edits, Part, Target};
use crate::llm::rules::read::pattern::{Patterns, fit};

/// Commands and statements that end a named task's recurrence.
const ENDS: Patterns<12> = Patterns::of([
    "stop|quit|end repeating|recurring *x",
    "stop|keep|prevent *x from repeating|recurring",
    "make|have|let *x stop repeating|recurring",
    "make|have|set|let *x to? not|never|no repeat|recur|repeating|recurring longer|anymore?",
    "make|set *x a? nonrecurring|non-recurring|nonrepeating|non-repeating|one-off|oneoff|one-time",
    "make|set *x a? one off|time only? TASK?",
    "dont|never repeat *x anymore|again|any? more?",
    "do not repeat *x anymore|again|any? more?",
    "*x should|must|can|does|need|needs|may|will not|no longer? to? repeat|recur anymore|any? more?",
    "*x shouldnt|mustnt|doesnt|neednt|wont need|have? to? repeat|recur anymore|any? more?",
    "*x should|can|must stop repeating|recurring",
    "remove|clear|delete|drop|cancel|end|stop|kill the|its|any? repetition|recurrence|repeat|repeats of|from|on|for|in *x",
]);

/// Commands that end the recurrence of the previous turn's task.
const ENDS_IT: [&str; 3] = [
    "stop|quit|end repeating|recurring now|please?",
    "remove|clear|delete|drop|cancel|end|stop|kill the|its|that|this repetition|recurrence|repeat|repeats",
    "no more repeating|repeats|repetition",
];

/// Parses a clause that ends a recurrence.
pub(in crate::llm::rules) fn ended(clause: &[Word], context: Context) -> Option<Part> {
    let edit = Edits { ends: true, ..Edits::default() };
    if ENDS_IT.iter().any(|pattern| fit(pattern, clause).is_some()) {
        return Some(Part::Edit { target: Target::It, edit });
    }
    let (_, from, to) = ENDS.fit(clause)?.into_iter().find(|(name, _, _)| *name == 'x')?;
    Some(Part::Edit { target: context.target(&clause[from..to]), edit })
}
