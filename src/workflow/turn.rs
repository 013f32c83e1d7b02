//! A turn from its claim to its decision. Any process can run it, and resume it after another one stopped.

use std::time::Instant;

use tokio::sync::SemaphorePermit;

use crate::agent::context::{DecisionContext, EngineRef, Entry};
use crate::agent::engine;
use crate::agent::machine::{Limits, Machine, Next, Step, Words};
use crate::agent::toolbox::{Place, Toolbox};
use crate::domain::approval::{Approval, Verdict};
use crate::domain::decision::Engine;
use crate::domain::decision_inputs::{Asked, DecisionInputs};
use crate::domain::id::{ApprovalId, MemoryId};
use crate::domain::policy::Asker;
use crate::domain::user::{Caller, Door, Scope};
use crate::state::AppState;
use crate::store::consent::LastReply;
use crate::store::turns::TurnRow;
use crate::store::{self, Tx};
use crate::telemetry::spans::Span;
use crate::tools::arguments::Moment;
use crate::tools::server;
use crate::usecases::{self, Commit, accounts};

mod declining;
mod noting;
mod round;
mod verdict;

use super::commit_turn::{self, TurnReply};
use super::rights::{self, Rights};
use super::step::{self, RetryPolicy};
use super::turn_telemetry::{self, ToolCall, TurnTelemetry};
use super::usage_meter::UsageMeter;
use super::{Error, agent_call, history, reply, stream_reply};

/// Debounce time of a turn's card in a chat, in milliseconds.
const SHOWN_AFTER_MS: i64 = 1_000;

/// Runs a claimed turn to its decision. Other futures are boxed, so that a turn waiting for a model stays small.
pub async fn run(state: &AppState, turn: &TurnRow) -> Result<(), Error> {
    let started = Instant::now();
    // 1. Checks the account again: it may have been disabled while the turn was waiting.
    let Some(full) = Box::pin(accounts::caller_of_user(&state.ctx, turn.user, Door::Web)).await? else {
        return Box::pin(commit_turn::end_disabled(state, turn, started)).await;
    };
    // Checks the token that started the turn (R-1103).
    let caller = match Box::pin(rights_of_starter(state, turn, &full)).await? {
        Ok(caller) => caller,
        Err(why) => return Box::pin(commit_turn::refused(state, turn, &why, started)).await,
    };
    // 2. Loads recorded steps and inputs.
    let mut run = Box::pin(Run::load(state, turn, (full, caller), started)).await?;
    // 3. Processes a verdict: one that the turn carries out, or one in its message.
    if let Some((tx, close)) = Box::pin(run.answer()).await? {
        return Box::pin(run.finish(tx, close)).await;
    }
    if turn.fence > 1 {
        Box::pin(stream_reply::retract(state, &run.caller, turn)).await?;
    }
    // 4. Recalls memories.
    Box::pin(run.recall()).await?;
    // 5. Asks the engine and runs its calls until the machine ends the turn.
    let mut open = None;
    let close = run.drive(&mut open).await;
    closed(open).await;
    // 6. Commits reply, decision and the turn's end in one transaction.
    let (close, tx) = (close?, run.begin().await?);
    Box::pin(run.finish(tx, close)).await
}

async fn rights_of_starter(state: &AppState, turn: &TurnRow, full: &Caller) -> Result<Rights, Error> {
    if turn.starter.as_ref().is_none_or(|starter| starter.token_id.is_none()) {
        return Ok(Ok(rights::without_token(full, turn.starter.as_ref())));
    }
    let mut tx = state.ctx.store.peek().await?;
    let rights = rights::of_starter(&mut tx, full, turn.starter.as_ref()).await?;
    // The starter had this scope when the turn was accepted.
    Ok(rights.and_then(|caller| match usecases::require(&caller, Scope::Chat) {
        Ok(()) => Ok(caller),
        Err(error) => Err(error.to_string()),
    }))
}

async fn closed(open: Option<Open<'_>>) {
    if let Some(open) = open {
        open.toolbox.close().await;
    }
}

/// An open toolbox with its slot.
struct Open<'a> {
    toolbox: Toolbox,
    /// True if it runs approved calls, with the approver's rights.
    approved: bool,
    _place: SemaphorePermit<'a>,
}

struct Run<'a> {
    state: &'a AppState,
    turn: &'a TurnRow,
    /// User of the turn, with all scopes of their role.
    full: Caller,
    /// Starter of the turn, who decides and runs approved calls.
    caller: Caller,
    /// Requester of the engine's steps, as far as known.
    asker: Caller,
    context: DecisionContext,
    machine: Machine,
    /// Pending approvals of the conversation, oldest first.
    pending: Vec<Approval>,
    /// Pending approvals whose tasks were all deleted since.
    moot: Vec<Approval>,
    /// Pending approval that was asked about last.
    asked_last: Option<Approval>,
    patience: RetryPolicy,
    bill: UsageMeter,
    /// Inputs of the last engine call, until they are stored with its step.
    asked: Option<Asked>,
    /// True if the user's daily tokens are used up; the rules decide then.
    spent: bool,
    engine: EngineRef<'a>,
    /// Memories that the engine received.
    memories: Vec<MemoryId>,
    last_reply: Option<LastReply>,
    /// Approval that this turn answers.
    answered: Option<ApprovalId>,
    /// Verdict of its message, until it is counted.
    verdict: Option<Verdict>,
    /// Approvals declined by its message.
    declined: Vec<ApprovalId>,
    started: Instant,
    span: Span,
}

impl<'a> Run<'a> {
    async fn load(
        state: &'a AppState,
        turn: &'a TurnRow,
        (full, mut caller): (Caller, Caller),
        started: Instant,
    ) -> Result<Self, Error> {
        let mut tx = state.ctx.store.read().await?;
        let limit = i64::from(state.config.turn.history_messages).max(1);
        let (entries, messages) = history::entries(&mut tx, turn, limit).await?;
        // A new turn may have steps too: requesting an approval again starts with one.
        let recorded = history::steps_of(&mut tx, turn.user, turn.id).await?;
        caller.agent = agent_call::asking(&mut tx, turn, &recorded).await?;
        let last_reply = store::consent::last_reply(&mut tx, turn.user, turn.conversation, turn.ordinal).await?;
        let asked = last_reply.and_then(|reply| reply.question_of);
        let (pending, moot) = declining::answerable(&mut tx, turn, asked).await?;
        let asked_last = pending.iter().find(|approval| Some(approval.approval_id) == asked).cloned();
        let context = DecisionContext {
            now: turn.accepted_at.clone(),
            zone: caller.user.zone.clone(),
            entries,
            messages,
            pending: history::waiting(&pending, asked),
            tools: state.tools().specs(),
            memories: vec![],
            barred: vec![],
        };
        let basis = commit_turn::bounds(state);
        let limits = Limits { steps: basis.max_steps, calls: basis.max_calls };
        let machine = Machine::new(limits, history::rounds_of_asking(&mut tx, turn).await?, recorded);
        // The engine that started to act finishes the turn: another one would mistake its steps for its own.
        let begun = engine::begun(machine.steps());
        let engine = if begun { state.engine.as_ref() } else { state.engine_of(&caller.user) };
        let span = turn_telemetry::turn(state, turn);
        let patience = RetryPolicy::of(&state.config.turn, TurnTelemetry::of(state, span.own()));
        let answered = turn.approval;
        Ok(Self {
            state,
            turn,
            full,
            asker: caller.clone(),
            caller,
            context,
            machine,
            pending,
            moot,
            asked_last,
            last_reply,
            answered,
            verdict: None,
            declined: vec![],
            patience,
            bill: UsageMeter::default(),
            asked: None,
            spent: false,
            engine,
            memories: vec![],
            started,
            span,
        })
    }

    /// Starts a write transaction as the worker that holds the lease. Every write of a turn uses it.
    ///
    /// # Errors
    /// `Fenced` if another worker has claimed the turn.
    async fn begin(&self) -> Result<Tx, Error> {
        let mut tx = self.state.ctx.write().await?;
        if !store::turns::held(&mut tx, self.turn.user, self.turn.id, self.turn.fence).await? {
            return Err(usecases::Error::Fenced.into());
        }
        Ok(tx)
    }

    /// Runs steps until the turn ends. The toolbox is open only while calls run, because a turn mostly waits for its model.
    async fn drive(&mut self, open: &mut Option<Open<'a>>) -> Result<TurnReply, Error> {
        loop {
            match self.machine.next() {
                // An agent's approved calls have run; the next step is up to the agent.
                Next::AskEngine { .. } if self.caller.agent.is_some() => {
                    return Ok(reply::carried_out(self.machine.steps()));
                }
                Next::AskEngine { tools } => {
                    closed(open.take()).await;
                    if let Some(close) = Box::pin(self.bound_engine()).await? {
                        return Ok(close);
                    }
                    match self.ask(tools).await? {
                        Ok(step) => {
                            if !step.calls().is_empty() {
                                Box::pin(self.store_step(&step)).await?;
                            }
                            self.machine.push(step);
                        }
                        Err(close) => return Ok(close),
                    }
                }
                Next::Run { step, index, call, approval } => {
                    let place = Place { step, index, asker: self.asker(), approval };
                    let told = ToolCall::begin(self.state, self.span.own().as_ref(), call, self.turn.id, place);
                    let approved = approval.is_some();
                    if open.as_ref().is_some_and(|open| open.approved != approved) {
                        closed(open.take()).await;
                    }
                    let tools = match open {
                        Some(open) => open,
                        None => open.insert(self.open_tools(approved).await),
                    };
                    let result = Box::pin(step::call(&tools.toolbox, call, place)).await;
                    told.answered(&result);
                    self.machine.record(result?);
                }
                Next::Finish(ending) => {
                    if ending.words == Words::Asking && Box::pin(self.confirmed_inline()).await? {
                        continue;
                    }
                    let trusted = self.engine.engine() == Engine::Rules;
                    let close = reply::close(self.machine.steps(), ending, trusted, self.spent);
                    if close.corrected {
                        let (turn, user, engine) = (self.turn.id, self.turn.user, self.engine.engine().as_str());
                        tracing::warn!(%turn, %user, engine, "a reply claimed a change that no call made");
                    }
                    return Ok(close);
                }
            }
        }
    }

    /// Stores a step before its calls run.
    async fn store_step(&self, step: &Step) -> Result<(), Error> {
        let mut tx = self.begin().await?;
        self.write_step(&mut tx, step).await?;
        if self.state.telegram.is_some() {
            store::outbox::refresh_turn(&mut tx, self.turn.user, self.turn.id, SHOWN_AFTER_MS).await?;
        }
        Ok(self.state.ctx.commit_at(tx, Commit::Step).await?)
    }

    /// Writes a step and announces its calls.
    async fn write_step(&self, tx: &mut Tx, step: &Step) -> Result<(), Error> {
        let (number, now) = (self.machine.steps().len(), self.state.ctx.now());
        let rounds = (self.machine.round_of(step), self.state.config.turn.max_steps);
        history::keep(tx, self.turn.user, self.turn.id, (step, self.asked.as_ref()), number, rounds, &now).await
    }

    /// Returns the caller kind for the tool policy; the fallback counts as rules.
    fn asker(&self) -> Asker {
        if self.caller.agent.is_some() {
            return Asker::Mcp;
        }
        let rules = self.engine.engine() == Engine::Rules || engine::stood_in(self.machine.steps());
        if rules { Asker::Rules } else { Asker::Agent }
    }

    /// Opens a toolbox for approved calls or for the engine's.
    async fn open_tools(&self, approved: bool) -> Open<'a> {
        let place = self.state.tool_slot().await;
        let moment = self.moment();
        let held = server::Held { turn: self.turn.id, fence: self.turn.fence, conversation: self.turn.conversation };
        let caller = if approved { self.caller.clone() } else { self.asker.clone() };
        let tools = server::TurnServer::new(self.state.ctx.clone(), self.state.tools(), caller, held, moment);
        Open { toolbox: Toolbox::connect(server::open(tools, self.state.tap.clone())), approved, _place: place }
    }

    /// Bounds the engine by the requester's present rights; `Some` ends the turn if a token allows nothing more.
    async fn bound_engine(&mut self) -> Result<Option<TurnReply>, Error> {
        if !rights::are_bounded(self.turn, self.machine.steps()) {
            return Ok(None);
        }
        let mut tx = self.state.ctx.store.read().await?;
        let steps = self.machine.steps();
        self.asker = match rights::of_engine(&mut tx, &self.full, self.turn, steps).await? {
            Ok(asker) => asker,
            Err(why) => return Ok(Some(reply::refused(steps, &why))),
        };
        if let Err(error) = usecases::require(&self.asker, Scope::Chat) {
            return Ok(Some(reply::refused(steps, &error.to_string())));
        }
        self.context.bound(&self.asker.scopes);
        Ok(None)
    }

    /// Returns time and zone for phrases such as "tomorrow".
    fn moment(&self) -> Moment {
        Moment { now: self.turn.accepted_at.clone(), zone: self.caller.user.zone.clone() }
    }

    /// Returns the message that triggered the turn; empty for other triggers.
    fn message(&self) -> String {
        match self.context.entries.last() {
            Some(Entry::User { text }) => text.clone(),
            _ => String::new(),
        }
    }

    /// Returns the decision inputs other than the steps.
    fn basis(&self) -> DecisionInputs {
        // Approvals answered by this message were no input of the engine.
        let waiting = self.pending.iter().filter(|_| !self.context.pending.is_empty());
        DecisionInputs {
            zone: self.context.zone.clone(),
            messages: self.context.messages.clone(),
            pending: waiting.map(|approval| approval.approval_id).collect(),
            asked_last: self.asked_last.as_ref().map(|approval| approval.approval_id),
            declined: self.declined.clone(),
            scopes: rights::recorded(&self.asker),
            ..commit_turn::bounds(self.state)
        }
    }

    async fn finish(mut self, mut tx: Tx, close: TurnReply) -> Result<(), Error> {
        self.withdraw_corrected(&mut tx).await?;
        let decision = close.decision;
        let steps = self.machine.steps();
        let closing = match steps.last() {
            Some(step) if step.calls().is_empty() => {
                Some(history::recorded(step, steps.len() - 1, self.asked.as_ref())?)
            }
            _ => None,
        };
        let basis = self.basis();
        let again = basis.asked_again();
        // A withdrawn approval is included, because the question names it.
        let known = self.pending.iter().chain(&self.asked_last);
        let asked_again = known.into_iter().find(|approval| Some(approval.approval_id) == again);
        let heard = commit_turn::TurnFacts {
            steps: self.machine.steps(),
            closing,
            asked_again,
            answered: self.answered,
            engine: self.engine,
            agent: self.caller.agent.as_ref(),
            spent: self.spent,
            lost: self.bill.lost(),
            basis,
            memories: &self.memories,
            started: self.started,
        };
        commit_turn::finish(self.state, self.turn, tx, close, heard).await?;
        turn_telemetry::decided(&mut self.span, decision);
        turn_telemetry::settled_in_chat(self.state, self.verdict);
        if let Some(answered) = self.answered {
            turn_telemetry::waited_for(self.state, self.turn, &self.span, answered).await;
        }
        Ok(())
    }
}
