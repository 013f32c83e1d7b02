//! Transfer of all rows between SQLite and PostgreSQL (R-1006). PostgreSQL's column types determine the conversions, since
//! SQLite's are less specific.

use futures::TryStreamExt as _;
use rusqlite::types::{Value, ValueRef};
use serde_json::Value as Json;
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, PgConnection, Row as _};
use uuid::Uuid;

use super::sqlite::{Bound, Connection};
use super::{Conn, Error, OnPg, OnSqlite, Store, Tx, invariants, on};

/// Tables, each after those that it references. A test compares the list with the schema.
pub(super) const COPIED: &[&str] = &[
    "users",
    "heads",
    "conversations",
    "sessions",
    "tokens",
    "account_links",
    "policies",
    "sign_in_tries",
    "address_paces",
    "server_keys",
    "setup_links",
    "counters",
    "records",
    "bodies",
    "erasures",
    "checkpoints",
    "checkpoint_heads",
    "tasks",
    "reminders",
    "changes",
    "client_keys",
    "imported",
    "outside_changes",
    "turns",
    "messages",
    "steps",
    "approvals",
    "invocations",
    "decisions",
    "readings",
    "events",
    "outbox",
    "telegram_links",
    "telegram_codes",
    "telegram_relinks",
    "account_notices",
    "memories",
    "summaries",
    "token_usage",
    "memory_off",
    "jobs",
];

/// Tables that triggers fill during the transfer.
#[cfg(test)]
pub(super) const DERIVED: &[&str] = &["search_blocks"];

/// Transferred tables that triggers fill as well; their generated rows are replaced by the source's.
const REFILLED: &[&str] = &["reminders"];

/// Approximate size in bytes of a batch for PostgreSQL.
const BATCH: usize = 1 << 20;

/// Result of a verified transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copied {
    pub rows: i64,
    pub tables: usize,
    /// Number of hash chains with equal ends on both sides.
    pub chains: usize,
}

/// Type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Uuid,
    Bytes,
    Text,
    Integer,
    Boolean,
    Real,
    Instant,
    Date,
}

#[derive(Debug)]
pub(super) struct Column {
    pub(super) name: String,
    kind: Kind,
}

/// Owner, event number, record number and hash of a chain's end.
type End = (Uuid, i64, i64, Vec<u8>);

/// Copies a snapshot of all rows to `to`, an empty database of the other kind, and verifies the result. The caller commits the
/// returned transaction.
pub async fn copy(from: &Store, to: &Store) -> Result<(Tx, Copied), Error> {
    if from.is_embedded() == to.is_embedded() {
        return Err(Error::Open(
            "A copy goes from a SQLite file to PostgreSQL or back; between databases of one kind use docket backup or pg_dump.".into(),
        ));
    }
    let (mut source, mut target) = (from.read().await?, to.write().await?);
    for table in COPIED {
        if count(&mut target, table).await? > 0 {
            return Err(Error::Open(format!("The target is not empty (it has {table}): give an empty database.")));
        }
    }
    let rows = rows(&mut source, &mut target).await?;
    let chains = verify(&mut source, &mut target).await?;
    Ok((target, Copied { rows, tables: COPIED.len(), chains }))
}

/// Copies the rows of all tables and returns their number in the target.
pub(super) async fn rows(source: &mut Tx, target: &mut Tx) -> Result<i64, Error> {
    for table in COPIED {
        if REFILLED.contains(table) {
            let sql = format!("DELETE FROM {table}");
            on!(target, |conn| sqlx::query(AssertSqlSafe(sql)).execute(conn).await.map(drop))?;
        }
        match (&mut source.conn, &mut target.conn) {
            (Conn::Sqlite(OnSqlite::Reading(source)), Conn::Pg(OnPg::Within(target))) => {
                to_postgres(source, target, table).await?;
            }
            (Conn::Pg(source), Conn::Sqlite(target)) => to_sqlite(source, target, table).await?,
            _ => return Err(Error::Open("A database in memory cannot be copied.".into())),
        }
    }
    let mut rows = 0;
    for table in COPIED {
        let (here, there) = (count(source, table).await?, count(target, table).await?);
        if here != there {
            return Err(given_up(&format!("{there} of {here} rows of {table} arrived")));
        }
        rows += there;
    }
    Ok(rows)
}

/// Compares the ends of all chains and checks the target's invariants. Returns the number of chains.
async fn verify(source: &mut Tx, target: &mut Tx) -> Result<usize, Error> {
    let ends = ends(target).await?;
    if self::ends(source).await? != ends {
        return Err(given_up("the hash chains do not end alike"));
    }
    match invariants::broken(target).await?.first() {
        Some(sentence) => Err(given_up(&format!("a consistency check failed: “{sentence}”"))),
        None => Ok(ends.len()),
    }
}

fn given_up(why: &str) -> Error {
    Error::Open(format!("The copy was cancelled: {why}. The target was not changed."))
}

async fn count(tx: &mut Tx, table: &str) -> Result<i64, Error> {
    let sql = format!("SELECT COUNT(*) FROM {table}");
    Ok(on!(tx, |conn| sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(conn).await)?)
}

async fn ends(tx: &mut Tx) -> Result<Vec<End>, Error> {
    let sql = "SELECT user_id, event_seq, record_seq, record_hash FROM heads ORDER BY user_id";
    Ok(on!(tx, |conn| sqlx::query_as(sql).fetch_all(conn).await)?)
}

/// Returns the stored (not generated) columns of a table.
pub(super) async fn columns(pg: &mut PgConnection, table: &str) -> Result<Vec<Column>, Error> {
    let sql = "SELECT column_name::text, data_type::text FROM information_schema.columns
         WHERE table_schema = current_schema() AND table_name = $1 AND is_generated = 'NEVER' ORDER BY ordinal_position";
    let found: Vec<(String, String)> = sqlx::query_as(sql).bind(table).fetch_all(pg).await?;
    let kind = |name: &str, data: &str| {
        Ok(match data {
            "uuid" => Kind::Uuid,
            "bytea" => Kind::Bytes,
            "text" => Kind::Text,
            "smallint" | "integer" | "bigint" => Kind::Integer,
            "boolean" => Kind::Boolean,
            "double precision" => Kind::Real,
            "timestamp with time zone" => Kind::Instant,
            "date" => Kind::Date,
            other => return Err(Error::Corrupt(format!("{table}.{name}, whose type {other} is not known here"))),
        })
    };
    found.into_iter().map(|(name, data)| Ok(Column { kind: kind(&name, &data)?, name })).collect()
}

fn names(columns: &[Column]) -> String {
    columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Streams rows from SQLite to PostgreSQL in JSON batches.
async fn to_postgres(source: &Connection, target: &mut PgConnection, table: &str) -> Result<(), Error> {
    let columns = columns(target, table).await?;
    let names = names(&columns);
    let failed = |error| Error::Sql(super::sqlite::failed(error));
    let insert =
        format!("INSERT INTO {table} ({names}) SELECT {names} FROM json_populate_recordset(NULL::{table}, $1::json)");
    let mut statement = source.raw().prepare(&format!("SELECT {names} FROM {table}")).map_err(failed)?;
    let mut rows = statement.query([]).map_err(failed)?;
    let mut batch = String::new();
    loop {
        let row = rows.next().map_err(failed)?;
        let more = row.is_some();
        if let Some(row) = row {
            let mut object = serde_json::Map::new();
            for (at, column) in columns.iter().enumerate() {
                let value = json(column.kind, row.get_ref(at).map_err(failed)?);
                let value = value.ok_or_else(|| Error::Corrupt(format!("a bad value of {table}.{}", column.name)))?;
                object.insert(column.name.clone(), value);
            }
            batch.push(if batch.is_empty() { '[' } else { ',' });
            batch.push_str(&Json::Object(object).to_string());
        }
        if !batch.is_empty() && (!more || batch.len() >= BATCH) {
            batch.push(']');
            sqlx::query(AssertSqlSafe(insert.clone())).bind(&batch).execute(&mut *target).await?;
            batch.clear();
        }
        if !more {
            return Ok(());
        }
    }
}

/// Converts an SQLite value to the JSON that PostgreSQL expects; `None` if its type does not match.
fn json(kind: Kind, value: ValueRef<'_>) -> Option<Json> {
    Some(match (kind, value) {
        (_, ValueRef::Null) => Json::Null,
        (Kind::Uuid, ValueRef::Blob(bytes)) => Uuid::from_slice(bytes).ok()?.to_string().into(),
        (Kind::Bytes, ValueRef::Blob(bytes)) => {
            bytes.iter().fold("\\x".to_owned(), |hex, byte| hex + &format!("{byte:02x}")).into()
        }
        (Kind::Text | Kind::Instant | Kind::Date, ValueRef::Text(text)) => std::str::from_utf8(text).ok()?.into(),
        (Kind::Integer, ValueRef::Integer(number)) => number.into(),
        (Kind::Boolean, ValueRef::Integer(number)) => (number != 0).into(),
        (Kind::Real, ValueRef::Real(number)) => number.into(),
        _ => return None,
    })
}

/// Streams rows from PostgreSQL to SQLite.
async fn to_sqlite(source: &mut PgConnection, target: &mut Connection, table: &str) -> Result<(), Error> {
    let columns = columns(source, table).await?;
    let selected: Vec<String> = columns.iter().map(|column| selected(column.kind, &column.name)).collect();
    let select = format!("SELECT {} FROM {table}", selected.join(", "));
    let places: Vec<String> = (1..=columns.len()).map(|at| format!("${at}")).collect();
    let insert = format!("INSERT INTO {table} ({}) VALUES ({})", names(&columns), places.join(", "));
    let mut rows = sqlx::query(AssertSqlSafe(select)).fetch(source);
    while let Some(row) = rows.try_next().await? {
        let values = columns.iter().enumerate().map(|(at, column)| value(column.kind, &row, at));
        let values = Bound(values.collect::<Result<_, _>>()?);
        sqlx::query_with(AssertSqlSafe(insert.clone()), values).execute(&mut *target).await?;
    }
    Ok(())
}

/// Returns the expression that selects a column as an SQLite type.
fn selected(kind: Kind, name: &str) -> String {
    match kind {
        Kind::Uuid | Kind::Bytes | Kind::Text | Kind::Real => name.to_owned(),
        Kind::Integer => format!("{name}::bigint"),
        Kind::Boolean => format!("{name}::int::bigint"),
        Kind::Instant => format!("to_char({name} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"),
        Kind::Date => format!("to_char({name}, 'YYYY-MM-DD')"),
    }
}

fn value(kind: Kind, row: &PgRow, at: usize) -> Result<Value, sqlx::Error> {
    Ok(match kind {
        Kind::Uuid => row.try_get::<Option<Uuid>, _>(at)?.map(|id| Value::Blob(id.as_bytes().to_vec())),
        Kind::Bytes => row.try_get::<Option<Vec<u8>>, _>(at)?.map(Value::Blob),
        Kind::Text | Kind::Instant | Kind::Date => row.try_get::<Option<String>, _>(at)?.map(Value::Text),
        Kind::Integer | Kind::Boolean => row.try_get::<Option<i64>, _>(at)?.map(Value::Integer),
        Kind::Real => row.try_get::<Option<f64>, _>(at)?.map(Value::Real),
    }
    .unwrap_or(Value::Null))
}
