//! Rows for consent in a chat: the last reply, its state when the message was sent, and the offered options (R-403, R-404,
//! R-1102).

use serde_json::Value;
use sqlx::FromRow;

use super::{Error, Tx, clock, on};
use crate::domain::channel::ChatId;
use crate::domain::id::{ApprovalId, ConversationId, TurnId, UserId};
use crate::domain::turn::SenderView;

/// The last reply before a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromRow)]
pub struct LastReply {
    #[sqlx(rename = "turn_id")]
    pub turn: TurnId,
    /// The approval that the reply's last block asks about.
    pub question_of: Option<ApprovalId>,
    /// The approval that the reply's turn requested, repeated or answered.
    pub about: Option<ApprovalId>,
    /// Sequence of the event with the reply.
    pub told_seq: i64,
}

/// The last delivery of a turn's outbox entry to a chat.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct Delivery {
    /// Sequence of the newest event that it included; 0 before the first delivery.
    #[sqlx(rename = "shown_seq")]
    pub seq: i64,
    /// Time according to the channel, in seconds since 1970; 0 if unknown.
    #[sqlx(rename = "shown_at")]
    pub at: i64,
    /// End of the delivery by the database's clock, in milliseconds since 1970.
    #[sqlx(rename = "delivered_ms")]
    pub ended_ms: i64,
    /// Sequence of the event with the turn's reply; `None` while the turn runs.
    pub told_seq: Option<i64>,
    /// True while a sender has the lease.
    pub sending: bool,
    /// True if the chat shows a newer entry, such as a reminder, also one of another account.
    pub is_followed: bool,
    /// JSON list of the channel messages that show it.
    messages: String,
}

impl Delivery {
    /// Returns true if that channel message shows it.
    pub fn is_in(&self, message: i64) -> bool {
        serde_json::from_str::<Vec<i64>>(&self.messages).is_ok_and(|messages| messages.contains(&message))
    }
}

/// Returns the reply of the conversation's last turn before `ordinal`.
///
/// Decisions without a sequence predate stored questions. Such a reply asks its question if its own turn requested the approval.
/// It counts as seen by anyone who has seen an event since.
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

/// Returns the sender's view at the time of the turn's message; an empty view for older messages.
pub async fn view(tx: &mut Tx, user: UserId, turn: TurnId) -> Result<SenderView, Error> {
    let row: Option<(Option<i64>, bool, Option<String>)> = on!(tx, |conn| sqlx::query_as(
        "SELECT m.seen, m.from_option, b.body FROM messages m
         LEFT JOIN bodies b ON b.user_id = m.user_id AND b.seq = m.record_seq
         WHERE m.user_id = $1 AND m.turn_id = $2 AND m.speaker = 'user'"
    )
    .bind(user)
    .bind(turn)
    .fetch_optional(conn)
    .await)?;
    let Some((seen, option, body)) = row else { return Ok(SenderView::default()) };
    let body: Option<Value> =
        body.map(|body| serde_json::from_str(&body)).transpose().map_err(|_| unreadable("message"))?;
    let answers = body.and_then(|body| body["answers"].as_i64());
    Ok(SenderView { seen: seen.unwrap_or(0), option, answers })
}

fn unreadable(what: &str) -> Error {
    Error::Corrupt(format!("a {what} that is no JSON"))
}

/// Returns all options that the conversation's replies offered, except erased ones.
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
        let body: Value = serde_json::from_str(&body).map_err(|_| unreadable("decision"))?;
        let offered = body["options"].as_array().into_iter().flatten();
        options.extend(offered.filter_map(Value::as_str).map(str::to_owned));
    }
    Ok(options)
}

/// Returns the database's time in milliseconds, and the delivery of the conversation's last turn to the chat, if any.
pub async fn delivery(
    tx: &mut Tx,
    user: UserId,
    conversation: ConversationId,
    chat: ChatId,
) -> Result<(i64, Option<Delivery>), Error> {
    let now = clock::now_ms(tx).await?;
    let card = on!(tx, |conn| {
        sqlx::query_as(
        "SELECT o.shown_seq, o.shown_at, o.delivered_ms, d.told_seq, COALESCE(o.lease_until, 0) BETWEEN $4 AND $5 AS sending, o.messages,
             EXISTS (SELECT 1 FROM outbox n WHERE n.channel = o.channel AND n.address = o.address AND n.id > o.id
                 AND (n.messages <> '[]' OR n.lease_until BETWEEN $4 AND $5)) AS is_followed
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
