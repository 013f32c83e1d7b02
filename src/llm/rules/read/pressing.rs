//! Deadlines after a task, or remarks that there is none.

use crate::domain::when;
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::Word;
use crate::llm::rules::read::context::Context;
use crate::llm::rules::read::intent::Edits;

/// Returns the deadline: "needs doing by the 3rd", "it's for monday".
pub(in crate::llm::rules) fn needed_by(stretch: &[Word], context: Context) -> Option<when::When> {
    const SAYS: Set = file_set!("pressing_says");
    const TELLS: Set =
        set("it|its|that|thats|they|theyre|this|needs|need|needed|has|must|should|want|wanted|wants|have");
    const LEADS: Set = set("by|for|before|on|due|until|at|b4");
    let said = stretch.iter().take_while(|word| SAYS.has(&word.key)).count();
    let led = stretch[said..].iter().take_while(|word| LEADS.has(&word.key)).count();
    let tells = stretch[..said].iter().any(|word| TELLS.has(&word.key));
    let day = &stretch[said + led..];
    (tells && (1..=2).contains(&led) && !day.is_empty()).then(|| context.date(day)).flatten()
}

/// Returns true for "its for friday", which needs no punctuation before it; "needs it by friday" may belong to the title.
pub(in crate::llm::rules) fn told(stretch: &[Word]) -> bool {
    matches!(stretch, [its, led, ..] if set!("its|thats").has(&its.key) && set!("for|due").has(&led.key))
}

/// Parses a remark that sets nothing: "no rush", "whenever you can".
pub(in crate::llm::rules) fn idle(stretch: &[Word]) -> Option<Edits> {
    const WORDS: Set = file_set!("pressing_words");
    const RESTS: Set = set("rush|hurry|pressure|panic|whenever|deadline|stress|limit");
    let words: Vec<&str> = stretch.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let rests = words.iter().any(|key| RESTS.has(key));
    let denied = words.iter().any(|key| set!("no|not|whenever|nothing|dont").has(key));
    let only = words.len() == stretch.len() && words.len() <= 8 && words.iter().all(|key| WORDS.has(key));
    (rests && denied && only).then(Edits::default)
}
