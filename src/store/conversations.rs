//! Conversations and their messages as shown to people.

use sqlx::{Database, FromRow, QueryBuilder};

use super::columns::Bind;
use super::listing::contains;
use super::{Conn, Error, Tx, on};
use crate::domain::comparison::folded;
use crate::domain::conversation::{Conversation, Speaker};
use crate::domain::id::{ConversationId, MessageId, TurnId, UserId};
use crate::domain::time::Timestamp;

/// Number of a conversation's newest matching messages that are checked against the search text.
const LOOKED_AT: i64 = 20;
/// Number of the user's newest records whose messages a search reads: some 4,000 messages.
const SEARCHED: i64 = 20_000;

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
/// visible ones. `words` keeps those whose title or newest messages contain the text, within the newest [`SEARCHED`] records.
pub async fn list(
    tx: &mut Tx,
    user: UserId,
    words: Option<&str>,
    hidden: bool,
    before: Option<ConversationId>,
    limit: i64,
) -> Result<Vec<Conversation>, Error> {
    let run = words.map(run);
    let rows: Vec<Row> = match &mut tx.conn {
        Conn::Sqlite(conn) => {
            listed(user, run.as_deref(), hidden, before, limit).build_query_as().fetch_all(&mut **conn).await?
        }
        Conn::Pg(conn) => {
            listed(user, run.as_deref(), hidden, before, limit).build_query_as().fetch_all(&mut **conn).await?
        }
    };
    let mut found: Vec<Conversation> = rows.into_iter().map(Conversation::from).collect();
    if let (Some(words), Some(run)) = (words.map(folded), run) {
        let mut truly = vec![];
        for talk in found {
            if folded(&talk.title).contains(&words) || says(tx, user, talk.conversation_id, &words, &run).await? {
                truly.push(talk);
            }
        }
        found = truly;
    }
    Ok(found)
}

/// Builds the query of a list. With `run`, a title or a message has to contain it.
fn listed<DB>(
    user: UserId,
    run: Option<&str>,
    hidden: bool,
    before: Option<ConversationId>,
    limit: i64,
) -> QueryBuilder<DB>
where
    DB: Database<Arguments: Default>,
    UserId: Bind<DB>,
    ConversationId: Bind<DB>,
    String: Bind<DB>,
    i64: Bind<DB>,
{
    let mut query =
        QueryBuilder::new("SELECT id, title, created_at, updated_at, hidden_at FROM conversations c WHERE user_id = ");
    query.push_bind(user).push(if hidden { " AND hidden_at IS NOT NULL" } else { " AND hidden_at IS NULL" });
    query.push(" AND EXISTS (SELECT 1 FROM messages m WHERE m.user_id = c.user_id AND m.conversation_id = c.id)");
    if let Some(run) = run {
        query.push(" AND (");
        contains(&mut query, "LOWER(title)", run.to_owned());
        query.push(" OR EXISTS (SELECT 1 ");
        searched(&mut query, run);
        query.push(" AND m.user_id = c.user_id AND m.conversation_id = c.id))");
    }
    if let Some(before) = before {
        query.push(" AND (updated_at, id) < (SELECT o.updated_at, o.id FROM conversations o WHERE o.user_id = ");
        query.push_bind(user).push(" AND o.id = ").push_bind(before).push(")");
    }
    query.push(" ORDER BY updated_at DESC, id DESC LIMIT ").push_bind(limit);
    query
}

/// Adds the messages `m` with the texts `b` that contain `run`, among the user's newest records.
fn searched<DB>(query: &mut QueryBuilder<DB>, run: &str)
where
    DB: Database,
    String: Bind<DB>,
    i64: Bind<DB>,
{
    query.push("FROM messages m JOIN bodies b ON b.user_id = m.user_id AND b.seq = m.record_seq WHERE m.record_seq > ");
    query.push("(SELECT MAX(r.seq) FROM records r WHERE r.user_id = m.user_id) - ").push_bind(SEARCHED).push(" AND ");
    contains(query, "LOWER(b.body)", run.to_owned());
}

/// Returns true if one of the newest messages that contain `run` contains `words`, which must be [`folded`]. The run alone has
/// false positives: it may be a part of the words, or of a JSON member's name.
async fn says(tx: &mut Tx, user: UserId, id: ConversationId, words: &str, run: &str) -> Result<bool, Error> {
    fn bodies<DB>(user: UserId, id: ConversationId, run: &str) -> QueryBuilder<DB>
    where
        DB: Database<Arguments: Default>,
        UserId: Bind<DB>,
        ConversationId: Bind<DB>,
        String: Bind<DB>,
        i64: Bind<DB>,
    {
        let mut query = QueryBuilder::new("SELECT b.body ");
        searched(&mut query, run);
        query.push(" AND m.user_id = ").push_bind(user).push(" AND m.conversation_id = ").push_bind(id);
        query.push(" ORDER BY m.record_seq DESC LIMIT ").push_bind(LOOKED_AT);
        query
    }
    let bodies: Vec<String> = match &mut tx.conn {
        Conn::Sqlite(conn) => bodies(user, id, run).build_query_scalar().fetch_all(&mut **conn).await?,
        Conn::Pg(conn) => bodies(user, id, run).build_query_scalar().fetch_all(&mut **conn).await?,
    };
    for body in bodies {
        if folded(&super::messages::text(&body)?).contains(words) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the longest part of the words that every text with them contains as it is in lower case: ASCII without signs that JSON
/// escapes. The databases fold other letters differently and keep accents.
fn run(words: &str) -> String {
    let runs = words.split(|c: char| !c.is_ascii() || c.is_control() || matches!(c, '"' | '\\'));
    runs.max_by_key(|run| run.len()).unwrap_or_default().to_ascii_lowercase()
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
