//! Changes of tasks by anyone. The row has metadata; the record's body has the states before and after.

use sqlx::{Database, FromRow, QueryBuilder};

use super::columns::Bind;
use super::records::{self, Kind};
use super::{Conn, Error, Tx, agents, on};
use crate::domain::id::{ChangeId, ConversationId, ImportId, InvocationId, TaskNumber, TurnId, UserId};
use crate::domain::task::Actor;
use crate::domain::text::ClientKey;
use crate::domain::time::Timestamp;

mod as_of;
mod entry;
mod undos;
pub use as_of::{as_of, is_unknown_as_of, last_until, unknown_as_of, untouched_since};
pub use entry::Entry;
pub use undos::{Undoing, undos};

/// Stores a change and appends its record.
pub async fn insert(tx: &mut Tx, user: UserId, entry: &Entry) -> Result<(), Error> {
    let change = &entry.change;
    let record = records::append(tx, user, Kind::Change, &change.at, entry).await?;
    on!(tx, |conn| sqlx::query(
        "INSERT INTO changes (id, user_id, task_number, operation, actor, turn_id, step, idx, undoes, version_before,
             version_after, record_seq, at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"
    )
    .bind(change.change_id)
    .bind(user)
    .bind(change.task_id)
    .bind(change.operation.as_str())
    .bind(change.actor.as_str())
    .bind(change.invocation_id.map(|id| id.turn))
    .bind(change.invocation_id.map(|id| id.step))
    .bind(change.invocation_id.map(|id| id.index))
    .bind(change.undoes)
    .bind(change.before.as_ref().map(|task| task.version))
    .bind(change.after.version)
    .bind(record)
    .bind(&change.at)
    .execute(conn)
    .await
    .map(drop))?;
    if let Some(agent) = &change.agent {
        agents::made(tx, user, agent.token_id, change.change_id, &change.at).await?;
    }
    Ok(())
}

pub async fn get(tx: &mut Tx, user: UserId, id: ChangeId) -> Result<Option<Entry>, Error> {
    let row: Option<Row> = on!(tx, |conn| sqlx::query_as(
        "SELECT b.body FROM changes c JOIN bodies b ON b.user_id = c.user_id AND b.seq = c.record_seq
         WHERE c.user_id = $1 AND c.id = $2"
    )
    .bind(user)
    .bind(id)
    .fetch_optional(conn)
    .await)?;
    row.map(Entry::try_from).transpose()
}

/// Returns the user's change that was made under this idempotency key.
pub async fn by_client_key(tx: &mut Tx, user: UserId, key: &ClientKey) -> Result<Option<Entry>, Error> {
    let row: Option<Row> = on!(tx, |conn| sqlx::query_as(
        "SELECT b.body FROM client_keys k JOIN changes c ON c.user_id = k.user_id AND c.id = k.change_id
         JOIN bodies b ON b.user_id = c.user_id AND b.seq = c.record_seq
         WHERE k.user_id = $1 AND k.client_key = $2"
    )
    .bind(user)
    .bind(key.as_str())
    .fetch_optional(conn)
    .await)?;
    row.map(Entry::try_from).transpose()
}

/// Stores the change that a request made under this idempotency key.
pub async fn keep_client_key(tx: &mut Tx, user: UserId, key: &ClientKey, change: ChangeId) -> Result<(), Error> {
    Ok(on!(tx, |conn| sqlx::query("INSERT INTO client_keys (user_id, client_key, change_id) VALUES ($1, $2, $3)")
        .bind(user)
        .bind(key.as_str())
        .bind(change)
        .execute(conn)
        .await
        .map(drop))?)
}

/// Returns the newest `limit` changes of the user's task after `version`, newest first.
pub async fn since(tx: &mut Tx, user: UserId, task: TaskNumber, version: i64, limit: i64) -> Result<Vec<Entry>, Error> {
    let rows: Vec<Row> = on!(tx, |conn| sqlx::query_as(
        "SELECT b.body FROM changes c JOIN bodies b ON b.user_id = c.user_id AND b.seq = c.record_seq
         WHERE c.user_id = $1 AND c.task_number = $2 AND c.version_after > $3
         ORDER BY c.version_after DESC LIMIT $4"
    )
    .bind(user)
    .bind(task)
    .bind(version)
    .bind(limit)
    .fetch_all(conn)
    .await)?;
    rows.into_iter().map(Entry::try_from).collect()
}

/// Returns the actor of the latest change of each task. Unknown task numbers are skipped.
pub async fn last_hands(tx: &mut Tx, user: UserId, tasks: &[TaskNumber]) -> Result<Vec<(TaskNumber, Actor)>, Error> {
    if tasks.is_empty() {
        return Ok(vec![]);
    }
    let rows: Vec<(TaskNumber, String)> = match &mut tx.conn {
        Conn::Sqlite(conn) => latest(user, tasks).build_query_as().fetch_all(&mut **conn).await?,
        Conn::Pg(conn) => latest(user, tasks).build_query_as().fetch_all(&mut **conn).await?,
    };
    let known = |text: &str| Actor::parse(text).map_err(|_| Error::Corrupt("a change by nobody known".into()));
    rows.into_iter().map(|(number, actor)| Ok((number, known(&actor)?))).collect()
}

fn latest<DB>(user: UserId, tasks: &[TaskNumber]) -> QueryBuilder<DB>
where
    DB: Database<Arguments: Default>,
    UserId: Bind<DB>,
    TaskNumber: Bind<DB>,
{
    let mut query = QueryBuilder::new(
        "SELECT t.number, c.actor FROM tasks t
         JOIN changes c ON c.user_id = t.user_id AND c.task_number = t.number AND c.version_after = t.version
         WHERE t.user_id = ",
    );
    query.push_bind(user).push(" AND t.number IN (");
    let mut listed = query.separated(", ");
    for number in tasks {
        listed.push_bind(*number);
    }
    query.push(")");
    query
}

/// Returns the changes of a turn, newest first.
pub async fn of_turn(tx: &mut Tx, user: UserId, turn: TurnId) -> Result<Vec<Entry>, Error> {
    let rows: Vec<Row> = on!(tx, |conn| sqlx::query_as(
        "SELECT b.body FROM changes c JOIN bodies b ON b.user_id = c.user_id AND b.seq = c.record_seq
         WHERE c.user_id = $1 AND c.turn_id = $2
         ORDER BY c.record_seq DESC"
    )
    .bind(user)
    .bind(turn)
    .fetch_all(conn)
    .await)?;
    rows.into_iter().map(Entry::try_from).collect()
}

/// Returns the changes of an import, newest first.
pub async fn of_import(tx: &mut Tx, user: UserId, import: ImportId) -> Result<Vec<Entry>, Error> {
    let rows: Vec<Row> = on!(tx, |conn| sqlx::query_as(
        "SELECT b.body FROM imported i JOIN changes c ON c.user_id = i.user_id AND c.id = i.change_id
         JOIN bodies b ON b.user_id = c.user_id AND b.seq = c.record_seq
         WHERE i.user_id = $1 AND i.import_id = $2
         ORDER BY c.record_seq DESC"
    )
    .bind(user)
    .bind(import)
    .fetch_all(conn)
    .await)?;
    rows.into_iter().map(Entry::try_from).collect()
}

/// Returns at most `limit` changes with their record numbers, oldest first, after record `after` (0 for all). Skips erased
/// changes and removes the texts of purged tasks.
pub async fn page(tx: &mut Tx, user: UserId, after: i64, limit: i64) -> Result<Vec<(i64, Entry)>, Error> {
    let rows: Vec<(i64, String)> = on!(tx, |conn| sqlx::query_as(
        "SELECT b.seq, b.body FROM records r JOIN bodies b ON b.user_id = r.user_id AND b.seq = r.seq
         WHERE r.user_id = $1 AND r.seq > $2 AND r.kind = 'change' ORDER BY r.seq LIMIT $3"
    )
    .bind(user)
    .bind(after)
    .bind(limit)
    .fetch_all(conn)
    .await)?;
    let mut entries = vec![];
    for (seq, body) in rows {
        entries.push((seq, Entry::try_from(Row { body })?));
    }
    let mut tasks: Vec<TaskNumber> = entries.iter().map(|(_, entry)| entry.change.task_id).collect();
    tasks.sort();
    tasks.dedup();
    let purged = purged(tx, user, &tasks).await?;
    let told = |(seq, entry): (i64, Entry)| {
        let gone = purged.contains(&entry.change.task_id);
        (seq, if gone { entry.emptied() } else { entry })
    };
    Ok(entries.into_iter().map(told).collect())
}

/// A record with its change, for time travel.
#[derive(Debug, Clone, PartialEq)]
pub struct Past {
    pub seq: i64,
    pub at: Timestamp,
    /// The change, if the record is one and its texts are not erased.
    pub change: Option<Entry>,
}

/// Returns at most `limit` of the user's records before number `before`, newest first. Includes other kinds of records, so that a
/// caller can stop at a time without scanning back to a change.
pub async fn newest(tx: &mut Tx, user: UserId, before: i64, limit: i64) -> Result<Vec<Past>, Error> {
    let rows: Vec<(i64, Timestamp, Option<String>)> = on!(tx, |conn| sqlx::query_as(
        "SELECT r.seq, r.at, b.body FROM records r
         LEFT JOIN bodies b ON b.user_id = r.user_id AND b.seq = r.seq AND r.kind = 'change'
         WHERE r.user_id = $1 AND r.seq < $2 ORDER BY r.seq DESC LIMIT $3"
    )
    .bind(user)
    .bind(before)
    .bind(limit)
    .fetch_all(conn)
    .await)?;
    let past = |(seq, at, body): (i64, Timestamp, Option<String>)| {
        let change = body.map(|body| Entry::try_from(Row { body })).transpose()?;
        Ok(Past { seq, at, change })
    };
    rows.into_iter().map(past).collect()
}

/// Returns those of the tasks that were purged.
async fn purged(tx: &mut Tx, user: UserId, tasks: &[TaskNumber]) -> Result<Vec<TaskNumber>, Error> {
    if tasks.is_empty() {
        return Ok(vec![]);
    }
    Ok(match &mut tx.conn {
        Conn::Sqlite(conn) => gone(user, tasks).build_query_scalar().fetch_all(&mut **conn).await?,
        Conn::Pg(conn) => gone(user, tasks).build_query_scalar().fetch_all(&mut **conn).await?,
    })
}

fn gone<DB>(user: UserId, tasks: &[TaskNumber]) -> QueryBuilder<DB>
where
    DB: Database<Arguments: Default>,
    UserId: Bind<DB>,
    TaskNumber: Bind<DB>,
{
    let mut query = QueryBuilder::new("SELECT number FROM tasks WHERE purged_at IS NOT NULL AND user_id = ");
    query.push_bind(user).push(" AND number IN (");
    let mut listed = query.separated(", ");
    for number in tasks {
        listed.push_bind(*number);
    }
    query.push(")");
    query
}

/// Returns the changes of a tool call, newest first.
pub async fn of_invocation(tx: &mut Tx, user: UserId, call: InvocationId) -> Result<Vec<Entry>, Error> {
    let rows: Vec<Row> = on!(tx, |conn| sqlx::query_as(
        "SELECT b.body FROM changes c JOIN bodies b ON b.user_id = c.user_id AND b.seq = c.record_seq
         WHERE c.user_id = $1 AND c.turn_id = $2 AND c.step = $3 AND c.idx = $4
         ORDER BY c.record_seq DESC"
    )
    .bind(user)
    .bind(call.turn)
    .bind(call.step)
    .bind(call.index)
    .fetch_all(conn)
    .await)?;
    rows.into_iter().map(Entry::try_from).collect()
}

/// Returns the change that undid this one.
pub async fn undone_by(tx: &mut Tx, user: UserId, id: ChangeId) -> Result<Option<ChangeId>, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar("SELECT id FROM changes WHERE user_id = $1 AND undoes = $2")
        .bind(user)
        .bind(id)
        .fetch_optional(conn)
        .await)?)
}

/// Returns at most `limit` turns of the conversation that changed something, newest first.
pub async fn turns_of(
    tx: &mut Tx,
    user: UserId,
    conversation: ConversationId,
    limit: i64,
) -> Result<Vec<TurnId>, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar(
        "SELECT t.id FROM turns t WHERE t.user_id = $1 AND t.conversation_id = $2
             AND EXISTS (SELECT 1 FROM changes c WHERE c.user_id = t.user_id AND c.turn_id = t.id)
         ORDER BY t.ordinal DESC LIMIT $3"
    )
    .bind(user)
    .bind(conversation)
    .bind(limit)
    .fetch_all(conn)
    .await)?)
}

/// Returns the tool call of each change of these turns, and true if the change is in effect. A change is in effect if the chain
/// of undos after it has an even length. Skips purged tasks. `owner` restricts the result to one user.
pub async fn standing(
    tx: &mut Tx,
    owner: Option<UserId>,
    turns: &[TurnId],
) -> Result<Vec<(InvocationId, bool)>, Error> {
    // Fast path: usually nothing was undone.
    let rows: Vec<(TurnId, i32, i32, bool)> = match &mut tx.conn {
        Conn::Sqlite(conn) => made(owner, turns).build_query_as().fetch_all(&mut **conn).await?,
        Conn::Pg(conn) => made(owner, turns).build_query_as().fetch_all(&mut **conn).await?,
    };
    let call = |turn, step, index| InvocationId { turn, step, index };
    if rows.iter().all(|(.., undone)| !undone) {
        return Ok(rows.into_iter().map(|(turn, step, index, _)| (call(turn, step, index), true)).collect());
    }
    let rows: Vec<(TurnId, i32, i32, i32)> = match &mut tx.conn {
        Conn::Sqlite(conn) => chains(owner, turns).build_query_as().fetch_all(&mut **conn).await?,
        Conn::Pg(conn) => chains(owner, turns).build_query_as().fetch_all(&mut **conn).await?,
    };
    Ok(rows.into_iter().map(|(turn, step, index, undone)| (call(turn, step, index), undone % 2 == 0)).collect())
}

/// Selects the changes of these turns, with a flag for those that were undone.
fn made<DB>(owner: Option<UserId>, turns: &[TurnId]) -> QueryBuilder<DB>
where
    DB: Database<Arguments: Default>,
    UserId: Bind<DB>,
    TurnId: Bind<DB>,
{
    let mut query = QueryBuilder::new(
        "SELECT c.turn_id, c.step, c.idx,
             EXISTS (SELECT 1 FROM changes u WHERE u.user_id = c.user_id AND u.undoes = c.id)
         FROM turns o CROSS JOIN changes c JOIN tasks t ON t.user_id = c.user_id AND t.number = c.task_number
         WHERE c.user_id = o.user_id AND c.turn_id = o.id AND t.purged_at IS NULL",
    );
    among(&mut query, owner, turns);
    query
}

/// Restricts turns `o` to the given ids and owner. Changes `c` are joined by owner, the first column of their index.
fn among<DB>(query: &mut QueryBuilder<DB>, owner: Option<UserId>, turns: &[TurnId])
where
    DB: Database<Arguments: Default>,
    UserId: Bind<DB>,
    TurnId: Bind<DB>,
{
    query.push(" AND o.id IN (");
    let mut listed = query.separated(", ");
    for turn in turns {
        listed.push_bind(*turn);
    }
    query.push(")");
    if let Some(user) = owner {
        query.push(" AND o.user_id = ").push_bind(user);
    }
}

fn chains<DB>(owner: Option<UserId>, turns: &[TurnId]) -> QueryBuilder<DB>
where
    DB: Database<Arguments: Default>,
    UserId: Bind<DB>,
    TurnId: Bind<DB>,
{
    let mut query = QueryBuilder::new(
        "WITH RECURSIVE chain (root, user_id, turn_id, step, idx, id, undone) AS (
         SELECT c.id, c.user_id, c.turn_id, c.step, c.idx, c.id, 0
         FROM turns o CROSS JOIN changes c JOIN tasks t ON t.user_id = c.user_id AND t.number = c.task_number
         WHERE c.user_id = o.user_id AND c.turn_id = o.id AND t.purged_at IS NULL",
    );
    among(&mut query, owner, turns);
    query.push(
        " UNION ALL
         SELECT p.root, p.user_id, p.turn_id, p.step, p.idx, u.id, p.undone + 1 FROM chain p
         JOIN changes u ON u.user_id = p.user_id AND u.undoes = p.id)
         SELECT turn_id, step, idx, MAX(undone) FROM chain GROUP BY root, turn_id, step, idx",
    );
    query
}

#[derive(FromRow)]
struct Row {
    body: String,
}

impl TryFrom<Row> for Entry {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self, Error> {
        serde_json::from_str(&row.body).map_err(|_| Error::Corrupt("a change that cannot be read".into()))
    }
}
