//! Personal API tokens: the hash of each secret, never the secret.

use sqlx::FromRow;

use super::users::Row as UserRow;
use super::{Error, Tx, on};
use crate::domain::id::{TokenId, UserId};
use crate::domain::time::Timestamp;
use crate::domain::user::{Scope, TokenInfo, User};

/// Stores a token of the user.
pub async fn insert(tx: &mut Tx, user: UserId, token: &TokenInfo, hash: &[u8]) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query(
        "INSERT INTO tokens (id, user_id, label, hash, scopes, created_at, revoked_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)"
    )
    .bind(token.token_id)
    .bind(user)
    .bind(&token.label)
    .bind(hash)
    .bind(Scope::write_list(&token.scopes))
    .bind(&token.created_at)
    .bind(&token.revoked_at)
    .execute(conn)
    .await
    .map(drop))?;
    Ok(())
}

/// Whose token it is and what for, if it was not revoked and its user is let in.
pub async fn owner(tx: &mut Tx, hash: &[u8]) -> Result<Option<(User, Vec<Scope>)>, Error> {
    #[derive(FromRow)]
    struct Owner {
        #[sqlx(flatten)]
        user: UserRow,
        scopes: String,
    }
    let row: Option<Owner> = on!(tx, |conn| sqlx::query_as(
        "SELECT u.*, t.scopes FROM tokens t JOIN users u ON u.id = t.user_id
         WHERE t.hash = $1 AND t.revoked_at IS NULL AND u.disabled = $2"
    )
    .bind(hash)
    .bind(false)
    .fetch_optional(conn)
    .await)?;
    row.map(|row| Ok((row.user.try_into()?, scopes(&row.scopes)?))).transpose()
}

/// The user's tokens, revoked ones too, oldest first.
pub async fn list(tx: &mut Tx, user: UserId) -> Result<Vec<TokenInfo>, Error> {
    let rows: Vec<Row> = on!(tx, |conn| sqlx::query_as(
        "SELECT id, label, scopes, created_at, revoked_at FROM tokens WHERE user_id = $1 ORDER BY created_at, id"
    )
    .bind(user)
    .fetch_all(conn)
    .await)?;
    rows.into_iter().map(TokenInfo::try_from).collect()
}

/// Whose token has that id.
pub async fn owner_of(tx: &mut Tx, id: TokenId) -> Result<Option<UserId>, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar("SELECT user_id FROM tokens WHERE id = $1")
        .bind(id)
        .fetch_optional(conn)
        .await)?)
}

/// Revokes the user's token; false if there is no good one of that id.
pub async fn revoke(tx: &mut Tx, user: UserId, id: TokenId, at: &Timestamp) -> Result<bool, Error> {
    let rows = on!(tx, |conn| sqlx::query(
        "UPDATE tokens SET revoked_at = $3 WHERE user_id = $1 AND id = $2 AND revoked_at IS NULL"
    )
    .bind(user)
    .bind(id)
    .bind(at)
    .execute(conn)
    .await
    .map(|done| done.rows_affected()))?;
    Ok(rows == 1)
}

#[derive(FromRow)]
struct Row {
    id: TokenId,
    label: String,
    scopes: String,
    created_at: Timestamp,
    revoked_at: Option<Timestamp>,
}

impl TryFrom<Row> for TokenInfo {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self, Error> {
        Ok(Self {
            token_id: row.id,
            label: row.label,
            scopes: scopes(&row.scopes)?,
            created_at: row.created_at,
            revoked_at: row.revoked_at,
        })
    }
}

fn scopes(text: &str) -> Result<Vec<Scope>, Error> {
    Scope::parse_list(text).map_err(|_| Error::Corrupt("a token with a bad scope".into()))
}
