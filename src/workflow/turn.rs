//! One turn, from its claim to its decision. Any replica can run it, and go on with it where another stopped.

use std::time::Instant;

use tokio::sync::SemaphorePermit;

use crate::agent::context::{DecisionContext, EngineRef, Entry, Pending};
use crate::agent::engine;
use crate::agent::machine::{Limits, Machine, Next, Step, Words};
use crate::agent::toolbox::{Place, Toolbox};
use crate::domain::approval::{Approval, Verdict};
use crate::domain::basis::{Asked, Basis};
use crate::domain::decision::Engine;
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

/// One round with the engine.
mod round;
/// What the person said to what was asked.
mod verdict;

use super::bill::Bill;
use super::finish::{self, Close};
use super::rights::{self, Rights};
use super::step::{self, Patience};
use super::watch::{self, ToolCall, Watch};
use super::{Error, asking, closing, history, outside};

/// How long what a turn does is gathered before its card in a chat shows it, in milliseconds.
const SHOWN_AFTER_MS: i64 = 1_000;

/// Brings a held turn to its decision. Most of its time it waits for a model: whatever else is awaited is large beside that, and is kept
/// elsewhere while it runs.
pub async fn run(state: &AppState, turn: &TurnRow) -> Result<(), Error> {
    let started = Instant::now();
    // 1. The allowlist again: the sender may have been shut out while the turn was waiting.
    let Some(full) = Box::pin(accounts::caller_of_user(&state.ctx, turn.user, Door::Web)).await? else {
        return Box::pin(finish::shut_out(state, turn, started)).await;
    };
    // And the token that started it (R-1103).
    let caller = match Box::pin(rights_of_starter(state, turn, &full)).await? {
        Ok(caller) => caller,
        Err(why) => return Box::pin(finish::refused(state, turn, &why, started)).await,
    };
    // 2. What is recorded already, and what is known.
    let mut run = Box::pin(Run::load(state, turn, (full, caller), started)).await?;
    // 3. Does the message answer the approval that was asked last? Does the turn carry out a verdict?
    if let Some((tx, close)) = Box::pin(run.answer()).await? {
        return Box::pin(run.finish(tx, close)).await;
    }
    if turn.fence > 1 {
        Box::pin(asking::take_back(state, &run.caller, turn)).await?;
    }
    // 4. What comes to mind of earlier conversations.
    Box::pin(run.recall()).await?;
    // 5. Ask the engine, run its calls, until the machine says how it ends.
    let mut open = None;
    let close = run.drive(&mut open).await;
    closed(open).await;
    // 6. Reply, decision and the turn's end in one transaction.
    let (close, tx) = (close?, run.begin().await?);
    Box::pin(run.finish(tx, close)).await
}

async fn rights_of_starter(state: &AppState, turn: &TurnRow, full: &Caller) -> Result<Rights, Error> {
    if turn.starter.as_ref().is_none_or(|starter| starter.token_id.is_none()) {
        return Ok(Ok(rights::without_token(full, turn.starter.as_ref())));
    }
    let mut tx = state.ctx.store.peek().await?;
    let rights = rights::of_starter(&mut tx, full, turn.starter.as_ref()).await?;
    // It had that scope when it started the turn.
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

/// Tools that are open, in one of the places for that.
struct Open<'a> {
    toolbox: Toolbox,
    /// Whether they run what was approved, with the rights of whoever decided.
    approved: bool,
    _place: SemaphorePermit<'a>,
}

/// A turn while it runs.
struct Run<'a> {
    state: &'a AppState,
    turn: &'a TurnRow,
    /// The turn's user, allowed all that their role allows.
    full: Caller,
    /// Whoever started the turn: decides, and runs what was approved.
    caller: Caller,
    /// Whoever asked for the engine's steps, as far as that is known by now.
    asker: Caller,
    context: DecisionContext,
    machine: Machine,
    /// Approvals of the conversation that wait, oldest first.
    pending: Vec<Approval>,
    /// The one of them that was asked about last.
    asked_last: Option<Approval>,
    patience: Patience,
    bill: Bill,
    /// How the engine was asked last, until that is kept with the step that came of it.
    asked: Option<Asked>,
    /// Whether the user's tokens of the day are used up; then the rules decide.
    spent: bool,
    /// What decides this turn.
    engine: EngineRef<'a>,
    /// The memories that it was told.
    memories: Vec<MemoryId>,
    /// The last reply before the turn.
    last_reply: Option<LastReply>,
    /// The one that this turn answers.
    answered: Option<ApprovalId>,
    /// What its message decided, as long as that is not counted.
    verdict: Option<Verdict>,
    started: Instant,
    /// What is told of it.
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
        // Also of a turn that nobody has held before: what is asked afresh begins with a step.
        let recorded = history::steps_of(&mut tx, turn.user, turn.id).await?;
        caller.agent = outside::asking(&mut tx, turn, &recorded).await?;
        let pending = store::approvals::pending(&mut tx, turn.user, turn.conversation, &turn.accepted_at).await?;
        let last_reply = store::consent::last_reply(&mut tx, turn.user, turn.conversation, turn.ordinal).await?;
        let asked = last_reply.and_then(|reply| reply.question_of);
        let asked_last = pending.iter().find(|approval| Some(approval.approval_id) == asked).cloned();
        let told = |approval: &Approval| Pending {
            question: approval.question.clone(),
            asked_last: Some(approval.approval_id) == asked,
        };
        let context = DecisionContext {
            now: turn.accepted_at.clone(),
            zone: caller.user.zone.clone(),
            entries,
            messages,
            pending: pending.iter().map(told).collect(),
            tools: state.tools().specs(),
            memories: vec![],
            barred: vec![],
        };
        let basis = finish::bounds(state);
        let limits = Limits { steps: basis.max_steps, calls: basis.max_calls };
        let machine = Machine::new(limits, history::rounds_of_asking(&mut tx, turn).await?, recorded);
        // Whoever began to act finishes the turn: another engine would take its steps for its own.
        let begun = engine::begun(machine.steps());
        let engine = if begun { state.engine.as_ref() } else { state.engine_of(&caller.user) };
        let span = watch::turn(state, turn);
        let patience = Patience::of(&state.config.turn, Watch::of(state, span.own()));
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
            asked_last,
            last_reply,
            answered,
            verdict: None,
            patience,
            bill: Bill::default(),
            asked: None,
            spent: false,
            engine,
            memories: vec![],
            started,
            span,
        })
    }

    /// Begins to write as the worker that holds the turn; nothing of a turn is written without this.
    async fn begin(&self) -> Result<Tx, Error> {
        let mut tx = self.state.ctx.write().await?;
        if !store::turns::held(&mut tx, self.turn.user, self.turn.id, self.turn.fence).await? {
            return Err(usecases::Error::Fenced.into());
        }
        Ok(tx)
    }

    /// Goes on until it is known how the turn ends. The tools are open while calls run: most of a turn with a model is waiting for it.
    async fn drive(&mut self, open: &mut Option<Open<'a>>) -> Result<Close, Error> {
        loop {
            match self.machine.next() {
                // What an outside agent asked for is carried out; whether to go on is its own business.
                Next::AskEngine { .. } if self.caller.agent.is_some() => {
                    return Ok(closing::carried_out(self.machine.steps()));
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
                    let close = closing::close(self.machine.steps(), ending, trusted, self.spent);
                    if close.corrected {
                        let (turn, user, engine) = (self.turn.id, self.turn.user, self.engine.engine().as_str());
                        tracing::warn!(%turn, %user, engine, "a reply spoke of a change that no call has made");
                    }
                    return Ok(close);
                }
            }
        }
    }

    /// A step is kept before any of its calls runs.
    async fn store_step(&self, step: &Step) -> Result<(), Error> {
        let mut tx = self.begin().await?;
        self.write_step(&mut tx, step).await?;
        if self.state.telegram.is_some() {
            store::outbox::refresh_turn(&mut tx, self.turn.user, self.turn.id, SHOWN_AFTER_MS).await?;
        }
        Ok(self.state.ctx.commit_at(tx, Commit::Step).await?)
    }

    /// From then on its calls are under way.
    async fn write_step(&self, tx: &mut Tx, step: &Step) -> Result<(), Error> {
        let (number, now) = (self.machine.steps().len(), self.state.ctx.now());
        let rounds = (self.machine.round_of(step), self.state.config.turn.max_steps);
        history::keep(tx, self.turn.user, self.turn.id, (step, self.asked.as_ref()), number, rounds, &now).await
    }

    /// Who asks for the turn's calls: the rules also where they stand in for a model.
    fn asker(&self) -> Asker {
        if self.caller.agent.is_some() {
            return Asker::Mcp;
        }
        let rules = self.engine.engine() == Engine::Rules || engine::stood_in(self.machine.steps());
        if rules { Asker::Rules } else { Asker::Agent }
    }

    /// Opens the tools for what was approved, or for calls of the engine.
    async fn open_tools(&self, approved: bool) -> Open<'a> {
        let place = self.state.place_for_calls().await;
        let moment = self.moment();
        let held = server::Held { turn: self.turn.id, fence: self.turn.fence, conversation: self.turn.conversation };
        let caller = if approved { self.caller.clone() } else { self.asker.clone() };
        let tools = server::TurnServer::new(self.state.ctx.clone(), self.state.tools(), caller, held, moment);
        Open { toolbox: Toolbox::connect(server::open(tools, self.state.tap.clone())), approved, _place: place }
    }

    /// Bounds the engine by the rights of whoever asked, as the database has them now; `Some` ends the turn where a token behind it
    /// allows nothing more.
    async fn bound_engine(&mut self) -> Result<Option<Close>, Error> {
        if !rights::are_bounded(self.turn, self.machine.steps()) {
            return Ok(None);
        }
        let mut tx = self.state.ctx.store.read().await?;
        let steps = self.machine.steps();
        self.asker = match rights::of_engine(&mut tx, &self.full, self.turn, steps).await? {
            Ok(asker) => asker,
            Err(why) => return Ok(Some(closing::refused(steps, &why))),
        };
        if let Err(error) = usecases::require(&self.asker, Scope::Chat) {
            return Ok(Some(closing::refused(steps, &error.to_string())));
        }
        self.context.bound(&self.asker.scopes);
        Ok(None)
    }

    /// When and where phrases such as "tomorrow" are said.
    fn moment(&self) -> Moment {
        Moment { now: self.turn.accepted_at.clone(), zone: self.caller.user.zone.clone() }
    }

    /// The person's words, where words set the turn off.
    fn message(&self) -> String {
        match self.context.entries.last() {
            Some(Entry::User { text }) => text.clone(),
            _ => String::new(),
        }
    }

    /// What the decision rests on beside the steps.
    fn basis(&self) -> Basis {
        // What was answered in this very message was none of the engine's business any more.
        let waiting = self.pending.iter().filter(|_| !self.context.pending.is_empty());
        Basis {
            zone: self.context.zone.clone(),
            messages: self.context.messages.clone(),
            pending: waiting.map(|approval| approval.approval_id).collect(),
            asked_last: self.asked_last.as_ref().map(|approval| approval.approval_id),
            scopes: rights::recorded(&self.asker),
            ..finish::bounds(self.state)
        }
    }

    async fn finish(mut self, tx: Tx, close: Close) -> Result<(), Error> {
        let decision = close.decision;
        let steps = self.machine.steps();
        let closing = match steps.last() {
            Some(step) if step.calls().is_empty() => {
                Some(history::recorded(step, steps.len() - 1, self.asked.as_ref())?)
            }
            _ => None,
        };
        let heard = finish::Heard {
            steps: self.machine.steps(),
            closing,
            asked_last: self.asked_last.as_ref(),
            answered: self.answered,
            engine: self.engine,
            agent: self.caller.agent.as_ref(),
            spent: self.spent,
            lost: self.bill.lost(),
            basis: self.basis(),
            memories: &self.memories,
            started: self.started,
        };
        finish::finish(self.state, self.turn, tx, close, heard).await?;
        watch::decided(&mut self.span, decision);
        watch::settled_in_chat(self.state, self.verdict);
        if let Some(answered) = self.answered {
            watch::waited_for(self.state, self.turn, &self.span, answered).await;
        }
        Ok(())
    }
}
