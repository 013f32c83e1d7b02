//! Sender's view: the last reply that the sender of a message can have seen, and whether the sender wrote the text (R-403, R-404, R-1102).

use std::iter;
use std::net::IpAddr;
use std::time::Duration;

use crate::domain::channel::ChatId;
use crate::domain::consent;
use crate::domain::id::{ConversationId, UserId};
use crate::domain::text::plain_words;
use crate::domain::trace::Traceparent;
use crate::domain::turn::SenderView;
use crate::state::AppState;
use crate::store;
use crate::store::consent::Delivery;
use crate::usecases::Error;

/// Number and interval of polls of a card that is being delivered.
const LOOKS: u32 = 50;
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// Source of a message.
#[derive(Debug, Clone, Copy, Default)]
pub struct Source {
    /// Chat in which the message was sent, and to which the reply is sent.
    pub chat: Option<ChatId>,
    /// Telegram's time of the message, in Unix seconds.
    pub written_at: Option<i64>,
    /// Sender's IP address, if known.
    pub address: Option<IpAddr>,
    /// Trace context given by the sender.
    pub trace: Option<Traceparent>,
    /// Sequence number of the newest event on the sender's screen; `None` means the newest when the message arrived.
    pub seen: Option<i64>,
    /// True if the sender pressed an option of a question.
    pub option: bool,
    /// True if the text was written by somebody else, such as a forwarded message.
    pub is_foreign: bool,
    /// Id of the chat message that this one replies to.
    pub answers: Option<i64>,
}

/// Returns the sender's view of an incoming message.
///
/// Must run before the message's transaction: a reply counts as seen only if it was committed when the message arrived.
pub(super) async fn of(
    state: &AppState,
    user: UserId,
    text: &str,
    conversation: Option<ConversationId>,
    way: &Source,
) -> Result<SenderView, Error> {
    let conversation = match way.chat {
        Some(_) => store::telegram::of_user(&mut state.ctx.peek().await?, user).await?.and_then(|it| it.conversation),
        None => conversation,
    };
    let seen = match (way.chat, conversation) {
        (Some(_), None) => 0,
        (Some(chat), Some(conversation)) => {
            let refers = consent::answer(text).is_some() || consent::asks_to_undo(text, iter::empty::<&str>(), false);
            let (came_ms, card) = delivery(state, user, (conversation, chat), refers).await?;
            // By Telegram's own data, the message may be older than the delivery, sent in the same second, or a reply to something else.
            // Without a reply mark, it belongs to the newest entry of the chat.
            let seen = |card: &Delivery| {
                let later = card.ended_ms <= came_ms && way.written_at.is_none_or(|at| card.at == 0 || at > card.at);
                later && !way.is_foreign && way.answers.map_or(!card.is_followed, |message| card.is_in(message))
            };
            card.filter(seen).map_or(0, |card| card.seq)
        }
        (None, _) => {
            let head = store::events::head(&mut state.ctx.peek().await?, user).await?;
            way.seen.map_or(head, |seen| seen.min(head))
        }
    };
    let option = way.option || way.is_foreign;
    let option = option || is_option(state, user, conversation, text).await?;
    Ok(SenderView { seen, option, answers: way.answers })
}

/// Returns the database's time in milliseconds, and the last reply's card as delivered to the chat.
///
/// A card in delivery may have arrived in the chat. If the message `refers` to the last reply, the delivery's outcome is awaited.
async fn delivery(
    state: &AppState,
    user: UserId,
    (conversation, chat): (ConversationId, ChatId),
    refers: bool,
) -> Result<(i64, Option<Delivery>), Error> {
    let (came_ms, mut card) = store::consent::delivery(&mut state.ctx.peek().await?, user, conversation, chat).await?;
    let first = card.as_ref().map(|card| card.ended_ms);
    for _ in 0..LOOKS {
        let arrives = |card: &Delivery| card.sending && card.told_seq.is_some_and(|told| card.seq < told);
        if !refers || !card.as_ref().is_some_and(arrives) {
            break;
        }
        tokio::time::sleep(BETWEEN_LOOKS).await;
        (_, card) = store::consent::delivery(&mut state.ctx.peek().await?, user, conversation, chat).await?;
    }
    if let Some(card) = &mut card {
        card.ended_ms = ended_ms(card.ended_ms, first, came_ms);
    }
    Ok((came_ms, card))
}

/// Returns the time when a delivery ended, on the clock that showed `came_ms` when `first` was read. If the end was known then
/// and seems later, the clock was set back since.
fn ended_ms(ended_ms: i64, first: Option<i64>, came_ms: i64) -> i64 {
    if first == Some(ended_ms) { ended_ms.min(came_ms) } else { ended_ms }
}

/// Returns true if the text confirms a request and equals an option offered in the conversation, typed or pressed. Other texts are not
/// compared, because only confirmations depend on this.
async fn is_option(
    state: &AppState,
    user: UserId,
    conversation: Option<ConversationId>,
    text: &str,
) -> Result<bool, Error> {
    let Some(conversation) = conversation.filter(|_| consent::confirmation(text).is_some()) else { return Ok(false) };
    let options = store::consent::options(&mut state.ctx.peek().await?, user, conversation).await?;
    let words = plain_words(text);
    Ok(options.iter().any(|option| plain_words(option) == words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_delivery_end_is_clamped_to_the_message_arrival() {
        for (ended, first, known) in
            [(5, Some(5), 5), (90, Some(90), 10), (90, Some(0), 90), (90, None, 90), (i64::MAX, Some(0), i64::MAX)]
        {
            assert_eq!(ended_ms(ended, first, 10), known, "{ended} {first:?}");
        }
    }
}
