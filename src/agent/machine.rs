//! The pure state machine of a turn: ask the engine, run its calls, finish. Asking for approval finishes.
//!
//! Its state is a fold over the turn's recorded steps, so that any replica can go on where another stopped.

use crate::domain::decision::{Decision, DecisionKind, Outcome};
use crate::domain::id::ApprovalId;
use crate::domain::tool::{Call, CallResult, CallStatus, ToolName};
use crate::llm::{Act, Reply, Unclear};

/// After how many bad outputs a turn ends.
const BAD_OUTPUTS: usize = 3;

/// The bounds of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Rounds of tool calls.
    pub steps: usize,
    /// Tool calls in all rounds together.
    pub calls: usize,
}

/// Where a step's calls come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    Engine,
    /// The stored calls of an approval, which run as they were shown.
    Approval(ApprovalId),
    /// The stored calls of an approval that expired: the person had them asked afresh, and none runs.
    Again(ApprovalId),
}

/// A recorded step: a reply, and the results of its calls as far as they have run.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    pub origin: Origin,
    pub reply: Reply,
    /// Results of the first calls, in order; shorter than the calls while some are still to run.
    pub results: Vec<CallResult>,
}

impl Step {
    /// The calls that the step asks for.
    pub fn calls(&self) -> &[Call] {
        match &self.reply.act {
            Act::Calls { calls, .. } => calls,
            Act::Say { .. } | Act::Ask { .. } | Act::AskAgain { .. } | Act::Refuse { .. } => &[],
        }
    }
}

/// A turn as far as it has come.
#[derive(Debug, Clone)]
pub struct Machine {
    limits: Limits,
    /// Rounds that the asking turn had used, when this one carries out its approval.
    used_before: usize,
    steps: Vec<Step>,
}

/// What the driver is to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum Next<'a> {
    /// Call the engine; without tools when the rounds are used up.
    AskEngine { tools: bool },
    /// Run a call through the toolbox.
    Run { step: usize, index: usize, call: &'a Call, approval: Option<ApprovalId> },
    /// End the turn.
    Finish(Ending),
}

/// How the turn ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Ending {
    pub decision: Decision,
    pub words: Words,
}

/// Who words the reply.
#[derive(Debug, Clone, PartialEq)]
pub enum Words {
    /// The engine, with choices to offer.
    Engine { text: String, options: Vec<String> },
    /// Code: the results so far, and the question of the approval that was asked for.
    Asking,
    /// Code: this text, and the question of the approval that was asked about last.
    AskingAgain { text: String },
    /// Code: the results so far, since the engine said nothing that can be used.
    Results,
}

impl Machine {
    /// A turn with its recorded steps, oldest first.
    pub fn new(limits: Limits, used_before: usize, steps: Vec<Step>) -> Self {
        Self { limits, used_before, steps }
    }

    /// The steps so far.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Adds a step that has just been recorded.
    pub fn push(&mut self, step: Step) {
        self.steps.push(step);
    }

    /// Adds the result of the call that [`Machine::next`] asked to run.
    pub fn record(&mut self, result: CallResult) {
        self.steps.last_mut().expect("a call belongs to a step").results.push(result);
    }

    /// What to do next: a function of the steps alone.
    pub fn next(&self) -> Next<'_> {
        let Some(last) = self.steps.last() else { return Next::AskEngine { tools: true } };
        match &last.reply.act {
            Act::Calls { calls, .. } => self.after_calls(last, calls),
            Act::Say { text } if text.trim().is_empty() => Next::Finish(self.ending(Words::Results)),
            Act::Say { text } => {
                let words = Words::Engine { text: text.clone(), options: vec![] };
                Next::Finish(self.ending(words))
            }
            Act::Ask { question, options, .. } => {
                let words = Words::Engine { text: question.clone(), options: options.clone() };
                Next::Finish(self.ending(words))
            }
            Act::AskAgain { text } => Next::Finish(self.ending(Words::AskingAgain { text: text.clone() })),
            Act::Refuse { text } => {
                let words = Words::Engine { text: text.clone(), options: vec![] };
                Next::Finish(self.ending(words))
            }
        }
    }

    fn after_calls<'a>(&'a self, last: &'a Step, calls: &'a [Call]) -> Next<'a> {
        if self.over_limit() {
            // One round too many gets one call to close with; a flood, and whoever asks for still more, gets none.
            let first = self.rounds() == self.limits.steps + 1 && self.calls() <= self.limits.calls;
            return if first { Next::AskEngine { tools: false } } else { Next::Finish(self.ending(Words::Results)) };
        }
        // What stands after the bad call in its own step still runs.
        if last.results.len() >= calls.len() && self.bad_outputs() >= BAD_OUTPUTS {
            return Next::Finish(self.ending(Words::Results));
        }
        if let Some(call) = calls.get(last.results.len()) {
            let approval = match last.origin {
                Origin::Engine => None,
                Origin::Approval(approval) | Origin::Again(approval) => Some(approval),
            };
            return Next::Run { step: self.steps.len() - 1, index: last.results.len(), call, approval };
        }
        let asks = last.results.iter().any(|result| result.status == CallStatus::AwaitingApproval);
        if asks || matches!(last.origin, Origin::Again(_)) {
            return Next::Finish(self.ending(Words::Asking));
        }
        Next::AskEngine { tools: self.calls() < self.limits.calls }
    }

    /// What the engine asked for: the calls of an approval were counted when it asked for them.
    fn asked_for(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(|step| step.origin == Origin::Engine && !step.calls().is_empty())
    }

    /// Which round a step about to be recorded is, counted on from those of the turn that asked for it: calls of an approval are
    /// those of the round that asked. `None` where it is more than the engine may, so that none of its calls runs.
    pub fn round_of(&self, step: &Step) -> Option<usize> {
        if step.origin != Origin::Engine {
            return Some(self.rounds().max(1));
        }
        let (round, calls) = (self.rounds() + 1, self.calls() + step.calls().len());
        (round <= self.limits.steps && calls <= self.limits.calls).then_some(round)
    }

    fn rounds(&self) -> usize {
        self.used_before + self.asked_for().count()
    }

    fn calls(&self) -> usize {
        self.asked_for().map(|step| step.calls().len()).sum()
    }

    /// Whether the engine asked for more than it may: the refused round is recorded and none of its calls runs.
    fn over_limit(&self) -> bool {
        self.rounds() > self.limits.steps || self.calls() > self.limits.calls
    }

    /// Replies with a call that no tool could take.
    fn bad_outputs(&self) -> usize {
        let bad = |result: &CallResult| result.status == CallStatus::Error && result.value["error"] == "invalid";
        self.asked_for().filter(|step| step.results.iter().any(bad)).count()
    }

    fn results(&self) -> impl Iterator<Item = (&Step, &CallResult)> {
        self.steps.iter().flat_map(|step| step.results.iter().map(move |result| (step, result)))
    }

    /// Whether an approval asked for in the last round is still open; one of an earlier round was given in the message itself.
    fn waits(&self) -> bool {
        let round = self.steps.iter().rfind(|step| !step.calls().is_empty());
        round.is_some_and(|round| round.results.iter().any(|result| result.status == CallStatus::AwaitingApproval))
    }

    /// Kind and outcome from what happened, in the order of precedence of R-701.
    fn ending(&self, words: Words) -> Ending {
        let has = |status: CallStatus| self.results().any(|(_, result)| result.status == status);
        let changed = self.steps.iter().any(|step| {
            step.calls().iter().zip(&step.results).any(|(call, result)| {
                let writes = ToolName::parse(&call.tool).is_some_and(|tool| !tool.reads());
                writes && matches!(result.status, CallStatus::Ok | CallStatus::AwaitingApproval)
            })
        });
        let act = self.steps.last().map(|step| &step.reply.act);
        let voided = self.results().any(|(step, result)| {
            let asked_afresh =
                result.status == CallStatus::AwaitingApproval && matches!(step.origin, Origin::Approval(_));
            asked_afresh || result.status == CallStatus::Void
        });
        let called = self.steps.iter().any(|step| !step.calls().is_empty());
        let (kind, own) = match act {
            Some(Act::Ask { why, .. }) if !changed => (DecisionKind::RequestClarification, unclear(*why)),
            Some(Act::AskAgain { .. }) if !changed => (DecisionKind::RequestClarification, unclear(Unclear::Intent)),
            Some(Act::Refuse { .. }) if !changed => (DecisionKind::Refuse, Outcome::OutOfScope),
            _ if called => (DecisionKind::InvokeTool, Outcome::TaskCompleted),
            _ => (DecisionKind::RespondOnly, Outcome::ResponseGiven),
        };
        let outcome = if self.over_limit() {
            Outcome::StepLimit
        } else if words == Words::Results && self.bad_outputs() >= BAD_OUTPUTS {
            Outcome::InvalidOutput
        } else if has(CallStatus::Error) && kind == DecisionKind::InvokeTool {
            Outcome::ToolFailed
        } else if voided {
            Outcome::ApprovalVoid
        } else if self.waits() {
            Outcome::ApprovalRequested
        } else {
            own
        };
        Ending { decision: Decision { kind, outcome }, words }
    }
}

fn unclear(why: Unclear) -> Outcome {
    match why {
        Unclear::Intent => Outcome::UnclearIntent,
        Unclear::Target => Outcome::MultipleMatches,
    }
}

#[cfg(test)]
mod tests;
