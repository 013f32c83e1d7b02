//! Statistics of the audit log, aggregated by the database, from covering indexes unless a filter needs other columns.

use sqlx::{Database, QueryBuilder};

use super::columns::Bind;
use super::{Conn, Error, Tx, audit};
use crate::domain::audit::AuditFilter;
use crate::domain::id::{ConversationId, UserId};
use crate::domain::statistics::Group;
use crate::domain::time::Timestamp;
use crate::domain::tool::ToolName;

mod pile;

/// Runs a query built for either database.
macro_rules! fetch {
    ($tx:ident, $query:expr) => {
        match &mut $tx.conn {
            Conn::Sqlite(conn) => $query.build_query_as().fetch_all(&mut **conn).await?,
            Conn::Pg(conn) => $query.build_query_as().fetch_all(&mut **conn).await?,
        }
    };
}

/// Groups turns by bucket, outcome and duration, shortest first. `edges` are the bucket boundaries. `owner` restricts them to one
/// user. Ignores the filter's times and text.
pub async fn turns(
    tx: &mut Tx,
    owner: Option<UserId>,
    filter: &AuditFilter,
    edges: &[Timestamp],
) -> Result<Vec<Group>, Error> {
    type Row = (i32, String, i64, i64, i64, i64, Option<i64>);
    let rows: Vec<Row> = match &mut tx.conn {
        // Group in Rust: SQLite would sort all rows first, which is several times slower than reading them.
        Conn::Sqlite(conn) => return pile::up(conn, each(owner, filter, edges), edges),
        Conn::Pg(conn) => piles(owner, filter, edges).build_query_as().fetch_all(&mut **conn).await?,
    };
    let pile = |(bucket, outcome, duration_ms, turns, tokens_in, tokens_out, cost_micros): Row| Group {
        bucket: usize::try_from(bucket).unwrap_or_default(),
        outcome,
        duration_ms,
        turns,
        tokens_in,
        tokens_out,
        cost_micros,
    };
    Ok(rows.into_iter().map(pile).collect())
}

/// Returns bucket, status and number of approvals between the edges.
pub async fn approvals(
    tx: &mut Tx,
    owner: Option<UserId>,
    filter: &AuditFilter,
    edges: &[Timestamp],
) -> Result<Vec<(i32, String, i64)>, Error> {
    Ok(fetch!(tx, asked(owner, filter, edges)))
}

/// Returns the number of calls between the edges that changed something.
pub async fn writes(
    tx: &mut Tx,
    owner: Option<UserId>,
    filter: &AuditFilter,
    edges: &[Timestamp],
) -> Result<i64, Error> {
    let rows: Vec<(i64,)> = fetch!(tx, written(owner, filter, edges));
    Ok(rows.first().map_or(0, |row| row.0))
}

/// Begins a query with `WITH edges (k, lo, hi) AS (…)`, one row per bucket.
fn with_edges<DB>(edges: &[Timestamp]) -> QueryBuilder<DB>
where
    DB: Database<Arguments: Default>,
    Timestamp: Bind<DB>,
{
    let mut query = QueryBuilder::new("WITH edges (k, lo, hi) AS (");
    for (at, pair) in edges.windows(2).enumerate() {
        query.push(if at == 0 { "SELECT " } else { " UNION ALL SELECT " });
        query.push(format!("CAST({at} AS INTEGER), "));
        query.push_bind(pair[0].clone()).push(", ").push_bind(pair[1].clone());
    }
    query.push(") ");
    query
}

fn piles<DB>(owner: Option<UserId>, filter: &AuditFilter, edges: &[Timestamp]) -> QueryBuilder<DB>
where
    DB: Database<Arguments: Default>,
    UserId: Bind<DB>,
    ConversationId: Bind<DB>,
    Timestamp: Bind<DB>,
    String: Bind<DB>,
{
    let mut query = with_edges(edges);
    query.push(
        "SELECT e.k, d.outcome, d.duration_ms, COUNT(*), CAST(COALESCE(SUM(d.tokens_in), 0) AS BIGINT),
             CAST(COALESCE(SUM(d.tokens_out), 0) AS BIGINT), CAST(SUM(d.cost_micros) AS BIGINT)
         FROM edges e CROSS JOIN decisions d WHERE d.at >= e.lo AND d.at < e.hi",
    );
    if let Some(user) = owner {
        query.push(" AND d.user_id = ").push_bind(user);
    }
    audit::narrow(&mut query, owner, filter, audit::Often::default());
    query.push(" GROUP BY e.k, d.duration_ms, d.outcome ORDER BY d.duration_ms");
    query
}

/// Selects the turns between the first and the last edge.
fn each<DB>(owner: Option<UserId>, filter: &AuditFilter, edges: &[Timestamp]) -> QueryBuilder<DB>
where
    DB: Database<Arguments: Default>,
    UserId: Bind<DB>,
    ConversationId: Bind<DB>,
    Timestamp: Bind<DB>,
    String: Bind<DB>,
{
    let mut query = QueryBuilder::new(
        "SELECT d.at, d.outcome, d.duration_ms, d.tokens_in, d.tokens_out, d.cost_micros FROM decisions d WHERE d.at >= ",
    );
    let (Some(first), Some(last)) = (edges.first(), edges.last()) else {
        return QueryBuilder::new("SELECT 1 WHERE 1 = 0");
    };
    query.push_bind(first.clone()).push(" AND d.at < ").push_bind(last.clone());
    if let Some(user) = owner {
        query.push(" AND d.user_id = ").push_bind(user);
    }
    audit::narrow(&mut query, owner, filter, audit::Often::default());
    query
}

fn asked<DB>(owner: Option<UserId>, filter: &AuditFilter, edges: &[Timestamp]) -> QueryBuilder<DB>
where
    DB: Database<Arguments: Default>,
    UserId: Bind<DB>,
    ConversationId: Bind<DB>,
    Timestamp: Bind<DB>,
    String: Bind<DB>,
{
    let mut query = with_edges(edges);
    query.push(
        "SELECT e.k, a.status, COUNT(*) FROM edges e CROSS JOIN approvals a
         WHERE a.created_at >= e.lo AND a.created_at < e.hi",
    );
    if let Some(user) = owner {
        query.push(" AND a.user_id = ").push_bind(user);
    }
    of_such_turns(&mut query, "a", owner, filter);
    query.push(" GROUP BY e.k, a.status");
    query
}

fn written<DB>(owner: Option<UserId>, filter: &AuditFilter, edges: &[Timestamp]) -> QueryBuilder<DB>
where
    DB: Database<Arguments: Default>,
    UserId: Bind<DB>,
    ConversationId: Bind<DB>,
    Timestamp: Bind<DB>,
    String: Bind<DB>,
{
    let mut query = QueryBuilder::new("SELECT COUNT(*) FROM invocations i WHERE i.at >= ");
    let (Some(first), Some(last)) = (edges.first(), edges.last()) else {
        return QueryBuilder::new("SELECT CAST(0 AS BIGINT)");
    };
    query.push_bind(first.clone()).push(" AND i.at < ").push_bind(last.clone());
    // A negated condition keeps SQLite on the index by time rather than by tool.
    let reading = ToolName::ALL.into_iter().filter(|tool| tool.reads());
    let reading: Vec<_> = reading.map(|tool| format!("'{tool}'")).collect();
    query.push(format!(" AND i.status = 'ok' AND i.tool NOT IN ({})", reading.join(", ")));
    if let Some(user) = owner {
        query.push(" AND i.user_id = ").push_bind(user);
    }
    of_such_turns(&mut query, "i", owner, filter);
    query
}

/// Keeps rows whose turn matches the filter. Adds no subquery for an empty filter.
fn of_such_turns<DB>(query: &mut QueryBuilder<DB>, table: &str, owner: Option<UserId>, filter: &AuditFilter)
where
    DB: Database<Arguments: Default>,
    UserId: Bind<DB>,
    ConversationId: Bind<DB>,
    String: Bind<DB>,
{
    if audit::narrows(filter) {
        query.push(format!(" AND EXISTS (SELECT 1 FROM decisions d WHERE d.turn_id = {table}.turn_id"));
        audit::narrow(query, owner, filter, audit::Often::default());
        query.push(")");
    }
}
