//! The view that the sender of a message had: what they could have seen of the last reply, and whether the words are their own
//! (R-403, R-404, R-1102).

use std::time::Duration;

use super::inbox::Way;
use crate::domain::channel::ChatId;
use crate::domain::consent;
use crate::domain::id::{ConversationId, UserId};
use crate::domain::text::plain_words;
use crate::domain::turn::SenderView;
use crate::state::AppState;
use crate::store;
use crate::store::consent::Delivery;
use crate::usecases::Error;

/// Looks at a card that is being sent, and the time between two of them.
const LOOKS: u32 = 50;
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// Returns the view of a message that has just come in.
///
/// Read before the message's own transaction begins: a reply counts as seen only if it was committed when the message came.
pub(super) async fn of(
    state: &AppState,
    user: UserId,
    text: &str,
    conversation: Option<ConversationId>,
    way: &Way,
) -> Result<SenderView, Error> {
    let conversation = match way.chat {
        Some(_) => store::telegram::of_user(&mut state.ctx.peek().await?, user).await?.and_then(|it| it.conversation),
        None => conversation,
    };
    let seen = match (way.chat, conversation) {
        (Some(_), None) => 0,
        (Some(chat), Some(conversation)) => {
            let answers = consent::answer(text).is_some();
            let (came_ms, card) = delivery(state, user, (conversation, chat), answers).await?;
            // The channel itself may date the message before the delivery, or say that it answers something else.
            let seen = |card: &Delivery| {
                let later = card.ended_ms <= came_ms && way.written_at.is_none_or(|at| at >= card.at);
                later && !way.is_foreign && way.answers.is_none_or(|message| card.is_in(message))
            };
            card.filter(seen).map_or(0, |card| card.seq)
        }
        (None, _) => {
            let head = store::events::head(&mut state.ctx.peek().await?, user).await?;
            way.seen.map_or(head, |seen| seen.min(head))
        }
    };
    let option = way.option || way.is_foreign;
    Ok(SenderView { seen, option: option || is_option(state, user, conversation, text).await? })
}

/// Returns the time by the database's clock, and the card of the last reply as it was delivered to the chat.
///
/// A card that is just being sent may have arrived there: if the message `answers` something, its sender's news is waited for.
async fn delivery(
    state: &AppState,
    user: UserId,
    (conversation, chat): (ConversationId, ChatId),
    answers: bool,
) -> Result<(i64, Option<Delivery>), Error> {
    let (came_ms, mut card) = store::consent::delivery(&mut state.ctx.peek().await?, user, conversation, chat).await?;
    let first = card.as_ref().map(|card| card.ended_ms);
    for _ in 0..LOOKS {
        let arrives = |card: &Delivery| card.sending && card.told_seq.is_some_and(|told| card.seq < told);
        if !answers || !card.as_ref().is_some_and(arrives) {
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

/// Returns when a delivery ended, by a clock that showed `came_ms` when it ended at `first` as far as was known. What was over then ended
/// by then: if it seems to end later, the clock was set back since.
fn ended_ms(ended_ms: i64, first: Option<i64>, came_ms: i64) -> i64 {
    if first == Some(ended_ms) { ended_ms.min(came_ms) } else { ended_ms }
}

/// Returns true if the text confirms a request in the words of an option that the conversation has offered, whoever typed it. Other
/// messages are not compared: an option matters to nothing else.
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
    fn delivery_that_was_over_when_the_message_came_ended_before_it() {
        for (ended, first, known) in
            [(5, Some(5), 5), (90, Some(90), 10), (90, Some(0), 90), (90, None, 90), (i64::MAX, Some(0), i64::MAX)]
        {
            assert_eq!(ended_ms(ended, first, 10), known, "{ended} {first:?}");
        }
    }
}
