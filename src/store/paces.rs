//! How fast messages and calls come from addresses, by keys that are digests. All processes count in the same rows.

use super::{Conn, Error, Tx, on};
use crate::domain::time::Timestamp;

/// Returns until when what came under the key has used its share up, which may be over (`now` where nothing came yet), and the time by
/// the clock of a server of PostgreSQL. Whoever else counts under the key waits for this transaction.
pub async fn take(tx: &mut Tx, key: &[u8], now: &Timestamp) -> Result<(Timestamp, Option<Timestamp>), Error> {
    macro_rules! sql {
        ($clock:literal) => {
            concat!(
                "INSERT INTO address_paces (key, used_until) VALUES ($1, $2)
                 ON CONFLICT (key) DO UPDATE SET used_until = address_paces.used_until RETURNING used_until, ",
                $clock
            )
        };
    }
    Ok(match &mut tx.conn {
        Conn::Sqlite(conn) => sqlx::query_as(sql!("NULL")).bind(key).bind(now).fetch_one(&mut **conn).await?,
        // Evaluated once the row is held.
        Conn::Pg(conn) => sqlx::query_as(sql!("clock_timestamp()")).bind(key).bind(now).fetch_one(&mut **conn).await?,
    })
}

/// Keeps until when it is used up by now.
pub async fn set(tx: &mut Tx, key: &[u8], used_until: &Timestamp) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("UPDATE address_paces SET used_until = $2 WHERE key = $1")
        .bind(key)
        .bind(used_until)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

/// Whether there is something that says nothing any more.
pub async fn any_over(tx: &mut Tx, now: &Timestamp) -> Result<bool, Error> {
    let found: Option<i32> =
        on!(tx, |conn| sqlx::query_scalar("SELECT 1 FROM address_paces WHERE used_until < $1 LIMIT 1")
            .bind(now)
            .fetch_optional(conn)
            .await)?;
    Ok(found.is_some())
}

/// Sweeps out what says nothing any more: all used up before `now`.
pub async fn sweep(tx: &mut Tx, now: &Timestamp) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("DELETE FROM address_paces WHERE used_until < $1")
        .bind(now)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}
