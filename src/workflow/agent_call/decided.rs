//! End of the turn of an agent's call: its event and its decision.

use std::time::Instant;

use serde_json::json;

use crate::agent::prompt;
use crate::domain::approval::Approval;
use crate::domain::decision::{Decision, Engine};
use crate::domain::live::EventKind;
use crate::state::AppState;
use crate::store::decisions::{About, DecisionRow, Question};
use crate::store::{self, Tx};
use crate::usecases::Error;
use crate::usecases::accounts::Outsider;
use crate::usecases::invocations::Attempt;

/// Appends the event of the turn's end and stores its decision; `waits` is the approval that it requested.
pub(super) async fn keep(
    state: &AppState,
    tx: &mut Tx,
    visitor: &Outsider,
    attempt: &Attempt<'_>,
    reply: String,
    (decision, waits): (Decision, Option<&Approval>),
    started: Instant,
) -> Result<(), Error> {
    let (user, now, turn) = (visitor.caller.id(), state.ctx.now(), attempt.id.turn);
    // The turn ends when it is stored.
    let about = store::turns::get(tx, user, turn).await?.map(|turn| About::finished(&turn, &turn.accepted_at));
    let heard = json!({
        "turn_id": turn, "conversation_id": attempt.conversation, "kind": decision.kind, "outcome": decision.outcome,
        "reply": reply,
    });
    let told_seq = store::events::append(tx, user, EventKind::TurnFinished, &heard, &now).await?;
    let row = DecisionRow {
        turn_id: turn,
        turn: about,
        decision,
        engine: Engine::External,
        engine_cause: None,
        model: Some(visitor.agent.label.clone()),
        intent: {
            let called_as: String = attempt.called_as.chars().take(60).collect();
            format!("{} called {called_as}", visitor.agent.label)
        },
        reply,
        question: waits.map(|it| Question { approval_id: it.approval_id, text: it.question.clone() }),
        told_seq: Some(told_seq),
        options: vec![],
        constitution: prompt::constitution_hash(),
        asked_approval: waits.map(|it| it.approval_id),
        tokens_in: None,
        tokens_out: None,
        tokens_estimated: false,
        cost_micros: None,
        memories: vec![],
        basis: None,
        duration_ms: i64::try_from(started.elapsed().as_millis()).unwrap_or(i64::MAX),
        at: now.clone(),
    };
    Ok(store::decisions::insert(tx, user, &row).await?)
}
