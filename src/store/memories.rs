//! Memories and the messages that were summarised. Texts, terms and vectors are stored only here, so deletion is complete
//!

use sqlx::FromRow;

use super::{Error, Tx, on};
use crate::domain::conversation::Speaker;
use crate::domain::id::{ConversationId, MemoryId, TurnId, UserId};
use crate::domain::memory::Memory;
use crate::domain::time::Timestamp;

/// Search data of a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Traits {
    /// Hashes and frequencies of its words, in the format of the search.
    pub terms: Vec<u8>,
    /// Name of the embedder that made the vector; empty without a vector.
    pub embedder: String,
    pub vector: Vec<u8>,
}

/// Stores a memory. Deletes the oldest one if there are more than [`Memory::MOST`].
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
    // Ids sort by creation time.
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

/// A memory's search data.
#[derive(Debug, Clone, FromRow)]
pub struct Searched {
    pub id: MemoryId,
    pub terms: Vec<u8>,
    /// `None` without a vector from the present embedder.
    pub vector: Option<Vec<u8>>,
}

/// Returns all memories of the user, oldest first, with vectors of this embedder.
pub async fn searched(tx: &mut Tx, user: UserId, embedder: &str) -> Result<Vec<Searched>, Error> {
    Ok(on!(tx, |conn| sqlx::query_as(
        "SELECT id, terms, CASE WHEN embedder = $2 THEN vector END AS vector
         FROM memories WHERE user_id = $1 ORDER BY id"
    )
    .bind(user)
    .bind(embedder)
    .fetch_all(conn)
    .await)?)
}

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

/// Returns at most `limit` memories older than `before` (`None` for the newest), newest first.
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

/// Returns the number of the user's memories.
pub async fn count(tx: &mut Tx, user: UserId) -> Result<i64, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar("SELECT COUNT(*) FROM memories WHERE user_id = $1")
        .bind(user)
        .fetch_one(conn)
        .await)?)
}

/// Returns true if the user has a memory with exactly this text.
pub async fn has(tx: &mut Tx, user: UserId, text: &str) -> Result<bool, Error> {
    let found: i64 =
        on!(tx, |conn| sqlx::query_scalar("SELECT COUNT(*) FROM memories WHERE user_id = $1 AND text = $2")
            .bind(user)
            .bind(text)
            .fetch_one(conn)
            .await)?;
    Ok(found > 0)
}

/// Deletes a memory. Returns false if the user has none with this id.
pub async fn forget(tx: &mut Tx, user: UserId, id: MemoryId) -> Result<bool, Error> {
    let rows = on!(tx, |conn| sqlx::query("DELETE FROM memories WHERE user_id = $1 AND id = $2")
        .bind(user)
        .bind(id)
        .execute(conn)
        .await
        .map(|done| done.rows_affected()))?;
    Ok(rows == 1)
}

/// Deletes all memories of the user and returns their number.
pub async fn forget_all(tx: &mut Tx, user: UserId) -> Result<u64, Error> {
    Ok(on!(tx, |conn| sqlx::query("DELETE FROM memories WHERE user_id = $1")
        .bind(user)
        .execute(conn)
        .await
        .map(|done| done.rows_affected()))?)
}

/// Returns true unless the user switched memory off.
pub async fn is_on(tx: &mut Tx, user: UserId) -> Result<bool, Error> {
    let off: Option<i32> = on!(tx, |conn| sqlx::query_scalar("SELECT 1 FROM memory_off WHERE user_id = $1")
        .bind(user)
        .fetch_optional(conn)
        .await)?;
    Ok(off.is_none())
}

/// Switches memory off: nothing is stored or recalled for the user.
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

/// Switches memory on. Marks earlier messages as summarised, so that they are not remembered.
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

/// Returns at most `limit` conversations updated since `since` with at least `messages` unsummarised messages, for a worker.
/// Skips users who are disabled or have memory off.
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

/// A message to summarise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub record: i64,
    pub turn: TurnId,
    pub speaker: Speaker,
    /// `None` if erased.
    pub text: Option<String>,
}

/// Returns at most `limit` unsummarised messages of the conversation, in order.
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

/// A summarised range of messages and the cost of its summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary<'a> {
    pub conversation: ConversationId,
    pub first_record: i64,
    pub last_record: i64,
    /// `None` if made without a model.
    pub model: Option<&'a str>,
    pub tokens_in: Option<i64>,
    pub tokens_out: Option<i64>,
    /// Micro-units of the provider's currency; `None` if no price is known.
    pub cost_micros: Option<i64>,
}

/// Marks messages as summarised. Returns false if they already are, or if memory is off.
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

/// Returns at most `limit` users after `after` with memories from other embedders, for a worker. `uses_model` selects users who
/// allow a model or who do not. Skips users who are disabled or have memory off.
pub async fn of_other_embedders(
    tx: &mut Tx,
    embedder: &str,
    uses_model: bool,
    after: Option<UserId>,
    limit: i64,
) -> Result<Vec<UserId>, Error> {
    // Two index-only ranges. SQLite keeps the order of a cross join; few memories are from another embedder.
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

/// Returns at most `limit` of the user's memories without a vector of this embedder.
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

/// Replaces a memory's vector, if the memory still exists.
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
