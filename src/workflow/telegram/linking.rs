//! Codes that are sent in a chat, and the buttons of the question that a code of another account asks.

use crate::channels::telegram::Update;
use crate::domain::approval::Verdict;
use crate::domain::channel::{Card, ChatId, Press};
use crate::domain::id::UserId;
use crate::domain::text::ClientKey;
use crate::state::AppState;
use crate::store::outbox::NewCard;
use crate::store::{self, Tx};
use crate::usecases::telegram::{self, CodeOutcome, RelinkAnswer};
use crate::usecases::{Commit, Error};

use super::{HELP, answer_press};

const LINKED: &str = "This chat is linked with your account now. ";
const ALREADY_LINKED: &str = "This chat is linked with your account already. ";
const KEPT: &str = "This chat stays linked as it was. To link it later, make a new code in Docket's settings.";
const CLOSED: &str = "This question is closed. To link the chat, make a new code in Docket's settings.";

/// Spends a code; returns false if it is not good.
pub async fn link(state: &AppState, update: &Update, code: &str, key: &ClientKey) -> Result<bool, Error> {
    let ctx = &state.ctx;
    let mut tx = ctx.write().await?;
    let Some(outcome) = telegram::link(ctx, &mut tx, code, update.chat, &update.name).await? else { return Ok(false) };
    let (user, card) = match outcome {
        CodeOutcome::Linked(caller) => (caller.id(), Card::Said { text: format!("{LINKED}{HELP}") }),
        CodeOutcome::AlreadyLinked(caller) => (caller.id(), Card::Said { text: format!("{ALREADY_LINKED}{HELP}") }),
        CodeOutcome::Asks { relink, user, linked } => {
            // The update is known to both accounts, so that it does nothing more whoever has the chat when it comes again.
            put(state, &mut tx, linked, update.chat, &Card::Heard, key).await?;
            (user, Card::Relink { relink })
        }
    };
    put(state, &mut tx, user, update.chat, &card, key).await?;
    ctx.commit_at(tx, Commit::Chat).await?;
    ctx.live.wake_senders();
    Ok(true)
}

/// Takes the answer to the question; returns the line for the person who pressed the button, and true unless the question is closed.
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
            put(state, &mut tx, caller.id(), chat, &Card::Said { text: format!("{LINKED}{HELP}") }, key).await?;
            (format!("Linked with {}.", caller.user.name), true)
        }
        RelinkAnswer::Kept => (KEPT.into(), true),
        RelinkAnswer::Closed => (CLOSED.into(), false),
    };
    ctx.commit_at(tx, Commit::Chat).await?;
    ctx.live.wake_senders();
    Ok((text, open))
}

/// Takes the answer from a chat that was unlinked after the question was asked; returns false if there is no open question.
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

/// Puts a card at the end of the account's queue, unless its key brought one already.
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
