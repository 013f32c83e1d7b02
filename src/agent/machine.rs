//! The pure state machine of a turn: ask the engine, run its calls, finish.
//!
//! The state is a fold over the recorded steps, so that any replica can resume the turn.

use crate::domain::decision::{Decision, DecisionKind, Outcome};
use crate::domain::id::ApprovalId;
use crate::domain::tool::{Call, CallResult, CallStatus, ToolName};
use crate::llm::{Act, Reply, Unclear};

/// Number of invalid outputs that end a turn.
const BAD_OUTPUTS: usize = 3;

/// Limits of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum rounds of tool calls.
    pub steps: usize,
    /// Maximum tool calls in all rounds.
    pub calls: usize,
}

/// The origin of a step's calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    Engine,
    /// An approval's stored calls, which run exactly as shown.
    Approval(ApprovalId),
    /// The stored calls of an expired approval, to be requested again; none runs.
    Again(ApprovalId),
}

/// A recorded step: a reply and the results of its calls so far.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    pub origin: Origin,
    pub reply: Reply,
    /// Results in call order; shorter than the calls while some have not run.
    pub results: Vec<CallResult>,
}

impl Step {
    /// Returns the step's calls.
    pub fn calls(&self) -> &[Call] {
        match &self.reply.act {
            Act::Calls { calls, .. } => calls,
            Act::Say { .. } | Act::Ask { .. } | Act::AskAgain { .. } | Act::Refuse { .. } => &[],
        }
    }
}

/// The state of a turn.
#[derive(Debug, Clone)]
pub struct Machine {
    limits: Limits,
    /// Rounds used by the turn that requested the approval, if this turn carries it out.
    used_before: usize,
    steps: Vec<Step>,
}

/// The driver's next action.
#[derive(Debug, Clone, PartialEq)]
pub enum Next<'a> {
    /// Call the engine; without tools if the rounds are used up.
    AskEngine { tools: bool },
    /// Run a call through the toolbox.
    Run { step: usize, index: usize, call: &'a Call, approval: Option<ApprovalId> },
    /// End the turn.
    Finish(Ending),
}

/// The end of a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Ending {
    pub decision: Decision,
    pub words: Words,
}

/// The source of the reply text.
#[derive(Debug, Clone, PartialEq)]
pub enum Words {
    /// The engine's text, with options.
    Engine { text: String, options: Vec<String> },
    /// Code writes the results so far and the approval's question.
    Asking,
    /// Code writes this text and the question of the approval asked last, or else of the newest pending one.
    AskingAgain { text: String, options: Vec<String> },
    /// Code writes the results so far, since the engine gave no usable text.
    Results,
}

impl Machine {
    /// Creates the state from the recorded steps, oldest first.
    pub fn new(limits: Limits, used_before: usize, steps: Vec<Step>) -> Self {
        Self { limits, used_before, steps }
    }

    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    pub fn push(&mut self, step: Step) {
        self.steps.push(step);
    }

    /// Adds the result of the call that [`Machine::next`] returned.
    pub fn record(&mut self, result: CallResult) {
        self.steps.last_mut().expect("a call belongs to a step").results.push(result);
    }

    /// Returns the next action, a function of the steps alone.
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
            Act::AskAgain { text, options } => {
                let words = Words::AskingAgain { text: text.clone(), options: options.clone() };
                Next::Finish(self.ending(words))
            }
            Act::Refuse { text } => {
                let words = Words::Engine { text: text.clone(), options: vec![] };
                Next::Finish(self.ending(words))
            }
        }
    }

    fn after_calls<'a>(&'a self, last: &'a Step, calls: &'a [Call]) -> Next<'a> {
        if self.over_limit() {
            // The first round above the limit gets one closing call without tools; a call flood or a further round gets none.
            let first = self.rounds() == self.limits.steps + 1 && self.calls() <= self.limits.calls;
            return if first { Next::AskEngine { tools: false } } else { Next::Finish(self.ending(Words::Results)) };
        }
        // Calls after the invalid one in its step still run.
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

    /// Returns the engine's steps with calls. Approved calls were counted when the engine requested them.
    fn asked_for(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(|step| step.origin == Origin::Engine && !step.calls().is_empty())
    }

    /// Returns the round number of a step about to be recorded. Rounds continue those of the requesting turn, and
    /// approved calls belong to the requesting round. `None` if the step exceeds the limits, so that none of its calls runs.
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

    /// Returns true if the engine exceeded its limits. The refused round is recorded and none of its calls runs.
    fn over_limit(&self) -> bool {
        self.rounds() > self.limits.steps || self.calls() > self.limits.calls
    }

    /// Returns the number of replies with a call that no tool accepted.
    fn bad_outputs(&self) -> usize {
        let bad = |result: &CallResult| result.status == CallStatus::Error && result.value["error"] == "invalid";
        self.asked_for().filter(|step| step.results.iter().any(bad)).count()
    }

    fn results(&self) -> impl Iterator<Item = (&Step, &CallResult)> {
        self.steps.iter().flat_map(|step| step.results.iter().map(move |result| (step, result)))
    }

    /// Returns true if an approval requested in the last round is pending. Approvals of earlier rounds were confirmed
    /// in the message itself.
    fn waits(&self) -> bool {
        let round = self.steps.iter().rfind(|step| !step.calls().is_empty());
        round.is_some_and(|round| round.results.iter().any(|result| result.status == CallStatus::AwaitingApproval))
    }

    /// Returns kind and outcome, by the precedence of R-701.
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
