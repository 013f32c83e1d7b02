//! A transaction on either database.

use std::ops::{Deref, DerefMut};

use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, Postgres, Transaction};

use super::Error;
use super::heads::{self, Head, Heard};
use super::readers::Reading;
use super::sqlite::Connection;
use super::writer::Writing;

/// A transaction; rolled back when dropped without [`Tx::commit`].
pub struct Tx {
    pub(super) conn: Conn,
    /// The heads that it has taken.
    pub(super) heads: Vec<Head>,
    /// They, as they were when the open part began.
    before_part: Vec<Head>,
}

pub(super) enum Conn {
    Sqlite(OnSqlite),
    Pg(OnPg),
}

/// One statement's connection, or a transaction.
pub(super) enum OnPg {
    Peeking(PoolConnection<Postgres>),
    Within(Transaction<'static, Postgres>),
}

/// A reader's connection, or a turn at the one that writes.
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

/// Compiles a query body once for each database: `$conn` is a `&mut` connection of the one at hand.
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

/// Milliseconds since 1970 by the database's clock.
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
        Self { conn, heads: vec![], before_part: vec![] }
    }

    /// How many records it has appended so far.
    pub fn appended(&self) -> u64 {
        self.heads.iter().map(|head| head.appended).sum()
    }

    /// Marks a point to which [`Tx::undo_part`] can go back.
    pub async fn begin_part(&mut self) -> Result<(), Error> {
        on!(self, |conn| sqlx::query("SAVEPOINT part").execute(conn).await.map(drop))?;
        self.before_part.clone_from(&self.heads);
        Ok(())
    }

    /// Keeps what was written since [`Tx::begin_part`], which can be taken back no more. Savepoints that stay nest, and each costs every
    /// later write.
    pub async fn keep_part(&mut self) -> Result<(), Error> {
        on!(self, |conn| sqlx::query("RELEASE SAVEPOINT part").execute(conn).await.map(drop))?;
        Ok(())
    }

    /// Takes back all since [`Tx::begin_part`], events included; what came before it stays.
    pub async fn undo_part(&mut self) -> Result<(), Error> {
        on!(self, |conn| sqlx::query("ROLLBACK TO SAVEPOINT part").execute(conn).await.map(drop))?;
        self.keep_part().await?;
        // A head that was first taken in the part was locked in it: it has to be taken again.
        self.heads.clone_from(&self.before_part);
        Ok(())
    }

    /// Makes it durable; returns whose listeners to wake.
    pub async fn commit(mut self) -> Result<Vec<Heard>, Error> {
        let heard = heads::put_back(&mut self).await?;
        match self.conn {
            Conn::Sqlite(OnSqlite::Reading(_)) | Conn::Pg(OnPg::Peeking(_)) => {}
            Conn::Sqlite(OnSqlite::Writing(writing)) => writing.commit().await?,
            Conn::Pg(OnPg::Within(tx)) => tx.commit().await?,
        }
        Ok(heard)
    }
}
