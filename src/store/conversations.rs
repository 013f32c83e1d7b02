//! Conversations and their messages as shown to people.

use sqlx::FromRow;

use super::{Error, Tx, on};
use crate::domain::comparison::folded;
use crate::domain::conversation::{Conversation, Speaker};
use crate::domain::id::{ConversationId, MessageId, TurnId, UserId};
use crate::domain::time::Timestamp;

/// Number of a conversation's newest matching messages that are checked against the search text.
const LOOKED_AT: i64 = 20;

/// Creates a conversation.
pub async fn create(tx: &mut Tx, user: UserId, id: ConversationId, title: &str, at: &Timestamp) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query(
        "INSERT INTO conversations (id, user_id, title, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)"
    )
    .bind(id)
    .bind(user)
    .bind(title)
    .bind(at)
    .execute(conn)
    .await
    .map(drop))?;
    Ok(())
}

/// Returns true if the user has this conversation.
pub async fn exists(tx: &mut Tx, user: UserId, id: ConversationId) -> Result<bool, Error> {
    let found: i64 =
        on!(tx, |conn| sqlx::query_scalar("SELECT COUNT(*) FROM conversations WHERE user_id = $1 AND id = $2")
            .bind(user)
            .bind(id)
            .fetch_one(conn)
            .await)?;
    Ok(found > 0)
}

/// Renames a conversation. Returns false if there is none.
pub async fn rename(tx: &mut Tx, user: UserId, id: ConversationId, title: &str) -> Result<bool, Error> {
    let rows = on!(tx, |conn| sqlx::query("UPDATE conversations SET title = $3 WHERE user_id = $1 AND id = $2")
        .bind(user)
        .bind(id)
        .bind(title)
        .execute(conn)
        .await
        .map(|done| done.rows_affected()))?;
    Ok(rows == 1)
}

/// Hides a conversation at `at`, or shows it again with `None`. Returns false if there is none.
pub async fn hide(tx: &mut Tx, user: UserId, id: ConversationId, at: Option<&Timestamp>) -> Result<bool, Error> {
    let rows = on!(tx, |conn| sqlx::query("UPDATE conversations SET hidden_at = $3 WHERE user_id = $1 AND id = $2")
        .bind(user)
        .bind(id)
        .bind(at)
        .execute(conn)
        .await
        .map(|done| done.rows_affected()))?;
    Ok(rows == 1)
}

/// Returns a conversation, hidden or not.
pub async fn get(tx: &mut Tx, user: UserId, id: ConversationId) -> Result<Option<Conversation>, Error> {
    let row: Option<Row> = on!(tx, |conn| sqlx::query_as(
        "SELECT id, title, created_at, updated_at, hidden_at FROM conversations WHERE user_id = $1 AND id = $2"
    )
    .bind(user)
    .bind(id)
    .fetch_optional(conn)
    .await)?;
    Ok(row.map(Conversation::from))
}

/// Stores the time of a new message in the conversation and shows the conversation again.
pub async fn touch(tx: &mut Tx, user: UserId, id: ConversationId, at: &Timestamp) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query(
        "UPDATE conversations SET updated_at = $3, hidden_at = NULL WHERE user_id = $1 AND id = $2"
    )
    .bind(user)
    .bind(id)
    .bind(at)
    .execute(conn)
    .await
    .map(drop))?;
    Ok(())
}

/// Returns at most `limit` non-empty conversations older than `before`, most recently used first. `hidden` selects hidden or
/// visible ones. `words` keeps those whose title or messages contain the text. SQLite ignores case for ASCII only.
pub async fn list(
    tx: &mut Tx,
    user: UserId,
    words: Option<&str>,
    hidden: bool,
    before: Option<ConversationId>,
    limit: i64,
) -> Result<Vec<Conversation>, Error> {
    let in_title = words.map(|words| format!("%{}%", plain(words)));
    let in_body = words.map(written).transpose()?;
    let rows: Vec<Row> = on!(tx, |conn| {
        sqlx::query_as(
        r"SELECT id, title, created_at, updated_at, hidden_at FROM conversations c
         WHERE user_id = $1 AND EXISTS (SELECT 1 FROM messages m WHERE m.user_id = $1 AND m.conversation_id = c.id)
             AND (hidden_at IS NOT NULL) = $2
             AND (CAST($3 AS TEXT) IS NULL OR LOWER(title) LIKE LOWER($3) ESCAPE '\'
                 OR EXISTS (SELECT 1 FROM messages m JOIN bodies b ON b.user_id = m.user_id AND b.seq = m.record_seq
                     WHERE m.user_id = $1 AND m.conversation_id = c.id AND LOWER(b.body) LIKE LOWER($5) ESCAPE '\'))
             AND (CAST($6 AS UUID) IS NULL
                 OR (updated_at, id) < (SELECT o.updated_at, o.id FROM conversations o WHERE o.user_id = $1 AND o.id = $6))
         ORDER BY updated_at DESC, id DESC LIMIT $4"
    )
    .bind(user)
    .bind(hidden)
    .bind(in_title)
    .bind(limit)
    .bind(in_body.as_deref())
    .bind(before)
    .fetch_all(conn)
    .await
    })?;
    let mut found: Vec<Conversation> = rows.into_iter().map(Conversation::from).collect();
    if let (Some(words), Some(in_body)) = (words.map(folded), in_body) {
        let mut truly = vec![];
        for talk in found {
            if folded(&talk.title).contains(&words) || says(tx, user, talk.conversation_id, &words, &in_body).await? {
                truly.push(talk);
            }
        }
        found = truly;
    }
    Ok(found)
}

/// Returns true if one of the newest messages that match the pattern contains `words`, which must be [`folded`]. The pattern
/// alone has false positives: `\n` matches an n, and non-ASCII characters match anything.
async fn says(tx: &mut Tx, user: UserId, id: ConversationId, words: &str, in_body: &str) -> Result<bool, Error> {
    let bodies: Vec<String> = on!(tx, |conn| sqlx::query_scalar(
        r"SELECT b.body FROM messages m JOIN bodies b ON b.user_id = m.user_id AND b.seq = m.record_seq
         WHERE m.user_id = $1 AND m.conversation_id = $2 AND LOWER(b.body) LIKE LOWER($3) ESCAPE '\'
         ORDER BY m.record_seq DESC LIMIT $4"
    )
    .bind(user)
    .bind(id)
    .bind(in_body)
    .bind(LOOKED_AT)
    .fetch_all(conn)
    .await)?;
    for body in bodies {
        if folded(&super::messages::text(&body)?).contains(words) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the `LIKE` pattern for bodies whose text may contain `words`. Bodies are canonical JSON (RFC 8785), so the text is
/// always between the same two member names and has one encoding.
fn written(words: &str) -> Result<String, Error> {
    let written = super::canonical::to_string(&words)
        .map_err(|error| Error::Corrupt(format!("words that are no JSON ({error})")))?;
    let written = written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(&written);
    Ok(format!("%{}%{}%{}%", plain("\"text\":\""), plain(written), plain("\",\"turn_id\":\"")))
}

/// Escapes a text for a `LIKE` pattern. Non-ASCII characters become `%`, since the databases fold their case differently and keep
/// accents.
fn plain(text: &str) -> String {
    let escaped = text.replace('\\', r"\\").replace('%', r"\%").replace('_', r"\_");
    escaped.replace(|c: char| !c.is_ascii(), "%")
}

/// A message of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    pub message_id: MessageId,
    pub turn_id: TurnId,
    pub speaker: Speaker,
    /// `None` if erased.
    pub text: Option<String>,
    pub at: Timestamp,
    /// Record number, which orders messages.
    pub seq: i64,
}

/// Returns at most `limit` messages before record `before` (`None` for the newest), newest first.
pub async fn messages(
    tx: &mut Tx,
    user: UserId,
    id: ConversationId,
    before: Option<i64>,
    limit: i64,
) -> Result<Vec<Said>, Error> {
    let rows: Vec<SaidRow> = on!(tx, |conn| sqlx::query_as(
        "SELECT m.id, m.turn_id, m.speaker, m.at, m.record_seq, b.body FROM messages m
         LEFT JOIN bodies b ON b.user_id = m.user_id AND b.seq = m.record_seq
         WHERE m.user_id = $1 AND m.conversation_id = $2 AND m.record_seq < $3
         ORDER BY m.record_seq DESC LIMIT $4"
    )
    .bind(user)
    .bind(id)
    .bind(before.unwrap_or(i64::MAX))
    .bind(limit)
    .fetch_all(conn)
    .await)?;
    rows.into_iter().map(Said::try_from).collect()
}

#[derive(FromRow)]
struct Row {
    id: ConversationId,
    title: String,
    created_at: Timestamp,
    updated_at: Timestamp,
    hidden_at: Option<Timestamp>,
}

impl From<Row> for Conversation {
    fn from(row: Row) -> Self {
        let Row { id, title, created_at, updated_at, hidden_at } = row;
        Self { conversation_id: id, title, created_at, updated_at, hidden: hidden_at.is_some() }
    }
}

#[derive(FromRow)]
struct SaidRow {
    id: MessageId,
    turn_id: TurnId,
    speaker: String,
    at: Timestamp,
    record_seq: i64,
    body: Option<String>,
}

impl TryFrom<SaidRow> for Said {
    type Error = Error;

    fn try_from(row: SaidRow) -> Result<Self, Error> {
        Ok(Self {
            message_id: row.id,
            turn_id: row.turn_id,
            speaker: if row.speaker == "user" { Speaker::User } else { Speaker::Assistant },
            text: row.body.as_deref().map(super::messages::text).transpose()?,
            at: row.at,
            seq: row.record_seq,
        })
    }
}
