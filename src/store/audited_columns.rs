//! Audited rows: columns that must match the body of a record. Reads each table's columns with their records, in key order.

use serde_json::Value;
use sqlx::{AssertSqlSafe, ColumnIndex, Decode, Type};
use uuid::Uuid;

use super::records::Kind;
use super::{Error, Tx, on};
use crate::domain::id::UserId;
use crate::domain::time::{CivilDate, Timestamp};

mod derived;
mod lists;
mod tasks;

pub use derived::{AgentRequest, agent_requests, malformed_ids, others_agents, others_conversations};
use lists::Holds;
pub use lists::{Column, Digest, TABLES, Table};
pub use tasks::{
    StatedTask, changed_by_erased, changed_by_nobody, changes_of_nothing, last_change, out_of_order, purged_otherwise,
    task_rows, unsearchable,
};

/// A column's value; `Err` if unreadable.
pub type Cell = Result<Value, ()>;

/// A row with its record.
#[derive(Debug)]
pub struct Row {
    pub user: UserId,
    /// Number of the record that the row refers to.
    pub seq: i64,
    /// Kind of that record; `None` if there is none.
    pub kind: Option<String>,
    /// The record's body; `None` if erased.
    pub body: Option<String>,
    /// Digest of the columns when the body was erased; `None` if it was not.
    pub said: Option<Vec<u8>>,
    /// Values in the order of [`Table::columns`]; `Err` if unreadable.
    pub cells: Vec<Cell>,
    /// Values in the order of [`Table::turn`]; `None` if the owner has no such turn.
    pub turn: Option<Vec<Cell>>,
}

/// Approximate number of rows per page.
const PAGE: i64 = 500;

/// Returns a page of the table's rows with keys after `after`, and the page's last key; `None` on the last page. `owner`
/// restricts them to one user.
pub async fn rows(
    tx: &mut Tx,
    table: &Table,
    owner: Option<UserId>,
    after: Option<Uuid>,
) -> Result<(Vec<Row>, Option<Uuid>), Error> {
    let Table { name, key, seq, .. } = table;
    // A page ends with a whole key, so that rows of one key stay together.
    let begin = if after.is_some() { ">" } else { ">=" };
    let after = after.unwrap_or(Uuid::nil());
    let end = format!("SELECT {key} FROM {name} WHERE {key} {begin} $1 ORDER BY {key} LIMIT 1 OFFSET {PAGE}");
    let end: Option<Uuid> =
        on!(tx, |conn| sqlx::query_scalar(AssertSqlSafe(end)).bind(after).fetch_optional(conn).await)?;
    let columns = table.columns.iter().map(|column| format!(", x.{0} AS c_{0}", column.name));
    let of_turn = table.turn.iter().map(|column| format!(", t.{0} AS t_{0}", column.name));
    let (also, turns) = if table.turn.is_empty() {
        ("", "")
    } else {
        (", t.id AS turn_there", "LEFT JOIN turns t ON t.id = x.turn_id AND t.user_id = x.user_id")
    };
    let columns: String = columns.chain(of_turn).collect();
    let sql = format!(
        "SELECT x.user_id, x.{seq} AS record_number, r.kind AS record_kind, b.body AS record_body, e.said AS erased_said{columns}{also}
         FROM {name} x {turns}
         LEFT JOIN records r ON r.user_id = x.user_id AND r.seq = x.{seq}
         LEFT JOIN bodies b ON b.user_id = x.user_id AND b.seq = x.{seq}
         LEFT JOIN erasures e ON e.user_id = x.user_id AND e.seq = x.{seq}
         WHERE x.{key} {begin} $1 AND x.{key} <= $2 AND x.{seq} IS NOT NULL AND (CAST($3 AS UUID) IS NULL OR x.user_id = $3)"
    );
    let last = end.unwrap_or(Uuid::max());
    let rows = on!(tx, |conn| {
        let rows = sqlx::query(AssertSqlSafe(sql)).bind(after).bind(last).bind(owner).fetch_all(conn).await?;
        rows.iter().map(|row| Row::read(row, table)).collect::<Result<_, _>>()
    })?;
    Ok((rows, end))
}

impl Row {
    /// Returns true if the row's columns, and its turn's if the body contained them, match the digest from the erasure. Uses the
    /// version of the column lists at that time.
    pub fn holds_what_it_said(&self, table: &Table) -> bool {
        let Some(said) = &self.said else { return true };
        let read = |cells: &[Cell]| cells.iter().cloned().collect::<Result<Vec<_>, ()>>();
        let (own, turn) = (read(&self.cells), read(self.turn.as_deref().unwrap_or_default()));
        own.is_ok_and(|own| table.holds(said, &own, &turn.unwrap_or_default()))
    }

    fn read<R: sqlx::Row>(row: &R, table: &Table) -> Result<Self, sqlx::Error>
    where
        for<'c> &'c str: ColumnIndex<R>,
        for<'r> Uuid: Decode<'r, R::Database> + Type<R::Database>,
        for<'r> String: Decode<'r, R::Database> + Type<R::Database>,
        for<'r> Vec<u8>: Decode<'r, R::Database> + Type<R::Database>,
        for<'r> i64: Decode<'r, R::Database> + Type<R::Database>,
        for<'r> i32: Decode<'r, R::Database> + Type<R::Database>,
        for<'r> bool: Decode<'r, R::Database> + Type<R::Database>,
        for<'r> Timestamp: Decode<'r, R::Database> + Type<R::Database>,
        for<'r> CivilDate: Decode<'r, R::Database> + Type<R::Database>,
    {
        let there = table.turn.is_empty() || row.try_get::<Option<Uuid>, _>("turn_there")?.is_some();
        Ok(Self {
            user: UserId(row.try_get("user_id")?),
            seq: row.try_get("record_number")?,
            kind: row.try_get("record_kind")?,
            body: row.try_get("record_body")?,
            said: row.try_get("erased_said")?,
            cells: table.columns.iter().map(|column| cell(row, "c", column.name, column.holds)).collect(),
            turn: there.then(|| table.turn.iter().map(|column| cell(row, "t", column.name, column.holds)).collect()),
        })
    }
}

/// Reads the column that the query named `prefix_name`.
fn cell<R: sqlx::Row>(row: &R, prefix: &str, name: &str, holds: Holds) -> Cell
where
    for<'c> &'c str: ColumnIndex<R>,
    for<'r> Uuid: Decode<'r, R::Database> + Type<R::Database>,
    for<'r> String: Decode<'r, R::Database> + Type<R::Database>,
    for<'r> bool: Decode<'r, R::Database> + Type<R::Database>,
    for<'r> i64: Decode<'r, R::Database> + Type<R::Database>,
    for<'r> i32: Decode<'r, R::Database> + Type<R::Database>,
    for<'r> Timestamp: Decode<'r, R::Database> + Type<R::Database>,
    for<'r> CivilDate: Decode<'r, R::Database> + Type<R::Database>,
{
    let name = format!("{prefix}_{name}");
    let name = name.as_str();
    let value = match holds {
        Holds::Id => row.try_get::<Option<Uuid>, _>(name).map(|id| id.map(|id| Value::from(id.to_string()))),
        Holds::Text => row.try_get::<Option<String>, _>(name).map(|text| text.map(Value::from)),
        // PostgreSQL distinguishes the two sizes.
        Holds::Number => row
            .try_get::<Option<i64>, _>(name)
            .or_else(|_| row.try_get::<Option<i32>, _>(name).map(|number| number.map(i64::from)))
            .map(|number| number.map(Value::from)),
        // Bodies omit a flag that is not set.
        Holds::Flag => row.try_get::<Option<bool>, _>(name).map(|flag| flag.filter(|flag| *flag).map(Value::from)),
        Holds::Instant => row.try_get::<Option<Timestamp>, _>(name).map(|at| at.map(|at| Value::from(at.as_str()))),
        Holds::Day => row.try_get::<Option<CivilDate>, _>(name).map(|day| day.map(|day| Value::from(day.as_str()))),
    };
    value.map(Option::unwrap_or_default).map_err(drop)
}

/// Returns owner and record number of decisions whose turn is unfinished. `owner` restricts them to one user.
pub async fn decided_and_open(tx: &mut Tx, owner: Option<UserId>) -> Result<Vec<(UserId, i64)>, Error> {
    Ok(on!(tx, |conn| sqlx::query_as(
        "SELECT d.user_id, d.record_seq FROM turns t JOIN decisions d ON d.turn_id = t.id
         WHERE t.status <> 'done' AND (CAST($1 AS UUID) IS NULL OR d.user_id = $1) ORDER BY d.user_id, d.record_seq"
    )
    .bind(owner)
    .fetch_all(conn)
    .await)?)
}

/// Returns owner and record number of approvals decided without a verdict. `owner` restricts them to one user.
pub async fn settled_by_nobody(tx: &mut Tx, owner: Option<UserId>) -> Result<Vec<(UserId, i64)>, Error> {
    Ok(on!(tx, |conn| sqlx::query_as(
        "SELECT user_id, record_seq FROM approvals
         WHERE decided_seq IS NULL AND (status <> 'pending' OR decided_at IS NOT NULL OR decided_by IS NOT NULL
             OR decided_via IS NOT NULL) AND (CAST($1 AS UUID) IS NULL OR user_id = $1) ORDER BY user_id, record_seq"
    )
    .bind(owner)
    .fetch_all(conn)
    .await)?)
}

/// Returns the owners of rows that refer to no record, except pending approvals.
pub async fn unrecorded(tx: &mut Tx, table: &Table, owner: Option<UserId>) -> Result<Vec<UserId>, Error> {
    if table.kind == Kind::ApprovalVerdict {
        return Ok(vec![]);
    }
    let Table { name, seq, .. } = table;
    let sql = format!(
        "SELECT DISTINCT user_id FROM {name} WHERE {seq} IS NULL AND (CAST($1 AS UUID) IS NULL OR user_id = $1) ORDER BY user_id"
    );
    Ok(on!(tx, |conn| sqlx::query_scalar(AssertSqlSafe(sql)).bind(owner).fetch_all(conn).await)?)
}

/// Returns the user's records of the table's kind that no row refers to, in order.
pub async fn without_row(tx: &mut Tx, table: &Table, user: UserId) -> Result<Vec<i64>, Error> {
    let Table { name, seq, .. } = table;
    let sql = format!(
        "SELECT seq FROM (SELECT seq FROM records WHERE user_id = $1 AND kind = $2
         EXCEPT SELECT {seq} FROM {name} WHERE user_id = $1 AND {seq} IS NOT NULL) AS missing ORDER BY seq"
    );
    Ok(on!(tx, |conn| sqlx::query_scalar(AssertSqlSafe(sql))
        .bind(user)
        .bind(table.kind.as_str())
        .fetch_all(conn)
        .await)?)
}
