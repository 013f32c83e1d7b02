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
            Act::Say { .. } | Act::Ask { .. } | Act::Refuse { .. } => &[],
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
mod tests {
    use serde_json::json;

    use super::*;

    const LIMITS: Limits = Limits { steps: 5, calls: 25 };

    fn calls(tools: &[&str], results: &[CallStatus]) -> Step {
        let calls = tools.iter().map(|tool| Call { tool: (*tool).into(), arguments: json!({}), provider_id: None });
        step(Act::Calls { text: String::new(), calls: calls.collect() }, results)
    }

    fn step(act: Act, results: &[CallStatus]) -> Step {
        let reply = Reply::plain(act, "");
        let results = results.iter().map(|status| CallResult { status: *status, value: json!({}) }).collect();
        Step { origin: Origin::Engine, reply, results }
    }

    fn say(text: &str) -> Step {
        step(Act::Say { text: text.into() }, &[])
    }

    fn ending(steps: Vec<Step>) -> (DecisionKind, Outcome) {
        match Machine::new(LIMITS, 0, steps).next() {
            Next::Finish(ending) => (ending.decision.kind, ending.decision.outcome),
            next => panic!("not finished: {next:?}"),
        }
    }

    #[test]
    fn a_turn_asks_runs_in_order_and_asks_again() {
        let mut machine = Machine::new(LIMITS, 0, vec![]);
        assert_eq!(machine.next(), Next::AskEngine { tools: true });
        machine.push(calls(&["add_task", "list_tasks"], &[]));
        for expected in 0..2 {
            let Next::Run { step, index, .. } = machine.next() else { panic!("a call is to run") };
            assert_eq!((step, index), (0, expected));
            machine.record(CallResult { status: CallStatus::Ok, value: json!({}) });
        }
        assert_eq!(machine.next(), Next::AskEngine { tools: true });
        machine.push(say("Done."));
        assert!(matches!(machine.next(), Next::Finish(_)));
    }

    #[test]
    fn a_turn_goes_on_from_its_recorded_steps() {
        let half = calls(&["add_task", "add_task"], &[CallStatus::Ok]);
        let machine = Machine::new(LIMITS, 0, vec![half]);
        assert!(matches!(machine.next(), Next::Run { step: 0, index: 1, .. }));
    }

    #[test]
    fn the_kind_and_outcome_follow_from_what_happened() {
        use CallStatus::{AwaitingApproval, Error, Ok};
        use DecisionKind::{InvokeTool, Refuse, RequestClarification, RespondOnly};
        let ask = || step(Act::Ask { question: "Which?".into(), options: vec![], why: Unclear::Target }, &[]);
        let cases = [
            (vec![say("Hello.")], RespondOnly, Outcome::ResponseGiven),
            (vec![step(Act::Refuse { text: "No.".into() }, &[])], Refuse, Outcome::OutOfScope),
            (vec![ask()], RequestClarification, Outcome::MultipleMatches),
            (vec![calls(&["list_tasks"], &[Ok]), ask()], RequestClarification, Outcome::MultipleMatches),
            (vec![calls(&["add_task"], &[Ok]), ask()], InvokeTool, Outcome::TaskCompleted),
            (vec![calls(&["add_task"], &[Ok]), say("Done.")], InvokeTool, Outcome::TaskCompleted),
            (vec![calls(&["delete_task"], &[AwaitingApproval])], InvokeTool, Outcome::ApprovalRequested),
            (vec![calls(&["add_task", "get_task"], &[Ok, Error]), say("Hm.")], InvokeTool, Outcome::ToolFailed),
            (vec![calls(&["get_task", "delete_task"], &[Error, AwaitingApproval])], InvokeTool, Outcome::ToolFailed),
        ];
        for (steps, kind, outcome) in cases {
            assert_eq!(ending(steps.clone()), (kind, outcome), "{steps:?}");
        }
    }

    #[test]
    fn asking_for_approval_ends_the_turn_after_all_calls_of_the_step() {
        let machine =
            Machine::new(LIMITS, 0, vec![calls(&["delete_task", "add_task"], &[CallStatus::AwaitingApproval])]);
        assert!(matches!(machine.next(), Next::Run { index: 1, .. }));
        let both = calls(&["delete_task", "add_task"], &[CallStatus::AwaitingApproval, CallStatus::Ok]);
        let Next::Finish(ending) = Machine::new(LIMITS, 0, vec![both]).next() else { panic!("the turn ends") };
        assert_eq!(ending.words, Words::Asking);
    }

    #[test]
    fn a_sixth_round_is_refused_and_gets_one_closing_call_without_tools() {
        let mut steps = vec![calls(&["list_tasks"], &[CallStatus::Ok]); 5];
        assert_eq!(Machine::new(LIMITS, 0, steps.clone()).next(), Next::AskEngine { tools: true });
        let done = [steps.clone(), vec![say("Done.")]].concat();
        assert_eq!(ending(done).1, Outcome::TaskCompleted, "five rounds are no fault");
        steps.push(calls(&["list_tasks"], &[]));
        assert_eq!(Machine::new(LIMITS, 0, steps.clone()).next(), Next::AskEngine { tools: false });
        for closing in [say("That is all."), say(" "), calls(&["list_tasks"], &[])] {
            let words = if matches!(&closing.reply.act, Act::Say { text } if text == "That is all.") {
                Words::Engine { text: "That is all.".into(), options: vec![] }
            } else {
                Words::Results
            };
            let all = [steps.clone(), vec![closing]].concat();
            let Next::Finish(ending) = Machine::new(LIMITS, 0, all).next() else { panic!("the turn ends") };
            assert_eq!((ending.words, ending.decision.outcome), (words, Outcome::StepLimit));
        }
    }

    #[test]
    fn rounds_of_the_asking_turn_count_in_the_turn_of_the_verdict() {
        let rounds = vec![calls(&["delete_task"], &[CallStatus::Ok]), calls(&["list_tasks"], &[])];
        assert_eq!(Machine::new(LIMITS, 4, rounds).next(), Next::AskEngine { tools: false });
    }

    #[test]
    fn what_was_approved_runs_although_asking_for_it_took_the_last_round() {
        let mut approved = calls(&["delete_task"], &[]);
        approved.origin = Origin::Approval(ApprovalId::new());
        let machine = Machine::new(LIMITS, 5, vec![approved.clone()]);
        assert!(matches!(machine.next(), Next::Run { step: 0, index: 0, .. }));
        approved.results.push(CallResult { status: CallStatus::Ok, value: json!({}) });
        assert_eq!(Machine::new(LIMITS, 5, vec![approved.clone()]).next(), Next::AskEngine { tools: true });
        let more = Machine::new(LIMITS, 5, vec![approved, calls(&["list_tasks"], &[])]);
        assert_eq!(more.next(), Next::AskEngine { tools: false });
    }

    #[test]
    fn three_bad_outputs_end_the_turn() {
        let bad = || {
            let mut step = calls(&["add_task"], &[CallStatus::Error]);
            step.results[0].value = json!({ "error": "invalid", "message": "The arguments do not fit." });
            step
        };
        assert_eq!(Machine::new(LIMITS, 0, vec![bad(), bad()]).next(), Next::AskEngine { tools: true });
        assert_eq!(ending(vec![bad(), bad(), bad()]), (DecisionKind::InvokeTool, Outcome::InvalidOutput));
        let missing = calls(&["get_task"], &[CallStatus::Error]);
        assert_eq!(Machine::new(LIMITS, 0, vec![missing; 3]).next(), Next::AskEngine { tools: true });
    }

    #[test]
    fn a_flood_of_calls_is_refused_whole() {
        let flood = calls(&["add_task"; 26], &[]);
        assert_eq!(ending(vec![flood]), (DecisionKind::InvokeTool, Outcome::StepLimit));
    }

    #[test]
    fn calls_that_are_asked_again_end_the_turn_whatever_comes_of_them() {
        for (status, outcome) in
            [(CallStatus::AwaitingApproval, Outcome::ApprovalRequested), (CallStatus::Void, Outcome::ApprovalVoid)]
        {
            let mut again = calls(&["delete_task"], &[status]);
            again.origin = Origin::Again(ApprovalId::new());
            assert_eq!(ending(vec![again]), (DecisionKind::InvokeTool, outcome));
        }
    }

    #[test]
    fn an_approval_whose_target_changed_is_void_and_asks_again() {
        let mut again = calls(&["delete_task"], &[CallStatus::AwaitingApproval]);
        again.origin = Origin::Approval(ApprovalId::new());
        assert_eq!(ending(vec![again]), (DecisionKind::InvokeTool, Outcome::ApprovalVoid));
    }
}
