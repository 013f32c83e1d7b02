//! Browser sessions. Only the hash of each cookie is stored.

use sqlx::FromRow;

use super::users::Row as UserRow;
use super::{Error, Tx, on};
use crate::domain::id::{SessionId, UserId};
use crate::domain::time::Timestamp;
use crate::domain::user::{Session, User};

/// Creates a session for the user, with a new id.
pub async fn insert(
    tx: &mut Tx,
    user: UserId,
    hash: &[u8],
    at: &Timestamp,
    expires_at: &Timestamp,
) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query(
        "INSERT INTO sessions (hash, id, user_id, created_at, expires_at) VALUES ($1, $5, $2, $3, $4)"
    )
    .bind(hash)
    .bind(user)
    .bind(at)
    .bind(expires_at)
    .bind(SessionId::new())
    .execute(conn)
    .await
    .map(drop))?;
    Ok(())
}

/// A valid session and its user.
#[derive(Debug, Clone)]
pub struct Holder {
    pub user: User,
    pub session: Session,
    pub seen_at: Option<Timestamp>,
}

/// Returns the unexpired session with that hash, unless its user is disabled.
pub async fn holder(tx: &mut Tx, hash: &[u8], now: &Timestamp) -> Result<Option<Holder>, Error> {
    #[derive(FromRow)]
    struct Held {
        #[sqlx(flatten)]
        user: UserRow,
        session_id: SessionId,
        device: String,
        last_seen: Option<Timestamp>,
    }
    let row: Option<Held> = on!(tx, |conn| {
        sqlx::query_as(
        "SELECT u.*, s.id AS session_id, s.device, s.seen_at AS last_seen FROM sessions s JOIN users u ON u.id = s.user_id
         WHERE s.hash = $1 AND s.expires_at > $2 AND u.disabled = $3"
    )
    .bind(hash)
    .bind(now)
    .bind(false)
    .fetch_optional(conn)
    .await
    })?;
    row.map(|row| {
        let session = Session { session_id: row.session_id, device: row.device };
        Ok(Holder { user: row.user.try_into()?, session, seen_at: row.last_seen })
    })
    .transpose()
}

/// A stored session.
#[derive(Debug, Clone, FromRow)]
pub struct SessionRow {
    pub hash: Vec<u8>,
    pub id: SessionId,
    /// Browser and operating system, e.g. for the list of sessions; empty if unknown.
    pub device: String,
    pub created_at: Timestamp,
    pub seen_at: Option<Timestamp>,
}

/// Returns the user's unexpired sessions, most recently seen first.
pub async fn list(tx: &mut Tx, user: UserId, now: &Timestamp) -> Result<Vec<SessionRow>, Error> {
    Ok(on!(tx, |conn| sqlx::query_as(
        "SELECT hash, id, device, created_at, seen_at FROM sessions WHERE user_id = $1 AND expires_at > $2
         ORDER BY COALESCE(seen_at, created_at) DESC, hash"
    )
    .bind(user)
    .bind(now)
    .fetch_all(conn)
    .await)?)
}

/// Returns the time of the last password entry in the user's session, if known and the session is valid.
pub async fn authenticated_at(
    tx: &mut Tx,
    user: UserId,
    hash: &[u8],
    now: &Timestamp,
) -> Result<Option<Timestamp>, Error> {
    let found: Option<Option<Timestamp>> = on!(tx, |conn| sqlx::query_scalar(
        "SELECT authenticated_at FROM sessions WHERE user_id = $1 AND hash = $2 AND expires_at > $3"
    )
    .bind(user)
    .bind(hash)
    .bind(now)
    .fetch_optional(conn)
    .await)?;
    Ok(found.flatten())
}

/// Stores the time of the last password entry in the user's session.
pub async fn authenticate(tx: &mut Tx, user: UserId, hash: &[u8], at: &Timestamp) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("UPDATE sessions SET authenticated_at = $3 WHERE user_id = $1 AND hash = $2")
        .bind(user)
        .bind(hash)
        .bind(at)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

/// Stores the time of last use. Caps the expiry at `latest`, so that setting the clock back does not extend the session.
pub async fn see(tx: &mut Tx, user: UserId, hash: &[u8], (at, latest): (&Timestamp, &Timestamp)) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query(
        "UPDATE sessions SET seen_at = $3, expires_at = CASE WHEN expires_at > $4 THEN $4 ELSE expires_at END
         WHERE user_id = $1 AND hash = $2"
    )
    .bind(user)
    .bind(hash)
    .bind(at)
    .bind(latest)
    .execute(conn)
    .await
    .map(drop))?;
    Ok(())
}

pub async fn name(tx: &mut Tx, user: UserId, hash: &[u8], device: &str) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("UPDATE sessions SET device = $3 WHERE user_id = $1 AND hash = $2")
        .bind(user)
        .bind(hash)
        .bind(device)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

/// Ends a session. Returns false if there is none.
pub async fn delete(tx: &mut Tx, user: UserId, hash: &[u8]) -> Result<bool, Error> {
    let rows = on!(tx, |conn| sqlx::query("DELETE FROM sessions WHERE user_id = $1 AND hash = $2")
        .bind(user)
        .bind(hash)
        .execute(conn)
        .await
        .map(|done| done.rows_affected()))?;
    Ok(rows == 1)
}

/// Ends all sessions of the user and returns their number.
pub async fn delete_all(tx: &mut Tx, user: UserId) -> Result<u64, Error> {
    Ok(on!(tx, |conn| sqlx::query("DELETE FROM sessions WHERE user_id = $1")
        .bind(user)
        .execute(conn)
        .await
        .map(|done| done.rows_affected()))?)
}

/// Deletes all users' expired sessions.
pub async fn delete_expired(tx: &mut Tx, now: &Timestamp) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("DELETE FROM sessions WHERE expires_at <= $1").bind(now).execute(conn).await.map(drop))?;
    Ok(())
}
