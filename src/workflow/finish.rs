//! The transaction that ends a turn: message, decision, end and event, all or none.

use std::time::Instant;

use serde_json::json;

use crate::agent::context::EngineRef;
use crate::agent::engine::Usage;
use crate::agent::machine::Step;
use crate::agent::{engine, prompt, render};
use crate::domain::approval::{Approval, ApprovalStatus};
use crate::domain::basis::{Basis, Course};
use crate::domain::conversation::Speaker;
use crate::domain::decision::{Decision, DecisionKind, Engine, Outcome, SPENT};
use crate::domain::id::{ApprovalId, MemoryId};
use crate::domain::live::EventKind;
use crate::domain::time::Timestamp;
use crate::domain::tool::CallStatus;
use crate::domain::user::Agent;
use crate::state::AppState;
use crate::store::decisions::{About, DecisionRow, Question};
use crate::store::messages::NewMessage;
use crate::store::steps::StepRow;
use crate::store::turns::TurnRow;
use crate::store::{self, Tx};
use crate::usecases::{self, Commit, approvals};

use super::question::{self, Wording};
use super::{Error, closing, history, reminders, watch};

/// The cause of decisions that the configured engine did not make, because it had failed.
const UNAVAILABLE: &str = "LLM_UNAVAILABLE";

/// The approval whose question code renders as the last block of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asks {
    Nothing,
    /// The one that the turn asked for.
    Own,
    /// The one that was asked about last.
    Again,
}

/// The reply and the decision of a turn.
#[derive(Debug, Clone)]
pub struct Close {
    pub text: String,
    pub options: Vec<String>,
    pub decision: Decision,
    /// The question that follows the text.
    pub asks: Asks,
    /// What brought the turn here.
    pub course: Course,
    /// Whether the engine spoke of a change that no call has made, and code has said so.
    pub corrected: bool,
}

impl Close {
    /// A reply in code's own words.
    pub fn told(text: String, decision: Decision) -> Self {
        Self { text, options: vec![], decision, asks: Asks::Nothing, course: Course::Machine, corrected: false }
    }

    /// The reply, with the question that code renders as its last block: of the approval that the turn asked for, or of the one that
    /// was asked about last.
    pub fn worded(
        &self,
        own: Option<&Approval>,
        last: Option<&Approval>,
        wording: Wording<'_>,
    ) -> (String, Option<Question>) {
        let asked = match self.asks {
            Asks::Nothing => None,
            Asks::Own => own,
            Asks::Again => last,
        };
        let question = asked.map(|it| Question { approval_id: it.approval_id, text: question::in_reply(it, wording) });
        let text = match &question {
            Some(question) if self.text.is_empty() => question.text.clone(),
            Some(question) => format!("{}\n{}", self.text.trim_end(), question.text),
            None => self.text.clone(),
        };
        (text, question)
    }

    /// The same reply of a turn that came to it by another way.
    pub fn by(self, course: Course) -> Self {
        Self { course, ..self }
    }

    /// A reply of one line per result, and `last` after them.
    pub fn rendered(steps: &[Step], last: &str, decision: Decision) -> Self {
        let mut lines = render::lines(steps);
        if !last.is_empty() {
            lines.push(last.to_owned());
        }
        Self::told(lines.join("\n"), decision)
    }
}

/// What else the decision row tells.
pub struct Heard<'a> {
    pub steps: &'a [Step],
    /// The engine's last reply, kept with the end of the turn since nothing runs after it.
    pub closing: Option<StepRow>,
    /// The approval that the turn before had asked about.
    pub asked_last: Option<&'a Approval>,
    /// The approval that this turn answers.
    pub answered: Option<ApprovalId>,
    pub engine: EngineRef<'a>,
    /// The outside agent whose request it carries out; then that agent has decided.
    pub agent: Option<&'a Agent>,
    /// Whether the user's tokens of the day were used up.
    pub spent: bool,
    /// What its model calls took that came to no reply.
    pub lost: Option<Usage>,
    /// What was known; its course is the close's.
    pub basis: Basis,
    /// The memories that the engine was told.
    pub memories: &'a [MemoryId],
    pub started: Instant,
}

/// Ends the turn in `tx`, if it is still ours, and commits.
pub async fn finish(state: &AppState, turn: &TurnRow, mut tx: Tx, close: Close, heard: Heard<'_>) -> Result<(), Error> {
    let row = end(state, turn, &mut tx, close, heard).await?;
    state.ctx.commit_at(tx, Commit::Finish).await?;
    watch::count(state, turn.cause, row.engine, row.decision.outcome, row.duration_ms);
    state.ctx.live.wake_senders();
    Ok(())
}

async fn end(
    state: &AppState,
    turn: &TurnRow,
    tx: &mut Tx,
    close: Close,
    heard: Heard<'_>,
) -> Result<DecisionRow, Error> {
    let (ctx, user) = (&state.ctx, turn.user);
    let now = ctx.now();
    if !store::turns::finish(tx, user, turn.id, turn.fence, &now).await? {
        return Err(usecases::Error::Fenced.into());
    }
    if let Some(closing) = &heard.closing {
        store::steps::insert(tx, user, turn.id, closing, &now).await?;
    }
    let unheard =
        closing::reminds(&close, heard.steps, &turn.accepted_at) && !reminders::reach(state, tx, user).await?;
    let close = if unheard { closing::unheard(close) } else { close };
    let mut results = heard.steps.iter().flat_map(|step| &step.results);
    let waits = close.asks == Asks::Own || results.any(|result| result.status == CallStatus::AwaitingApproval);
    let waits = if waits { store::approvals::of_turn(tx, user, turn.id).await? } else { None };
    let wording = Wording::of(&heard.basis, &state.config.public_url);
    let (text, question) = close.worded(waits.as_ref(), heard.asked_last, wording);
    let base = question.as_ref().map(|_| state.config.public_url.clone());
    let usage = engine::usage(heard.steps).into_iter().chain(heard.lost).reduce(Usage::plus);
    let stood_in = engine::stood_in(heard.steps);
    let told_seq = tell(tx, turn, (&close, &text), waits.as_ref(), &now).await?;
    let row = DecisionRow {
        turn_id: turn.id,
        turn: Some(About::finished(turn, &now)),
        decision: close.decision,
        engine: match heard.agent {
            Some(_) => Engine::External,
            None if stood_in => Engine::Rules,
            None => heard.engine.engine(),
        },
        engine_cause: (stood_in || close.decision.outcome == Outcome::LlmUnavailable)
            .then(|| if heard.spent { SPENT } else { UNAVAILABLE }.to_owned()),
        model: heard.agent.map(|agent| agent.label.as_str()).or(heard.engine.model()).map(str::to_owned),
        intent: engine::intent(heard.steps, close.decision.outcome),
        reply: text.clone(),
        // A reply that asks something else is not about the answer any more. Nothing is decided by this: a late yes or no is told
        // who has decided.
        asked_approval: question
            .as_ref()
            .map(|question| question.approval_id)
            .or_else(|| heard.answered.filter(|_| !text.contains('?'))),
        question,
        told_seq: Some(told_seq),
        options: close.options,
        constitution: prompt::constitution_hash(),
        tokens_in: usage.map(|usage| usage.tokens_in),
        tokens_out: usage.map(|usage| usage.tokens_out),
        memories: heard.memories.to_vec(),
        tokens_estimated: usage.is_some_and(|usage| usage.estimated),
        cost_micros: cost(state, usage),
        duration_ms: i64::try_from(heard.started.elapsed().as_millis()).unwrap_or(i64::MAX),
        basis: Some(Basis { course: close.course, unheard, base, ..heard.basis }),
        at: now.clone(),
    };
    let message = NewMessage {
        conversation: turn.conversation,
        turn: turn.id,
        speaker: Speaker::Assistant,
        text: &text,
        by: turn.starter.as_ref(),
    };
    store::messages::insert(tx, user, &message, &now).await?;
    store::decisions::insert(tx, user, &row).await?;
    store::conversations::touch(tx, user, turn.conversation, &now).await?;
    if state.telegram.is_some() {
        store::outbox::refresh_turn(tx, user, turn.id, 0).await?;
    }
    Ok(row)
}

/// Appends the events of the turn's end: the request that waits, if there is one, and the reply; returns the sequence of the latter.
async fn tell(
    tx: &mut Tx,
    turn: &TurnRow,
    (close, text): (&Close, &str),
    waits: Option<&Approval>,
    now: &Timestamp,
) -> Result<i64, Error> {
    let (user, decision) = (turn.user, close.decision);
    if let Some(approval) = waits.filter(|approval| approval.status == ApprovalStatus::Pending) {
        approvals::announce_asked(now, tx, user, approval.approval_id, (turn.id, turn.conversation)).await?;
    }
    let event = json!({
        "turn_id": turn.id, "conversation_id": turn.conversation, "kind": decision.kind, "outcome": decision.outcome,
        "reply": text,
    });
    Ok(store::events::append(tx, user, EventKind::TurnFinished, &event, now).await?)
}

/// What that cost, in micro-units of the provider's currency, where its price is known.
pub fn cost(state: &AppState, usage: Option<Usage>) -> Option<i64> {
    usage.zip(state.config.price).map(|(usage, price)| price.of(usage.tokens_in, usage.tokens_out))
}

/// A basis of which no more is known than what a turn may use.
pub fn bounds(state: &AppState) -> Basis {
    let limits = &state.config.turn;
    Basis {
        max_steps: usize::try_from(limits.max_steps).unwrap_or(usize::MAX),
        max_calls: usize::try_from(limits.max_tool_calls).unwrap_or(usize::MAX),
        wording: Basis::WORDING,
        ..Basis::default()
    }
}

/// Ends a turn whose sender is no longer let in: nothing more of it is processed.
pub async fn shut_out(state: &AppState, turn: &TurnRow, started: Instant) -> Result<(), Error> {
    let mut tx = state.ctx.write().await?;
    let row = shut_out_within(state, &mut tx, turn, started).await?;
    state.ctx.commit_at(tx, Commit::Finish).await?;
    watch::count(state, turn.cause, row.engine, row.decision.outcome, row.duration_ms);
    Ok(())
}

/// The same within a transaction that does more.
pub async fn shut_out_within(
    state: &AppState,
    tx: &mut Tx,
    turn: &TurnRow,
    started: Instant,
) -> Result<DecisionRow, Error> {
    // A worker before this one may have begun it.
    let steps = history::steps_of(tx, turn.user, turn.id).await?;
    end(state, turn, tx, closing::shut_out(&steps), idle(state, &steps, started)).await
}

/// Ends a turn whose token was revoked since it was accepted: nothing more of it is processed.
pub async fn refused(state: &AppState, turn: &TurnRow, why: &str, started: Instant) -> Result<(), Error> {
    let mut tx = state.ctx.write().await?;
    // A worker before this one may have begun it.
    let steps = history::steps_of(&mut tx, turn.user, turn.id).await?;
    let close = closing::refused(&steps, why);
    let heard = idle(state, &steps, started);
    finish(state, turn, tx, close, heard).await
}

/// What is told of a turn in which no engine was asked.
fn idle<'a>(state: &'a AppState, steps: &'a [Step], started: Instant) -> Heard<'a> {
    Heard {
        steps,
        closing: None,
        asked_last: None,
        answered: None,
        engine: state.engine.as_ref(),
        agent: None,
        spent: false,
        lost: None,
        basis: bounds(state),
        memories: &[],
        started,
    }
}

/// Ends a turn that no worker could finish, with what was done so far.
pub async fn give_up(state: &AppState, turn: &TurnRow) -> Result<(), Error> {
    let steps = history::steps_of(&mut state.ctx.read().await?, turn.user, turn.id).await;
    // What it did may be the very thing that cannot be read.
    let steps = steps.unwrap_or_default();
    let heard = idle(state, &steps, Instant::now());
    finish(state, turn, state.ctx.write().await?, closing::given_up(&steps), heard).await
}

/// Ends a turn at once as a refusal: no message is kept, one decision is.
pub async fn too_fast_within(
    state: &AppState,
    tx: &mut Tx,
    turn: &TurnRow,
    wait: i64,
) -> Result<DecisionRow, usecases::Error> {
    let now = state.ctx.now();
    let row = DecisionRow {
        turn_id: turn.id,
        turn: Some(About::finished(turn, &now)),
        decision: Decision { kind: DecisionKind::Refuse, outcome: Outcome::RateLimited },
        engine: Engine::Rules,
        engine_cause: None,
        model: None,
        intent: "too fast".into(),
        reply: format!("That was too fast; wait {wait} seconds and send it again."),
        question: None,
        told_seq: None,
        options: vec![],
        constitution: prompt::constitution_hash(),
        asked_approval: None,
        memories: vec![],
        tokens_in: None,
        tokens_out: None,
        tokens_estimated: false,
        cost_micros: None,
        duration_ms: 0,
        basis: Some(Basis { course: Course::TooFast, ..Basis::default() }),
        at: now.clone(),
    };
    store::decisions::insert(tx, turn.user, &row).await?;
    store::turns::refuse(tx, turn.user, turn.id, &now).await?;
    Ok(row)
}
