//! Rate limits by key, such as an address or a user's model checks. Keys are digests. All processes share the rows.

use super::{Conn, Error, Tx, on};
use crate::domain::time::Timestamp;

/// Locks the key's row and returns its theoretical arrival time (`now` if new) and the PostgreSQL server's time. Other
/// transactions on the key wait for this one.
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
        // Evaluated after the row is locked.
        Conn::Pg(conn) => sqlx::query_as(sql!("clock_timestamp()")).bind(key).bind(now).fetch_one(&mut **conn).await?,
    })
}

/// Stores the key's theoretical arrival time.
pub async fn set(tx: &mut Tx, key: &[u8], used_until: &Timestamp) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("UPDATE address_paces SET used_until = $2 WHERE key = $1")
        .bind(key)
        .bind(used_until)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

/// Returns true if there are expired keys.
pub async fn any_over(tx: &mut Tx, now: &Timestamp) -> Result<bool, Error> {
    let found: Option<i32> =
        on!(tx, |conn| sqlx::query_scalar("SELECT 1 FROM address_paces WHERE used_until < $1 LIMIT 1")
            .bind(now)
            .fetch_optional(conn)
            .await)?;
    Ok(found.is_some())
}

/// Deletes expired keys, whose time is before `now`.
pub async fn sweep(tx: &mut Tx, now: &Timestamp) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("DELETE FROM address_paces WHERE used_until < $1")
        .bind(now)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}
