//! The database's clock.

use super::{Conn, Error, Tx, now_ms};
use crate::domain::time::Timestamp;

/// [`LONGEST_WAIT_MS`] as a literal for SQL.
macro_rules! longest_wait_ms {
    () => {
        600_000
    };
}
pub(in crate::store) use longest_wait_ms;

/// Maximum duration of a lease or an outbox delay, in milliseconds. A stored time further ahead predates a clock change and is
/// ignored.
pub const LONGEST_WAIT_MS: i64 = longest_wait_ms!();

/// Returns the time of the PostgreSQL server; `None` on SQLite, which uses this process's clock.
pub async fn now(tx: &mut Tx) -> Result<Option<Timestamp>, Error> {
    Ok(match &mut tx.conn {
        Conn::Sqlite(_) => None,
        Conn::Pg(conn) => Some(sqlx::query_scalar("SELECT clock_timestamp()").fetch_one(&mut **conn).await?),
    })
}

/// Returns the database's time in milliseconds since 1970, as used for leases.
pub async fn now_ms(tx: &mut Tx) -> Result<i64, Error> {
    Ok(match &mut tx.conn {
        Conn::Sqlite(conn) => sqlx::query_scalar(concat!("SELECT ", now_ms!(sqlite))).fetch_one(&mut **conn).await?,
        Conn::Pg(conn) => sqlx::query_scalar(concat!("SELECT ", now_ms!(pg))).fetch_one(&mut **conn).await?,
    })
}
