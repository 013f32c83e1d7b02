//! Commit of a turn: message, decision, status and event in one transaction.

use std::time::Instant;

use serde_json::json;

use crate::agent::context::EngineRef;
use crate::agent::engine::Usage;
use crate::agent::machine::Step;
use crate::agent::{engine, prompt, render};
use crate::domain::approval::{Approval, ApprovalStatus};
use crate::domain::conversation::Speaker;
use crate::domain::decision::{Decision, DecisionKind, Engine, Outcome, SPENT};
use crate::domain::decision_inputs::{DecisionInputs, EndReason};
use crate::domain::id::{ApprovalId, MemoryId};
use crate::domain::live::EventKind;
use crate::domain::text::counted;
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
use super::{Error, history, reminders, reply, turn_telemetry};

/// Cause of a decision by the fallback, because the configured engine failed.
const UNAVAILABLE: &str = "LLM_UNAVAILABLE";

/// Approval whose question code renders at the end of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asks {
    Nothing,
    /// The approval that the turn requested.
    Own,
    /// The approval asked about last, or the newest pending one.
    Again,
}

#[derive(Debug, Clone)]
pub struct TurnReply {
    pub text: String,
    pub options: Vec<String>,
    pub decision: Decision,
    /// Question after the text.
    pub asks: Asks,
    /// Path by which the turn ended.
    pub course: EndReason,
    /// True if the engine claimed a change that no call made, and code corrected it.
    pub corrected: bool,
}

impl TurnReply {
    /// Creates a reply with a fixed text.
    pub fn told(text: String, decision: Decision) -> Self {
        Self { text, options: vec![], decision, asks: Asks::Nothing, course: EndReason::Machine, corrected: false }
    }

    /// Returns the reply's text, with the question of the approval that the turn requested or repeats as its last block.
    pub fn worded(
        &self,
        own: Option<&Approval>,
        again: Option<&Approval>,
        wording: Wording<'_>,
    ) -> (String, Option<Question>) {
        let asked = match self.asks {
            Asks::Nothing => None,
            Asks::Own => own,
            Asks::Again => again,
        };
        let question = asked.map(|it| Question { approval_id: it.approval_id, text: question::in_reply(it, wording) });
        let text = match &question {
            Some(question) if self.text.is_empty() => question.text.clone(),
            Some(question) => format!("{}\n{}", self.text.trim_end(), question.text),
            None => self.text.clone(),
        };
        (text, question)
    }

    /// Returns the reply with another path of the turn.
    pub fn by(self, course: EndReason) -> Self {
        Self { course, ..self }
    }

    /// Creates a reply with one line per result, followed by `last`.
    pub fn rendered(steps: &[Step], last: &str, decision: Decision) -> Self {
        let mut lines = render::lines(steps);
        if !last.is_empty() {
            lines.push(last.to_owned());
        }
        Self::told(lines.join("\n"), decision)
    }
}

/// Further facts for the decision row.
pub struct TurnFacts<'a> {
    pub steps: &'a [Step],
    /// The engine's last reply, stored with the end of the turn since no call follows it.
    pub closing: Option<StepRow>,
    /// Approval whose question the reply repeats.
    pub asked_again: Option<&'a Approval>,
    /// Approval that this turn answers.
    pub answered: Option<ApprovalId>,
    pub engine: EngineRef<'a>,
    /// Agent whose approval the turn carries out; the decision is attributed to it.
    pub agent: Option<&'a Agent>,
    /// True if the user's daily tokens were used up.
    pub spent: bool,
    /// Usage of model calls that produced no reply.
    pub lost: Option<Usage>,
    /// Decision inputs; `course` is taken from the reply.
    pub basis: DecisionInputs,
    /// Memories that the engine received.
    pub memories: &'a [MemoryId],
    pub started: Instant,
}

/// Ends the turn in `tx` if this worker still holds its lease, and commits.
pub async fn finish(
    state: &AppState,
    turn: &TurnRow,
    mut tx: Tx,
    close: TurnReply,
    heard: TurnFacts<'_>,
) -> Result<(), Error> {
    let row = end(state, turn, &mut tx, close, heard).await?;
    state.ctx.commit_at(tx, Commit::Finish).await?;
    turn_telemetry::count(state, turn.cause, row.engine, row.decision.outcome, row.duration_ms);
    state.ctx.live.wake_senders();
    Ok(())
}

async fn end(
    state: &AppState,
    turn: &TurnRow,
    tx: &mut Tx,
    close: TurnReply,
    heard: TurnFacts<'_>,
) -> Result<DecisionRow, Error> {
    let (ctx, user) = (&state.ctx, turn.user);
    let now = ctx.now();
    if !store::turns::finish(tx, user, turn.id, turn.fence, &now).await? {
        return Err(usecases::Error::Fenced.into());
    }
    if let Some(closing) = &heard.closing {
        store::steps::insert(tx, user, turn.id, closing, &now).await?;
    }
    let unheard = reply::reminds(&close, heard.steps, &turn.accepted_at) && !reminders::reach(state, tx, user).await?;
    let close = if unheard { reply::unheard(close) } else { close };
    let mut results = heard.steps.iter().flat_map(|step| &step.results);
    let waits = close.asks == Asks::Own || results.any(|result| result.status == CallStatus::AwaitingApproval);
    let waits = if waits { store::approvals::of_turn(tx, user, turn.id).await? } else { None };
    let wording = Wording::of(&heard.basis, &state.config.public_url);
    let (text, question) = close.worded(waits.as_ref(), heard.asked_again, wording);
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
        asked_approval: question.as_ref().map(|question| question.approval_id).or(heard.answered),
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
        basis: Some(DecisionInputs { course: close.course, unheard, base, ..heard.basis }),
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

/// Appends the events of the turn's end, the pending approval's and the reply's; returns the sequence number of the latter.
async fn tell(
    tx: &mut Tx,
    turn: &TurnRow,
    (close, text): (&TurnReply, &str),
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

/// Returns the cost in micro-units of the provider's currency, if its price is known.
pub fn cost(state: &AppState, usage: Option<Usage>) -> Option<i64> {
    usage.zip(state.config.price).map(|(usage, price)| price.of(usage.tokens_in, usage.tokens_out))
}

/// Returns decision inputs with only the limits filled in.
pub fn bounds(state: &AppState) -> DecisionInputs {
    let limits = &state.config.turn;
    DecisionInputs {
        max_steps: usize::try_from(limits.max_steps).unwrap_or(usize::MAX),
        max_calls: usize::try_from(limits.max_tool_calls).unwrap_or(usize::MAX),
        wording: DecisionInputs::WORDING,
        ..DecisionInputs::default()
    }
}

/// Ends a turn whose user is disabled, without further processing.
pub async fn end_disabled(state: &AppState, turn: &TurnRow, started: Instant) -> Result<(), Error> {
    let mut tx = state.ctx.write().await?;
    let row = end_disabled_within(state, &mut tx, turn, started).await?;
    state.ctx.commit_at(tx, Commit::Finish).await?;
    turn_telemetry::count(state, turn.cause, row.engine, row.decision.outcome, row.duration_ms);
    Ok(())
}

/// Ends a turn whose user is disabled, within the caller's transaction.
pub async fn end_disabled_within(
    state: &AppState,
    tx: &mut Tx,
    turn: &TurnRow,
    started: Instant,
) -> Result<DecisionRow, Error> {
    // An earlier worker may have started it.
    let steps = history::steps_of(tx, turn.user, turn.id).await?;
    end(state, turn, tx, reply::shut_out(&steps), idle(state, &steps, started)).await
}

/// Ends a turn whose token was revoked since it was accepted, without further processing.
pub async fn refused(state: &AppState, turn: &TurnRow, why: &str, started: Instant) -> Result<(), Error> {
    let mut tx = state.ctx.write().await?;
    // An earlier worker may have started it.
    let steps = history::steps_of(&mut tx, turn.user, turn.id).await?;
    let close = reply::refused(&steps, why);
    let heard = idle(state, &steps, started);
    finish(state, turn, tx, close, heard).await
}

/// Returns the facts of a turn that asked no engine.
fn idle<'a>(state: &'a AppState, steps: &'a [Step], started: Instant) -> TurnFacts<'a> {
    TurnFacts {
        steps,
        closing: None,
        asked_again: None,
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

/// Ends a turn that no worker could finish, with the steps done so far.
pub async fn give_up(state: &AppState, turn: &TurnRow) -> Result<(), Error> {
    let steps = history::steps_of(&mut state.ctx.read().await?, turn.user, turn.id).await;
    // Unreadable steps may be the reason why the turn failed.
    let steps = steps.unwrap_or_default();
    let heard = idle(state, &steps, Instant::now());
    finish(state, turn, state.ctx.write().await?, reply::given_up(&steps), heard).await
}

/// Ends a turn over the rate limit. Its decision is stored, its message is not.
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
        reply: format!(
            "You are sending messages too quickly. Wait {}, then send your message again.",
            counted(wait, "second", "seconds")
        ),
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
        basis: Some(DecisionInputs { course: EndReason::TooFast, ..DecisionInputs::default() }),
        at: now.clone(),
    };
    store::decisions::insert(tx, turn.user, &row).await?;
    store::turns::refuse(tx, turn.user, turn.id, &now).await?;
    Ok(row)
}
