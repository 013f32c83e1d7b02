//! Asking the engine, and passing on its words while it speaks: as stored events, a few together, so that whoever listens later
//! or elsewhere hears the same.

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

use super::bill::Bill;
use super::step::Patience;

/// How long words are gathered before they are stored. An answer that is whole by then is told by its message alone.
const GATHER: Duration = Duration::from_millis(100);

/// Asks for the next act; what is said meanwhile is told, and `said` is what stands of it, also where nobody waits any longer.
pub async fn ask(
    state: &AppState,
    engine: EngineRef<'_>,
    turn: &TurnRow,
    patience: &mut Patience,
    bill: &mut Bill,
    question: &Question,
    said: &mut String,
) -> Result<Answer, Error> {
    let (told, pieces) = mpsc::unbounded_channel();
    let asking = async move {
        let answer = patience.ask(engine, question, &told).await;
        drop(told);
        answer
    };
    let (answer, told) = tokio::join!(asking, tell(state, turn, pieces, bill, said));
    told?;
    // The reply that came tells itself what it took.
    bill.settle(None);
    // Words beside calls, those of an engine in vain, and thoughts that were seen to be some at their end only, are not the reply.
    if !said.is_empty() && !answer.as_ref().is_ok_and(|reply| engine::speaks(reply, said)) {
        Box::pin(write(state, turn, EventKind::TextReset, None)).await?;
    }
    Ok(answer)
}

/// Takes back the words of a worker before this one, who began a reply that nobody will end: they stand wherever they were heard.
pub async fn take_back(state: &AppState, caller: &Caller, turn: &TurnRow) -> Result<(), Error> {
    let running = conversations::running(&state.ctx, caller, turn.conversation).await?;
    if running.is_some_and(|running| running.turn_id == turn.id && !running.said.is_empty()) {
        write(state, turn, EventKind::TextReset, None).await?;
    }
    Ok(())
}

/// Stores what is said until nobody speaks any more; `said` is what still stands of it. Most of that is waiting, so that what stores it is
/// kept elsewhere while it runs.
async fn tell(
    state: &AppState,
    turn: &TurnRow,
    mut pieces: UnboundedReceiver<Piece>,
    bill: &mut Bill,
    said: &mut String,
) -> Result<(), Error> {
    while let Some(first) = pieces.recv().await {
        let (mut text, mut reset) = (String::new(), false);
        let mut take = |piece| {
            bill.hear(&piece);
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
