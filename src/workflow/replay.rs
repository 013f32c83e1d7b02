//! Replay of a turn from its records, offline and without effects: by the machine over recorded replies, which must reach the identical
//! decision, or by the rules as if they had been asked.

use crate::agent::context::DecisionContext;
use crate::agent::engine;
use crate::agent::machine::{Ending, Limits, Machine, Next, Origin, Step, Words};
use crate::domain::Invalid;
use crate::domain::approval::Approval;
use crate::domain::decision::{Engine, SPENT};
use crate::domain::decision_inputs::{DecisionInputs, EndReason};
use crate::domain::erasure::ERASED;
use crate::domain::id::{TurnId, UserId};
use crate::domain::proposal::question_of_first_wording;
use crate::domain::replay::{Decider, Made, Replay};
use crate::domain::tool::Call;
use crate::domain::turn::Cause;
use crate::domain::user::Caller;
use crate::state::AppState;
use crate::store::decisions::DecisionRow;
use crate::store::turns::TurnRow;
use crate::store::{self, Tx};
use crate::usecases::{self, turn_detail};

use super::commit_turn::TurnReply;
use super::question::Wording;
use super::{Error, history, reply};

/// Replays a turn for a caller who may read it; an admin's reading of another user's turn is recorded.
pub async fn of(state: &AppState, caller: &Caller, id: TurnId, decider: Decider) -> Result<Replay, usecases::Error> {
    let owner = turn_detail::owner(&state.ctx, caller, id).await?;
    again(state, owner, id, decider).await.map_err(refused)?.map_err(usecases::Error::Conflict)
}

/// Replays any turn, for the command line.
pub async fn of_any(state: &AppState, id: TurnId, decider: Decider) -> Result<Replay, usecases::Error> {
    unless_erased(state, id, decider).await?.map_err(usecases::Error::Conflict)
}

/// Replays any turn, for the command line; `Err` describes what is erased.
pub async fn unless_erased(
    state: &AppState,
    id: TurnId,
    decider: Decider,
) -> Result<Result<Replay, String>, usecases::Error> {
    let row = store::audit::get(&mut state.ctx.read().await?, None, id).await?;
    let owner = row.ok_or_else(|| usecases::Error::NotFound("There is no such turn.".into()))?.user;
    again(state, owner, id, decider).await.map_err(refused)
}

/// Returns all finished turns, oldest first. Some may be erased.
pub async fn all(state: &AppState) -> Result<Vec<TurnId>, usecases::Error> {
    Ok(store::audit::turns(&mut state.ctx.read().await?, None).await?)
}

pub fn decider(name: &str) -> Result<Decider, Invalid> {
    Decider::parse(name)
        .ok_or_else(|| Invalid::because(format!("“{name}” is not a replay engine; use recorded or rules.")))
}

/// Converts an error of a replay, which runs no tools: it is of the database, or a record is unreadable.
fn refused(error: Error) -> usecases::Error {
    match error {
        Error::UseCase(error) => error,
        Error::Store(error) => error.into(),
        Error::Tools(_) | Error::Step(_) => usecases::Error::Conflict("A recorded step cannot be read.".into()),
    }
}

/// Inputs of a recorded decision.
struct Material {
    turn: TurnRow,
    decision: DecisionRow,
    basis: DecisionInputs,
    steps: Vec<Step>,
    used_before: usize,
    /// Approval that the turn carried out or answered.
    answered: Option<Approval>,
    /// Approval that the turn requested.
    asked: Option<Approval>,
    /// Approval whose question the reply repeats.
    again: Option<Approval>,
    /// Approvals that the message declined, and approvals pending after that.
    declined: Vec<Approval>,
    open: Vec<Approval>,
}

async fn again(state: &AppState, owner: UserId, id: TurnId, decider: Decider) -> Result<Result<Replay, String>, Error> {
    let mut tx = state.ctx.read().await?;
    let Some(material) = Material::load(&mut tx, owner, id).await? else {
        return Ok(Err("The texts of this turn were erased, so it cannot be replayed.".into()));
    };
    let made = match decider {
        Decider::Recorded => material.follow(),
        Decider::Rules if material.asked_nobody() => material.follow(),
        Decider::Rules => {
            let DecisionInputs { messages, pending, .. } = &material.basis;
            if history::is_context_erased(&mut tx, &material.turn, messages, pending).await? {
                return Ok(
                    Err("The messages before this turn were erased, so its decision cannot be replayed.".into()),
                );
            }
            material.by_the_rules(state, &mut tx).await?
        }
    };
    // The reply repeats the question of an approval whose texts were erased later.
    let is_erased = material.again.as_ref().is_some_and(Approval::is_erased);
    if is_erased && made.as_ref().is_ok_and(|made| made.reply.contains(ERASED)) {
        return Ok(Err("The question that this turn repeats was erased, so it cannot be replayed.".into()));
    }
    Ok(Ok(Replay::of(id, decider, material.recorded(), made)))
}

impl Material {
    /// Loads the inputs; `None` if a part is erased.
    async fn load(tx: &mut Tx, owner: UserId, id: TurnId) -> Result<Option<Self>, Error> {
        let cannot = |why: &str| usecases::Error::Conflict(why.into());
        let turn = store::turns::get(tx, owner, id).await?;
        let turn = turn.ok_or_else(|| usecases::Error::NotFound("There is no such turn.".into()))?;
        if turn.cause == Cause::Mcp {
            return Err(cannot("An outside agent decided this turn, so it cannot be replayed.").into());
        }
        if history::is_erased(tx, &turn).await? {
            return Ok(None);
        }
        let decision = store::decisions::get(tx, owner, id).await?;
        let decision = decision.ok_or_else(|| cannot("The turn has not finished, or its decision is missing."))?;
        let basis = decision.basis.clone();
        let basis = basis
            .ok_or_else(|| cannot("This turn was recorded by a version that did not store what a replay needs."))?;
        let wording = basis.wording;
        let of = |found: Option<Approval>| found.map(|approval| as_worded(approval, wording));
        let again = match basis.asked_again() {
            Some(approval) => of(store::approvals::get(tx, owner, approval).await?),
            None => None,
        };
        let answered = match turn.approval.or(basis.asked_last) {
            Some(approval) => of(store::approvals::get(tx, owner, approval).await?),
            None => None,
        };
        let (mut declined, mut open) = (vec![], vec![]);
        for id in &basis.declined {
            declined.extend(of(store::approvals::get(tx, owner, *id).await?));
        }
        for id in basis.pending.iter().filter(|_| !basis.declined.is_empty()) {
            open.extend(of(store::approvals::get(tx, owner, *id).await?));
        }
        // The reply contains the approval's question.
        let told = matches!(basis.course, EndReason::Rejected | EndReason::Expired);
        let alone = answered.iter().filter(|_| declined.is_empty());
        if told && alone.chain(&declined).chain(&open).any(Approval::is_erased) {
            return Ok(None);
        }
        Ok(Some(Self {
            steps: history::steps_of(tx, owner, id).await?,
            used_before: history::rounds_of_asking(tx, &turn).await?,
            asked: of(store::approvals::of_turn(tx, owner, id).await?),
            answered,
            again,
            declined,
            open,
            turn,
            decision,
            basis,
        }))
    }

    fn recorded(&self) -> Made {
        let decision = &self.decision;
        Made {
            decision: Some(decision.decision),
            intent: decision.intent.clone(),
            reply: decision.reply.clone(),
            options: decision.options.clone(),
            calls: calls(&self.steps),
        }
    }

    /// True if code alone decided, so that no engine was asked.
    fn asked_nobody(&self) -> bool {
        self.is_an_agents() || !matches!(self.basis.course, EndReason::Machine | EndReason::Unavailable)
    }

    /// True if the turn carried out an agent's approval; the next step is up to that agent.
    fn is_an_agents(&self) -> bool {
        self.decision.engine == Engine::External
    }

    fn machine(&self, steps: Vec<Step>) -> Machine {
        let limits = Limits { steps: self.basis.max_steps, calls: self.basis.max_calls };
        Machine::new(limits, self.used_before, steps)
    }

    fn spent(&self) -> bool {
        self.decision.engine_cause.as_deref() == Some(SPENT)
    }

    /// Verifies the recorded steps against the machine and returns its decision.
    fn follow(&self) -> Result<Made, String> {
        for number in 0..self.steps.len() {
            self.leads_to(number)?;
        }
        let steps = &self.steps;
        let trusted = self.decision.engine == Engine::Rules;
        let machine = self.machine(steps.clone());
        let answered = || self.answered.as_ref().ok_or("The approval that it answers is missing from the audit log.");
        let close = match (self.basis.course, machine.next()) {
            (EndReason::Machine | EndReason::Unavailable, Next::Finish(ending)) => {
                reply::close(steps, ending, trusted, self.spent())
            }
            (EndReason::Machine, Next::AskEngine { .. }) if self.is_an_agents() => reply::carried_out(steps),
            (EndReason::Unavailable, Next::AskEngine { .. }) => reply::unavailable(steps, self.spent()),
            (EndReason::Machine | EndReason::Unavailable, _) => {
                return Err("The replay would have continued with another step.".into());
            }
            (EndReason::Stopped, _) => reply::stopped(steps),
            (EndReason::OptedOut, _) => reply::opted_out(steps),
            (EndReason::ShutOut, _) => reply::shut_out(steps),
            (EndReason::GivenUp, _) => reply::given_up(steps),
            (EndReason::Rejected, _) if !self.declined.is_empty() => reply::declined(&self.declined, &self.open),
            (EndReason::Rejected, _) => reply::rejected(answered()?),
            (EndReason::Expired, _) => reply::expired(answered()?),
            (EndReason::Unseen, _) => reply::unseen(),
            (EndReason::TooLate, _) => reply::too_late(self.decision.reply.clone()),
            (EndReason::Noted, _) => reply::noted(self.decision.reply.clone()),
            (EndReason::TooFast, _) => reply::too_fast(self.decision.reply.clone()),
            (EndReason::Refused, _) => TurnReply { text: self.decision.reply.clone(), ..reply::refused(steps, "") },
        };
        Ok(self.made(steps, close))
    }

    /// Returns an error unless step `number` follows from the steps before it, and each of its results from the step.
    fn leads_to(&self, number: usize) -> Result<(), String> {
        let step = &self.steps[number];
        let leads = match (self.machine(self.steps[..number].to_vec()).next(), step.origin) {
            (Next::AskEngine { .. }, Origin::Engine) => true,
            (_, Origin::Approval(_) | Origin::Again(_)) if number == 0 => true,
            // Confirmed in the requesting message itself.
            (Next::Finish(Ending { words: Words::Asking, .. }), Origin::Approval(_)) => true,
            _ => false,
        };
        if !leads {
            return Err(format!("Step {} does not follow from those before it.", number + 1));
        }
        for index in 0..step.results.len() {
            let mut steps = self.steps[..=number].to_vec();
            steps[number].results.truncate(index);
            if !matches!(self.machine(steps).next(), Next::Run { index: at, .. } if at == index) {
                return Err(format!("Call {} of step {} would not have run.", index + 1, number + 1));
            }
        }
        Ok(())
    }

    fn made(&self, steps: &[Step], close: TurnReply) -> Made {
        let unheard = self.basis.unheard && reply::reminds(&close, steps, &self.turn.accepted_at);
        let close = if unheard { reply::unheard(close) } else { close };
        let base = self.basis.base.as_deref().unwrap_or_default();
        let wording = Wording::of(&self.basis, base);
        let reply = close.worded(self.asked.as_ref(), self.again.as_ref(), wording).0;
        let earlier = reply::in_earlier_wording(&reply);
        Made {
            decision: Some(close.decision),
            intent: match self.basis.course {
                EndReason::TooFast => self.decision.intent.clone(),
                _ => engine::intent(steps, close.decision.outcome),
            },
            calls: calls(steps),
            reply: if earlier == self.decision.reply { earlier } else { reply },
            options: close.options,
        }
    }

    /// Returns the decision of the rules, with recorded results for calls that both made.
    async fn by_the_rules(&self, state: &AppState, tx: &mut Tx) -> Result<Result<Made, String>, Error> {
        let context = self.context(state, tx).await?;
        let known: Vec<_> = self.steps.iter().flat_map(|step| step.calls().iter().zip(&step.results)).collect();
        // Approved calls were not decided by an engine.
        let given = self.steps.iter().take_while(|step| step.origin != Origin::Engine);
        let mut machine = self.machine(given.cloned().collect());
        loop {
            match machine.next() {
                Next::AskEngine { tools } => {
                    let Ok(reply) = state.rules().complete(&context.request(machine.steps(), tools)).await else {
                        return Ok(Err("The rules returned no reply.".into()));
                    };
                    machine.push(Step { origin: Origin::Engine, reply, results: vec![] });
                }
                Next::Run { call, .. } => {
                    let result = known.iter().find(|(other, _)| same(other, call)).map(|(_, result)| (*result).clone());
                    let Some(result) = result else { return Ok(Ok(open(machine.steps()))) };
                    machine.record(result);
                }
                Next::Finish(ending) => {
                    if let Some(confirmed) = self.confirmed(machine.steps()).filter(|_| ending.words == Words::Asking) {
                        machine.push(confirmed.clone());
                        continue;
                    }
                    let close = reply::close(machine.steps(), ending, true, false);
                    return Ok(Ok(self.made(machine.steps(), close)));
                }
            }
        }
    }

    /// Returns the step of the calls that the message confirmed, if the last of `steps` requested the same calls.
    fn confirmed(&self, steps: &[Step]) -> Option<&Step> {
        let asked = steps.last()?;
        if asked.origin != Origin::Engine {
            return None;
        }
        let pairs = self.steps.iter().zip(self.steps.iter().skip(1));
        let mut confirmed = pairs.filter(|(before, step)| {
            let calls = before.calls().iter().zip(asked.calls());
            matches!(step.origin, Origin::Approval(_)) && before.calls().len() == asked.calls().len() && { calls }
                .all(|(one, other)| same(one, other))
        });
        confirmed.next().map(|(_, step)| step)
    }

    /// Rebuilds the engine's inputs.
    async fn context(&self, state: &AppState, tx: &mut Tx) -> Result<DecisionContext, Error> {
        // One more, because the turn's own reply is newer.
        let limit = i64::try_from(self.basis.messages.len() + 1).unwrap_or(i64::MAX);
        let (entries, messages) = history::entries(tx, &self.turn, limit).await?;
        let mut pending = vec![];
        for id in &self.basis.pending {
            let approval = store::approvals::get(tx, self.turn.user, *id).await?;
            pending.extend(approval.map(|approval| as_worded(approval, self.basis.wording)));
        }
        let pending = history::waiting(&pending, self.basis.asked_last);
        let mut context = DecisionContext {
            now: self.turn.accepted_at.clone(),
            zone: self.basis.zone.clone(),
            entries,
            messages,
            pending,
            tools: state.tools().specs(),
            memories: vec![],
            barred: vec![],
        };
        if let Some(scopes) = &self.basis.scopes {
            context.bound(scopes);
        }
        Ok(context)
    }
}

/// Returns an approval with the question's wording at the time of the decision.
fn as_worded(approval: Approval, wording: u8) -> Approval {
    match wording {
        0 => Approval { question: question_of_first_wording(&approval.calls, &approval.preview), ..approval },
        _ => approval,
    }
}

fn same(one: &Call, other: &Call) -> bool {
    one.tool == other.tool && one.arguments == other.arguments
}

/// Returns a partial decision: the next call's result is unknown.
fn open(steps: &[Step]) -> Made {
    let intent = steps.iter().find(|step| step.origin == Origin::Engine).map(|step| step.reply.intent.clone());
    Made {
        decision: None,
        intent: intent.unwrap_or_default(),
        reply: String::new(),
        options: vec![],
        calls: calls(steps),
    }
}

fn calls(steps: &[Step]) -> Vec<String> {
    let calls = steps.iter().flat_map(Step::calls);
    calls.map(|call| format!("{} {}", call.tool, call.arguments)).collect()
}
