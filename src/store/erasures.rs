//! Erasure of texts from the audit log. Removes bodies and everything derived from them. The hash chain keeps the
//! digests, a mark for each erased body and a record of the erasure.

use std::collections::HashSet;

use serde_json::Value;
use sqlx::{Database, FromRow, QueryBuilder};

use super::audited_columns::Digest;
use super::columns::Bind;
use super::records::Kind;
use super::{Conn, Error, Tx, chains, on};
use crate::domain::erasure::BareChange;
use crate::domain::id::{ChangeId, ImportId, InvocationId, TaskNumber, TurnId, UserId};
use crate::domain::task::{Actor, Operation};
use crate::domain::text::ClientKey;
use crate::domain::time::Timestamp;

/// Title of a conversation whose first message is erased.
pub const UNTITLED: &str = "Erased conversation";
/// Row of `jobs` with the time since which erased data may remain in the file.
const TRACES: &str = "erased_traces";
/// Marks per statement.
const MARKS: usize = 200;

/// Record kinds with texts that an erasure removes. Records of accounts, tokens, approval requests and extensions stay, since
/// they hold only ids and times.
const KINDS: [Kind; 7] =
    [Kind::Message, Kind::Step, Kind::Invocation, Kind::Change, Kind::ApprovalVerdict, Kind::Decision, Kind::Standing];

/// A record considered for erasure.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct Looked {
    pub seq: i64,
    kind: String,
    pub at: Timestamp,
    body: Option<String>,
}

impl Looked {
    /// Returns kind and body, if the kind can be erased and the body still exists.
    pub fn text(&self) -> Result<Option<(Kind, Value)>, Error> {
        let kind = Kind::parse(&self.kind).filter(|kind| KINDS.contains(kind));
        let Some((kind, body)) = kind.zip(self.body.as_deref()) else { return Ok(None) };
        let body = serde_json::from_str(body).map_err(|_| Error::Corrupt("a record that is no JSON".into()))?;
        Ok(Some((kind, body)))
    }
}

/// A body to erase, with the digest of its row's columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    pub seq: i64,
    pub said: Option<Digest>,
}

/// Numbers of derived items that were removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Beside {
    pub memories: u64,
    pub titles: u64,
}

/// Returns at most `limit` of the user's records after number `after`, in order, and fewer if their texts are long; none only at the end.
pub async fn page(tx: &mut Tx, user: UserId, after: i64, limit: i64) -> Result<Vec<Looked>, Error> {
    let limit = chains::page(tx, user, after, limit).await?;
    Ok(on!(tx, |conn| sqlx::query_as(
        "SELECT r.seq, r.kind, r.at, b.body FROM records r
         LEFT JOIN bodies b ON b.user_id = r.user_id AND b.seq = r.seq
         WHERE r.user_id = $1 AND r.seq > $2 ORDER BY r.seq LIMIT $3"
    )
    .bind(user)
    .bind(after)
    .bind(limit)
    .fetch_all(conn)
    .await)?)
}

/// Returns the number of the user's last record; 0 before the first.
pub async fn last(tx: &mut Tx, user: UserId) -> Result<i64, Error> {
    let last: Option<i64> = on!(tx, |conn| sqlx::query_scalar("SELECT MAX(seq) FROM records WHERE user_id = $1")
        .bind(user)
        .fetch_one(conn)
        .await)?;
    Ok(last.unwrap_or(0))
}

/// Returns the record numbers that must stay. These belong to running turns, and to turns whose approval is pending or about to
/// be carried out.
pub async fn needed(tx: &mut Tx, user: UserId) -> Result<HashSet<i64>, Error> {
    let rows: Vec<i64> = on!(tx, |conn| sqlx::query_scalar(
        "WITH open (id) AS (
             SELECT id FROM turns WHERE status <> 'done' AND user_id = $1
             UNION SELECT turn_id FROM approvals WHERE status = 'pending' AND user_id = $1
             UNION SELECT a.turn_id FROM turns t JOIN approvals a ON a.id = t.approval_id AND a.user_id = $1
                 WHERE t.status <> 'done' AND t.user_id = $1
             UNION SELECT a.turn_id FROM turns t
                 JOIN approvals a ON a.conversation_id = t.conversation_id AND a.user_id = $1 AND a.status = 'approved'
                 WHERE t.status <> 'done' AND t.user_id = $1 AND NOT EXISTS (
                     SELECT 1 FROM invocations i
                     WHERE i.user_id = $1 AND i.approval_id = a.id AND i.status <> 'awaiting_approval'))
         SELECT m.record_seq FROM open o JOIN messages m ON m.turn_id = o.id WHERE m.user_id = $1
         UNION SELECT s.record_seq FROM open o JOIN steps s ON s.turn_id = o.id WHERE s.user_id = $1
         UNION SELECT i.record_seq FROM open o JOIN invocations i ON i.turn_id = o.id WHERE i.user_id = $1
         UNION SELECT d.record_seq FROM open o JOIN decisions d ON d.turn_id = o.id WHERE d.user_id = $1
         UNION SELECT c.record_seq FROM open o JOIN changes c ON c.turn_id = o.id WHERE c.user_id = $1
         UNION SELECT a.decided_seq FROM open o JOIN approvals a ON a.turn_id = o.id
             WHERE a.user_id = $1 AND a.decided_seq IS NOT NULL"
    )
    .bind(user)
    .fetch_all(conn)
    .await)?;
    Ok(rows.into_iter().collect())
}

/// Returns the body of the erasure that removed the user's newest erased text; `None` if nothing is erased.
pub async fn latest(tx: &mut Tx, user: UserId) -> Result<Option<Value>, Error> {
    let body: Option<String> = on!(tx, |conn| sqlx::query_scalar(
        "SELECT b.body FROM erasures e JOIN bodies b ON b.user_id = e.user_id AND b.seq = e.record_seq
         WHERE e.user_id = $1 ORDER BY e.seq DESC LIMIT 1"
    )
    .bind(user)
    .fetch_optional(conn)
    .await)?;
    body.map(|body| serde_json::from_str(&body).map_err(|_| Error::Corrupt("an erasure that is no JSON".into())))
        .transpose()
}

/// Deletes the bodies and leaves marks that refer to the erasure's `record`.
pub async fn take(tx: &mut Tx, user: UserId, marks: &[Mark], record: i64) -> Result<(), Error> {
    let (Some(first), Some(last)) = (marks.first(), marks.last()) else { return Ok(()) };
    for some in marks.chunks(MARKS) {
        match &mut tx.conn {
            Conn::Sqlite(conn) => marked(user, some, record).build().execute(&mut **conn).await.map(drop)?,
            Conn::Pg(conn) => marked(user, some, record).build().execute(&mut **conn).await.map(drop)?,
        }
    }
    on!(tx, |conn| sqlx::query(
        "DELETE FROM bodies WHERE user_id = $1 AND seq BETWEEN $2 AND $3 AND EXISTS (
             SELECT 1 FROM erasures e WHERE e.user_id = $1 AND e.seq = bodies.seq AND e.record_seq = $4)"
    )
    .bind(user)
    .bind(first.seq)
    .bind(last.seq)
    .bind(record)
    .execute(conn)
    .await
    .map(drop))?;
    Ok(())
}

fn marked<DB>(user: UserId, marks: &[Mark], record: i64) -> QueryBuilder<DB>
where
    DB: Database<Arguments: Default>,
    UserId: Bind<DB>,
    i64: Bind<DB>,
    Option<Vec<u8>>: Bind<DB>,
{
    let mut query = QueryBuilder::new("INSERT INTO erasures (user_id, seq, record_seq, said) ");
    query.push_values(marks, |mut row, mark| {
        let said = mark.said.map(|said| said.as_ref().to_vec());
        row.push_bind(user).push_bind(mark.seq).push_bind(record).push_bind(said);
    });
    query
}

/// Deletes items derived from this erasure's bodies: memories, conversation titles and the call digests of agent clients.
pub async fn take_beside(tx: &mut Tx, user: UserId, record: i64) -> Result<Beside, Error> {
    let memories = on!(tx, |conn| sqlx::query(
        "DELETE FROM memories WHERE user_id = $1 AND EXISTS (
             SELECT 1 FROM messages m JOIN erasures e ON e.user_id = m.user_id AND e.seq = m.record_seq
             WHERE m.user_id = $1 AND m.conversation_id = memories.conversation_id AND e.record_seq = $2
                 AND m.record_seq BETWEEN memories.first_record AND memories.last_record)"
    )
    .bind(user)
    .bind(record)
    .execute(conn)
    .await
    .map(|done| done.rows_affected()))?;
    let titles = on!(tx, |conn| sqlx::query(
        "UPDATE conversations SET title = $3 WHERE user_id = $1 AND title <> $3 AND EXISTS (
             SELECT 1 FROM messages m JOIN erasures e ON e.user_id = m.user_id AND e.seq = m.record_seq
             WHERE m.user_id = $1 AND m.conversation_id = conversations.id AND e.record_seq = $2)"
    )
    .bind(user)
    .bind(record)
    .bind(UNTITLED)
    .execute(conn)
    .await
    .map(|done| done.rows_affected()))?;
    on!(tx, |conn| sqlx::query(
        "UPDATE approvals SET call_digest = NULL WHERE user_id = $1 AND call_digest IS NOT NULL AND EXISTS (
             SELECT 1 FROM erasures e WHERE e.user_id = $1 AND e.seq = approvals.decided_seq AND e.record_seq = $2)"
    )
    .bind(user)
    .bind(record)
    .execute(conn)
    .await
    .map(drop))?;
    Ok(Beside { memories, titles })
}

/// Clears the user's events up to `until` among the next `limit` after `after`. Returns the last number visited, if any, and the
/// number of cleared events.
pub async fn empty_events(
    tx: &mut Tx,
    user: UserId,
    until: &Timestamp,
    after: i64,
    limit: i64,
) -> Result<(Option<i64>, u64), Error> {
    let last: Option<i64> = on!(tx, |conn| {
        sqlx::query_scalar(
        "SELECT MAX(seq) FROM (SELECT seq FROM events WHERE user_id = $1 AND seq > $2 AND at <= $3 ORDER BY seq LIMIT $4) AS looked"
    )
    .bind(user)
    .bind(after)
    .bind(until)
    .bind(limit)
    .fetch_one(conn)
    .await
    })?;
    let Some(last) = last else { return Ok((None, 0)) };
    let emptied = on!(tx, |conn| {
        sqlx::query(
        "UPDATE events SET data = 'null' WHERE user_id = $1 AND seq > $2 AND seq <= $3 AND at <= $4 AND data <> 'null'"
    )
    .bind(user)
    .bind(after)
    .bind(last)
    .bind(until)
    .execute(conn)
    .await
    .map(|done| done.rows_affected())
    })?;
    Ok((Some(last), emptied))
}

/// Returns the number of the user's erased texts.
pub async fn count(tx: &mut Tx, user: UserId) -> Result<i64, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar("SELECT COUNT(*) FROM erasures WHERE user_id = $1")
        .bind(user)
        .fetch_one(conn)
        .await)?)
}

/// Returns the erased changes of the user's task, newest first.
pub async fn of_task(tx: &mut Tx, user: UserId, task: TaskNumber) -> Result<Vec<BareChange>, Error> {
    let rows: Vec<(ChangeId, String, String, Option<TurnId>, Timestamp)> = on!(tx, |conn| sqlx::query_as(
        "SELECT c.id, c.operation, c.actor, c.turn_id, c.at FROM changes c
         JOIN erasures e ON e.user_id = c.user_id AND e.seq = c.record_seq
         WHERE c.user_id = $1 AND c.task_number = $2 ORDER BY c.version_after DESC"
    )
    .bind(user)
    .bind(task)
    .fetch_all(conn)
    .await)?;
    let unknown = |_| Error::Corrupt("a change of an unknown kind".into());
    let bare = |(change_id, operation, actor, turn_id, at): (_, String, String, _, _)| {
        let (operation, actor) =
            (Operation::parse(&operation).map_err(unknown)?, Actor::parse(&actor).map_err(unknown)?);
        Ok(BareChange { change_id, operation, actor, turn_id, at })
    };
    rows.into_iter().map(bare).collect()
}

/// A selection of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changes {
    One(ChangeId),
    OfInvocation(InvocationId),
    OfTurn(TurnId),
    OfImport(ImportId),
    /// Changes of a task after a version.
    Since(TaskNumber, i64),
}

/// Returns the number of erased changes in the selection.
pub async fn taken(tx: &mut Tx, user: UserId, changes: Changes) -> Result<i64, Error> {
    macro_rules! count {
        ($rest:literal, $($bound:expr),+) => {
            on!(tx, |conn| sqlx::query_scalar(concat!(
                "SELECT COUNT(*) FROM changes c JOIN erasures e ON e.user_id = c.user_id AND e.seq = c.record_seq
                 WHERE c.user_id = $1 AND ", $rest))
            .bind(user)
            $(.bind($bound))+
            .fetch_one(conn)
            .await)?
        };
    }
    Ok(match changes {
        Changes::One(id) => count!("c.id = $2", id),
        Changes::OfTurn(turn) => count!("c.turn_id = $2", turn),
        Changes::OfInvocation(InvocationId { turn, step, index }) => {
            count!("c.turn_id = $2 AND c.step = $3 AND c.idx = $4", turn, step, index)
        }
        Changes::Since(task, version) => count!("c.task_number = $2 AND c.version_after > $3", task, version),
        Changes::OfImport(import) => {
            count!("c.id IN (SELECT change_id FROM imported WHERE user_id = $1 AND import_id = $2)", import)
        }
    })
}

/// Returns the task that a request under this idempotency key added.
pub async fn added_by_key(tx: &mut Tx, user: UserId, key: &ClientKey) -> Result<Option<TaskNumber>, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar(
        "SELECT c.task_number FROM client_keys k JOIN changes c ON c.user_id = k.user_id AND c.id = k.change_id
         WHERE k.user_id = $1 AND k.client_key = $2"
    )
    .bind(user)
    .bind(key.as_str())
    .fetch_optional(conn)
    .await)?)
}

/// Stores that erased data may remain in the database file.
pub async fn leave_traces(tx: &mut Tx, at: &Timestamp) -> Result<(), Error> {
    on!(tx, |conn| {
        sqlx::query(
        "INSERT INTO jobs (name, claimed_at) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET claimed_at = excluded.claimed_at"
    )
    .bind(TRACES)
    .bind(at)
    .execute(conn)
    .await
    .map(drop)
    })?;
    Ok(())
}

/// Returns the time since which erased data may remain in the file; `None` if there is none.
pub async fn traces(tx: &mut Tx) -> Result<Option<Timestamp>, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar("SELECT claimed_at FROM jobs WHERE name = $1")
        .bind(TRACES)
        .fetch_optional(conn)
        .await)?)
}

/// Stores that the file is clean, unless erased data was added after `then`.
pub async fn no_traces(tx: &mut Tx, then: &Timestamp) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("DELETE FROM jobs WHERE name = $1 AND claimed_at = $2")
        .bind(TRACES)
        .bind(then)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}
