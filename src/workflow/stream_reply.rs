//! Model calls with streamed replies. Deltas are stored as events in batches, so that reconnecting clients and other processes receive them
//! too.

use std::time::Duration;

use serde_json::json;
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::time::{Instant, timeout_at};

use crate::agent::context::EngineRef;
use crate::agent::engine::{self, Answer, Piece, Question};
use crate::domain::live::EventKind;
use crate::domain::user::Caller;
use crate::state::AppState;
use crate::store;
use crate::store::turns::TurnRow;
use crate::usecases::{Commit, Error, conversations};

use super::step::RetryPolicy;
use super::usage_meter::UsageMeter;

/// Debounce time of deltas. A reply that completes within it emits none.
const GATHER: Duration = Duration::from_millis(100);

/// Calls the engine and streams its reply. `said` is the streamed text that is still valid, also if this future is dropped.
pub async fn call_model(
    state: &AppState,
    engine: EngineRef<'_>,
    turn: &TurnRow,
    patience: &mut RetryPolicy,
    bill: &mut UsageMeter,
    question: &Question,
    said: &mut String,
) -> Result<Answer, Error> {
    let (told, pieces) = mpsc::unbounded_channel();
    let asking = async move {
        let answer = patience.ask(engine, question, &told).await;
        drop(told);
        answer
    };
    let (answer, told) = tokio::join!(asking, persist_deltas(state, turn, pieces, bill, said));
    told?;
    // The reply contains its own usage.
    bill.finish(None);
    // Streamed text is no reply if it accompanied tool calls, came from a failed attempt, or was recognised as reasoning only at its end.
    if !said.is_empty() && !answer.as_ref().is_ok_and(|reply| engine::speaks(reply, said)) {
        Box::pin(write(state, turn, EventKind::TextReset, None)).await?;
    }
    Ok(answer)
}

/// Retracts text that an earlier worker streamed before it died.
pub async fn retract(state: &AppState, caller: &Caller, turn: &TurnRow) -> Result<(), Error> {
    let running = conversations::running(&state.ctx, caller, turn.conversation).await?;
    if running.is_some_and(|running| running.turn_id == turn.id && !running.said.is_empty()) {
        write(state, turn, EventKind::TextReset, None).await?;
    }
    Ok(())
}

/// Stores deltas until the engine finishes; `said` is the text that is still valid. Writes are boxed, so that the waiting future stays
/// small.
async fn persist_deltas(
    state: &AppState,
    turn: &TurnRow,
    mut pieces: UnboundedReceiver<Piece>,
    bill: &mut UsageMeter,
    said: &mut String,
) -> Result<(), Error> {
    while let Some(first) = pieces.recv().await {
        let (mut text, mut reset) = (String::new(), false);
        let mut take = |piece| {
            bill.record(&piece);
            match piece {
                Piece::Asked(_) | Piece::Unseen(_) => {}
                Piece::Text(more) => text.push_str(&more),
                Piece::Reset(_) => {
                    text.clear();
                    reset = true;
                }
            }
        };
        take(first);
        let until = Instant::now() + GATHER;
        let mut over = false;
        while let Ok(piece) = timeout_at(until, pieces.recv()).await {
            let Some(piece) = piece else {
                over = true;
                break;
            };
            take(piece);
        }
        let told = !text.is_empty() && (!said.is_empty() || !over);
        if reset && !said.is_empty() {
            Box::pin(write(state, turn, EventKind::TextReset, None)).await?;
            said.clear();
        }
        if told {
            Box::pin(write(state, turn, EventKind::TextDelta, Some(&text))).await?;
            said.push_str(&text);
        }
    }
    Ok(())
}

async fn write(state: &AppState, turn: &TurnRow, kind: EventKind, text: Option<&str>) -> Result<(), Error> {
    let mut tx = state.ctx.write().await?;
    if !store::turns::held(&mut tx, turn.user, turn.id, turn.fence).await? {
        return Err(Error::Fenced);
    }
    let mut heard = json!({ "turn_id": turn.id, "conversation_id": turn.conversation });
    if let Some(text) = text {
        heard["text"] = text.into();
    }
    store::events::append(&mut tx, turn.user, kind, &heard, &state.ctx.now()).await?;
    state.ctx.commit_at(tx, Commit::Told).await
}
