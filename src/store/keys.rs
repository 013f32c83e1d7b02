//! Secrets shared by all processes on one database.

use super::{Error, Tx, on};

pub async fn get(tx: &mut Tx, name: &str) -> Result<Option<Vec<u8>>, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar("SELECT key FROM server_keys WHERE name = $1")
        .bind(name)
        .fetch_optional(conn)
        .await)?)
}

/// Stores the key under that name, unless one exists.
pub async fn keep(tx: &mut Tx, name: &str, fresh: &[u8]) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("INSERT INTO server_keys (name, key) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING")
        .bind(name)
        .bind(fresh)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}
