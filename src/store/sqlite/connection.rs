//! A connection that executes statements.

use std::collections::HashMap;
use std::fmt;
use std::future::ready;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::{self, BoxStream, StreamExt as _};
use rusqlite::config::DbConfig;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{CachedStatement, OpenFlags};
use sqlx::{Describe, Either, Error, Execute, Executor, SqlStr};

use super::error::failed;
use super::unsupported::{Unsupported, unsupported};
use super::{Column, Row, Sqlite};

/// Prepared statements cached per connection; more than the store has, not counting searches.
const PREPARED: usize = 256;
/// Page cache of the write connection, in KiB.
const CACHE_KIB: u32 = 6144;
/// Page cache of a read connection, in KiB. Each commit invalidates it, so a larger one would be of little use.
const READING_KIB: u32 = 512;
/// Pages in the write-ahead log before a checkpoint: 48 MiB. A large log saves writing frequently changed pages to the database
/// again and again.
const CHECKPOINT: u32 = 12_000;

/// Location of the database.
#[derive(Debug, Clone)]
pub enum Location {
    /// A file, with the parameters of its URL, e.g. `mode=ro`.
    File { path: PathBuf, parameters: Option<String> },
    /// An in-memory database with a name, shared by connections of this process. Deleted with its last connection.
    Memory(String),
}

pub struct Connection {
    inner: rusqlite::Connection,
    /// Statements that ran before, keyed by address and length of the text. Most texts are constants, and an address is quick to
    /// hash.
    known: HashMap<(usize, usize), Known>,
}

/// Cached properties of a statement.
struct Known {
    /// Text of the statement, since the address may have been reused.
    sql: Box<str>,
    columns: Arc<[Column]>,
    /// Index of the bound value for each parameter, from 0.
    places: Arc<[usize]>,
}

/// Result of a statement.
#[derive(Debug, Default)]
pub struct Done {
    rows: u64,
}

impl Done {
    /// Returns the number of inserted, updated or deleted rows.
    pub fn rows_affected(&self) -> u64 {
        self.rows
    }
}

impl Extend<Self> for Done {
    fn extend<I: IntoIterator<Item = Self>>(&mut self, more: I) {
        self.rows += more.into_iter().map(|done| done.rows).sum::<u64>();
    }
}

impl Connection {
    /// Opens the database, for writing unless `read_only`, and creates a missing file. `patience` is the lock timeout while
    /// another process writes.
    pub fn open(location: &Location, read_only: bool, full_sync: bool, patience: Duration) -> Result<Self, Error> {
        let access = if read_only {
            OpenFlags::SQLITE_OPEN_READ_ONLY
        } else {
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE
        };
        // A connection is never shared between threads.
        let access = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let inner = match location {
            Location::File { path, parameters: None } => rusqlite::Connection::open_with_flags(path, access),
            Location::File { path, parameters: Some(parameters) } => {
                let uri = format!("file:{}?{parameters}", escaped(path));
                rusqlite::Connection::open_with_flags(uri, access | OpenFlags::SQLITE_OPEN_URI)
            }
            Location::Memory(name) => {
                rusqlite::Connection::open_with_flags_and_vfs(format!("/{name}"), access, c"memdb")
            }
        }
        .map_err(failed)?;
        inner.busy_timeout(patience).map_err(failed)?;
        inner.set_prepared_statement_cache_capacity(PREPARED);
        // Keeps plans independent of bound values, so that no statement is prepared twice.
        inner.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(failed)?;
        let journal =
            if read_only || matches!(location, Location::Memory(_)) { "" } else { "PRAGMA journal_mode = WAL;" };
        let cache = if read_only { READING_KIB } else { CACHE_KIB };
        // `secure_delete` overwrites deleted data in the same commit, so that no free page keeps erased text.
        let sync = if full_sync { "FULL" } else { "NORMAL" };
        inner
            .execute_batch(&format!(
                "{journal} PRAGMA foreign_keys = ON; PRAGMA synchronous = {sync}; PRAGMA secure_delete = ON;
                 PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = {CHECKPOINT}; PRAGMA cache_size = -{cache};"
            ))
            .map_err(failed)?;
        Ok(Self { inner, known: HashMap::new() })
    }

    /// Returns SQLite's own connection, for iterating over rows in the open transaction.
    pub fn raw(&self) -> &rusqlite::Connection {
        &self.inner
    }

    pub fn in_transaction(&self) -> bool {
        !self.inner.is_autocommit()
    }

    /// Runs a statement without parameters and ignores its rows.
    pub fn command(&mut self, sql: &str) -> Result<(), Error> {
        self.inner.prepare_cached(sql).and_then(|mut statement| statement.raw_execute()).map(drop).map_err(failed)
    }

    /// Commits the transaction.
    pub fn commit(&mut self) -> Result<(), Error> {
        self.command("COMMIT")
    }

    /// Rewrites the file without deleted data, then moves the log into it and truncates the log. SQLite copies the data to a private,
    /// already deleted file in the folder for temporary files: in memory the copy would be as large as the database.
    pub fn vacuum(&mut self) -> Result<(), Error> {
        let done = self.inner.execute_batch("PRAGMA temp_store = FILE; VACUUM");
        self.inner.execute_batch("PRAGMA temp_store = MEMORY").and(done).map_err(failed)?;
        let busy = self.inner.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
        match busy.map_err(failed)? {
            0 => Ok(()),
            _ => Err(Error::Protocol("somebody still reads the log, so that it could not be cut off".into())),
        }
    }

    /// Runs a query and returns at most `most` rows. A statement that writes completes before its first row.
    fn run<'q>(&mut self, mut query: impl Execute<'q, Sqlite>, most: usize) -> Result<(Done, Vec<Row>), Error> {
        let bound = query.take_arguments().map_err(Error::Encode)?.unwrap_or_default();
        let sql = query.sql();
        let sql = sql.as_str();
        let mut statement = self.inner.prepare_cached(sql).map_err(failed)?;
        let at = (sql.as_ptr().addr(), sql.len());
        // The table may have gained columns.
        let known =
            self.known.get(&at).filter(|known| *known.sql == *sql && known.columns.len() == statement.column_count());
        let (columns, places) = match known {
            Some(known) => (known.columns.clone(), known.places.clone()),
            None => {
                if self.known.len() >= PREPARED {
                    self.known.clear();
                }
                let (columns, places) = (Column::all(&statement.column_names()), places(&statement));
                let known = Known { sql: sql.into(), columns: columns.clone(), places: places.clone() };
                self.known.insert(at, known);
                (columns, places)
            }
        };
        bind(&mut statement, &places, &bound.0)?;
        let mut found = vec![];
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next().map_err(failed)? {
            if found.len() == most {
                break;
            }
            // Collecting into a `Result` would reallocate as the vector grows.
            let mut cells = Vec::with_capacity(columns.len());
            for at in 0..columns.len() {
                cells.push(value(row.get_ref(at).map_err(failed)?));
            }
            found.push(Row::new(columns.clone(), cells));
        }
        drop(rows);
        Ok((Done { rows: self.inner.changes() }, found))
    }
}

/// Copies a value. Replaces bytes that are not UTF-8, so that a text which another program damaged can be read and its record is
/// found broken.
fn value(of: ValueRef<'_>) -> Value {
    match of {
        ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
        other => Value::try_from(other).unwrap_or(Value::Null),
    }
}

#[cfg(test)]
impl Connection {
    /// Returns the statements that have run.
    pub fn ran(&self) -> Vec<String> {
        self.known.values().map(|known| known.sql.to_string()).collect()
    }

    /// Returns SQLite's query plan: one line per table visited.
    pub fn plan(&self, sql: &str) -> String {
        let mut statement = self.inner.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect("a statement that ran");
        let mut rows = statement.raw_query();
        let mut plan = String::new();
        while let Some(row) = rows.next().expect("a line") {
            plan += &(row.get::<_, String>("detail").expect("a text") + "\n");
        }
        plan
    }
}

/// Escapes a path for a URI (SQLite, "URI Filenames").
fn escaped(path: &Path) -> String {
    path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}

/// Returns the index of the value for each parameter: 2 for `$3`, and its own position for a bare `?`.
fn places(statement: &CachedStatement<'_>) -> Arc<[usize]> {
    let number = |at: usize| statement.parameter_name(at).and_then(|name| name.strip_prefix('$')?.parse().ok());
    (1..=statement.parameter_count()).map(|at| number(at).unwrap_or(at).wrapping_sub(1)).collect()
}

fn bind(statement: &mut CachedStatement<'_>, places: &[usize], values: &[Value]) -> Result<(), Error> {
    for (at, place) in (1..).zip(places) {
        let value = values.get(*place).ok_or_else(|| Error::Protocol(format!("nothing is bound to parameter {at}")))?;
        statement.raw_bind_parameter(at, value).map_err(failed)?;
    }
    Ok(())
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").finish_non_exhaustive()
    }
}

/// Executes statements when called, not when awaited.
impl<'c> Executor<'c> for &'c mut Connection {
    type Database = Sqlite;

    fn execute<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Done, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Sqlite>,
    {
        Box::pin(ready(self.run(query, 0).map(|(done, _)| done)))
    }

    fn fetch_many<'e, 'q: 'e, E>(self, query: E) -> BoxStream<'e, Result<Either<Done, Row>, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Sqlite>,
    {
        let all = match self.run(query, usize::MAX) {
            Ok((done, rows)) => {
                let rows = rows.into_iter().map(|row| Ok(Either::Right(row)));
                rows.chain([Ok(Either::Left(done))]).collect()
            }
            Err(error) => vec![Err(error)],
        };
        stream::iter(all).boxed()
    }

    fn fetch_all<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Vec<Row>, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Sqlite>,
    {
        Box::pin(ready(self.run(query, usize::MAX).map(|(_, rows)| rows)))
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Option<Row>, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Sqlite>,
    {
        Box::pin(ready(self.run(query, 1).map(|(_, mut rows)| rows.pop())))
    }

    fn prepare_with<'e>(self, _: SqlStr, _: &'e [super::CellType]) -> BoxFuture<'e, Result<Unsupported, Error>>
    where
        'c: 'e,
    {
        Box::pin(ready(unsupported()))
    }

    fn describe<'e>(self, _: SqlStr) -> BoxFuture<'e, Result<Describe<Sqlite>, Error>>
    where
        'c: 'e,
    {
        Box::pin(ready(unsupported()))
    }
}

impl sqlx::Connection for Connection {
    type Database = Sqlite;
    type Options = Unsupported;

    async fn close(self) -> Result<(), Error> {
        self.inner.close().map_err(|(_, error)| failed(error))
    }

    async fn close_hard(self) -> Result<(), Error> {
        Ok(())
    }

    async fn ping(&mut self) -> Result<(), Error> {
        Ok(())
    }

    async fn begin(&mut self) -> Result<sqlx::Transaction<'_, Sqlite>, Error> {
        unsupported()
    }

    fn shrink_buffers(&mut self) {}

    async fn flush(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn should_flush(&self) -> bool {
        false
    }
}
