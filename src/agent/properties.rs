//! Property tests of the pure machine against a small model. Random histories mix verdicts, expiry, edits, undo and crashes (R-402 to
//! No call takes effect without an approval, after expiry or rejection, after a change of its target, or twice.
//!
//! The model's gate checks versions and expiry but trusts the machine that an approval was given. An unjustified call therefore becomes an
//! effect that the checks detect.

use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use serde_json::json;

use super::machine::{Limits, Machine, Next, Origin, Step};
use crate::domain::approval::ApprovalStatus;
use crate::domain::id::ApprovalId;
use crate::domain::tool::{Call, CallResult, CallStatus};
use crate::llm::{Act, Reply};

const CASES: u64 = 100_000;
const LIMITS: Limits = Limits { steps: 3, calls: 6 };
const TASKS: usize = 2;
/// Ticks until an approval expires.
const TTL: u32 = 5;

/// An approval with its invocations.
struct Request {
    id: ApprovalId,
    status: ApprovalStatus,
    expires: u32,
    /// Tasks to be deleted, with the versions shown.
    targets: Vec<(usize, u32)>,
    /// The requesting turn and step.
    asked_by: (usize, usize),
    /// Number of times that its calls ran.
    runs: u32,
    again: bool,
}

/// A turn: its stored state and its worker's memory.
struct Turn {
    carries_out: Option<usize>,
    used_before: usize,
    steps: Vec<Step>,
    worker: Option<Machine>,
    done: bool,
}

struct World {
    dice: StdRng,
    now: u32,
    versions: [u32; TASKS],
    requests: Vec<Request>,
    turns: Vec<Turn>,
    /// The first violation.
    wrong: Option<String>,
}

/// `delete` is high, `edit` is medium, `read` is low.
fn call(tool: &str, task: usize) -> Call {
    Call { tool: tool.into(), arguments: json!(task), provider_id: None }
}

fn step(origin: Origin, act: Act) -> Step {
    Step { origin, reply: Reply::plain(act, ""), results: vec![] }
}

fn result(status: CallStatus) -> CallResult {
    CallResult { status, value: serde_json::Value::Null }
}

fn target(call: &Call) -> usize {
    call.arguments.as_u64().and_then(|task| usize::try_from(task).ok()).unwrap_or_default()
}

impl World {
    fn new(seed: u64) -> Self {
        let dice = StdRng::seed_from_u64(seed);
        Self { dice, now: 0, versions: [1; TASKS], requests: vec![], turns: vec![], wrong: None }
    }

    fn roll(&mut self, sides: usize) -> usize {
        self.dice.random_range(0..sides)
    }

    fn check(&mut self, holds: bool, what: &str) {
        if !holds && self.wrong.is_none() {
            self.wrong = Some(what.to_owned());
        }
    }

    /// Applies one random event.
    fn happen(&mut self) {
        match self.roll(12) {
            0 => self.turns.push(Turn { carries_out: None, used_before: 0, steps: vec![], worker: None, done: false }),
            1 | 2 => self.answer(ApprovalStatus::Approved),
            3 => self.answer(ApprovalStatus::Rejected),
            4 => self.now += 2,
            5 => self.expire(),
            // An edit and its undo each create a new version.
            6 => {
                let task = self.roll(TASKS);
                self.versions[task] += 1;
            }
            7 => self.turns.iter_mut().for_each(|turn| turn.worker = None),
            8 => self.ask_again(),
            _ => self.work(true),
        }
    }

    fn some_request(&mut self) -> Option<usize> {
        if self.requests.is_empty() { None } else { Some(self.roll(self.requests.len())) }
    }

    /// Updates the approval conditionally and starts its turn.
    fn answer(&mut self, verdict: ApprovalStatus) {
        let Some(at) = self.some_request() else { return };
        let request = &mut self.requests[at];
        if request.status == ApprovalStatus::Pending && self.now < request.expires {
            request.status = verdict;
            self.carry_out(at);
        }
    }

    fn expire(&mut self) {
        for at in 0..self.requests.len() {
            let request = &mut self.requests[at];
            if request.status == ApprovalStatus::Pending && self.now >= request.expires {
                request.status = ApprovalStatus::Expired;
                self.carry_out(at);
            }
        }
    }

    fn carry_out(&mut self, at: usize) {
        let asking = &self.turns[self.requests[at].asked_by.0];
        let used_before = asking.steps.iter().filter(|step| step.origin == Origin::Engine).count();
        self.turns.push(Turn { carries_out: Some(at), used_before, steps: vec![], worker: None, done: false });
    }

    fn ask_again(&mut self) {
        let Some(at) = self.some_request() else { return };
        let request = &mut self.requests[at];
        if request.status == ApprovalStatus::Expired && !request.again {
            request.again = true;
            let calls = request.targets.iter().map(|(task, _)| call("delete", *task)).collect();
            let steps = vec![step(Origin::Again(request.id), Act::Calls { text: String::new(), calls })];
            self.turns.push(Turn { carries_out: None, used_before: 0, steps, worker: None, done: false });
        }
    }

    /// Runs one step of the first unfinished turn. The worker may crash before or after the commit.
    fn work(&mut self, dies: bool) {
        let Some(at) = self.turns.iter().position(|turn| !turn.done) else { return };
        let (before, after) = if dies { (self.roll(8) == 0, self.roll(8) == 0) } else { (false, false) };
        let turn = &mut self.turns[at];
        if let (Some(request), true) = (turn.carries_out, turn.steps.is_empty()) {
            let request = &self.requests[request];
            if request.status != ApprovalStatus::Approved {
                turn.done = !before;
                return;
            }
            let calls = request.targets.iter().map(|(task, _)| call("delete", *task)).collect();
            let step = step(Origin::Approval(request.id), Act::Calls { text: String::new(), calls });
            if !before {
                turn.steps.push(step);
            }
            return;
        }
        let machine = turn.worker.take().unwrap_or_else(|| Machine::new(LIMITS, turn.used_before, turn.steps.clone()));
        let Some(machine) = (if before { None } else { self.go_on(at, machine) }) else { return };
        if !after {
            self.turns[at].worker = Some(machine);
        }
    }

    /// Executes and commits the machine's next action; `None` if the turn has ended.
    fn go_on(&mut self, at: usize, mut machine: Machine) -> Option<Machine> {
        match machine.next() {
            Next::AskEngine { tools } => {
                let waits = machine.steps().iter().flat_map(|step| &step.results);
                let waits = waits.filter(|result| result.status == CallStatus::AwaitingApproval).count() > 0;
                self.check(!waits, "the engine is asked while a request of this turn waits");
                let said = self.engine(tools);
                if !said.calls().is_empty() {
                    self.turns[at].steps.push(said.clone());
                }
                machine.push(said);
                Some(machine)
            }
            Next::Run { step, index, call, approval } => {
                let rows = &self.turns[at].steps[step].results;
                let done = match rows.get(index) {
                    Some(row) => row.clone(),
                    None => self.run(at, step, &call.clone(), approval),
                };
                machine.record(done);
                Some(machine)
            }
            Next::Finish(_) => {
                self.turns[at].done = true;
                None
            }
        }
    }

    /// A random engine.
    fn engine(&mut self, tools: bool) -> Step {
        if !tools && self.roll(4) > 0 || self.roll(3) == 0 {
            return step(Origin::Engine, Act::Say { text: "Done.".into() });
        }
        let count = 1 + self.roll(3);
        let tools = ["delete", "delete", "edit", "read"];
        let calls = (0..count).map(|_| call(tools[self.roll(tools.len())], self.roll(TASKS))).collect();
        step(Origin::Engine, Act::Calls { text: String::new(), calls })
    }

    /// Runs the gate and the effect in one commit.
    fn run(&mut self, turn: usize, number: usize, call: &Call, approval: Option<ApprovalId>) -> CallResult {
        if let Some(id) = approval {
            self.run_approved(turn, number, id);
            return self.turns[turn].steps[number]
                .results
                .first()
                .cloned()
                .unwrap_or_else(|| result(CallStatus::Error));
        }
        let status = match call.tool.as_str() {
            "delete" => {
                self.ask(turn, number, &[target(call)]);
                CallStatus::AwaitingApproval
            }
            "edit" => {
                self.versions[target(call)] += 1;
                CallStatus::Ok
            }
            _ => CallStatus::Ok,
        };
        self.turns[turn].steps[number].results.push(result(status));
        result(status)
    }

    fn ask(&mut self, turn: usize, number: usize, tasks: &[usize]) {
        let shown: Vec<_> = tasks.iter().map(|task| (*task, self.versions[*task])).collect();
        if let Some(open) = self.requests.iter_mut().find(|request| request.asked_by == (turn, number)) {
            open.targets.extend(shown);
            return;
        }
        self.requests.push(Request {
            id: ApprovalId::new(),
            status: ApprovalStatus::Pending,
            expires: self.now + TTL,
            targets: shown,
            asked_by: (turn, number),
            runs: 0,
            again: false,
        });
    }

    /// Runs all stored calls of the approval, or requests it again.
    fn run_approved(&mut self, turn: usize, number: usize, id: ApprovalId) {
        let Some(at) = self.requests.iter().position(|request| request.id == id) else {
            return self.check(false, "a call names no request");
        };
        let tasks: Vec<_> = self.requests[at].targets.iter().map(|(task, _)| *task).collect();
        let same = self.requests[at].targets.iter().all(|(task, version)| self.versions[*task] == *version);
        let status = self.requests[at].status;
        let fate = if status == ApprovalStatus::Expired || !same {
            if status == ApprovalStatus::Approved {
                self.requests[at].status = ApprovalStatus::Void;
            }
            self.ask(turn, number, &tasks);
            CallStatus::AwaitingApproval
        } else {
            self.check(status == ApprovalStatus::Approved, "an effect without an approved row");
            self.requests[at].runs += 1;
            self.check(self.requests[at].runs == 1, "an effect twice");
            tasks.iter().for_each(|task| self.versions[*task] += 1);
            CallStatus::Ok
        };
        self.turns[turn].steps[number].results = tasks.iter().map(|_| result(fate)).collect();
    }

    /// Finishes every turn and checks the results.
    fn settle(&mut self) {
        for _ in 0..400 {
            self.work(false);
        }
        self.check(self.turns.iter().all(|turn| turn.done), "a turn does not end");
        for at in 0..self.requests.len() {
            let (status, runs) = (self.requests[at].status, self.requests[at].runs);
            let expected = u32::from(status == ApprovalStatus::Approved);
            self.check(runs == expected, "a request ran although it was not approved, or was approved and did not run");
        }
        let beyond = self.turns.iter().flat_map(|turn| {
            let rounds = turn.steps.iter().filter(|step| step.origin == Origin::Engine);
            rounds.skip(LIMITS.steps.saturating_sub(turn.used_before))
        });
        let ran = beyond.filter(|step| !step.results.is_empty()).count();
        self.check(ran == 0, "a round beyond the limit ran");
    }
}

#[test]
fn approved_calls_run_exactly_once_and_unapproved_never() {
    let (mut ran, mut asked) = (0, 0);
    for seed in 0..CASES {
        let mut world = World::new(seed);
        world.turns.push(Turn { carries_out: None, used_before: 0, steps: vec![], worker: None, done: false });
        for _ in 0..20 {
            world.happen();
        }
        world.settle();
        assert_eq!(world.wrong, None, "seed {seed}");
        asked += world.requests.len();
        ran += world.requests.iter().filter(|request| request.runs == 1).count();
    }
    // Ensures that the histories exercise enough approvals and runs.
    assert!(asked > 40_000 && ran > 5_000, "{asked} asked, {ran} ran");
}
