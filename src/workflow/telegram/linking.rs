//! Link codes sent in a chat, and the buttons of relink confirmations.

use crate::channels::telegram::Update;
use crate::domain::approval::Verdict;
use crate::domain::channel::{Card, ChatId, Press};
use crate::domain::id::UserId;
use crate::domain::text::ClientKey;
use crate::domain::user::Caller;
use crate::state::AppState;
use crate::store::outbox::NewCard;
use crate::store::{self, Tx};
use crate::usecases::telegram::{self, CodeOutcome, RelinkAnswer};
use crate::usecases::{Commit, Error};

use super::{HELP, answer_press};

const KEPT: &str = "Nothing was changed: this chat keeps its current link. To link it later, create a new code in \
     Docket's settings.";
const CLOSED: &str = "This question has already been answered or has expired. To link the chat, create a new code in \
     Docket's settings.";

/// Names the account, because the code may belong to another one than the person expects.
fn linked(caller: &Caller, since: &str) -> Card {
    let text = format!(
        "This chat is {since} linked to the account “{}”. If this is not your account, send /unlink. {HELP}",
        caller.user.name
    );
    Card::Said { text }
}

/// Redeems a code; returns false if it is invalid.
pub async fn link(state: &AppState, update: &Update, code: &str, key: &ClientKey) -> Result<bool, Error> {
    let ctx = &state.ctx;
    let mut tx = ctx.write().await?;
    let Some(outcome) = telegram::link(ctx, &mut tx, code, update.chat, &update.name).await? else { return Ok(false) };
    let (user, card) = match outcome {
        CodeOutcome::Linked(caller) => (caller.id(), linked(&caller, "now")),
        CodeOutcome::AlreadyLinked(caller) => (caller.id(), linked(&caller, "already")),
        CodeOutcome::Asks { relink, user, linked } => {
            // The update is stored for both accounts, so that a repeat has no effect, whichever account has the chat by then.
            put(state, &mut tx, linked, update.chat, &Card::Heard, key).await?;
            (user, Card::Relink { relink })
        }
    };
    put(state, &mut tx, user, update.chat, &card, key).await?;
    ctx.commit_at(tx, Commit::Chat).await?;
    ctx.live.wake_senders();
    Ok(true)
}

/// Applies the answer to a relink confirmation; returns a line for the person, and true unless the confirmation is closed.
pub async fn answer(state: &AppState, chat: ChatId, press: Press, key: &ClientKey) -> Result<(String, bool), Error> {
    let (id, verdict) = match press {
        Press::Link(id) => (id, Verdict::Approve),
        Press::KeepLink(id) => (id, Verdict::Reject),
        Press::Approve(_) | Press::Reject(_) | Press::Done(_) | Press::Snooze(_) => return Ok((CLOSED.into(), false)),
    };
    let ctx = &state.ctx;
    let mut tx = ctx.write().await?;
    let (text, open) = match telegram::answer_relink(ctx, &mut tx, id, chat, verdict).await? {
        RelinkAnswer::Moved(caller) => {
            put(state, &mut tx, caller.id(), chat, &linked(&caller, "now"), key).await?;
            (format!("Linked to {}.", caller.user.name), true)
        }
        RelinkAnswer::Kept => (KEPT.into(), true),
        RelinkAnswer::Closed => (CLOSED.into(), false),
    };
    ctx.commit_at(tx, Commit::Chat).await?;
    ctx.live.wake_senders();
    Ok((text, open))
}

/// Applies the answer from a chat that was unlinked since the confirmation was sent; returns false if none is open.
pub async fn answer_of_stranger(
    state: &AppState,
    chat: ChatId,
    press: Press,
    key: &ClientKey,
    answer_to: &str,
) -> Result<bool, Error> {
    let (text, open) = answer(state, chat, press, key).await?;
    if open {
        answer_press(state, answer_to, text);
    }
    Ok(open)
}

/// Queues a card for the account, unless a card with its key exists.
async fn put(
    state: &AppState,
    tx: &mut Tx,
    user: UserId,
    chat: ChatId,
    card: &Card,
    key: &ClientKey,
) -> Result<(), Error> {
    let new = NewCard { chat, card, key: Some(key) };
    store::outbox::insert(tx, user, &new, &state.ctx.now()).await?;
    Ok(())
}
