//! Delivery of cards to Telegram. A card is claimed under a lease, so that one process sends it.
//!
//! A turn's card is sent as a placeholder and then edited; edits are idempotent. So a crash or a lost acknowledgement can duplicate only a
//! placeholder, or a notice without later edits.

use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::channels::telegram::{Failure, Telegram, pieces};
use crate::domain::channel::Card;
use crate::state::AppState;
use crate::store;
use crate::store::outbox::{self, CardRow};
use crate::usecases::{self, Commit, telegram};

use super::worker::LOOK_AGAIN;
use super::{Error, telegram_messages};

/// Maximum number of users to whom cards are sent concurrently.
const AT_ONCE: usize = 32;
/// Minimum number of free slots for another claim while deliveries run.
const WORTHWHILE: usize = AT_ONCE / 4;
/// Maximum number of cards sent to one user before the slot is freed.
const IN_A_ROW: usize = 25;
/// Number of failed attempts after which a card is given up, about three quarters of an hour with the backoff.
const ATTEMPTS: i64 = 15;
/// Text of messages that a card no longer needs.
const LEFT_OVER: &str = "(Closed, see above.)";
/// Longest backoff, in milliseconds.
const LONGEST_PAUSE_MS: i64 = 600_000;

/// Reason why a card was not delivered.
#[derive(Debug, thiserror::Error)]
enum Unsent {
    #[error(transparent)]
    Here(#[from] Error),
    #[error(transparent)]
    There(#[from] Failure),
    #[error("another process sends it")]
    Fenced,
}

impl From<usecases::Error> for Unsent {
    fn from(error: usecases::Error) -> Self {
        Self::Here(error.into())
    }
}

/// Delivers cards until `shutdown`; running deliveries are finished, or repeated by the next process.
pub(super) async fn keep_sending(state: AppState, shutdown: CancellationToken) {
    let mut listener = state.ctx.live.listen_for_cards();
    let mut sending: JoinSet<Option<Duration>> = JoinSet::new();
    // Telegram's `retry_after` applies to the whole bot: all deliveries stop after their current card.
    let (mut rest, mut go_on) = (Instant::now(), shutdown.child_token());
    let mut least = 1;
    while !shutdown.is_cancelled() {
        while let Some(done) = sending.try_join_next() {
            take_in(done.ok().flatten(), &mut rest, &mut go_on, &shutdown);
        }
        let free = AT_ONCE - sending.len();
        if free >= least && rest <= Instant::now() {
            match claim(&state, free).await {
                Ok(held) => {
                    for card in held {
                        sending.spawn(send_to(state.clone(), card, go_on.clone()));
                    }
                }
                Err(error) => tracing::error!(%error, "claiming a message to send failed"),
            }
        }
        least = 1;
        tokio::select! {
            () = shutdown.cancelled() => {}
            _ = listener.woken(), if sending.len() < AT_ONCE => {}
            Some(done) = sending.join_next(), if !sending.is_empty() => {
                take_in(done.ok().flatten(), &mut rest, &mut go_on, &shutdown);
                least = WORTHWHILE;
            }
            () = tokio::time::sleep(LOOK_AGAIN) => {}
        }
    }
    while sending.join_next().await.is_some() {}
}

/// Applies Telegram's `retry_after`, if there is one.
fn take_in(wanted: Option<Duration>, rest: &mut Instant, go_on: &mut CancellationToken, shutdown: &CancellationToken) {
    let Some(wanted) = wanted else { return };
    *rest = (*rest).max(Instant::now() + wanted);
    go_on.cancel();
    *go_on = shutdown.child_token();
}

async fn claim(state: &AppState, most: usize) -> Result<Vec<CardRow>, Error> {
    if !outbox::any_ready(&mut state.ctx.peek().await?).await? {
        return Ok(vec![]);
    }
    let mut tx = state.ctx.write().await?;
    let held = outbox::claim(&mut tx, state.ctx.limits.lease_ms, i64::try_from(most).unwrap_or(1)).await?;
    state.ctx.commit_at(tx, Commit::Outbox).await?;
    Ok(held)
}

/// Delivers a card and the user's next ones until an error or the cancellation of `go_on`. Returns Telegram's `retry_after`.
async fn send_to(state: AppState, mut card: CardRow, go_on: CancellationToken) -> Option<Duration> {
    let bot = state.telegram.clone()?;
    for left in (0..IN_A_ROW).rev() {
        let shown = show(&state, &bot, &mut card).await;
        let mut rest = None;
        let kept = match shown {
            Ok(()) => match settle(&state, &card, left > 0 && !go_on.is_cancelled()).await {
                Ok(Some(next)) => {
                    card = next;
                    continue;
                }
                settled => settled.map(drop),
            },
            Err(Unsent::Fenced) => Ok(()),
            Err(Unsent::There(Failure::Flooded { retry_after_s })) => {
                rest = Some(Duration::from_secs(retry_after_s.into()));
                put_off(&state, &card, i64::from(retry_after_s) * 1000, false).await
            }
            Err(Unsent::There(Failure::Refused(why))) => give_up(&state, &card, &why).await,
            Err(error) if card.failures + 1 >= ATTEMPTS => give_up(&state, &card, &error.to_string()).await,
            Err(error) => {
                tracing::warn!(card = %card.id, %error, "a message could not be sent; retrying");
                put_off(&state, &card, pause(card.failures), true).await
            }
        };
        if let Err(error) = kept {
            // The lease expires, and the card is sent again.
            tracing::error!(card = %card.id, %error, "a sent message could not be stored");
        }
        return rest;
    }
    None
}

/// Returns the exponential backoff in milliseconds, from half a second.
fn pause(failures: i64) -> i64 {
    let doublings = u32::try_from(failures.clamp(0, 20)).unwrap_or_default();
    (500 << doublings).min(LONGEST_PAUSE_MS)
}

/// Updates the chat to the card's present content.
async fn show(state: &AppState, bot: &Telegram, card: &mut CardRow) -> Result<(), Unsent> {
    let Some(note) = telegram_messages::note(state, card).await? else {
        // Nothing of the card was visible.
        card.head = 0;
        return Ok(());
    };
    let pieces = pieces(&note.text, &note.question);
    for (at, piece) in pieces.iter().enumerate() {
        // The chat may have been unlinked in the meantime.
        hold(state, card).await?;
        let buttons = if at + 1 == pieces.len() { &note.buttons[..] } else { &[] };
        if at == card.messages.len() {
            let turns = matches!(card.card, Card::Turn { .. });
            let (first, under_it) =
                if turns { (telegram_messages::PLACEHOLDER, &[][..]) } else { (piece.as_str(), buttons) };
            let sent = within(state, bot.send(card.chat, first, under_it));
            let sent =
                if turns && at == 0 { tokio::join!(within(state, bot.typing(card.chat)), sent).1 } else { sent.await };
            let (message, date) = sent?;
            card.messages.push(message);
            card.shown_at = card.shown_at.max(date);
            let whole = first == piece && under_it.len() == buttons.len();
            // The id of the last message is stored by `settle`.
            if !whole || at + 1 < pieces.len() {
                keep(state, card).await?;
            }
            if whole {
                continue;
            }
        }
        let date = match within(state, bot.edit(card.chat, card.messages[at], piece, buttons)).await {
            // The message was deleted or is too old to edit: sends a new one.
            Err(failure) if failure.is_uneditable() => {
                let (message, date) = within(state, bot.send(card.chat, piece, buttons)).await?;
                card.messages[at] = message;
                keep(state, card).await?;
                date
            }
            done => done?,
        };
        // An unchanged message has no date: the present time is an upper bound.
        let shown_at = if date == 0 { now_ms(state).await? / 1000 } else { date };
        card.shown_at = card.shown_at.max(shown_at);
    }
    card.delivered_ms = now_ms(state).await?;
    // A question may have more messages than its answer; the surplus ones lose their buttons.
    for message in card.messages.iter().skip(pieces.len()) {
        hold(state, card).await?;
        match within(state, bot.edit(card.chat, *message, LEFT_OVER, &[])).await {
            Err(failure) if failure.is_uneditable() => {}
            done => drop(done?),
        }
    }
    Ok(())
}

async fn now_ms(state: &AppState) -> Result<i64, Error> {
    Ok(store::clock::now_ms(&mut state.ctx.peek().await?).await?)
}

/// Times out before the lease expires, when another process may claim the card.
async fn within<T>(state: &AppState, asked: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let most = Duration::from_millis(u64::try_from(state.ctx.limits.lease_ms * 2 / 3).unwrap_or_default());
    let late = |_| Failure::Unanswered("it took too long".into());
    tokio::time::timeout(most, asked).await.map_err(late)?
}

/// Returns `Fenced` if another process has claimed the card.
async fn hold(state: &AppState, card: &CardRow) -> Result<(), Unsent> {
    let held = outbox::holds(&mut state.ctx.peek().await?, card).await.map_err(Error::from)?;
    if held { Ok(()) } else { Err(Unsent::Fenced) }
}

/// Stores the card's message ids before anything else is sent for it.
async fn keep(state: &AppState, card: &mut CardRow) -> Result<(), Unsent> {
    let mut tx = state.ctx.write().await?;
    let held = outbox::keep_messages(&mut tx, card, state.ctx.limits.lease_ms).await.map_err(Error::from)?;
    state.ctx.commit_at(tx, Commit::Sent).await?;
    if held { Ok(()) } else { Err(Unsent::Fenced) }
}

/// Completes a card; with `more`, claims the user's next one in the same transaction.
async fn settle(state: &AppState, card: &CardRow, more: bool) -> Result<Option<CardRow>, Error> {
    let mut tx = state.ctx.write().await?;
    outbox::settle(&mut tx, card).await?;
    let next = if more { outbox::claim_of(&mut tx, card.user, state.ctx.limits.lease_ms).await? } else { None };
    state.ctx.commit_at(tx, Commit::Sent).await?;
    Ok(next)
}

async fn put_off(state: &AppState, card: &CardRow, after_ms: i64, counts: bool) -> Result<(), Error> {
    let mut tx = state.ctx.write().await?;
    outbox::put_off(&mut tx, card, after_ms, counts).await?;
    Ok(state.ctx.commit_at(tx, Commit::Sent).await?)
}

async fn give_up(state: &AppState, card: &CardRow, why: &str) -> Result<(), Error> {
    tracing::warn!(card = %card.id, why, "a message was given up");
    let mut tx = state.ctx.write().await?;
    // Locks the user before the row, in the order of turns that show a card.
    store::tasks::lock(&mut tx, card.user).await?;
    if outbox::give_up(&mut tx, card).await? {
        telegram::record_undelivered(&mut tx, card.user, &state.ctx.now(), why).await?;
    }
    Ok(state.ctx.commit_at(tx, Commit::Sent).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_sent_is_tried_for_47_minutes() {
        let pauses_ms: i64 = (0..ATTEMPTS - 1).map(pause).sum();
        assert_eq!(pauses_ms / 60_000, 47, "docs/telegram.md says so");
    }
}
