//! The only SQL. One text serves SQLite and PostgreSQL; every query names its owner.
//!
//! A [`Tx`] is a transaction on either database; functions take `&mut Tx`, so that writes which must agree share one.

use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions as _, Connection as _, PgPool, Postgres, Transaction};
use uuid::Uuid;

/// Notices to an account's owner.
pub mod account_notices;
/// Outside agents: their threads, their calls, what they asked for and changed.
pub mod agents;
/// Approvals and their verdicts.
pub mod approvals;
/// The record as people read it.
pub mod audit;
/// Whole copies of a SQLite database, and putting one in another's place.
pub mod backup;
/// The end of what lies in the bin.
pub mod bin;
/// Canonical JSON.
pub mod canonical;
/// The chains, read back to be verified.
pub mod chains;
/// Every edit of every task.
pub mod changes;
/// The ends of all chains, signed.
pub mod checkpoints;
/// The database's clock.
pub mod clock;
/// How domain values are written in each database.
mod columns;
/// Rows that consent in a chat depends on.
pub mod consent;
/// Threads, and their messages as people read them.
pub mod conversations;
/// Every row of one database into the other kind.
pub mod copying;
/// Credentials of turns.
pub mod credentials;
/// Decisions: one row a turn.
pub mod decisions;
/// What was said and done, taken out of the record.
pub mod erasures;
/// What listeners hear.
pub mod events;
/// What open tasks are filed under.
pub mod facets;
/// The record in figures.
pub mod figures;
/// Each user's counters and the end of their chain.
mod heads;
/// What came in by imports.
pub mod imports;
/// Invocations: one row per call attempt.
pub mod invocations;
/// Work that comes round by the clock.
pub mod jobs;
/// Secrets that all processes share.
pub mod keys;
/// One-time links.
pub mod links;
/// Lists of tasks as queries.
mod listing;
/// What waits to be done.
pub mod load;
/// What is remembered, and which messages were summarised.
pub mod memories;
/// Messages: written once.
pub mod messages;
/// Bringing a database up to date.
mod migrating;
/// What other processes announce.
pub mod notices;
/// What is to be sent to doors other than the browser.
pub mod outbox;
/// How fast messages and calls come from addresses.
pub mod paces;
/// Where tasks stand in lists by day.
pub mod places;
/// What each kind of asker may have a tool do.
pub mod policies;
/// Files and folders that only their owner can use.
pub mod private_files;
/// SQLite's reading connections.
mod readers;
/// Admins' looks at other people's turns.
pub mod readings;
/// The hash chain and the bodies that it vouches for.
pub mod records;
/// Tasks whose owner is still to be reminded.
pub mod reminders;
/// The schema, held against the migrations.
mod schema;
/// Browser sessions.
pub mod sessions;
/// Tries to sign in.
pub mod sign_ins;
/// What holds at any moment of any history, and whether it does.
pub mod soundness;
/// What model calls took.
pub mod spending;
/// SQLite on the caller's thread, as a driver of sqlx.
mod sqlite;
/// Steps: an engine's replies.
pub mod steps;
/// All that the record holds of one turn.
pub mod story;
/// Tasks as they are now.
pub mod tasks;
/// Whose chat on Telegram is whose.
pub mod telegram;
/// Personal API tokens.
pub mod tokens;
/// Under what turns stand in traces.
pub mod traces;
/// Turns: the durable jobs, their leases and fences.
pub mod turns;
/// A transaction on either database.
mod tx;
/// Accounts and setup links.
pub mod users;
/// The rows that records vouch for.
pub mod vouched;
/// SQLite's one writing connection, and group commit.
mod writer;

use readers::Readers;
use sqlite::{Connection, Location};
pub use tx::Tx;
use tx::{Conn, OnPg, OnSqlite, now_ms, on};
use writer::Writer;

/// Fresh databases for tests.
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

/// Why the database did not do it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A database could not be opened, copied or put in place; the text is for the person at the server's machine.
    #[error("{0}")]
    Open(String),
    #[error("the database failed")]
    Sql(#[from] sqlx::Error),
    /// A row holds what no version of this program writes.
    #[error("the database holds {0}")]
    Corrupt(String),
}

/// The oldest SQLite without the WAL corruption of versions up to 3.51.2.
const SQLITE_AT_LEAST: i32 = 3_051_003;
/// Connections to PostgreSQL per process.
const PG_CONNECTIONS: u32 = 16;
/// A connection that was used less long ago is not asked whether it still holds.
const TRUSTED: Duration = Duration::from_secs(1);
/// How long one waits for a connection or a lock, in milliseconds.
const WAIT_MS: u64 = 10_000;

/// The database: an embedded SQLite file or PostgreSQL.
#[derive(Clone)]
pub struct Store {
    db: Db,
}

#[derive(Clone)]
enum Db {
    /// One writing connection, since SQLite has one writer at a time anyway and a queue before it is fairer than its busy handler.
    /// In memory, where there is no log that lets others read meanwhile, it reads as well.
    Sqlite {
        at: Location,
        writer: Writer,
        readers: Option<Readers>,
    },
    Pg(PgPool),
}

impl Store {
    /// Opens `sqlite://path`, `sqlite::memory:` or `postgres://…`, creates what is missing and brings the tables up to date.
    ///
    /// `synchronous_full` decides whether SQLite waits for the disk at each commit.
    pub async fn open(url: &str, synchronous_full: bool) -> Result<Self, Error> {
        let store = Self::connect(url, synchronous_full).await?;
        store.migrate().await?;
        Ok(store)
    }

    /// Opens a database that is up to date already; an older one is refused and stays as it is.
    pub async fn open_as_is(url: &str, synchronous_full: bool) -> Result<Self, Error> {
        let store = Self::connect(url, synchronous_full).await?;
        let (migrator, seen) = (store.migrator(), store.seen().await?);
        if seen.is_empty() {
            return Err(Error::Open("The source is no database of Docket's.".into()));
        }
        if migrator.iter().any(|migration| !seen.contains(&migration.version)) {
            return Err(Error::Open(
                "The source was made by an older Docket: start this one on it once, which brings it up to date, then copy it.".into(),
            ));
        }
        // There is nothing to be done but to look whether it is another build's.
        store.bring_up_to_date(&migrator).await?;
        Ok(store)
    }

    /// Opens a copy on its way to its place: no copy of it is kept before it is brought up to date.
    async fn open_draft(url: &str) -> Result<Self, Error> {
        let store = Self::connect(url, true).await?;
        store.bring_up_to_date(&store.migrator()).await?;
        store.fill_places().await?;
        Ok(store)
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
        // Parameters may say that a missing file is an error.
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
        // A pool tries again until it gives up and says only that; one attempt of its own says why.
        options.connect().await.map_err(unreachable)?.close().await.map_err(unreachable)?;
        Ok(Self::on_pg(options))
    }

    /// Connects when it is first used.
    fn on_pg(options: PgConnectOptions) -> Self {
        let pool = PgPoolOptions::new()
            .max_connections(PG_CONNECTIONS)
            .acquire_timeout(Duration::from_millis(WAIT_MS))
            // Asked before each use, every transaction would wait for one answer more. A connection that was in use a moment ago
            // may break as it may in the midst of a transaction.
            .test_before_acquire(false)
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

    /// Begins a transaction that reads: a snapshot of one moment.
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

    /// For one statement that reads, which is a snapshot by itself: nothing is begun or ended.
    pub async fn peek(&self) -> Result<Tx, Error> {
        Ok(Tx::new(match &self.db {
            Db::Sqlite { readers: Some(readers), .. } => {
                Conn::Sqlite(OnSqlite::Reading(Box::new(readers.peek().await?)))
            }
            Db::Sqlite { writer, readers: None, .. } => Conn::Sqlite(OnSqlite::Writing(writer.begin().await?)),
            Db::Pg(pool) => Conn::Pg(OnPg::Peeking(pool.acquire().await?)),
        }))
    }

    /// Begins a transaction that writes. On SQLite there is one at a time.
    pub async fn write(&self) -> Result<Tx, Error> {
        Ok(Tx::new(match &self.db {
            Db::Sqlite { writer, .. } => Conn::Sqlite(OnSqlite::Writing(writer.begin().await?)),
            Db::Pg(pool) => Conn::Pg(OnPg::Within(begin(pool, "BEGIN").await?)),
        }))
    }

    /// Whether one process has the database to itself.
    pub fn is_embedded(&self) -> bool {
        matches!(self.db, Db::Sqlite { .. })
    }

    /// Writes the database anew, without what was deleted from it: in SQLite's file and log nothing is left of that. PostgreSQL
    /// gives the room of deleted rows free to be written over. Others can read meanwhile; on SQLite nobody can write.
    ///
    /// # Errors
    /// Also where another process keeps reading what was there before: then it has to be done again.
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

    /// Closes the connections after what is running.
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

/// The database's own words, without the wrapping of the driver.
fn reason(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(error) => error.message().to_owned(),
        other => other.to_string(),
    }
}

/// Begins a transaction on PostgreSQL, in a task of its own: sqlx 0.9.0 forgets a `BEGIN` on its way when whoever awaits it is
/// cancelled, and lends the connection to the next within that transaction (sqlx issue 4393). A task that nobody awaits any more goes
/// on until it holds the transaction, whose end is a rollback.
async fn begin(pool: &PgPool, statement: &'static str) -> Result<Transaction<'static, Postgres>, Error> {
    let pool = pool.clone();
    let begun = tokio::spawn(async move { pool.begin_with(statement).await }).await;
    begun.map_err(|error| Error::Sql(sqlx::Error::Io(error.into())))?.map_err(Error::Sql)
}
