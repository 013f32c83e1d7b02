//! Rows that consent in a chat depends on: the last reply, what the sender of a message could have seen of it, and the options that
//! were offered (R-403, R-404, R-1102).

use serde_json::Value;
use sqlx::FromRow;

use super::{Error, Tx, clock, on};
use crate::domain::channel::ChatId;
use crate::domain::id::{ApprovalId, ConversationId, TurnId, UserId};
use crate::domain::turn::SenderView;

/// The reply that came last before a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromRow)]
pub struct LastReply {
    #[sqlx(rename = "turn_id")]
    pub turn: TurnId,
    /// The approval that its last block asks about.
    pub question_of: Option<ApprovalId>,
    /// The approval that its turn asked for, asked about again or answered.
    pub about: Option<ApprovalId>,
    /// Sequence of the event that carries it.
    pub told_seq: i64,
}

/// A card of a turn in a chat as it was delivered last.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct Delivery {
    /// Sequence of the newest event that it took in; 0 before the first delivery.
    #[sqlx(rename = "shown_seq")]
    pub seq: i64,
    /// The channel's own time in seconds since 1970; 0 if unknown.
    #[sqlx(rename = "shown_at")]
    pub at: i64,
    /// The end of the delivery by the database's clock, in milliseconds since 1970.
    #[sqlx(rename = "delivered_ms")]
    pub ended_ms: i64,
    /// Sequence of the event that carries the reply of its turn; `None` while the turn runs.
    pub told_seq: Option<i64>,
    /// True while a sender holds it.
    pub sending: bool,
    /// Messages of the channel in which it stands, as a JSON list.
    messages: String,
}

impl Delivery {
    /// Returns true if it stands in that message of the channel.
    pub fn is_in(&self, message: i64) -> bool {
        serde_json::from_str::<Vec<i64>>(&self.messages).is_ok_and(|messages| messages.contains(&message))
    }
}

/// The reply of the conversation's last turn before `ordinal`.
///
/// Decisions from before questions were kept have no sequence. Such a reply asks if its own turn asked for the approval, since code
/// put that question last; everybody who has seen any event since has seen it.
pub async fn last_reply(
    tx: &mut Tx,
    user: UserId,
    conversation: ConversationId,
    ordinal: i64,
) -> Result<Option<LastReply>, Error> {
    Ok(on!(tx, |conn| sqlx::query_as(
        "SELECT t.id AS turn_id, CASE WHEN d.told_seq IS NULL THEN a.id ELSE d.question_of END AS question_of,
             d.asked_approval AS about, COALESCE(d.told_seq, 1) AS told_seq
         FROM turns t
         LEFT JOIN decisions d ON d.turn_id = t.id
         LEFT JOIN approvals a ON a.id = d.asked_approval AND a.turn_id = t.id
         WHERE t.user_id = $1 AND t.conversation_id = $2 AND t.ordinal < $3 ORDER BY t.ordinal DESC LIMIT 1"
    )
    .bind(user)
    .bind(conversation)
    .bind(ordinal)
    .fetch_optional(conn)
    .await)?)
}

/// The view that the sender of the turn's message had; of an older message, that of somebody who has seen nothing.
pub async fn view(tx: &mut Tx, user: UserId, turn: TurnId) -> Result<SenderView, Error> {
    let row: Option<(Option<i64>, bool)> = on!(tx, |conn| sqlx::query_as(
        "SELECT seen, from_option FROM messages WHERE user_id = $1 AND turn_id = $2 AND speaker = 'user'"
    )
    .bind(user)
    .bind(turn)
    .fetch_optional(conn)
    .await)?;
    Ok(row.map_or_else(SenderView::default, |(seen, option)| SenderView { seen: seen.unwrap_or(0), option }))
}

/// The options that replies of the conversation have offered and that are not erased.
pub async fn options(tx: &mut Tx, user: UserId, conversation: ConversationId) -> Result<Vec<String>, Error> {
    let bodies: Vec<String> = on!(tx, |conn| sqlx::query_scalar(
        r#"SELECT b.body FROM turns t
         JOIN decisions d ON d.turn_id = t.id
         JOIN bodies b ON b.user_id = d.user_id AND b.seq = d.record_seq
         WHERE t.user_id = $1 AND t.conversation_id = $2 AND b.body NOT LIKE '%"options":[]%'"#
    )
    .bind(user)
    .bind(conversation)
    .fetch_all(conn)
    .await)?;
    let mut options = vec![];
    for body in bodies {
        let body: Value =
            serde_json::from_str(&body).map_err(|_| Error::Corrupt("a decision that is no JSON".into()))?;
        let offered = body["options"].as_array().into_iter().flatten();
        options.extend(offered.filter_map(Value::as_str).map(str::to_owned));
    }
    Ok(options)
}

/// The card of the conversation's last turn as it was delivered to the chat, by `now` of the database's clock; `None` if that turn has
/// none there.
pub async fn delivery(
    tx: &mut Tx,
    user: UserId,
    conversation: ConversationId,
    chat: ChatId,
) -> Result<(i64, Option<Delivery>), Error> {
    let now = clock::now_ms(tx).await?;
    let card = on!(tx, |conn| {
        sqlx::query_as(
        "SELECT o.shown_seq, o.shown_at, o.delivered_ms, d.told_seq, COALESCE(o.lease_until, 0) BETWEEN $4 AND $5 AS sending, o.messages
         FROM outbox o LEFT JOIN decisions d ON d.turn_id = o.turn_id
         WHERE o.user_id = $1 AND o.address = $3 AND o.turn_id = (SELECT t.id FROM turns t
             WHERE t.user_id = $1 AND t.conversation_id = $2 ORDER BY t.ordinal DESC LIMIT 1)"
    )
    .bind(user)
    .bind(conversation)
    .bind(chat)
    .bind(now)
    .bind(now + clock::LONGEST_WAIT_MS)
    .fetch_optional(conn)
    .await
    })?;
    Ok((now, card))
}
