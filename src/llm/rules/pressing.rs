//! By when a task is needed, or that nothing presses: said behind it.

use super::intent::Edits;
use super::reading::Context;
use super::set::{Set, set};
use super::tails;
use super::words::Word;
use crate::domain::when;

/// "needs doing by the 3rd", "it's for monday": the day by which a task is needed.
pub(super) fn needed_by(stretch: &[Word], context: Context) -> Option<when::When> {
    const SAYS: Set = set(
        "it|its|that|thats|this|ones|one|is|are|they|theyre|needs|need|needed|has|have|must|should|got|ought|to|be|get|\
         do|doing|done|finished|finishing|sorted|sorting|completed|ready|i|we|ill|want|wanted|wants|would|like|id|in|\
         all|really|just|only|happen|which|and|but|so",
    );
    const TELLS: Set =
        set("it|its|that|thats|they|theyre|this|needs|need|needed|has|must|should|want|wanted|wants|have");
    const LEADS: Set = set("by|for|before|on|due|until|at|b4");
    let said = stretch.iter().take_while(|word| SAYS.has(&word.key)).count();
    let led = stretch[said..].iter().take_while(|word| LEADS.has(&word.key)).count();
    let tells = stretch[..said].iter().any(|word| TELLS.has(&word.key));
    let day = &stretch[said + led..];
    (tells && (1..=2).contains(&led) && !day.is_empty()).then(|| context.date(day)).flatten()
}

/// "needs it by friday" without a mark before it goes on a title as well; "its for friday" does not.
pub(super) fn told(stretch: &[Word]) -> bool {
    matches!(stretch, [its, led, ..] if set!("its|thats").has(&its.key) && set!("for|due").has(&led.key))
}

/// "…, new task, needs doing by friday": what stands before it is the task.
pub(super) fn newly(stretch: &[Word], context: Context) -> bool {
    let [new, noun, mark, more @ ..] = stretch else { return false };
    matches!(new.key.as_str(), "new" | "another")
        && set!("TASK|one|thing|entry|addition|job|bit").has(&noun.key)
        && mark.is_mark()
        && mark.key == ","
        && tails::follows(more, context)
}

/// "no rush", "whenever you can": it sets nothing.
pub(super) fn idle(stretch: &[Word]) -> Option<Edits> {
    const WORDS: Set = set(
        "no|not|any|rush|hurry|pressure|panic|great|big|real|particular|massive|mad|whenever|when|ever|i|we|you|can|get|\
         gets|to|it|its|theres|there|is|in|at|all|on|this|that|one|thats|a|just|nothing|time|limit|round|around|have|has|got|\
         moment|minute|chance|suits|really|deadline|stress|worries|dont|need|about|for|needed|of|though|tho",
    );
    const RESTS: Set = set("rush|hurry|pressure|panic|whenever|deadline|stress|limit");
    let words: Vec<&str> = stretch.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    let rests = words.iter().any(|key| RESTS.has(key));
    let denied = words.iter().any(|key| set!("no|not|whenever|nothing|dont").has(key));
    let only = words.len() == stretch.len() && words.len() <= 8 && words.iter().all(|key| WORDS.has(key));
    (rests && denied && only).then(Edits::default)
}
