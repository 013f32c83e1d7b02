//! A turn decided again from its record, offline and without effects: by the machine over the recorded replies, which must come
//! to the identical decision, or by the rules as if they had been asked.

use crate::agent::context::{DecisionContext, Pending};
use crate::agent::engine;
use crate::agent::machine::{Ending, Limits, Machine, Next, Origin, Step, Words};
use crate::domain::Invalid;
use crate::domain::approval::Approval;
use crate::domain::basis::{Basis, Course};
use crate::domain::decision::{Engine, SPENT};
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
use crate::usecases::{self, story};

use super::finish::Close;
use super::question::Wording;
use super::{Error, closing, history};

/// Decides the turn again for somebody who may read it; an admin's reading of another's is recorded.
pub async fn of(state: &AppState, caller: &Caller, id: TurnId, decider: Decider) -> Result<Replay, usecases::Error> {
    let owner = story::owner(&state.ctx, caller, id).await?;
    again(state, owner, id, decider).await.map_err(refused)?.map_err(usecases::Error::Conflict)
}

/// Decides the turn again for the operator of the machine.
pub async fn of_any(state: &AppState, id: TurnId, decider: Decider) -> Result<Replay, usecases::Error> {
    unless_erased(state, id, decider).await?.map_err(usecases::Error::Conflict)
}

/// Decides the turn again for the operator of the machine; `Err` says what of it is erased.
pub async fn unless_erased(
    state: &AppState,
    id: TurnId,
    decider: Decider,
) -> Result<Result<Replay, String>, usecases::Error> {
    let row = store::audit::get(&mut state.ctx.read().await?, None, id).await?;
    let owner = row.ok_or_else(|| usecases::Error::NotFound("There is no such turn.".into()))?.user;
    again(state, owner, id, decider).await.map_err(refused)
}

/// Returns the turns that a replay of everything is about: all that are done, oldest first. Some may be erased.
pub async fn all(state: &AppState) -> Result<Vec<TurnId>, usecases::Error> {
    Ok(store::audit::turns(&mut state.ctx.read().await?, None).await?)
}

/// Reads a decider's name as a person writes it.
pub fn decider(name: &str) -> Result<Decider, Invalid> {
    Decider::parse(name).ok_or_else(|| Invalid::because(format!("“{name}” decides nothing; use recorded or rules.")))
}

/// A replay runs no tools: what fails is the database, or the record is not what it was.
fn refused(error: Error) -> usecases::Error {
    match error {
        Error::UseCase(error) => error,
        Error::Store(error) => error.into(),
        Error::Tools(_) | Error::Step(_) => usecases::Error::Conflict("A recorded step cannot be read.".into()),
    }
}

/// All that a decision follows from.
struct Material {
    turn: TurnRow,
    decision: DecisionRow,
    basis: Basis,
    steps: Vec<Step>,
    used_before: usize,
    /// The approval that the turn carried out or answered, if it did.
    answered: Option<Approval>,
    /// The one that it asked for.
    asked: Option<Approval>,
    /// The one that waited and was asked about last.
    before: Option<Approval>,
}

async fn again(state: &AppState, owner: UserId, id: TurnId, decider: Decider) -> Result<Result<Replay, String>, Error> {
    let mut tx = state.ctx.read().await?;
    let Some(material) = Material::load(&mut tx, owner, id).await? else {
        return Ok(Err("What was said or done in this turn was erased: there is nothing to decide again.".into()));
    };
    let made = match decider {
        Decider::Recorded => material.follow(),
        Decider::Rules if material.asked_nobody() => material.follow(),
        Decider::Rules => {
            let Basis { messages, pending, .. } = &material.basis;
            if history::is_context_erased(&mut tx, &material.turn, messages, pending).await? {
                return Ok(
                    Err("What was said before this turn was erased: nobody can be asked the same again.".into()),
                );
            }
            material.by_the_rules(state, &mut tx).await?
        }
    };
    Ok(Ok(Replay::of(id, decider, material.recorded(), made)))
}

impl Material {
    /// Loads it, unless some of it is erased.
    async fn load(tx: &mut Tx, owner: UserId, id: TurnId) -> Result<Option<Self>, Error> {
        let cannot = |why: &str| usecases::Error::Conflict(why.into());
        let turn = store::turns::get(tx, owner, id).await?;
        let turn = turn.ok_or_else(|| usecases::Error::NotFound("There is no such turn.".into()))?;
        if turn.cause == Cause::Mcp {
            return Err(cannot("An outside agent decided this turn: there is nothing to decide again.").into());
        }
        if history::is_erased(tx, &turn).await? {
            return Ok(None);
        }
        let decision = store::decisions::get(tx, owner, id).await?;
        let decision = decision.ok_or_else(|| cannot("The turn is not done, or its decision is missing."))?;
        let basis = decision.basis.clone();
        let basis = basis.ok_or_else(|| cannot("The record of this turn is older than what a replay needs."))?;
        let wording = basis.wording;
        let of = |found: Option<Approval>| found.map(|approval| as_worded(approval, wording));
        let before = match basis.asked_last {
            Some(approval) => of(store::approvals::get(tx, owner, approval).await?),
            None => None,
        };
        let answered = match turn.approval {
            Some(approval) => of(store::approvals::get(tx, owner, approval).await?),
            None => before.clone(),
        };
        // The reply told what had been asked.
        let told = matches!(basis.course, Course::Rejected | Course::Expired);
        if told && answered.as_ref().is_some_and(Approval::is_erased) {
            return Ok(None);
        }
        Ok(Some(Self {
            steps: history::steps_of(tx, owner, id).await?,
            used_before: history::rounds_of_asking(tx, &turn).await?,
            asked: of(store::approvals::of_turn(tx, owner, id).await?),
            answered,
            before,
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

    /// Whether code alone decided: no engine would have been asked either.
    fn asked_nobody(&self) -> bool {
        self.is_an_agents() || !matches!(self.basis.course, Course::Machine | Course::Unavailable)
    }

    /// Whether it carried out what an outside agent had asked for; going on is that agent's own business.
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

    /// Walks through the recorded steps as the machine would have, and ends as it would have.
    fn follow(&self) -> Result<Made, String> {
        for number in 0..self.steps.len() {
            self.leads_to(number)?;
        }
        let steps = &self.steps;
        let trusted = self.decision.engine == Engine::Rules;
        let machine = self.machine(steps.clone());
        let answered = || self.answered.as_ref().ok_or("The request that it answers is not in the record.");
        let close = match (self.basis.course, machine.next()) {
            (Course::Machine | Course::Unavailable, Next::Finish(ending)) => {
                closing::close(steps, ending, trusted, self.spent())
            }
            (Course::Machine, Next::AskEngine { .. }) if self.is_an_agents() => closing::carried_out(steps),
            (Course::Unavailable, Next::AskEngine { .. }) => closing::unavailable(steps, self.spent()),
            (Course::Machine | Course::Unavailable, _) => return Err("The machine would have gone on.".into()),
            (Course::Stopped, _) => closing::stopped(steps),
            (Course::OptedOut, _) => closing::opted_out(steps),
            (Course::ShutOut, _) => closing::shut_out(steps),
            (Course::GivenUp, _) => closing::given_up(steps),
            (Course::Rejected, _) => closing::rejected(answered()?),
            (Course::Expired, _) => closing::expired(answered()?),
            (Course::Unseen, _) => closing::unseen(),
            (Course::TooLate, _) => closing::too_late(self.decision.reply.clone()),
            (Course::TooFast, _) => closing::too_fast(self.decision.reply.clone()),
            (Course::Refused, _) => Close { text: self.decision.reply.clone(), ..closing::refused(steps, "") },
        };
        Ok(self.made(steps, close))
    }

    /// Whether the steps before step `number` lead to it, and it to each of its results.
    fn leads_to(&self, number: usize) -> Result<(), String> {
        let step = &self.steps[number];
        let leads = match (self.machine(self.steps[..number].to_vec()).next(), step.origin) {
            (Next::AskEngine { .. }, Origin::Engine) => true,
            (_, Origin::Approval(_) | Origin::Again(_)) if number == 0 => true,
            // Confirmed in the very message that asked.
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

    fn made(&self, steps: &[Step], close: Close) -> Made {
        let unheard = self.basis.unheard && closing::reminds(&close, steps, &self.turn.accepted_at);
        let close = if unheard { closing::unheard(close) } else { close };
        let base = self.basis.base.as_deref().unwrap_or_default();
        let wording = Wording::of(&self.basis, base);
        Made {
            decision: Some(close.decision),
            intent: match self.basis.course {
                Course::TooFast => self.decision.intent.clone(),
                _ => engine::intent(steps, close.decision.outcome),
            },
            calls: calls(steps),
            reply: close.worded(self.asked.as_ref(), self.before.as_ref(), wording).0,
            options: close.options,
        }
    }

    /// What the rules would have come to, with the recorded results of the calls that they would have made as well.
    async fn by_the_rules(&self, state: &AppState, tx: &mut Tx) -> Result<Result<Made, String>, Error> {
        let context = self.context(state, tx).await?;
        let known: Vec<_> = self.steps.iter().flat_map(|step| step.calls().iter().zip(&step.results)).collect();
        // What a person approved was no engine's decision.
        let given = self.steps.iter().take_while(|step| step.origin != Origin::Engine);
        let mut machine = self.machine(given.cloned().collect());
        loop {
            match machine.next() {
                Next::AskEngine { tools } => {
                    let Ok(reply) = state.rules().complete(&context.request(machine.steps(), tools)).await else {
                        return Ok(Err("The rules gave no reply.".into()));
                    };
                    machine.push(Step { origin: Origin::Engine, reply, results: vec![] });
                }
                Next::Run { call, .. } => {
                    let result = known.iter().find(|(other, _)| same(other, call)).map(|(_, result)| (*result).clone());
                    let Some(result) = result else { return Ok(Ok(open(machine.steps()))) };
                    machine.record(result);
                }
                Next::Finish(ending) => {
                    let close = closing::close(machine.steps(), ending, true, false);
                    return Ok(Ok(self.made(machine.steps(), close)));
                }
            }
        }
    }

    /// What the engine was told, put together again.
    async fn context(&self, state: &AppState, tx: &mut Tx) -> Result<DecisionContext, Error> {
        // Its own reply has been said since.
        let limit = i64::try_from(self.basis.messages.len() + 1).unwrap_or(i64::MAX);
        let (entries, messages) = history::entries(tx, &self.turn, limit).await?;
        let mut pending = vec![];
        for id in &self.basis.pending {
            let approval = store::approvals::get(tx, self.turn.user, *id).await?;
            let asked_last = Some(*id) == self.basis.asked_last;
            let approval = approval.map(|approval| as_worded(approval, self.basis.wording));
            pending.extend(approval.map(|approval| Pending { question: approval.question, asked_last }));
        }
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

/// An approval with its sentence as it was worded when the turn was decided.
fn as_worded(approval: Approval, wording: u8) -> Approval {
    match wording {
        0 => Approval { question: question_of_first_wording(&approval.calls, &approval.preview), ..approval },
        _ => approval,
    }
}

fn same(one: &Call, other: &Call) -> bool {
    one.tool == other.tool && one.arguments == other.arguments
}

/// As far as it goes without knowing what the next call would come to.
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
