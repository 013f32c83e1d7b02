//! What is remembered, and which messages were summarised. Texts, words and vectors stand here and nowhere else: what is deleted
//! here is forgotten.

use sqlx::FromRow;

use super::{Error, Tx, on};
use crate::domain::conversation::Speaker;
use crate::domain::id::{ConversationId, MemoryId, TurnId, UserId};
use crate::domain::memory::Memory;
use crate::domain::time::Timestamp;

/// How a memory is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Traits {
    /// Hashes of its words and how often it has each, as bytes that only searches read.
    pub terms: Vec<u8>,
    /// Which embedder made the vector; empty with an empty vector.
    pub embedder: String,
    pub vector: Vec<u8>,
}

/// Keeps a memory; of more than [`Memory::MOST`] the oldest goes.
pub async fn insert(tx: &mut Tx, user: UserId, memory: &Memory, traits: &Traits) -> Result<(), Error> {
    on!(tx, |conn| {
        sqlx::query(
        "INSERT INTO memories (user_id, id, conversation_id, first_record, last_record, text, terms, embedder, vector, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
    )
    .bind(user)
    .bind(memory.memory_id)
    .bind(memory.conversation_id)
    .bind(memory.first_record)
    .bind(memory.last_record)
    .bind(&memory.text)
    .bind(traits.terms.as_slice())
    .bind(&traits.embedder)
    .bind(traits.vector.as_slice())
    .bind(&memory.created_at)
    .execute(conn)
    .await
    .map(drop)
    })?;
    // Ids sort by the time they were made.
    on!(tx, |conn| sqlx::query(
        "DELETE FROM memories WHERE user_id = $1 AND id <= (
             SELECT id FROM memories WHERE user_id = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)"
    )
    .bind(user)
    .bind(Memory::MOST)
    .execute(conn)
    .await
    .map(drop))?;
    Ok(())
}

/// A memory as it is searched.
#[derive(Debug, Clone, FromRow)]
pub struct Searched {
    pub id: MemoryId,
    pub terms: Vec<u8>,
    /// Empty where another embedder made it, or none has yet.
    pub vector: Vec<u8>,
}

/// All memories of the user, the oldest first, with the vectors that this embedder made.
pub async fn searched(tx: &mut Tx, user: UserId, embedder: &str) -> Result<Vec<Searched>, Error> {
    Ok(on!(tx, |conn| sqlx::query_as(
        "SELECT id, terms, CASE WHEN embedder = $2 THEN vector ELSE substr(vector, 1, 0) END AS vector
         FROM memories WHERE user_id = $1 ORDER BY id"
    )
    .bind(user)
    .bind(embedder)
    .fetch_all(conn)
    .await)?)
}

/// The user's memory of that id.
pub async fn get(tx: &mut Tx, user: UserId, id: MemoryId) -> Result<Option<Memory>, Error> {
    let row: Option<Row> = on!(tx, |conn| sqlx::query_as(
        "SELECT id, conversation_id, first_record, last_record, text, created_at FROM memories
         WHERE user_id = $1 AND id = $2"
    )
    .bind(user)
    .bind(id)
    .fetch_optional(conn)
    .await)?;
    Ok(row.map(Memory::from))
}

/// The user's memories before the one of that id, or from the newest on; at most `limit`.
pub async fn list(tx: &mut Tx, user: UserId, before: Option<MemoryId>, limit: i64) -> Result<Vec<Memory>, Error> {
    let before = before.unwrap_or(MemoryId(uuid::Uuid::max()));
    let rows: Vec<Row> = on!(tx, |conn| sqlx::query_as(
        "SELECT id, conversation_id, first_record, last_record, text, created_at FROM memories
         WHERE user_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3"
    )
    .bind(user)
    .bind(before)
    .bind(limit)
    .fetch_all(conn)
    .await)?;
    Ok(rows.into_iter().map(Memory::from).collect())
}

/// How many memories the user has.
pub async fn count(tx: &mut Tx, user: UserId) -> Result<i64, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar("SELECT COUNT(*) FROM memories WHERE user_id = $1")
        .bind(user)
        .fetch_one(conn)
        .await)?)
}

/// Whether the user has a memory of exactly that text.
pub async fn has(tx: &mut Tx, user: UserId, text: &str) -> Result<bool, Error> {
    let found: i64 =
        on!(tx, |conn| sqlx::query_scalar("SELECT COUNT(*) FROM memories WHERE user_id = $1 AND text = $2")
            .bind(user)
            .bind(text)
            .fetch_one(conn)
            .await)?;
    Ok(found > 0)
}

/// Forgets one memory; `false` if the user has no such.
pub async fn forget(tx: &mut Tx, user: UserId, id: MemoryId) -> Result<bool, Error> {
    let rows = on!(tx, |conn| sqlx::query("DELETE FROM memories WHERE user_id = $1 AND id = $2")
        .bind(user)
        .bind(id)
        .execute(conn)
        .await
        .map(|done| done.rows_affected()))?;
    Ok(rows == 1)
}

/// Forgets all that is remembered of the user; returns how much that was.
pub async fn forget_all(tx: &mut Tx, user: UserId) -> Result<u64, Error> {
    Ok(on!(tx, |conn| sqlx::query("DELETE FROM memories WHERE user_id = $1")
        .bind(user)
        .execute(conn)
        .await
        .map(|done| done.rows_affected()))?)
}

/// Whether anything may be remembered of the user.
pub async fn is_on(tx: &mut Tx, user: UserId) -> Result<bool, Error> {
    let off: Option<i32> = on!(tx, |conn| sqlx::query_scalar("SELECT 1 FROM memory_off WHERE user_id = $1")
        .bind(user)
        .fetch_optional(conn)
        .await)?;
    Ok(off.is_none())
}

/// Nothing more is remembered of the user, and nothing comes to mind.
pub async fn switch_off(tx: &mut Tx, user: UserId, at: &Timestamp) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query(
        "INSERT INTO memory_off (user_id, at) VALUES ($1, $2) ON CONFLICT (user_id) DO NOTHING"
    )
    .bind(user)
    .bind(at)
    .execute(conn)
    .await
    .map(drop))?;
    Ok(())
}

/// From now on things are remembered again: what was said until now is passed over.
pub async fn switch_on(tx: &mut Tx, user: UserId, at: &Timestamp) -> Result<(), Error> {
    let rows = on!(tx, |conn| sqlx::query("DELETE FROM memory_off WHERE user_id = $1")
        .bind(user)
        .execute(conn)
        .await
        .map(|done| done.rows_affected()))?;
    if rows == 0 {
        return Ok(());
    }
    on!(tx, |conn| {
        sqlx::query(
        "INSERT INTO summaries (user_id, conversation_id, first_record, last_record, at)
         SELECT m.user_id, m.conversation_id, MIN(m.record_seq), MAX(m.record_seq), $2 FROM messages m
         WHERE m.user_id = $1 AND m.record_seq > COALESCE((
             SELECT MAX(s.last_record) FROM summaries s WHERE s.user_id = $1 AND s.conversation_id = m.conversation_id), 0)
         GROUP BY m.user_id, m.conversation_id"
    )
    .bind(user)
    .bind(at)
    .execute(conn)
    .await
    .map(drop)
    })?;
    Ok(())
}

/// Conversations that somebody spoke in since then, with so many messages or more that no summary has covered, at most `limit`:
/// work for a worker, shown to nobody. Who is shut out or wants nothing remembered is left out.
pub async fn long(
    tx: &mut Tx,
    since: &Timestamp,
    messages: i64,
    limit: i64,
) -> Result<Vec<(UserId, ConversationId)>, Error> {
    Ok(on!(tx, |conn| sqlx::query_as(
        "SELECT c.user_id, c.id FROM users u JOIN conversations c ON c.user_id = u.id
         WHERE c.updated_at > $1 AND u.disabled = $4 AND NOT EXISTS (SELECT 1 FROM memory_off o WHERE o.user_id = u.id)
             AND (SELECT COUNT(*) FROM messages m WHERE m.conversation_id = c.id AND m.record_seq > COALESCE((
                 SELECT MAX(s.last_record) FROM summaries s WHERE s.conversation_id = c.id), 0)) >= $2
         ORDER BY c.updated_at LIMIT $3"
    )
    .bind(since)
    .bind(messages)
    .bind(limit)
    .bind(false)
    .fetch_all(conn)
    .await)?)
}

/// A message that is to be summarised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub record: i64,
    pub turn: TurnId,
    pub speaker: Speaker,
    /// `None` once it is erased.
    pub text: Option<String>,
}

/// The conversation's first messages that no summary has covered, at most `limit`, in order.
pub async fn unsummarised(
    tx: &mut Tx,
    user: UserId,
    conversation: ConversationId,
    limit: i64,
) -> Result<Vec<Line>, Error> {
    let rows: Vec<LineRow> = on!(tx, |conn| sqlx::query_as(
        "SELECT m.record_seq, m.turn_id, m.speaker, b.body FROM messages m
         LEFT JOIN bodies b ON b.user_id = m.user_id AND b.seq = m.record_seq
         WHERE m.user_id = $1 AND m.conversation_id = $2 AND m.record_seq > COALESCE((
             SELECT MAX(s.last_record) FROM summaries s WHERE s.user_id = $1 AND s.conversation_id = $2), 0)
         ORDER BY m.record_seq LIMIT $3"
    )
    .bind(user)
    .bind(conversation)
    .bind(limit)
    .fetch_all(conn)
    .await)?;
    rows.into_iter().map(Line::try_from).collect()
}

/// Which messages were summarised, by whom, and what that took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary<'a> {
    pub conversation: ConversationId,
    pub first_record: i64,
    pub last_record: i64,
    /// `None` where code did it.
    pub model: Option<&'a str>,
    pub tokens_in: Option<i64>,
    pub tokens_out: Option<i64>,
    /// As of a decision.
    pub cost_micros: Option<i64>,
}

/// Notes that these messages are summarised; `false` if somebody else was quicker.
pub async fn cover(tx: &mut Tx, user: UserId, summary: &Summary<'_>, at: &Timestamp) -> Result<bool, Error> {
    let rows = on!(tx, |conn| {
        sqlx::query(
        "INSERT INTO summaries (user_id, conversation_id, first_record, last_record, model, tokens_in, tokens_out, cost_micros, at)
         SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9
         WHERE EXISTS (SELECT 1 FROM conversations c WHERE c.user_id = $1 AND c.id = $2)
             AND NOT EXISTS (SELECT 1 FROM summaries s WHERE s.conversation_id = $2 AND s.last_record >= $3)
             AND NOT EXISTS (SELECT 1 FROM memory_off o WHERE o.user_id = $1)
         ON CONFLICT (conversation_id, first_record) DO NOTHING"
    )
    .bind(user)
    .bind(summary.conversation)
    .bind(summary.first_record)
    .bind(summary.last_record)
    .bind(summary.model)
    .bind(summary.tokens_in)
    .bind(summary.tokens_out)
    .bind(summary.cost_micros)
    .bind(at)
    .execute(conn)
    .await
    .map(|done| done.rows_affected())
    })?;
    Ok(rows == 1)
}

/// Some of the people with memories that this embedder has not seen, of those who let a model be asked or of those who do not, by id
/// `after` one, at most `limit`: work for a worker, shown to nobody. Who is shut out or wants nothing remembered is left out.
pub async fn of_other_embedders(
    tx: &mut Tx,
    embedder: &str,
    uses_model: bool,
    after: Option<UserId>,
    limit: i64,
) -> Result<Vec<UserId>, Error> {
    // Two halves, each by the index alone; SQLite takes this order of the tables as it is: few memories are of another embedder.
    Ok(on!(tx, |conn| sqlx::query_scalar(
        "SELECT m.user_id FROM (SELECT user_id FROM memories WHERE embedder < $1
                                UNION SELECT user_id FROM memories WHERE embedder > $1) m CROSS JOIN users u
         WHERE u.id = m.user_id AND u.uses_model = $2 AND u.disabled = $3 AND ($4 IS NULL OR m.user_id > $4)
             AND NOT EXISTS (SELECT 1 FROM memory_off o WHERE o.user_id = m.user_id)
         ORDER BY m.user_id LIMIT $5"
    )
    .bind(embedder)
    .bind(uses_model)
    .bind(false)
    .bind(after)
    .bind(limit)
    .fetch_all(conn)
    .await)?)
}

/// The user's memories that this embedder has not seen, at most `limit`.
pub async fn of_another_embedder(
    tx: &mut Tx,
    user: UserId,
    embedder: &str,
    limit: i64,
) -> Result<Vec<(MemoryId, String)>, Error> {
    Ok(on!(tx, |conn| sqlx::query_as(
        "SELECT id, text FROM memories WHERE user_id = $1 AND embedder <> $2 ORDER BY id LIMIT $3"
    )
    .bind(user)
    .bind(embedder)
    .bind(limit)
    .fetch_all(conn)
    .await)?)
}

/// Gives the user's memory another vector, if it is still remembered.
pub async fn embed(tx: &mut Tx, user: UserId, id: MemoryId, embedder: &str, vector: &[u8]) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("UPDATE memories SET embedder = $3, vector = $4 WHERE user_id = $1 AND id = $2")
        .bind(user)
        .bind(id)
        .bind(embedder)
        .bind(vector)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

#[derive(FromRow)]
struct Row {
    id: MemoryId,
    conversation_id: ConversationId,
    first_record: i64,
    last_record: i64,
    text: String,
    created_at: Timestamp,
}

impl From<Row> for Memory {
    fn from(row: Row) -> Self {
        let Row { id, conversation_id, first_record, last_record, text, created_at } = row;
        Self { memory_id: id, text, conversation_id, first_record, last_record, created_at }
    }
}

#[derive(FromRow)]
struct LineRow {
    record_seq: i64,
    turn_id: TurnId,
    speaker: String,
    body: Option<String>,
}

impl TryFrom<LineRow> for Line {
    type Error = Error;

    fn try_from(row: LineRow) -> Result<Self, Error> {
        Ok(Self {
            record: row.record_seq,
            turn: row.turn_id,
            speaker: if row.speaker == "user" { Speaker::User } else { Speaker::Assistant },
            text: row.body.as_deref().map(super::messages::text).transpose()?,
        })
    }
}
