//! Replies of turns, with fixed texts or the engine's text as far as it is valid.

use std::collections::HashSet;

use crate::agent::machine::{Ending, Origin, Step, Words};
use crate::agent::{claims, engine, render};
use crate::domain::approval::Approval;
use crate::domain::consent;
use crate::domain::decision::{Decision, DecisionKind, Outcome};
use crate::domain::decision_inputs::EndReason;
use crate::domain::time::Timestamp;
use crate::domain::tool::CallStatus;

use super::commit_turn::{Asks, TurnReply};

/// Appended to a reply by the fallback.
const STOOD_IN: &str = "(The AI is unavailable right now, so I used the built-in rules.)";
/// Appended to a reply by the fallback if the daily tokens are used up.
const SPENT: &str = "(You have used up today’s AI quota, so I used the built-in rules.)";
/// Appended to a reply that set a time, if no channel can deliver the reminder.
pub(super) const UNHEARD: &str =
    "(No reminder can reach you at the moment: no Docket tab is open, and no Telegram chat is linked.)";
/// Precedes a question whose answer was sent before it was shown.
const UNSEEN: &str = "You answered before you could see all of this question, so nothing was decided.";
/// Sentences of stored replies whose wording has changed: the earlier wording and the present one.
const REWORDED: [(&str, &str); 8] = [
    ("so I worked by fixed rules.)", "so I used the built-in rules.)"),
    (
        "Your share of the AI for today is used up, and I did not understand this without it.",
        "You have used up today’s AI quota, and I did not understand this without the AI.",
    ),
    ("Your share of the AI for today is used up, so", "You have used up today’s AI quota, so"),
    (
        "(As things stand nothing can remind you of it: no tab of Docket is open, and no chat on Telegram is linked.)",
        UNHEARD,
    ),
    (
        "I stopped here, since this took more steps than I may use. Say “Continue” and I go on.",
        "I stopped here because this took more steps than allowed. Say “Continue” to go on.",
    ),
    ("so I stopped. Please say it in other words.", "so I stopped. Please rephrase your request."),
    ("You chose to be answered without the AI, so", "You switched the AI off, so"),
    ("What is listed above is done.", "Everything listed above is done."),
];
/// Label of the button below a turn that used up its rounds.
const CONTINUE: &str = "Continue";

/// Returns the reply for the machine's ending.
///
/// `trusted` is true if the engine's text comes from code, `spent` if the user's daily tokens are used up.
pub fn close(steps: &[Step], ending: Ending, trusted: bool, spent: bool) -> TurnReply {
    let stood_in = engine::stood_in(steps);
    if stood_in && ending.decision.kind == DecisionKind::Refuse {
        // The fallback did not understand the message or may not act on it; the model may, once it is available.
        return unavailable(steps, spent);
    }
    let decision = ending.decision;
    let mut close = match ending.words {
        Words::Engine { text, options } => {
            let more = decision.outcome == Outcome::StepLimit && options.is_empty();
            let options = if more { vec![CONTINUE.into()] } else { options };
            let own = trusted || stood_in;
            let parts = render::parts(steps).filter(|_| !own);
            let said = |line: &String| text.contains(line) || parts.as_ref().is_some_and(|parts| parts.contains(line));
            let refused = render::refusals(steps).into_iter().filter(|line| !own && !said(line)).collect::<Vec<_>>();
            let refused = (!refused.is_empty()).then(|| refused.join("\n"));
            let text = parts.into_iter().chain(refused).chain([text]).collect::<Vec<_>>().join("\n\n");
            TurnReply { options, ..TurnReply::told(text, decision) }
        }
        Words::Asking => TurnReply { asks: Asks::Own, ..TurnReply::rendered(steps, "", decision) },
        Words::AskingAgain { text, options } => asking_again(text, options, decision),
        Words::Results => match decision.outcome {
            Outcome::StepLimit => {
                let limit = "I stopped here because this took more steps than allowed. Say “Continue” to go on.";
                TurnReply { options: vec![CONTINUE.into()], ..TurnReply::rendered(steps, limit, decision) }
            }
            Outcome::InvalidOutput => {
                let lost = "I could not work out how to do this, so I stopped. Please rephrase your request.";
                let lines = render::fitting_lines(steps).into_iter().chain([with_nothing_changed(steps, lost)]);
                TurnReply::told(lines.collect::<Vec<_>>().join("\n"), decision)
            }
            _ => TurnReply::told(render::all(steps), decision),
        },
    };
    if stood_in {
        close.text = [close.text.as_str(), if spent { SPENT } else { STOOD_IN }]
            .into_iter()
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
            .join("\n");
    } else if !trusted && !changed(steps) && close.asks == Asks::Nothing && claims::speaks_of_a_change(&close.text) {
        close.text = format!("{}\n\nNothing was changed.", close.text.trim_end());
        close.corrected = true;
    }
    close
}

/// Returns a reply in its earlier wording, with which replays compare the replies of earlier versions.
pub fn in_earlier_wording(reply: &str) -> String {
    REWORDED.iter().fold(reply.to_owned(), |text, (earlier, present)| text.replace(present, earlier))
}

/// True if the turn set a time, so that the reply must warn if no channel can deliver the reminder.
pub fn reminds(close: &TurnReply, steps: &[Step], at: &Timestamp) -> bool {
    matches!(close.course, EndReason::Machine | EndReason::Unavailable | EndReason::OptedOut)
        && render::sets_a_time(steps, at)
}

/// Returns the reply with the warning [`UNHEARD`].
pub fn unheard(close: TurnReply) -> TurnReply {
    let text = if close.text.is_empty() { UNHEARD.to_owned() } else { format!("{}\n{UNHEARD}", close.text) };
    TurnReply { text, ..close }
}

/// Returns the reply of a stopped turn. The engine's partial text comes first, so that it is not mistaken for a result.
pub fn stopped(steps: &[Step]) -> TurnReply {
    let decision = Decision { kind: kind_so_far(steps), outcome: Outcome::Cancelled };
    let last = if changed(steps) { "Stopped. This much was already done." } else { "Stopped. Nothing was changed." };
    let close = TurnReply::rendered(steps, last, decision).by(EndReason::Stopped);
    match steps.last().and_then(engine::said) {
        Some(said) => TurnReply { text: format!("{said}…\n\n{}", close.text), ..close },
        None => close,
    }
}

/// Returns the reply of a turn whose user opted out of the model while it ran; the model receives nothing more.
pub fn opted_out(steps: &[Step]) -> TurnReply {
    let decision = Decision { kind: kind_so_far(steps), outcome: Outcome::Cancelled };
    let last = if changed(steps) {
        "You switched the AI off, so I stopped here. Everything listed above is done."
    } else {
        "You switched the AI off, so I stopped here. Nothing was changed."
    };
    TurnReply::rendered(steps, last, decision).by(EndReason::OptedOut)
}

/// Returns the reply of a turn whose account was disabled.
pub fn shut_out(steps: &[Step]) -> TurnReply {
    let (kind, last) = if changed(steps) {
        (DecisionKind::InvokeTool, "This account is disabled, so I stopped here. Everything listed above is done.")
    } else {
        (DecisionKind::Refuse, "This account is disabled; nothing was done.")
    };
    TurnReply::rendered(steps, last, Decision { kind, outcome: Outcome::Cancelled }).by(EndReason::ShutOut)
}

/// Returns the reply of a turn whose token lacks a scope or was revoked; `why` is a sentence about it.
pub fn refused(steps: &[Step], why: &str) -> TurnReply {
    let approved = steps.iter().any(|step| matches!(step.origin, Origin::Approval(_)) && !step.results.is_empty());
    let decision = if approved {
        carried_out(steps).decision
    } else if changed(steps) {
        Decision { kind: DecisionKind::InvokeTool, outcome: Outcome::Cancelled }
    } else {
        Decision { kind: DecisionKind::Refuse, outcome: Outcome::OutOfScope }
    };
    TurnReply::rendered(steps, why, decision).by(EndReason::Refused)
}

/// Returns the reply of a turn that no worker could finish.
pub fn given_up(steps: &[Step]) -> TurnReply {
    let decision = Decision { kind: kind_so_far(steps), outcome: Outcome::Cancelled };
    let last = "Something went wrong on the server, so I stopped here. Please try again.";
    TurnReply::rendered(steps, last, decision).by(EndReason::GivenUp)
}

/// Returns the reply of a turn whose engine and fallback failed. The reply lists completed calls, so that users do not repeat them.
pub fn unavailable(steps: &[Step], spent: bool) -> TurnReply {
    let decision = Decision { kind: kind_so_far(steps), outcome: Outcome::LlmUnavailable };
    let last = if spent && changed(steps) {
        "You have used up today’s AI quota, so I stopped here. Everything listed above is done."
    } else if spent {
        "You have used up today’s AI quota, and I did not understand this without the AI. Nothing was changed. \
         I understand plain requests such as “add buy milk”, “show my tasks” or “complete task 3”."
    } else if changed(steps) {
        "The AI became unavailable, so I stopped here. Everything listed above is done."
    } else {
        "The AI is unavailable right now, and nothing was changed. Your message is kept; please try again in a moment. \
         Until then I understand plain requests such as “add buy milk”, “show my tasks” or “complete task 3”."
    };
    TurnReply::rendered(steps, last, decision).by(EndReason::Unavailable)
}

fn kind_so_far(steps: &[Step]) -> DecisionKind {
    let called = steps.iter().any(|step| !step.results.is_empty());
    if called { DecisionKind::InvokeTool } else { DecisionKind::RespondOnly }
}

/// True if a call has changed anything.
fn changed(steps: &[Step]) -> bool {
    let mut done = steps.iter().flat_map(|step| step.calls().iter().zip(&step.results));
    done.any(|(call, result)| render::changed(call, result))
}

fn with_nothing_changed(steps: &[Step], text: &str) -> String {
    if changed(steps) { text.to_owned() } else { format!("{text} Nothing was changed.") }
}

/// Returns the reply of a turn that carried out an agent's approved calls, one line per call.
pub fn carried_out(steps: &[Step]) -> TurnReply {
    let has = |status| steps.iter().flat_map(|step| &step.results).any(|result| result.status == status);
    let outcome = match (has(CallStatus::Error), has(CallStatus::Void)) {
        (true, _) => Outcome::ToolFailed,
        (false, true) => Outcome::ApprovalVoid,
        (false, false) => Outcome::TaskCompleted,
    };
    TurnReply::rendered(steps, "", Decision { kind: DecisionKind::InvokeTool, outcome })
}

pub fn rejected(approval: &Approval) -> TurnReply {
    let why = approval.reason.as_ref().map(|reason| format!(" Your reason: {reason}")).unwrap_or_default();
    let text = format!("{}{why}", nothing_done(std::slice::from_ref(approval)));
    TurnReply::told(text, Decision { kind: DecisionKind::RespondOnly, outcome: Outcome::UserRejected })
        .by(EndReason::Rejected)
}

/// Returns the reply to a rejection of these approvals in the chat. `open` are still pending, oldest first; the newest is repeated.
pub fn declined(approvals: &[Approval], open: &[Approval]) -> TurnReply {
    let close = match approvals {
        [one] => rejected(one),
        all => TurnReply { text: nothing_done(all), ..rejected(&all[0]) },
    };
    let open = different(open);
    let still = match open {
        0 => return close,
        1 => "This is still open:".to_owned(),
        open => format!("{open} requests are still open. The newest:"),
    };
    let text = format!("{}\n{still}", close.text);
    TurnReply { text, asks: Asks::Again, options: consent::answers_to(open), ..close }
}

fn nothing_done(approvals: &[Approval]) -> String {
    let targets = approvals.iter().flat_map(|approval| &approval.preview);
    let mut kept: Vec<_> = targets.map(|target| format!("{} (#{})", target.before.title, target.task_id)).collect();
    if approvals.len() > 1 {
        let mut known = HashSet::new();
        kept.retain(|task| known.insert(task.clone()));
    }
    match kept.as_slice() {
        [] => "All right, nothing was done.".to_owned(),
        kept => format!("All right, nothing was changed: {}.", kept.join(", ")),
    }
}

/// Counts approvals with different calls; a repeated request counts once.
fn different(approvals: &[Approval]) -> usize {
    let is_first = |(at, one): &(usize, &Approval)| approvals[..*at].iter().all(|other| other.calls != one.calls);
    approvals.iter().enumerate().filter(is_first).count()
}

pub fn expired(approval: &Approval) -> TurnReply {
    let text = format!("Nobody answered in time, so nothing was changed. I had asked: {}", approval.question);
    let decision = Decision { kind: DecisionKind::RespondOnly, outcome: Outcome::ApprovalExpired };
    TurnReply::told(text, decision).by(EndReason::Expired)
}

/// Returns a reply that repeats an approval's question after `text`.
fn asking_again(text: String, options: Vec<String>, decision: Decision) -> TurnReply {
    let options = if options.is_empty() { consent::answers_to(1) } else { options };
    TurnReply { asks: Asks::Again, options, ..TurnReply::told(text, decision) }
}

/// Returns the reply to an answer whose sender cannot have seen the question. The answer decides nothing and is requested again.
pub fn unseen() -> TurnReply {
    let decision = Decision { kind: DecisionKind::RequestClarification, outcome: Outcome::UnclearIntent };
    asking_again(UNSEEN.to_owned(), vec![], decision).by(EndReason::Unseen)
}

/// Returns the reply to a message over the rate limit, with the seconds to wait.
pub fn too_fast(text: String) -> TurnReply {
    let decision = Decision { kind: DecisionKind::Refuse, outcome: Outcome::RateLimited };
    TurnReply::told(text, decision).by(EndReason::TooFast)
}

/// Returns the reply to a request to remember a fact.
pub fn noted(text: String) -> TurnReply {
    let decision = Decision { kind: DecisionKind::RespondOnly, outcome: Outcome::ResponseGiven };
    TurnReply::told(text, decision).by(EndReason::Noted)
}

/// Returns the reply to an answer that came after another one: who decided, and when.
pub fn too_late(text: String) -> TurnReply {
    let decision = Decision { kind: DecisionKind::RespondOnly, outcome: Outcome::ResponseGiven };
    TurnReply::told(text, decision).by(EndReason::TooLate)
}

#[cfg(test)]
mod tests {
    #[test]
    fn earlier_wording_replaces_present_sentences() {
        for (earlier, present) in super::REWORDED {
            let reply = |sentence| format!("Created task: milk (#1)\n{sentence}");
            assert_eq!(super::in_earlier_wording(&reply(present)), reply(earlier));
        }
    }
}
