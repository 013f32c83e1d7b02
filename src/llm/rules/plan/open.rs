//! Pending approvals, and messages that answer them too briefly. After such a message the newest one is asked again,
//! with the possible answers.

use crate::domain::consent;
use crate::domain::decision::DecisionKind;
use crate::llm::rules::lex::set::{Set, file_set, set};
use crate::llm::rules::normalise::words::words;
use crate::llm::rules::plan::recall::Past;
use crate::llm::rules::read::assent;
use crate::llm::rules::read::intent::{Part, Target};
use crate::llm::rules::read::talk;
use crate::llm::{Act, Request, Unclear};

/// Maximum words of a message that may be only an answer.
const LONGEST: usize = 8;

/// The direction of a short answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::llm::rules) enum Answer {
    Yes,
    No,
    /// "yes no", "yes?", "👍".
    Unclear,
}

/// Parses a message that is only an answer, clear or not.
pub(in crate::llm::rules) fn answer(text: &str) -> Option<Answer> {
    const YES: Set = file_set!("answer_yes");
    const NO: Set = file_set!("answer_no");
    const FILLS: Set = file_set!("answer_fills");
    match consent::answer(text) {
        Some(consent::Answer::Yes) => return Some(Answer::Yes),
        Some(consent::Answer::No) => return Some(Answer::No),
        Some(consent::Answer::NoBut(_)) | None => {}
    }
    if consent::declines_several(text, true).is_some() {
        return Some(Answer::No);
    }
    if assent::said(text) {
        return Some(Answer::Yes);
    }
    let message = words(text);
    let keys: Vec<&str> = message.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    if keys.is_empty() {
        return Some(Answer::Unclear);
    }
    let has = |set: Set| keys.iter().any(|key| set.has(key));
    let only = keys.len() <= LONGEST && keys.iter().all(|key| YES.has(key) || NO.has(key) || FILLS.has(key));
    match (has(YES), has(NO)) {
        (true, false) if only && !text.contains('?') => Some(Answer::Yes),
        (false, true) if only && !text.contains('?') => Some(Answer::No),
        (true, _) | (_, true) if only => Some(Answer::Unclear),
        (_, _) => None,
    }
}

/// Returns the number of different pending approvals.
fn count(request: &Request) -> usize {
    request.pending.iter().filter(|pending| !pending.is_repeated).count()
}

/// Repeats the newest approval's question after `lead`. With several approvals, explains first that a short answer decided nothing.
pub(in crate::llm::rules) fn again(lead: &str, request: &Request) -> Act {
    let open = count(request);
    if open < 2 {
        return Act::AskAgain { text: lead.to_owned(), options: vec![] };
    }
    let several = format!(
        "{open} requests are open, so nothing was decided. Approve them on their cards, or decline some here. The newest:"
    );
    let text = [lead, &several].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
    Act::AskAgain { text, options: consent::answers_to(open) }
}

/// Returns the reply to an answer that decides nothing. `last` is the previous turn; `parts` is the message's meaning
/// without pending approvals.
pub(in crate::llm::rules) fn answered(
    text: &str,
    parts: &[Part],
    last: Option<&Past>,
    request: &Request,
) -> Option<Act> {
    if request.pending.is_empty() && continues(text) {
        return Some(nothing_to_continue(last));
    }
    if request.pending.is_empty() {
        return unasked(text, parts, last);
    }
    let newest = request.pending.iter().any(|pending| pending.asked_last);
    // Another question was asked later.
    let asked = !newest && last.is_some_and(|last| last.kind == Some(DecisionKind::RequestClarification));
    let idle = matches!(parts, [part] if *part == talk::nothing_waits());
    // "yes but not today", "yes, it's paid"
    let asks = |part: &Part| match part {
        Part::Ask { .. } | Part::Say(_) | Part::Refuse(_) | Part::Happened(_) => true,
        _ => matches!(part, Part::Complete(Target::It | Target::Said(_))),
    };
    let hedged = |(agrees, change)| agrees || matches!(change, consent::Change::Less(_));
    let hedges = newest && parts.iter().all(asks) && consent::amended(text).is_some_and(hedged);
    let answer = answer(text).or((idle || hedges).then_some(Answer::Unclear))?;
    let says_more = !matches!(parts, [Part::Say(_)] | [Part::Ask { .. }] | [Part::Refuse(_)]);
    if asked && says_more && answer != Answer::Unclear {
        return None;
    }
    let lead = match (newest, answer) {
        (true, _) if count(request) > 1 => "",
        (true, _) => "That is no clear yes or no to this, so nothing was decided.",
        (false, Answer::No) if asked => "All right, nothing was changed. This is still open:",
        (false, _) => "This is still open:",
    };
    let lead = if count(request) > 1 { lead.trim_end_matches("This is still open:").trim_end() } else { lead };
    Some(again(lead, request))
}

/// Returns true if a message only asks to continue what was stopped.
fn continues(text: &str) -> bool {
    const ASKS: Set = set(
        "continue|continue please|please continue|ok continue|okay continue|yes continue|carry on|carry on please|please carry on|\
         keep going|keep going please|please keep going|resume|continue then|continue with that|continue with it|finish the rest|do the rest",
    );
    let message = words(text);
    let keys: Vec<&str> = message.iter().filter(|word| !word.is_mark()).map(|word| word.key.as_str()).collect();
    ASKS.has(&keys.join(" "))
}

/// The rules do not know the remaining work of a stopped turn.
fn nothing_to_continue(last: Option<&Past>) -> Act {
    if !last.is_some_and(|last| last.reply.contains("“Continue”")) {
        let text = "There is nothing to go on with, so nothing was changed. Say “show my tasks” to see your list.";
        return Act::Say { text: text.to_owned() };
    }
    Act::Ask {
        question: "I cannot tell what was left to do, so nothing more was done. What is still missing?".to_owned(),
        options: vec!["show my tasks".to_owned()],
        why: Unclear::Intent,
    }
}

/// Returns the reply to a yes or no that does not fit the last question, with no approval pending.
fn unasked(text: &str, parts: &[Part], last: Option<&Past>) -> Option<Act> {
    let last = last.filter(|last| last.kind == Some(DecisionKind::RequestClarification))?;
    if !matches!(parts, [part] if *part == talk::nothing_waits()) {
        return None;
    }
    match answer(text)? {
        Answer::No => Some(Act::Say {
            text: "All right, nothing was changed. Say “show my tasks” to see your list.".to_owned(),
        }),
        Answer::Yes | Answer::Unclear => {
            Some(Act::Ask { question: last.reply.to_owned(), options: vec![], why: Unclear::Intent })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_answers_have_a_direction_or_none() {
        for (text, expected) in [
            ("yes", Some(Answer::Yes)),
            ("yes please", Some(Answer::Yes)),
            ("sure, why not", Some(Answer::Yes)),
            ("ok yes", Some(Answer::Yes)),
            ("no!!", Some(Answer::No)),
            ("never mind", Some(Answer::No)),
            ("decline all", Some(Answer::No)),
            ("no, don't", Some(Answer::No)),
            ("yes?", Some(Answer::Unclear)),
            ("no?", Some(Answer::Unclear)),
            ("yes no", Some(Answer::Unclear)),
            ("yes... no", Some(Answer::Unclear)),
            ("👍", Some(Answer::Unclear)),
            ("?", Some(Answer::Unclear)),
            ("delete it?", None),
            ("yes delete 3", None),
            ("no milk", None),
            ("add eggs", None),
            ("show my tasks", None),
            ("thanks", None),
        ] {
            assert_eq!(answer(text), expected, "{text}");
        }
    }
}
