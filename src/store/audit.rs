//! The audit log as shown to people: one row per turn, newest first.

use sqlx::{Database, QueryBuilder};

use super::columns::Bind;
use super::decisions::DecisionRow;
use super::{Conn, Error, Tx, on};
use crate::domain::audit::AuditFilter;
use crate::domain::credential::Credential;
use crate::domain::decision::{Decision, Engine};
use crate::domain::id::{ConversationId, TurnId, UserId};
use crate::domain::time::Timestamp;
use crate::domain::turn::Cause;

mod row;
mod search;

use row::Raw;

#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub turn_id: TurnId,
    pub user: UserId,
    pub user_name: String,
    pub conversation_id: ConversationId,
    pub cause: Cause,
    /// Credential that triggered the turn.
    pub by: Option<Credential>,
    pub decision: Decision,
    pub engine: Engine,
    pub engine_cause: Option<String>,
    pub duration_ms: i64,
    pub at: Timestamp,
    /// `None` if erased.
    pub texts: Option<DecisionRow>,
    /// The person's message; `None` for other triggers or if erased.
    pub message: Option<String>,
}

/// A cursor: older rows are on the next page.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    pub at: Timestamp,
    pub turn: TurnId,
}

/// A page of the audit log.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub rows: Vec<Row>,
    /// The last turn searched for text, if the search stopped before the page was full.
    pub searched: Option<Place>,
}

/// Returns at most `limit` decisions older than `before` that match the filter. `owner` restricts them to one user. Ignores the
/// filter's `user`: the caller checks access. A text search reads at most `far` turns, which bounds its duration.
pub async fn list(
    tx: &mut Tx,
    owner: Option<UserId>,
    filter: &AuditFilter,
    before: Option<Place>,
    limit: usize,
    far: usize,
) -> Result<Found, Error> {
    let often = Often::of(tx, owner, filter).await?;
    let wanted = Wanted { owner, filter, often, before: before.as_ref(), limit };
    let Some(words) = search::Words::of(filter) else {
        let rows: Vec<Raw> = match &mut tx.conn {
            Conn::Sqlite(conn) => wanted.rows().build_query_as().fetch_all(&mut **conn).await?,
            Conn::Pg(conn) => wanted.rows().build_query_as().fetch_all(&mut **conn).await?,
        };
        let rows = rows.into_iter().map(Row::try_from).collect::<Result<_, _>>()?;
        return Ok(Found { rows, searched: None });
    };
    let seen = search::look(tx, wanted, &words, far).await?;
    Ok(Found { rows: of_turns(tx, owner, &seen.turns).await?, searched: seen.until })
}

/// Returns all finished turns, oldest first, including erased ones, without calls of agent clients. `owner` restricts them to one
/// user.
pub async fn turns(tx: &mut Tx, owner: Option<UserId>) -> Result<Vec<TurnId>, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar(
        "SELECT d.turn_id FROM decisions d JOIN turns t ON t.id = d.turn_id
         WHERE ($1 IS NULL OR d.user_id = $1) AND t.cause <> 'mcp'
         ORDER BY d.at, d.turn_id"
    )
    .bind(owner)
    .fetch_all(conn)
    .await)?)
}

/// Returns the decision of a turn. `owner` restricts it to one user.
pub async fn get(tx: &mut Tx, owner: Option<UserId>, turn: TurnId) -> Result<Option<Row>, Error> {
    Ok(of_turns(tx, owner, &[turn]).await?.pop())
}

/// Returns the decisions of these turns, newest first.
async fn of_turns(tx: &mut Tx, owner: Option<UserId>, turns: &[TurnId]) -> Result<Vec<Row>, Error> {
    if turns.is_empty() {
        return Ok(vec![]);
    }
    let rows: Vec<Raw> = match &mut tx.conn {
        Conn::Sqlite(conn) => some_of(owner, turns).build_query_as().fetch_all(&mut **conn).await?,
        Conn::Pg(conn) => some_of(owner, turns).build_query_as().fetch_all(&mut **conn).await?,
    };
    rows.into_iter().map(Row::try_from).collect()
}

/// Selects the columns of [`Raw`] for the decisions `d` at the end of `$from`.
macro_rules! select {
    ($from:literal) => {
        concat!(
            "SELECT d.turn_id, d.user_id, d.kind, d.outcome, d.engine, d.engine_cause, d.duration_ms, d.at,
                u.name, t.conversation_id, t.cause, b.body AS texts, mb.body AS message,
                t.starter_door, t.starter_token, t.starter_session, k.label AS token_name, s.device
                FROM ",
            $from,
            " decisions d
                JOIN turns t ON t.id = d.turn_id
                JOIN users u ON u.id = d.user_id
                LEFT JOIN bodies b ON b.user_id = d.user_id AND b.seq = d.record_seq
                LEFT JOIN messages m ON m.turn_id = d.turn_id AND m.speaker = 'user'
                LEFT JOIN bodies mb ON mb.user_id = m.user_id AND mb.seq = m.record_seq
                LEFT JOIN tokens k ON k.user_id = t.user_id AND k.id = t.starter_token
                LEFT JOIN sessions s ON s.user_id = t.user_id AND s.id = t.starter_session
                WHERE "
        )
    };
}

fn some_of<DB>(owner: Option<UserId>, turns: &[TurnId]) -> QueryBuilder<DB>
where
    DB: Database<Arguments: Default>,
    UserId: Bind<DB>,
    TurnId: Bind<DB>,
{
    let mut query = QueryBuilder::new("WITH page (turn_id) AS (");
    query.push_values(turns, |mut row, turn| {
        row.push_bind(*turn);
    });
    query.push(") ").push(select!("page p CROSS JOIN")).push("d.turn_id = p.turn_id");
    if let Some(user) = owner {
        query.push(" AND d.user_id = ").push_bind(user);
    }
    query.push(" ORDER BY d.at DESC, d.turn_id DESC");
    query
}

/// Parameters of a page query.
#[derive(Clone, Copy)]
struct Wanted<'a> {
    owner: Option<UserId>,
    filter: &'a AuditFilter,
    often: Often,
    before: Option<&'a Place>,
    limit: usize,
}

impl Wanted<'_> {
    /// Returns the query for the page with all shown columns.
    fn rows<DB>(self) -> QueryBuilder<DB>
    where
        DB: Database<Arguments: Default>,
        UserId: Bind<DB>,
        TurnId: Bind<DB>,
        ConversationId: Bind<DB>,
        Timestamp: Bind<DB>,
        String: Bind<DB>,
        i64: Bind<DB>,
    {
        let mut query = self.page("d.at, d.turn_id");
        query.push(select!("page p CROSS JOIN"));
        query.push("d.turn_id = p.turn_id ORDER BY p.at DESC, p.turn_id DESC");
        query
    }

    /// Returns the query for these columns of the page. Finds the page's turns by an index alone and joins other tables only for
    /// them.
    fn page<DB>(self, columns: &'static str) -> QueryBuilder<DB>
    where
        DB: Database<Arguments: Default>,
        UserId: Bind<DB>,
        TurnId: Bind<DB>,
        ConversationId: Bind<DB>,
        Timestamp: Bind<DB>,
        String: Bind<DB>,
        i64: Bind<DB>,
    {
        let Wanted { owner, filter, often, before, limit } = self;
        let mut query = QueryBuilder::new("WITH page AS (SELECT ");
        query.push(columns).push(" FROM decisions d WHERE ");
        match owner {
            Some(user) => query.push("d.user_id = ").push_bind(user),
            None => query.push("1 = 1"),
        };
        if let Some(since) = &filter.since {
            query.push(" AND d.at >= ").push_bind(since.clone());
        }
        if let Some(until) = &filter.until {
            query.push(" AND d.at < ").push_bind(until.clone());
        }
        narrow(&mut query, owner, filter, often);
        if let Some(Place { at, turn }) = before {
            // The first of the three conditions is the bound for the index.
            query.push(" AND d.at <= ").push_bind(at.clone()).push(" AND (d.at < ").push_bind(at.clone());
            query.push(" OR d.turn_id < ").push_bind(*turn).push(")");
        }
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        query.push(" ORDER BY d.at DESC, d.turn_id DESC LIMIT ").push_bind(limit).push(") ");
        query
    }
}

/// Returns true if [`narrow`] would add a condition.
pub(super) fn narrows(filter: &AuditFilter) -> bool {
    let AuditFilter { since: _, until: _, tool, outcome, kind, engine, risk, conversation, actor, user: _, text: _ } =
        filter;
    let one_of = [tool, outcome, kind, engine, risk].into_iter().any(Option::is_some);
    one_of || conversation.is_some() || actor.is_some()
}

/// Adds the filter's conditions on decisions `d`, except times, text and owner.
pub(super) fn narrow<DB>(query: &mut QueryBuilder<DB>, owner: Option<UserId>, filter: &AuditFilter, often: Often)
where
    DB: Database<Arguments: Default>,
    UserId: Bind<DB>,
    ConversationId: Bind<DB>,
    String: Bind<DB>,
{
    let AuditFilter { since: _, until: _, tool, outcome, kind, engine, risk, conversation, actor, user: _, text: _ } =
        filter;
    if let Some(kind) = kind {
        query.push(" AND d.kind = ").push_bind(kind.clone());
    }
    if let Some(engine) = engine {
        query.push(" AND d.engine = ").push_bind(engine.clone());
    }
    if let Some(outcome) = outcome {
        // A head matches all of its sub-codes: ";" is the character after ":".
        query.push(" AND (d.outcome = ").push_bind(outcome.clone());
        query.push(" OR (d.outcome >= ").push_bind(format!("{outcome}:"));
        query.push(" AND d.outcome < ").push_bind(format!("{outcome};")).push("))");
    }
    match tool {
        Some(tool) if often.tool => {
            let calls = " AND EXISTS (SELECT 1 FROM invocations c WHERE c.turn_id = d.turn_id AND c.tool = ";
            query.push(calls).push_bind(tool.clone()).push(")");
        }
        Some(tool) => among(query, owner, &TOOL, tool.clone()),
        None => {}
    }
    match risk.as_deref() {
        // Nearly every turn has a low-risk call, so only the other risks have an index.
        Some("low") => {
            let calls = "EXISTS (SELECT 1 FROM invocations c WHERE c.turn_id = d.turn_id AND c.risk = 'low')";
            query.push(" AND ").push(calls);
        }
        Some(risk) => among(query, owner, &RISK, risk.to_owned()),
        None => {}
    }
    if let Some(conversation) = conversation {
        // A conversation has one owner; given both conditions, SQLite would choose the owner's index.
        let turns = " AND d.turn_id IN (SELECT o.id FROM turns o WHERE o.conversation_id = ";
        query.push(turns).push_bind(*conversation).push(")");
    }
    match actor {
        // The index of triggers excludes messages.
        Some(cause) if often.cause || *cause == Cause::Message => {
            let turn = " AND EXISTS (SELECT 1 FROM turns t WHERE t.id = d.turn_id AND t.cause = ";
            query.push(turn).push_bind(cause.as_str().to_owned()).push(")");
        }
        Some(cause) => among(query, owner, &CAUSE, cause.as_str().to_owned()),
        None => {}
    }
}

/// A partial index that lists turns with a property, by owner.
struct Listed {
    turn: &'static str,
    table: &'static str,
    has: &'static str,
}

const TOOL: Listed = Listed { turn: "o.turn_id", table: "invocations o", has: "o.tool = " };
const RISK: Listed = Listed { turn: "o.turn_id", table: "invocations o", has: "o.risk <> 'low' AND o.risk = " };
const CAUSE: Listed = Listed { turn: "o.id", table: "turns o", has: "o.cause <> 'message' AND o.cause = " };

/// Keeps decisions whose turn is in the listed index. The subquery runs once, which is cheaper than a probe per turn while its
/// result is short.
fn among<DB>(query: &mut QueryBuilder<DB>, owner: Option<UserId>, listed: &Listed, value: String)
where
    DB: Database<Arguments: Default>,
    UserId: Bind<DB>,
    String: Bind<DB>,
{
    query.push(" AND d.turn_id IN (SELECT ").push(listed.turn);
    of_owner(query, owner, listed, value);
    query.push(")");
}

/// Adds the subquery's source. Without an owner, probes the index once per user.
fn of_owner<DB>(query: &mut QueryBuilder<DB>, owner: Option<UserId>, listed: &Listed, value: String)
where
    DB: Database<Arguments: Default>,
    UserId: Bind<DB>,
    String: Bind<DB>,
{
    match owner {
        Some(user) => query.push(" FROM ").push(listed.table).push(" WHERE o.user_id = ").push_bind(user),
        None => query.push(" FROM users w CROSS JOIN ").push(listed.table).push(" WHERE o.user_id = w.id"),
    };
    query.push(" AND ").push(listed.has).push_bind(value);
}

/// Filter values so common that probing each turn beats building the list of turns. Default: none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Often {
    tool: bool,
    cause: bool,
}

impl Often {
    /// Number of turns above which a value counts as common; small in tests, to cover both query plans.
    const MANY: usize = if cfg!(test) { 2 } else { 5_000 };

    async fn of(tx: &mut Tx, owner: Option<UserId>, filter: &AuditFilter) -> Result<Self, Error> {
        let tool = match &filter.tool {
            Some(tool) => Self::many(tx, owner, &TOOL, tool).await?,
            None => false,
        };
        let cause = match filter.actor {
            Some(cause) => Self::many(tx, owner, &CAUSE, cause.as_str()).await?,
            None => false,
        };
        Ok(Self { tool, cause })
    }

    async fn many(tx: &mut Tx, owner: Option<UserId>, listed: &Listed, value: &str) -> Result<bool, Error> {
        let there: Vec<i32> = match &mut tx.conn {
            Conn::Sqlite(conn) => some(owner, listed, value).build_query_scalar().fetch_all(&mut **conn).await?,
            Conn::Pg(conn) => some(owner, listed, value).build_query_scalar().fetch_all(&mut **conn).await?,
        };
        Ok(!there.is_empty())
    }
}

/// Returns a query that yields a row if the value is common.
fn some<DB>(owner: Option<UserId>, listed: &Listed, value: &str) -> QueryBuilder<DB>
where
    DB: Database<Arguments: Default>,
    UserId: Bind<DB>,
    String: Bind<DB>,
{
    let mut query = QueryBuilder::new("SELECT 1");
    of_owner(&mut query, owner, listed, value.to_owned());
    query.push(format!(" LIMIT 1 OFFSET {}", Often::MANY));
    query
}
