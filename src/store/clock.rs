//! The database's clock.

use super::{Conn, Error, Tx, now_ms};
use crate::domain::time::Timestamp;

/// [`LONGEST_WAIT_MS`] in statements.
macro_rules! longest_wait_ms {
    () => {
        600_000
    };
}
pub(in crate::store) use longest_wait_ms;

/// Longest time in milliseconds for which a lease is taken or a card is put off. A stored time that is further ahead was written
/// before the clock was set back, and holds nothing.
pub const LONGEST_WAIT_MS: i64 = longest_wait_ms!();

/// Returns the time by the clock of a server of PostgreSQL; `None` on SQLite, whose clock is that of this process.
pub async fn now(tx: &mut Tx) -> Result<Option<Timestamp>, Error> {
    Ok(match &mut tx.conn {
        Conn::Sqlite(_) => None,
        Conn::Pg(conn) => Some(sqlx::query_scalar("SELECT clock_timestamp()").fetch_one(&mut **conn).await?),
    })
}

/// Returns milliseconds since 1970 by the database's clock, by which it compares leases.
pub async fn now_ms(tx: &mut Tx) -> Result<i64, Error> {
    Ok(match &mut tx.conn {
        Conn::Sqlite(conn) => sqlx::query_scalar(concat!("SELECT ", now_ms!(sqlite))).fetch_one(&mut **conn).await?,
        Conn::Pg(conn) => sqlx::query_scalar(concat!("SELECT ", now_ms!(pg))).fetch_one(&mut **conn).await?,
    })
}
