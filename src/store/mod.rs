//! All SQL of the program. One SQL text serves SQLite and PostgreSQL, and queries of user data filter by owner.
//!
//! A [`Tx`] is a transaction on either database. Functions take `&mut Tx`, so that related writes share one transaction.

use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions as _, Connection as _, Executor as _, PgPool, Postgres, Transaction};
use uuid::Uuid;

pub mod account_notices;
pub mod admin_reads;
pub mod agents;
pub mod approvals;
pub mod audit;
pub mod audited_columns;
pub mod backup;
pub mod bin;
pub mod canonical;
pub mod chains;
pub mod changes;
pub mod checkpoints;
pub mod clock;
mod columns;
pub mod consent;
pub mod conversations;
pub mod credentials;
pub mod decisions;
pub mod erasures;
pub mod events;
pub mod facets;
pub mod imports;
pub mod invariants;
pub mod invocations;
pub mod jobs;
pub mod keys;
pub mod links;
pub mod listen_notify;
mod listing;
pub mod memories;
pub mod messages;
mod migrating;
pub mod outbox;
pub mod policies;
pub mod private_files;
pub mod queue_depth;
pub mod rate_limits;
mod readers;
pub mod records;
pub mod reminders;
mod schema;
mod sequences;
pub mod sessions;
pub mod sign_ins;
pub mod spending;
mod sqlite;
pub mod statistics;
pub mod steps;
mod task_keys;
pub mod task_order;
pub mod tasks;
pub mod telegram;
pub mod tokens;
pub mod trace_ids;
pub mod transfer;
pub mod turn_detail;
pub mod turns;
mod tx;
pub mod users;
mod writer;

use readers::Readers;
use sqlite::{Connection, Location};
pub use tx::Tx;
use tx::{Conn, OnPg, OnSqlite, now_ms, on};
use writer::Writer;

#[cfg(debug_assertions)]
#[cfg_attr(not(test), allow(dead_code, unused_imports, reason = "use cases need one function of it"))]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

/// Error of the database or of its contents.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Failure to open, copy or replace a database. The text is shown to the operator of the server.
    #[error("{0}")]
    Open(String),
    #[error("the database failed")]
    Sql(#[from] sqlx::Error),
    /// Row with a value that no version of this program writes.
    #[error("the database holds {0}")]
    Corrupt(String),
}

/// The oldest SQLite release without the WAL corruption bug of 3.51.2 and earlier.
const SQLITE_AT_LEAST: i32 = 3_051_003;
/// Pool size for PostgreSQL, per process.
const PG_CONNECTIONS: u32 = 16;
/// Idle time after which a pooled connection is pinged before use.
const TRUSTED: Duration = Duration::from_secs(1);
/// Pins the search path of a PostgreSQL connection: `pg_catalog` first, then the configured schemas, `pg_temp` last. A role's own
/// search path could shadow tables and functions.
const OWN_PATH: &str = "SELECT pg_catalog.set_config('search_path', pg_catalog.concat_ws(', ', \
     (SELECT pg_catalog.string_agg(pg_catalog.quote_ident(s.name), ', ' ORDER BY s.at) \
      FROM pg_catalog.unnest(pg_catalog.current_schemas(false)) WITH ORDINALITY AS s(name, at) \
      WHERE s.name OPERATOR(pg_catalog.<>) 'pg_catalog' AND s.name OPERATOR(pg_catalog.!~) '^pg_temp'), 'pg_temp'), false)";
/// Timeout for connections and locks, in milliseconds.
const WAIT_MS: u64 = 10_000;

/// The database: an embedded SQLite file or PostgreSQL. Clones share its connections.
#[derive(Clone)]
pub struct Store {
    db: Db,
}

#[derive(Clone)]
enum Db {
    /// A single write connection with a queue, which is fairer than SQLite's busy handler. An in-memory database has no WAL for
    /// concurrent readers, so its write connection also reads.
    Sqlite {
        at: Location,
        writer: Writer,
        readers: Option<Readers>,
    },
    Pg(PgPool),
}

impl Store {
    /// Opens `sqlite://path`, `sqlite::memory:` or `postgres://…`, creates missing files and runs the migrations.
    ///
    /// `synchronous_full` makes SQLite flush to disk at each commit.
    pub async fn open(url: &str, synchronous_full: bool) -> Result<Self, Error> {
        let store = Self::connect(url, synchronous_full).await?;
        store.migrate().await?;
        Ok(store)
    }

    /// Opens an up-to-date database without changing it. Rejects one with pending migrations.
    pub async fn open_as_is(url: &str, synchronous_full: bool) -> Result<Self, Error> {
        let store = Self::connect(url, synchronous_full).await?;
        let (migrator, seen) = (store.migrator(), store.seen().await?);
        if seen.is_empty() {
            return Err(Error::Open("The source is not a Docket database.".into()));
        }
        if migrator.iter().any(|migration| !seen.contains(&migration.version)) {
            return Err(Error::Open(
                "The source was made by an older Docket: start this one on it once, which brings it up to date, then copy it.".into(),
            ));
        }
        // No migration is pending: this only checks that no newer build made the database.
        store.bring_up_to_date(&migrator).await?;
        Ok(store)
    }

    /// Opens a copy that is to replace a database. Migrates it without a backup first.
    async fn open_draft(url: &str) -> Result<Self, Error> {
        let store = Self::connect(url, true).await?;
        store.bring_up_to_date(&store.migrator()).await?;
        store.fill_places().await?;
        store.fill_keys().await?;
        Ok(store)
    }

    /// Opens a database without migrating it; `None` if its schema is of another version.
    async fn open_current(url: &str) -> Result<Option<Self>, Error> {
        let store = Self::connect(url, true).await?;
        let seen = store.seen().await?;
        if store.migrator().iter().map(|migration| migration.version).eq(seen) {
            return Ok(Some(store));
        }
        store.close().await;
        Ok(None)
    }

    async fn connect(url: &str, synchronous_full: bool) -> Result<Self, Error> {
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            Self::open_pg(url).await
        } else if url.starts_with("sqlite:") {
            Self::open_sqlite(url, synchronous_full).await
        } else {
            Err(Error::Open(format!(
                "DOCKET_DATABASE_URL must begin with sqlite:// or postgres://, not “{}”.",
                url.split(':').next().unwrap_or_default()
            )))
        }
    }

    async fn open_sqlite(url: &str, synchronous_full: bool) -> Result<Self, Error> {
        if rusqlite::version_number() < SQLITE_AT_LEAST {
            return Err(Error::Open(
                "The linked SQLite is older than 3.51.3 and can damage its files; rebuild.".into(),
            ));
        }
        let place = url.trim_start_matches("sqlite://").trim_start_matches("sqlite:");
        let (path, parameters) =
            place.split_once('?').map_or((place, None), |(path, rest)| (path, Some(rest.to_owned())));
        let memory = path == ":memory:" || path.is_empty();
        let unusable = |why: String| Error::Open(format!("The database file {path} cannot be used: {why}."));
        if let Some(folder) = Path::new(path).parent().filter(|folder| !memory && !folder.as_os_str().is_empty()) {
            private_files::create_folder(folder).map_err(|error| unusable(error.to_string()))?;
        }
        // The URL's parameters may turn a missing file into an error.
        if parameters.is_none() && !memory {
            private_files::create(Path::new(path)).map_err(|error| unusable(error.to_string()))?;
        }
        let at = if memory {
            Location::Memory(Uuid::new_v4().to_string())
        } else {
            Location::File { path: path.into(), parameters }
        };
        let patience = Duration::from_millis(WAIT_MS);
        let conn =
            Connection::open(&at, false, synchronous_full, patience).map_err(|error| unusable(reason(&error)))?;
        let readers = (!memory).then(|| Readers::new(at.clone(), patience));
        Ok(Self { db: Db::Sqlite { at, writer: Writer::new(conn, patience), readers } })
    }

    async fn open_pg(url: &str) -> Result<Self, Error> {
        let unreachable = |error| Error::Open(format!("PostgreSQL cannot be reached: {}.", reason(&error)));
        let options = PgConnectOptions::from_str(url).map_err(unreachable)?;
        // The pool retries until it times out and hides the cause; a single attempt returns it.
        options.connect().await.map_err(unreachable)?.close().await.map_err(unreachable)?;
        Ok(Self::on_pg(options))
    }

    /// Creates a pool that connects on first use.
    fn on_pg(options: PgConnectOptions) -> Self {
        let pool = PgPoolOptions::new()
            .max_connections(PG_CONNECTIONS)
            .acquire_timeout(Duration::from_millis(WAIT_MS))
            // A ping before every use would add a round trip to each transaction. A connection that was used a moment ago is no
            // more likely to fail than one within a transaction.
            .test_before_acquire(false)
            .after_connect(|connection, _| Box::pin(async move { connection.execute(OWN_PATH).await.map(drop) }))
            .before_acquire(|connection, idle| {
                Box::pin(async move {
                    if idle.idle_for > TRUSTED {
                        connection.ping().await?;
                    }
                    Ok(true)
                })
            })
            .connect_lazy_with(options);
        Self { db: Db::Pg(pool) }
    }

    /// Begins a read-only transaction on a snapshot.
    pub async fn read(&self) -> Result<Tx, Error> {
        Ok(Tx::new(match &self.db {
            Db::Sqlite { readers: Some(readers), .. } => {
                Conn::Sqlite(OnSqlite::Reading(Box::new(readers.begin().await?)))
            }
            Db::Sqlite { writer, readers: None, .. } => Conn::Sqlite(OnSqlite::Writing(writer.begin().await?)),
            Db::Pg(pool) => {
                Conn::Pg(OnPg::Within(begin(pool, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await?))
            }
        }))
    }

    /// Returns a connection for a single read statement, without `BEGIN` and `COMMIT`. Each statement is its own snapshot.
    pub async fn peek(&self) -> Result<Tx, Error> {
        Ok(Tx::new(match &self.db {
            Db::Sqlite { readers: Some(readers), .. } => {
                Conn::Sqlite(OnSqlite::Reading(Box::new(readers.peek().await?)))
            }
            Db::Sqlite { writer, readers: None, .. } => Conn::Sqlite(OnSqlite::Writing(writer.begin().await?)),
            Db::Pg(pool) => Conn::Pg(OnPg::Peeking(pool.acquire().await?)),
        }))
    }

    /// Begins a write transaction. SQLite runs one at a time.
    pub async fn write(&self) -> Result<Tx, Error> {
        Ok(Tx::new(match &self.db {
            Db::Sqlite { writer, .. } => Conn::Sqlite(OnSqlite::Writing(writer.begin().await?)),
            Db::Pg(pool) => Conn::Pg(OnPg::Within(begin(pool, "BEGIN").await?)),
        }))
    }

    /// Like [`write`](Self::write), for work on many rows: SQLite shares its commit with no other writer.
    pub async fn write_many(&self) -> Result<Tx, Error> {
        let Db::Sqlite { writer, .. } = &self.db else { return self.write().await };
        Ok(Tx::new(Conn::Sqlite(OnSqlite::Writing(writer.begin_alone().await?))))
    }

    /// Returns true if a single process owns the database (SQLite).
    pub fn is_embedded(&self) -> bool {
        matches!(self.db, Db::Sqlite { .. })
    }

    /// Rewrites the database to remove deleted data from SQLite's file and log. PostgreSQL only marks the space of deleted rows
    /// as reusable. Reads continue meanwhile; on SQLite writes wait.
    ///
    /// # Errors
    /// Also fails if another process still reads an old snapshot; the caller has to retry.
    pub async fn vacuum(&self) -> Result<(), Error> {
        match &self.db {
            Db::Sqlite { at: Location::Memory(_), .. } => Ok(()),
            Db::Sqlite { writer, .. } => Ok(writer.vacuum().await?),
            Db::Pg(pool) => {
                let mut conn = pool.acquire().await?;
                for statement in
                    ["VACUUM bodies", "VACUUM events", "VACUUM memories", "VACUUM conversations", "VACUUM approvals"]
                {
                    sqlx::query(statement).execute(&mut *conn).await?;
                }
                Ok(())
            }
        }
    }

    /// Waits for running transactions, then closes the connections.
    pub async fn close(&self) {
        match &self.db {
            Db::Sqlite { writer, readers, .. } => {
                if let Some(readers) = readers {
                    readers.close().await;
                }
                writer.close().await;
            }
            Db::Pg(pool) => pool.close().await,
        }
    }
}

/// Returns the database's own message, without the driver's prefix.
fn reason(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(error) => error.message().to_owned(),
        other => other.to_string(),
    }
}

/// Begins a PostgreSQL transaction in a separate task, which continues if the caller is cancelled and then rolls back. sqlx 0.9.0
/// otherwise returns the connection to the pool with an open `BEGIN` (sqlx issue 4393).
async fn begin(pool: &PgPool, statement: &'static str) -> Result<Transaction<'static, Postgres>, Error> {
    let pool = pool.clone();
    let begun = tokio::spawn(async move { pool.begin_with(statement).await }).await;
    begun.map_err(|error| Error::Sql(sqlx::Error::Io(error.into())))?.map_err(Error::Sql)
}
