//! One-time links for choosing a password. Each account has at most one, stored as a hash.

use sqlx::FromRow;

use super::users::Row as UserRow;
use super::{Error, Tx, on};
use crate::domain::id::UserId;
use crate::domain::time::Timestamp;
use crate::domain::user::{LinkPurpose, User};

/// A link to store.
#[derive(Debug)]
pub struct NewLink<'a> {
    pub hash: &'a [u8],
    pub purpose: LinkPurpose,
    /// The admin who makes it; `None` for the command line.
    pub made_by: Option<UserId>,
    pub at: &'a Timestamp,
    pub expires_at: &'a Timestamp,
}

/// Stores a link, which replaces the account's previous one.
pub async fn set(tx: &mut Tx, user: UserId, link: &NewLink<'_>) -> Result<(), Error> {
    on!(tx, |conn| {
        sqlx::query(
        "INSERT INTO account_links (user_id, hash, purpose, created_at, expires_at, made_by) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, purpose = excluded.purpose, made_by = excluded.made_by,
             created_at = excluded.created_at, expires_at = excluded.expires_at"
    )
    .bind(user)
    .bind(link.hash)
    .bind(link.purpose.as_str())
    .bind(link.at)
    .bind(link.expires_at)
    .bind(link.made_by)
    .execute(conn)
    .await
    .map(drop)
    })?;
    Ok(())
}

/// Returns owner and purpose of a valid link, unless the account is disabled.
pub async fn owner(tx: &mut Tx, hash: &[u8], now: &Timestamp) -> Result<Option<(User, LinkPurpose)>, Error> {
    #[derive(FromRow)]
    struct Owner {
        #[sqlx(flatten)]
        user: UserRow,
        purpose: String,
    }
    let row: Option<Owner> = on!(tx, |conn| sqlx::query_as(
        "SELECT u.*, l.purpose FROM account_links l JOIN users u ON u.id = l.user_id
         WHERE l.hash = $1 AND l.expires_at > $2 AND u.disabled = $3"
    )
    .bind(hash)
    .bind(now)
    .bind(false)
    .fetch_optional(conn)
    .await)?;
    row.map(|row| {
        let purpose = LinkPurpose::parse(&row.purpose);
        Ok((row.user.try_into()?, purpose.ok_or_else(|| Error::Corrupt("a link for nothing".into()))?))
    })
    .transpose()
}

/// Consumes the user's link. Returns false if it is no longer valid.
pub async fn take(tx: &mut Tx, user: UserId, hash: &[u8]) -> Result<bool, Error> {
    let rows = on!(tx, |conn| sqlx::query("DELETE FROM account_links WHERE user_id = $1 AND hash = $2")
        .bind(user)
        .bind(hash)
        .execute(conn)
        .await
        .map(|done| done.rows_affected()))?;
    Ok(rows == 1)
}

/// Revokes the links that the user made as an admin.
pub async fn delete_made_by(tx: &mut Tx, user: UserId) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("DELETE FROM account_links WHERE made_by = $1")
        .bind(user)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

/// Revokes the user's link.
pub async fn delete(tx: &mut Tx, user: UserId) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("DELETE FROM account_links WHERE user_id = $1")
        .bind(user)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}
