//! Browser sessions: the hash of each cookie, never the cookie.

use super::users::Row;
use super::{Error, Tx, on};
use crate::domain::id::UserId;
use crate::domain::time::Timestamp;
use crate::domain::user::User;

/// Begins a session of the user.
pub async fn insert(
    tx: &mut Tx,
    user: UserId,
    hash: &[u8],
    at: &Timestamp,
    expires_at: &Timestamp,
) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query(
        "INSERT INTO sessions (hash, user_id, created_at, expires_at) VALUES ($1, $2, $3, $4)"
    )
    .bind(hash)
    .bind(user)
    .bind(at)
    .bind(expires_at)
    .execute(conn)
    .await
    .map(drop))?;
    Ok(())
}

/// Whose session it is, if it has not expired and its user is let in.
pub async fn owner(tx: &mut Tx, hash: &[u8], now: &Timestamp) -> Result<Option<User>, Error> {
    let row: Option<Row> = on!(tx, |conn| sqlx::query_as(
        "SELECT u.* FROM sessions s JOIN users u ON u.id = s.user_id
         WHERE s.hash = $1 AND s.expires_at > $2 AND u.disabled = $3"
    )
    .bind(hash)
    .bind(now)
    .bind(false)
    .fetch_optional(conn)
    .await)?;
    row.map(User::try_from).transpose()
}

/// Ends one session of the user; false if there is none.
pub async fn delete(tx: &mut Tx, user: UserId, hash: &[u8]) -> Result<bool, Error> {
    let rows = on!(tx, |conn| sqlx::query("DELETE FROM sessions WHERE user_id = $1 AND hash = $2")
        .bind(user)
        .bind(hash)
        .execute(conn)
        .await
        .map(|done| done.rows_affected()))?;
    Ok(rows == 1)
}

/// Ends every session of the user; returns how many.
pub async fn delete_all(tx: &mut Tx, user: UserId) -> Result<u64, Error> {
    Ok(on!(tx, |conn| sqlx::query("DELETE FROM sessions WHERE user_id = $1")
        .bind(user)
        .execute(conn)
        .await
        .map(|done| done.rows_affected()))?)
}

/// Sweeps out what has expired, anyone's.
pub async fn delete_expired(tx: &mut Tx, now: &Timestamp) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("DELETE FROM sessions WHERE expires_at <= $1").bind(now).execute(conn).await.map(drop))?;
    Ok(())
}
