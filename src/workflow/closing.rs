//! How a turn ends in code's own words, or in the engine's as far as they may stand.

use crate::agent::machine::{Ending, Origin, Step, Words};
use crate::agent::{claims, engine, render};
use crate::domain::approval::Approval;
use crate::domain::basis::Course;
use crate::domain::decision::{Decision, DecisionKind, Outcome};
use crate::domain::time::Timestamp;
use crate::domain::tool::CallStatus;

use super::finish::{Asks, Close};

/// Under a reply that the rules gave in place of a model.
const STOOD_IN: &str = "(The AI is unavailable right now, so I worked by fixed rules.)";
/// The same where the model was not asked.
const SPENT: &str = "(Your share of the AI for today is used up, so I worked by fixed rules.)";
/// In a reply that set a time, where nobody could be told when it comes.
pub(super) const UNHEARD: &str =
    "(As things stand nothing can remind you of it: no tab of Docket is open, and no chat on Telegram is linked.)";
/// Before the question that a yes or no came too early for.
const UNSEEN: &str = "You answered before you could see all of this question, so nothing was decided.";
/// The button under a turn that used up its rounds.
const CONTINUE: &str = "Continue";

/// The reply that the machine's ending asks for.
///
/// `trusted` says whether the engine's words come from code, `spent` whether the user's tokens of the day are used up.
pub fn close(steps: &[Step], ending: Ending, trusted: bool, spent: bool) -> Close {
    let stood_in = engine::stood_in(steps);
    if stood_in && ending.decision.kind == DecisionKind::Refuse {
        // The rules did not understand it either, or may not: that is for the model to say once it is back.
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
            Close { options, ..Close::told(text, decision) }
        }
        Words::Asking => Close { asks: Asks::Own, ..Close::rendered(steps, "", decision) },
        Words::AskingAgain { text } => asking_again(text, decision),
        Words::Results => match decision.outcome {
            Outcome::StepLimit => {
                let limit = "I stopped here, since this took more steps than I may use. Say “Continue” and I go on.";
                Close { options: vec![CONTINUE.into()], ..Close::rendered(steps, limit, decision) }
            }
            Outcome::InvalidOutput => {
                let lost = "I could not work out how to do this, so I stopped. Please say it in other words.";
                let lines = render::fitting_lines(steps).into_iter().chain([with_nothing_changed(steps, lost)]);
                Close::told(lines.collect::<Vec<_>>().join("\n"), decision)
            }
            _ => Close::told(render::all(steps), decision),
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

/// Whether the reply is to say so if nobody could be told when the time that the turn has set comes.
pub fn reminds(close: &Close, steps: &[Step], at: &Timestamp) -> bool {
    matches!(close.course, Course::Machine | Course::Unavailable | Course::OptedOut) && render::sets_a_time(steps, at)
}

/// The reply, saying so.
pub fn unheard(close: Close) -> Close {
    let text = if close.text.is_empty() { UNHEARD.to_owned() } else { format!("{}\n{UNHEARD}", close.text) };
    Close { text, ..close }
}

/// The person stopped it. What the engine had begun to say stands first, so that nobody takes it for what was done.
pub fn stopped(steps: &[Step]) -> Close {
    let decision = Decision { kind: kind_so_far(steps), outcome: Outcome::Cancelled };
    let last = if changed(steps) { "Stopped. This much was already done." } else { "Stopped. Nothing was changed." };
    let close = Close::rendered(steps, last, decision).by(Course::Stopped);
    match steps.last().and_then(engine::said) {
        Some(said) => Close { text: format!("{said}…\n\n{}", close.text), ..close },
        None => close,
    }
}

/// The person chose to be answered without a model while one was at it: it is sent nothing more.
pub fn opted_out(steps: &[Step]) -> Close {
    let decision = Decision { kind: kind_so_far(steps), outcome: Outcome::Cancelled };
    let last = if changed(steps) {
        "You chose to be answered without the AI, so I stopped here. What is listed above is done."
    } else {
        "You chose to be answered without the AI, so I stopped here. Nothing was changed."
    };
    Close::rendered(steps, last, decision).by(Course::OptedOut)
}

/// The sender's account was disabled meanwhile.
pub fn shut_out(steps: &[Step]) -> Close {
    let (kind, last) = if changed(steps) {
        (DecisionKind::InvokeTool, "This account is disabled, so I stopped here. What is listed above is done.")
    } else {
        (DecisionKind::Refuse, "This account is disabled; nothing was done.")
    };
    Close::rendered(steps, last, Decision { kind, outcome: Outcome::Cancelled }).by(Course::ShutOut)
}

/// The token behind the turn does not allow it, or not any more; `why` is one sentence about that.
pub fn refused(steps: &[Step], why: &str) -> Close {
    let approved = steps.iter().any(|step| matches!(step.origin, Origin::Approval(_)) && !step.results.is_empty());
    let decision = if approved {
        carried_out(steps).decision
    } else if changed(steps) {
        Decision { kind: DecisionKind::InvokeTool, outcome: Outcome::Cancelled }
    } else {
        Decision { kind: DecisionKind::Refuse, outcome: Outcome::OutOfScope }
    };
    Close::rendered(steps, why, decision).by(Course::Refused)
}

/// No worker could finish it.
pub fn given_up(steps: &[Step]) -> Close {
    let decision = Decision { kind: kind_so_far(steps), outcome: Outcome::Cancelled };
    let last = "Something went wrong on the server, so I stopped here. Please try again.";
    Close::rendered(steps, last, decision).by(Course::GivenUp)
}

/// The engine failed, and nobody could stand in. Whoever reads it must not do again what was done.
pub fn unavailable(steps: &[Step], spent: bool) -> Close {
    let decision = Decision { kind: kind_so_far(steps), outcome: Outcome::LlmUnavailable };
    let last = if spent && changed(steps) {
        "Your share of the AI for today is used up, so I stopped here. What is listed above is done."
    } else if spent {
        "Your share of the AI for today is used up, and I did not understand this without it. Nothing was changed. \
         I understand plain requests such as “add buy milk”, “show my tasks” or “complete task 3”."
    } else if changed(steps) {
        "The AI became unavailable, so I stopped here. What is listed above is done."
    } else {
        "The AI is unavailable right now, and nothing was changed. Your message is kept; please try again in a moment. \
         Until then I understand plain requests such as “add buy milk”, “show my tasks” or “complete task 3”."
    };
    Close::rendered(steps, last, decision).by(Course::Unavailable)
}

fn kind_so_far(steps: &[Step]) -> DecisionKind {
    let called = steps.iter().any(|step| !step.results.is_empty());
    if called { DecisionKind::InvokeTool } else { DecisionKind::RespondOnly }
}

/// Whether a call has changed anything.
fn changed(steps: &[Step]) -> bool {
    let mut done = steps.iter().flat_map(|step| step.calls().iter().zip(&step.results));
    done.any(|(call, result)| render::changed(call, result))
}

fn with_nothing_changed(steps: &[Step], text: &str) -> String {
    if changed(steps) { text.to_owned() } else { format!("{text} Nothing was changed.") }
}

/// The calls that an outside agent had asked for and a person approved are done, each with its line.
pub fn carried_out(steps: &[Step]) -> Close {
    let has = |status| steps.iter().flat_map(|step| &step.results).any(|result| result.status == status);
    let outcome = match (has(CallStatus::Error), has(CallStatus::Void)) {
        (true, _) => Outcome::ToolFailed,
        (false, true) => Outcome::ApprovalVoid,
        (false, false) => Outcome::TaskCompleted,
    };
    Close::rendered(steps, "", Decision { kind: DecisionKind::InvokeTool, outcome })
}

/// A no, told.
pub fn rejected(approval: &Approval) -> Close {
    let kept: Vec<_> =
        approval.preview.iter().map(|target| format!("{} (#{})", target.before.title, target.task_id)).collect();
    let why = approval.reason.as_ref().map(|reason| format!(" Your reason: {reason}")).unwrap_or_default();
    let text = match kept.as_slice() {
        [] => format!("All right, nothing was done.{why}"),
        kept => format!("All right, nothing was changed: {}.{why}", kept.join(", ")),
    };
    Close::told(text, Decision { kind: DecisionKind::RespondOnly, outcome: Outcome::UserRejected }).by(Course::Rejected)
}

/// Silence, told.
pub fn expired(approval: &Approval) -> Close {
    let text = format!("Nobody answered in time, so nothing was changed. I had asked: {}", approval.question);
    let decision = Decision { kind: DecisionKind::RespondOnly, outcome: Outcome::ApprovalExpired };
    Close::told(text, decision).by(Course::Expired)
}

/// The approval that was asked about last is asked about again, behind `text`.
fn asking_again(text: String, decision: Decision) -> Close {
    Close { asks: Asks::Again, options: vec!["yes".into(), "no".into()], ..Close::told(text, decision) }
}

/// A yes or no to a question that its sender could not have seen decides nothing, and is asked for again.
pub fn unseen() -> Close {
    let decision = Decision { kind: DecisionKind::RequestClarification, outcome: Outcome::UnclearIntent };
    asking_again(UNSEEN.to_owned(), decision).by(Course::Unseen)
}

/// The message came too soon after others, which is told with how long to wait.
pub fn too_fast(text: String) -> Close {
    let decision = Decision { kind: DecisionKind::Refuse, outcome: Outcome::RateLimited };
    Close::told(text, decision).by(Course::TooFast)
}

/// A yes or no that came after another's is told by whose, and when.
pub fn too_late(text: String) -> Close {
    let decision = Decision { kind: DecisionKind::RespondOnly, outcome: Outcome::ResponseGiven };
    Close::told(text, decision).by(Course::TooLate)
}
