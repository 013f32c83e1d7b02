//! Tests of the next action and the end of a turn.

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
fn approval_request_ends_the_turn_after_its_whole_step() {
    let machine = Machine::new(LIMITS, 0, vec![calls(&["delete_task", "add_task"], &[CallStatus::AwaitingApproval])]);
    assert!(matches!(machine.next(), Next::Run { index: 1, .. }));
    let both = calls(&["delete_task", "add_task"], &[CallStatus::AwaitingApproval, CallStatus::Ok]);
    let Next::Finish(ending) = Machine::new(LIMITS, 0, vec![both]).next() else { panic!("the turn ends") };
    assert_eq!(ending.words, Words::Asking);
}

#[test]
fn round_limit_refuses_more_calls_and_requests_a_closing_reply() {
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
fn rounds_before_approval_count_towards_the_limit_after_the_verdict() {
    let rounds = vec![calls(&["delete_task"], &[CallStatus::Ok]), calls(&["list_tasks"], &[])];
    assert_eq!(Machine::new(LIMITS, 4, rounds).next(), Next::AskEngine { tools: false });
}

#[test]
fn approved_call_runs_even_after_the_last_round() {
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
fn round_is_numbered_for_steps_within_the_limit_only() {
    let round = calls(&["list_tasks"], &[CallStatus::Ok]);
    let mut approved = calls(&["delete_task"], &[CallStatus::Ok]);
    approved.origin = Origin::Approval(ApprovalId::new());
    let flood = calls(&["list_tasks"; 25], &[]);
    for (before, steps, step, expected) in [
        (0, vec![], &round, Some(1)),
        (0, vec![round.clone(); 4], &round, Some(5)),
        (0, vec![round.clone(); 5], &round, None),
        (0, vec![], &flood, Some(1)),
        (0, vec![round.clone()], &flood, None),
        // A verdict by button, with the engine's next step; also one from a step without an engine.
        (2, vec![], &approved, Some(2)),
        (2, vec![approved.clone()], &round, Some(3)),
        (5, vec![approved.clone()], &round, None),
        (0, vec![], &approved, Some(1)),
        // A verdict in the message itself.
        (0, vec![round.clone(), approved.clone()], &round, Some(2)),
    ] {
        assert_eq!(Machine::new(LIMITS, before, steps.clone()).round_of(step), expected, "{before} {steps:?}");
    }
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
fn repeated_approval_request_ends_the_turn_for_any_status() {
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
