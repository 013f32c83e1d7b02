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
        (Some(chat), Some(conversation)) => delivered(state, user, conversation, chat, way.written_at).await?,
        (None, _) => {
            let head = store::events::head(&mut state.ctx.peek().await?, user).await?;
            way.seen.map_or(head, |seen| seen.min(head))
        }
    };
    Ok(SenderView { seen, option: way.option || is_option(state, user, conversation, text).await? })
}

/// Returns the newest event that the card of the last reply had taken in when its delivery to the chat ended; 0 for a message that came
/// before that end, or that the channel itself dates before the delivery.
///
/// A card that is just being sent may have arrived: its sender knows in a moment.
async fn delivered(
    state: &AppState,
    user: UserId,
    conversation: ConversationId,
    chat: ChatId,
    written_at: Option<i64>,
) -> Result<i64, Error> {
    let look = async || -> Result<_, Error> {
        Ok(store::consent::delivery(&mut state.ctx.peek().await?, user, conversation, chat).await?)
    };
    let (came_ms, mut card) = look().await?;
    for _ in 0..LOOKS {
        let arrives = |card: &Delivery| card.sending && card.told_seq.is_some_and(|told| card.seq < told);
        if !card.as_ref().is_some_and(arrives) {
            break;
        }
        tokio::time::sleep(BETWEEN_LOOKS).await;
        card = look().await?.1;
    }
    let card = card.filter(|card| card.ended_ms <= came_ms && written_at.is_none_or(|at| at >= card.at));
    Ok(card.map_or(0, |card| card.seq))
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
