//! A transaction on either database.

use std::ops::{Deref, DerefMut};

use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, Postgres, Transaction};

use super::Error;
use super::readers::Reading;
use super::sequences::{self, UserCounters, Wakeup};
use super::sqlite::Connection;
use super::writer::Writing;

/// A transaction on either database. Rolled back when dropped without [`Tx::commit`].
pub struct Tx {
    pub(super) conn: Conn,
    /// User counters locked by this transaction.
    pub(super) heads: Vec<UserCounters>,
    /// Snapshots of `heads` at each open savepoint, the innermost last.
    before_parts: Vec<Vec<UserCounters>>,
}

pub(super) enum Conn {
    Sqlite(OnSqlite),
    Pg(OnPg),
}

/// A connection for single statements, or a transaction.
pub(super) enum OnPg {
    Peeking(PoolConnection<Postgres>),
    Within(Transaction<'static, Postgres>),
}

/// A read connection, or exclusive use of the write connection.
pub(super) enum OnSqlite {
    Reading(Box<Reading>),
    Writing(Writing),
}

impl Deref for OnSqlite {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        match self {
            Self::Reading(reading) => reading,
            Self::Writing(writing) => writing,
        }
    }
}

impl DerefMut for OnSqlite {
    fn deref_mut(&mut self) -> &mut Connection {
        match self {
            Self::Reading(reading) => reading,
            Self::Writing(writing) => writing,
        }
    }
}

impl Deref for OnPg {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        match self {
            Self::Peeking(conn) => conn,
            Self::Within(tx) => tx,
        }
    }
}

impl DerefMut for OnPg {
    fn deref_mut(&mut self) -> &mut PgConnection {
        match self {
            Self::Peeking(conn) => conn,
            Self::Within(tx) => tx,
        }
    }
}

/// Compiles a query for both databases: `$conn` is a `&mut` connection of either one.
macro_rules! on {
    ($tx:expr, |$conn:ident| $body:expr) => {
        match &mut $tx.conn {
            $crate::store::Conn::Sqlite(tx) => {
                let $conn = &mut **tx;
                $body
            }
            $crate::store::Conn::Pg(tx) => {
                let $conn = &mut **tx;
                $body
            }
        }
    };
}
pub(in crate::store) use on;

/// Milliseconds since 1970 by the database's clock, as an SQL expression.
macro_rules! now_ms {
    (sqlite) => {
        "CAST(unixepoch('subsec') * 1000 AS INTEGER)"
    };
    (pg) => {
        "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)"
    };
}
pub(in crate::store) use now_ms;

impl Tx {
    pub(super) fn new(conn: Conn) -> Self {
        Self { conn, heads: vec![], before_parts: vec![] }
    }

    /// Returns the number of records that this transaction has appended.
    pub fn appended(&self) -> u64 {
        self.heads.iter().map(|head| head.appended).sum()
    }

    /// Creates a savepoint.
    pub async fn savepoint(&mut self) -> Result<(), Error> {
        on!(self, |conn| sqlx::query("SAVEPOINT part").execute(conn).await.map(drop))?;
        self.before_parts.push(self.heads.clone());
        Ok(())
    }

    /// Releases the last savepoint and keeps its changes. Unreleased savepoints nest and slow down every later write.
    pub async fn keep_part(&mut self) -> Result<(), Error> {
        on!(self, |conn| sqlx::query("RELEASE SAVEPOINT part").execute(conn).await.map(drop))?;
        self.before_parts.pop();
        Ok(())
    }

    /// Rolls back to the last savepoint, including events, and releases it.
    pub async fn rollback_to_savepoint(&mut self) -> Result<(), Error> {
        on!(self, |conn| sqlx::query("ROLLBACK TO SAVEPOINT part").execute(conn).await.map(drop))?;
        on!(self, |conn| sqlx::query("RELEASE SAVEPOINT part").execute(conn).await.map(drop))?;
        // The rollback also releases locks on counters that were taken since the savepoint.
        self.heads = self.before_parts.pop().unwrap_or_default();
        Ok(())
    }

    /// Commits. Returns the users whose listeners to wake.
    pub async fn commit(mut self) -> Result<Vec<Wakeup>, Error> {
        let heard = sequences::flush(&mut self).await?;
        match self.conn {
            Conn::Sqlite(OnSqlite::Reading(_)) | Conn::Pg(OnPg::Peeking(_)) => {}
            Conn::Sqlite(OnSqlite::Writing(writing)) => writing.commit().await?,
            Conn::Pg(OnPg::Within(tx)) => tx.commit().await?,
        }
        Ok(heard)
    }
}
