//! The view that the sender of a message had: what they could have seen of the last reply, and whether the words are their own
//! (R-403, R-404, R-1102).

use super::inbox::Way;
use crate::domain::channel::ChatId;
use crate::domain::consent;
use crate::domain::id::{ConversationId, UserId};
use crate::domain::text::plain_words;
use crate::domain::turn::SenderView;
use crate::state::AppState;
use crate::store::{self, Tx};
use crate::usecases::Error;

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
    let mut tx = state.ctx.peek().await?;
    let conversation = match way.chat {
        Some(_) => store::telegram::of_user(&mut tx, user).await?.and_then(|link| link.conversation),
        None => conversation,
    };
    let seen = match (way.chat, conversation) {
        (Some(chat), Some(conversation)) => delivered(&mut tx, user, conversation, chat, way.written_at).await?,
        (Some(_), None) => 0,
        (None, _) => {
            let head = store::events::head(&mut tx, user).await?;
            way.seen.map_or(head, |seen| seen.min(head))
        }
    };
    Ok(SenderView { seen, option: way.option || is_option(&mut tx, user, conversation, text).await? })
}

/// Returns the newest event that the card of the last reply had taken in when it was delivered to the chat; 0 before that, and for a
/// message that the channel itself dates before the delivery.
async fn delivered(
    tx: &mut Tx,
    user: UserId,
    conversation: ConversationId,
    chat: ChatId,
    written_at: Option<i64>,
) -> Result<i64, Error> {
    let card = store::consent::delivery(tx, user, conversation, chat).await?;
    let card = card.filter(|card| written_at.is_none_or(|at| at >= card.at));
    Ok(card.map_or(0, |card| card.seq))
}

/// Returns true if the text confirms a request in the words of an option that the conversation has offered, whoever typed it. Other
/// messages are not compared: an option matters to nothing else.
async fn is_option(tx: &mut Tx, user: UserId, conversation: Option<ConversationId>, text: &str) -> Result<bool, Error> {
    let Some(conversation) = conversation.filter(|_| consent::confirmation(text).is_some()) else { return Ok(false) };
    let options = store::consent::options(tx, user, conversation).await?;
    let words = plain_words(text);
    Ok(options.iter().any(|option| plain_words(option) == words))
}
