//! Messages, which are immutable.

use serde::Deserialize as _;
use sqlx::FromRow;

use super::records::{self, Kind};
use super::{Error, Tx, on};
use crate::domain::conversation::Speaker;
use crate::domain::credential::Credential;
use crate::domain::decision::DecisionKind;
use crate::domain::id::{ApprovalId, ConversationId, MessageId, TurnId, UserId};
use crate::domain::time::Timestamp;
use crate::domain::turn::SenderView;

/// A message to store.
#[derive(Debug, Clone)]
pub struct NewMessage<'a> {
    pub conversation: ConversationId,
    pub turn: TurnId,
    pub speaker: Speaker,
    pub text: &'a str,
    /// Credential of the sender, as stored in the turn's row; `None` for messages without one.
    pub by: Option<&'a Credential>,
}

/// Stores a message and appends its record.
pub async fn insert(tx: &mut Tx, user: UserId, message: &NewMessage<'_>, at: &Timestamp) -> Result<MessageId, Error> {
    let (id, seq) = record(tx, user, message, None, at).await?;
    on!(tx, |conn| sqlx::query(
        "INSERT INTO messages (id, user_id, conversation_id, turn_id, speaker, record_seq, at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)"
    )
    .bind(id)
    .bind(user)
    .bind(message.conversation)
    .bind(message.turn)
    .bind(message.speaker.as_str())
    .bind(seq)
    .bind(at)
    .execute(conn)
    .await
    .map(drop))?;
    Ok(id)
}

/// Stores a person's message with the view they had when they sent it. The record holds the view as well.
pub async fn insert_seen(
    tx: &mut Tx,
    user: UserId,
    message: &NewMessage<'_>,
    view: SenderView,
    at: &Timestamp,
) -> Result<MessageId, Error> {
    let (id, seq) = record(tx, user, message, Some(view), at).await?;
    on!(tx, |conn| sqlx::query(
        "INSERT INTO messages (id, user_id, conversation_id, turn_id, speaker, record_seq, at, seen, from_option)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)"
    )
    .bind(id)
    .bind(user)
    .bind(message.conversation)
    .bind(message.turn)
    .bind(message.speaker.as_str())
    .bind(seq)
    .bind(at)
    .bind(view.seen)
    .bind(view.option)
    .execute(conn)
    .await
    .map(drop))?;
    Ok(id)
}

/// Appends a message's record. Returns the message id and the record number.
async fn record(
    tx: &mut Tx,
    user: UserId,
    message: &NewMessage<'_>,
    view: Option<SenderView>,
    at: &Timestamp,
) -> Result<(MessageId, i64), Error> {
    let id = MessageId::new();
    let mut body = serde_json::json!({
        "message_id": id, "conversation_id": message.conversation, "turn_id": message.turn,
        "speaker": message.speaker.as_str(), "text": message.text, "at": at,
    });
    if let Some(by) = message.by {
        body["by"] = serde_json::json!(by);
    }
    if let Some(view) = view {
        body["seen"] = view.seen.into();
    }
    if view.is_some_and(|view| view.option) {
        body["option"] = true.into();
    }
    if let Some(answers) = view.and_then(|view| view.answers) {
        body["answers"] = answers.into();
    }
    Ok((id, records::append(tx, user, Kind::Message, at, &body).await?))
}

/// A message with its position, for a turn's context.
#[derive(Debug, Clone)]
pub struct Spoken {
    pub id: MessageId,
    pub turn: TurnId,
    /// The turn's ordinal among its user's turns.
    pub ordinal: i64,
    /// The approval that the turn carried out.
    pub approval: Option<ApprovalId>,
    /// The turn's decision; `None` while undecided.
    pub kind: Option<DecisionKind>,
    pub speaker: Speaker,
    /// `None` if erased.
    pub text: Option<String>,
}

#[derive(FromRow)]
struct SpokenRow {
    id: MessageId,
    turn_id: TurnId,
    ordinal: i64,
    approval_id: Option<ApprovalId>,
    kind: Option<String>,
    speaker: String,
    body: Option<String>,
}

/// Returns the conversation's last `limit` messages up to the turn numbered `ordinal`, oldest first. Excludes messages of later
/// turns.
pub async fn recent(
    tx: &mut Tx,
    user: UserId,
    conversation: ConversationId,
    ordinal: i64,
    limit: i64,
) -> Result<Vec<Spoken>, Error> {
    let rows: Vec<SpokenRow> = on!(tx, |conn| sqlx::query_as(
        "SELECT m.id, m.turn_id, t.ordinal, t.approval_id, d.kind, m.speaker, b.body FROM turns t
         CROSS JOIN messages m
         LEFT JOIN decisions d ON d.turn_id = m.turn_id
         LEFT JOIN bodies b ON b.user_id = m.user_id AND b.seq = m.record_seq
         WHERE m.turn_id = t.id AND m.user_id = $1 AND t.conversation_id = $2 AND t.ordinal <= $3
         ORDER BY t.ordinal DESC, m.record_seq DESC LIMIT $4"
    )
    .bind(user)
    .bind(conversation)
    .bind(ordinal)
    .bind(limit)
    .fetch_all(conn)
    .await)?;
    rows.into_iter().rev().map(Spoken::try_from).collect()
}

/// Returns the text of the speaker's message in a turn; `None` if there is none or it is erased.
pub async fn of_turn(tx: &mut Tx, user: UserId, turn: TurnId, speaker: Speaker) -> Result<Option<String>, Error> {
    let body: Option<String> = on!(tx, |conn| sqlx::query_scalar(
        "SELECT b.body FROM messages m JOIN bodies b ON b.user_id = m.user_id AND b.seq = m.record_seq
         WHERE m.user_id = $1 AND m.turn_id = $2 AND m.speaker = $3"
    )
    .bind(user)
    .bind(turn)
    .bind(speaker.as_str())
    .fetch_optional(conn)
    .await)?;
    body.map(|body| text(&body)).transpose()
}

impl TryFrom<SpokenRow> for Spoken {
    type Error = Error;

    fn try_from(row: SpokenRow) -> Result<Self, Error> {
        let speaker = if row.speaker == "user" { Speaker::User } else { Speaker::Assistant };
        Ok(Self {
            id: row.id,
            turn: row.turn_id,
            ordinal: row.ordinal,
            approval: row.approval_id,
            kind: row.kind.as_deref().and_then(DecisionKind::parse),
            speaker,
            text: row.body.as_deref().map(text).transpose()?,
        })
    }
}

/// Returns the credential stored in a message's body.
pub(super) fn by(body: &str) -> Option<Credential> {
    let body: serde_json::Value = serde_json::from_str(body).ok()?;
    Credential::deserialize(&body["by"]).ok()
}

/// Returns the text stored in a message's body.
pub(super) fn text(body: &str) -> Result<String, Error> {
    let body: serde_json::Value =
        serde_json::from_str(body).map_err(|_| Error::Corrupt("a message that is no JSON".into()))?;
    Ok(body["text"].as_str().unwrap_or_default().to_owned())
}
