//! A connection and how it runs statements.

use std::collections::HashMap;
use std::fmt;
use std::future::ready;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::{self, BoxStream, StreamExt as _};
use rusqlite::config::DbConfig;
use rusqlite::{CachedStatement, OpenFlags};
use sqlx::{Describe, Either, Error, Execute, Executor, SqlStr};

use super::failure::failed;
use super::log;
use super::unused::{Never, unsupported};
use super::{Column, Row, Sqlite};

/// Statements that a connection keeps prepared; the store has fewer, but for searches.
const PREPARED: usize = 256;
/// KiB of pages that the writing connection remembers: with 4 MiB, outside agents' calls took a tenth more processor time than with 8.
const CACHE_KIB: u32 = 6144;
/// The same of each that reads: it begins anew after each commit of the one that writes, and has little use for more.
const READING_KIB: u32 = 512;
/// Pages in the write-ahead log before they are moved into the database: 48 MiB. Pages that change often are moved once for many
/// changes: with a third of it, that alone took a tenth of the time.
const CHECKPOINT: u32 = 12_000;

/// Where the database lies.
#[derive(Debug, Clone)]
pub enum Location {
    /// A file, and what its address says besides, such as `mode=ro`.
    File { path: PathBuf, parameters: Option<String> },
    /// In memory, under a name that other connections of this process can use; gone with the last of them.
    Memory(String),
}

/// One connection.
pub struct Connection {
    inner: rusqlite::Connection,
    /// Each statement that was run before, by where its text lies: most are constants, and hashing an address is quick.
    known: HashMap<(usize, usize), Known>,
}

/// What is known of a statement.
struct Known {
    /// Its text, since another one may lie there by now.
    sql: Box<str>,
    columns: Arc<[Column]>,
    /// Which value is bound to each of its parameters, from 0.
    places: Arc<[usize]>,
}

/// What a statement did.
#[derive(Debug, Default)]
pub struct Done {
    rows: u64,
}

impl Done {
    /// How many rows it inserted, updated or deleted, if it does such things.
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
    /// Opens the database to read and, unless `read_only`, to write; the file is made where there is none. `patience` is how
    /// long a statement waits for another process that writes.
    pub fn open(location: &Location, read_only: bool, full_sync: bool, patience: Duration) -> Result<Self, Error> {
        let access = if read_only {
            OpenFlags::SQLITE_OPEN_READ_ONLY
        } else {
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE
        };
        // Only its owner uses a connection.
        let access = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let inner = match location {
            Location::File { path, parameters: None } => on_disk(path, access),
            Location::File { path, parameters: Some(parameters) } => {
                let uri = format!("file:{}?{parameters}", escaped(path));
                on_disk(Path::new(&uri), access | OpenFlags::SQLITE_OPEN_URI)
            }
            Location::Memory(name) => {
                rusqlite::Connection::open_with_flags_and_vfs(format!("/{name}"), access, c"memdb")
            }
        }
        .map_err(failed)?;
        inner.busy_timeout(patience).map_err(failed)?;
        inner.set_prepared_statement_cache_capacity(PREPARED);
        // A plan does not depend on what is bound, so that nothing is prepared twice.
        inner.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(failed)?;
        let journal =
            if read_only || matches!(location, Location::Memory(_)) { "" } else { "PRAGMA journal_mode = WAL;" };
        let cache = if read_only { READING_KIB } else { CACHE_KIB };
        // With `secure_delete`, what is deleted is overwritten in the same commit: forgotten text stays in no free page.
        let sync = if full_sync { "FULL" } else { "NORMAL" };
        inner
            .execute_batch(&format!(
                "{journal} PRAGMA foreign_keys = ON; PRAGMA synchronous = {sync}; PRAGMA secure_delete = ON;
                 PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = {CHECKPOINT}; PRAGMA cache_size = -{cache};"
            ))
            .map_err(failed)?;
        Ok(Self { inner, known: HashMap::new() })
    }

    /// SQLite's own connection, to step through rows one by one within the transaction that is open.
    pub fn raw(&self) -> &rusqlite::Connection {
        &self.inner
    }

    /// Whether a transaction is open.
    pub fn in_transaction(&self) -> bool {
        !self.inner.is_autocommit()
    }

    /// Runs a statement that has nothing bound and whose rows are of no interest.
    pub fn command(&mut self, sql: &str) -> Result<(), Error> {
        self.inner.prepare_cached(sql).and_then(|mut statement| statement.raw_execute()).map(drop).map_err(failed)
    }

    /// Ends the transaction and keeps what it did.
    pub fn commit(&mut self) -> Result<(), Error> {
        log::at_once(|| self.command("COMMIT"))
    }

    /// Writes the file anew, without what was deleted, then moves the whole log into it and cuts the log off.
    pub fn vacuum(&mut self) -> Result<(), Error> {
        self.inner.execute_batch("VACUUM").map_err(failed)?;
        let busy = self.inner.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
        match busy.map_err(failed)? {
            0 => Ok(()),
            _ => Err(Error::Protocol("somebody still reads the log, so that it could not be cut off".into())),
        }
    }

    /// Runs a query for at most `most` rows. One that changes something has done all of it before its first row.
    fn run<'q>(&mut self, mut query: impl Execute<'q, Sqlite>, most: usize) -> Result<(Done, Vec<Row>), Error> {
        let bound = query.take_arguments().map_err(Error::Encode)?.unwrap_or_default();
        let sql = query.sql();
        let sql = sql.as_str();
        let mut statement = self.inner.prepare_cached(sql).map_err(failed)?;
        let at = (sql.as_ptr().addr(), sql.len());
        // A table may have more columns by now.
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
            // Collected into a result, they would be moved as their number grows.
            let mut cells = Vec::with_capacity(columns.len());
            for at in 0..columns.len() {
                cells.push(row.get(at).map_err(failed)?);
            }
            found.push(Row::new(columns.clone(), cells));
        }
        drop(rows);
        Ok((Done { rows: self.inner.changes() }, found))
    }
}

#[cfg(test)]
impl Connection {
    /// The statements that were run so far.
    pub fn ran(&self) -> Vec<String> {
        self.known.values().map(|known| known.sql.to_string()).collect()
    }

    /// How SQLite goes about a statement: a line for every table that it visits.
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

fn on_disk(path: &Path, access: OpenFlags) -> rusqlite::Result<rusqlite::Connection> {
    match log::file_system() {
        Some(name) => rusqlite::Connection::open_with_flags_and_vfs(path, access, name),
        None => rusqlite::Connection::open_with_flags(path, access),
    }
}

/// The path as it stands in an address (SQLite, "URI Filenames").
fn escaped(path: &Path) -> String {
    path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}

/// Which value belongs to each parameter: the third one to `$3`, and the one of its own place to a bare `?`.
fn places(statement: &CachedStatement<'_>) -> Arc<[usize]> {
    let number = |at: usize| statement.parameter_name(at).and_then(|name| name.strip_prefix('$')?.parse().ok());
    (1..=statement.parameter_count()).map(|at| number(at).unwrap_or(at).wrapping_sub(1)).collect()
}

fn bind(statement: &mut CachedStatement<'_>, places: &[usize], values: &[rusqlite::types::Value]) -> Result<(), Error> {
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

/// Statements run when they are called, not when they are awaited.
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

    fn prepare_with<'e>(self, _: SqlStr, _: &'e [super::CellType]) -> BoxFuture<'e, Result<Never, Error>>
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
    type Options = Never;

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
