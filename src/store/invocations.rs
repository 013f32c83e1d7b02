//! Tool calls: one row per attempt, with a key that reveals repeated calls.

use serde::{Deserialize, Serialize};
use sqlx::{Database, FromRow, QueryBuilder};

use super::columns::Bind;
use super::records::{self, Kind};
use super::{Conn, Error, Tx, on};
use crate::domain::id::{ApprovalId, ConversationId, InvocationId, TurnId, UserId};
use crate::domain::tool;
use crate::domain::turn::Invocation;

#[derive(FromRow)]
struct Row {
    body: String,
}

/// The record's body: a call with the schema version of its arguments.
#[derive(Serialize)]
struct Body<'a> {
    #[serde(flatten)]
    invocation: &'a Invocation,
    schema: u8,
}

/// Schema version in a record; 0 in records from before versions.
#[derive(Deserialize)]
struct Version {
    #[serde(default)]
    schema: u8,
}

/// Stores a call. The primary key rejects a second one with its id.
pub async fn insert(tx: &mut Tx, user: UserId, invocation: &Invocation) -> Result<(), Error> {
    keep(tx, user, invocation, &Body { invocation, schema: tool::SCHEMA }).await
}

/// Stores a call without a schema version, as earlier releases did.
#[cfg(test)]
pub async fn insert_unversioned(tx: &mut Tx, user: UserId, invocation: &Invocation) -> Result<(), Error> {
    keep(tx, user, invocation, invocation).await
}

async fn keep(tx: &mut Tx, user: UserId, invocation: &Invocation, body: &impl Serialize) -> Result<(), Error> {
    let seq = records::append(tx, user, Kind::Invocation, &invocation.at, body).await?;
    let InvocationId { turn, step, index } = invocation.id;
    on!(tx, |conn| sqlx::query(
        "INSERT INTO invocations
         (turn_id, step, idx, user_id, tool, called_as, risk, status, approval_id, duration_ms, record_seq, at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)"
    )
    .bind(turn)
    .bind(step)
    .bind(index)
    .bind(user)
    .bind(invocation.tool.map(|tool| tool.as_str()))
    .bind(&invocation.called_as)
    .bind(invocation.risk.as_str())
    .bind(invocation.result.status.as_str())
    .bind(invocation.approval_id)
    .bind(invocation.duration_ms)
    .bind(seq)
    .bind(&invocation.at)
    .execute(conn)
    .await
    .map(drop))?;
    Ok(())
}

/// Returns the turn's calls in order, without erased ones.
pub async fn of_turn(tx: &mut Tx, user: UserId, turn: TurnId) -> Result<Vec<Invocation>, Error> {
    let rows: Vec<Row> = on!(tx, |conn| sqlx::query_as(
        "SELECT b.body FROM invocations i JOIN bodies b ON b.user_id = i.user_id AND b.seq = i.record_seq
         WHERE i.user_id = $1 AND i.turn_id = $2 ORDER BY i.step, i.idx"
    )
    .bind(user)
    .bind(turn)
    .fetch_all(conn)
    .await)?;
    rows.into_iter().map(Invocation::try_from).collect()
}

/// Returns the calls of these turns, in order within each turn, without erased ones. `owner` restricts them to one user.
pub async fn of_turns(tx: &mut Tx, owner: Option<UserId>, turns: &[TurnId]) -> Result<Vec<Invocation>, Error> {
    if turns.is_empty() {
        return Ok(vec![]);
    }
    let rows: Vec<Row> = match &mut tx.conn {
        Conn::Sqlite(conn) => many(owner, turns).build_query_as().fetch_all(&mut **conn).await?,
        Conn::Pg(conn) => many(owner, turns).build_query_as().fetch_all(&mut **conn).await?,
    };
    rows.into_iter().map(Invocation::try_from).collect()
}

fn many<DB>(owner: Option<UserId>, turns: &[TurnId]) -> QueryBuilder<DB>
where
    DB: Database<Arguments: Default>,
    UserId: Bind<DB>,
    TurnId: Bind<DB>,
{
    let mut query = QueryBuilder::new(
        "SELECT b.body FROM invocations i JOIN bodies b ON b.user_id = i.user_id AND b.seq = i.record_seq
         WHERE i.turn_id IN (",
    );
    let mut listed = query.separated(", ");
    for turn in turns {
        listed.push_bind(*turn);
    }
    query.push(")");
    if let Some(user) = owner {
        query.push(" AND i.user_id = ").push_bind(user);
    }
    query.push(" ORDER BY i.turn_id, i.step, i.idx");
    query
}

/// Returns the calls of the conversation's turns with ordinals in `from..to`, in order, without erased ones.
pub async fn between(
    tx: &mut Tx,
    user: UserId,
    conversation: ConversationId,
    from: i64,
    to: i64,
) -> Result<Vec<Invocation>, Error> {
    let rows: Vec<Row> = on!(tx, |conn| sqlx::query_as(
        "SELECT b.body FROM turns t
         CROSS JOIN invocations i
         JOIN bodies b ON b.user_id = i.user_id AND b.seq = i.record_seq
         WHERE i.turn_id = t.id AND i.user_id = $1 AND t.conversation_id = $2 AND t.ordinal >= $3 AND t.ordinal < $4
         ORDER BY t.ordinal, i.step, i.idx"
    )
    .bind(user)
    .bind(conversation)
    .bind(from)
    .bind(to)
    .fetch_all(conn)
    .await)?;
    rows.into_iter().map(Invocation::try_from).collect()
}

/// Returns the calls that an approval is about, in order. Returns none if one of them is erased, since the rest differ from the
/// calls that were shown for approval.
pub async fn asking(tx: &mut Tx, user: UserId, approval: ApprovalId) -> Result<Vec<Invocation>, Error> {
    let bodies: Vec<Option<String>> = on!(tx, |conn| sqlx::query_scalar(
        "SELECT b.body FROM invocations i LEFT JOIN bodies b ON b.user_id = i.user_id AND b.seq = i.record_seq
         WHERE i.user_id = $1 AND i.approval_id = $2 AND i.status = 'awaiting_approval' ORDER BY i.step, i.idx"
    )
    .bind(user)
    .bind(approval)
    .fetch_all(conn)
    .await)?;
    let bodies = bodies.into_iter().collect::<Option<Vec<String>>>().unwrap_or_default();
    bodies.into_iter().map(|body| Row { body }.try_into()).collect()
}

/// Returns the calls executed under the approval, in order.
pub async fn under(tx: &mut Tx, user: UserId, approval: ApprovalId) -> Result<Vec<Invocation>, Error> {
    let rows: Vec<Row> = on!(tx, |conn| sqlx::query_as(
        "SELECT b.body FROM invocations i JOIN bodies b ON b.user_id = i.user_id AND b.seq = i.record_seq
         WHERE i.user_id = $1 AND i.approval_id = $2 AND i.status <> 'awaiting_approval' ORDER BY i.step, i.idx"
    )
    .bind(user)
    .bind(approval)
    .fetch_all(conn)
    .await)?;
    rows.into_iter().map(Invocation::try_from).collect()
}

/// Returns true if another turn than `turn` has executed calls under the approval.
pub async fn ran_under(tx: &mut Tx, user: UserId, approval: ApprovalId, turn: TurnId) -> Result<bool, Error> {
    let ran: i64 = on!(tx, |conn| sqlx::query_scalar(
        "SELECT COUNT(*) FROM invocations
         WHERE user_id = $1 AND approval_id = $2 AND status <> 'awaiting_approval' AND turn_id <> $3"
    )
    .bind(user)
    .bind(approval)
    .bind(turn)
    .fetch_one(conn)
    .await)?;
    Ok(ran > 0)
}

impl TryFrom<Row> for Invocation {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self, Error> {
        let corrupt = |error| Error::Corrupt(format!("an invocation that cannot be read ({error})"));
        let Version { schema } = serde_json::from_str(&row.body).map_err(corrupt)?;
        let mut invocation: Self = serde_json::from_str(&row.body).map_err(corrupt)?;
        tool::upgrade(&invocation.called_as, schema, &mut invocation.arguments);
        Ok(invocation)
    }
}
