//! API tokens. Only the hash of each secret is stored.

use sqlx::FromRow;

use super::users::Row as UserRow;
use super::{Error, Tx, on};
use crate::domain::id::{TokenId, UserId};
use crate::domain::time::Timestamp;
use crate::domain::user::{Agent, Scope, TokenInfo, TokenKind, User};

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

/// A valid token and its user.
#[derive(Debug, Clone)]
pub struct Holder {
    pub user: User,
    pub kind: TokenKind,
    pub scopes: Vec<Scope>,
    /// The token's id and label.
    pub agent: Agent,
    /// Maximum number of changes in an hour; 0 for unlimited.
    pub budget: i64,
    /// Time of the last use, accurate to some minutes.
    pub seen_at: Option<Timestamp>,
}

/// Returns the token with that hash, unless it is revoked or its user is disabled.
pub async fn holder(tx: &mut Tx, hash: &[u8]) -> Result<Option<Holder>, Error> {
    #[derive(FromRow)]
    struct Held {
        #[sqlx(flatten)]
        user: UserRow,
        token_id: TokenId,
        label: String,
        kind: String,
        scopes: String,
        budget: i64,
        last_seen: Option<Timestamp>,
    }
    let row: Option<Held> = on!(tx, |conn| sqlx::query_as(
        "SELECT u.*, t.id AS token_id, t.label, t.kind, t.scopes, t.budget, t.seen_at AS last_seen
         FROM tokens t JOIN users u ON u.id = t.user_id
         WHERE t.hash = $1 AND t.revoked_at IS NULL AND u.disabled = $2"
    )
    .bind(hash)
    .bind(false)
    .fetch_optional(conn)
    .await)?;
    row.map(|row| {
        let agent = Agent { token_id: row.token_id, label: row.label };
        let (budget, seen_at) = (row.budget, row.last_seen);
        let (kind, scopes) = (kind(&row.kind)?, scopes(&row.scopes)?);
        Ok(Holder { user: row.user.try_into()?, kind, scopes, agent, budget, seen_at })
    })
    .transpose()
}

/// Returns all tokens of the user, including revoked ones, oldest first.
pub async fn list(tx: &mut Tx, user: UserId) -> Result<Vec<TokenInfo>, Error> {
    let rows: Vec<Row> = on!(tx, |conn| {
        sqlx::query_as(
        "SELECT id, label, kind, scopes, budget, created_at, revoked_at FROM tokens WHERE user_id = $1 ORDER BY created_at, id"
    )
    .bind(user)
    .fetch_all(conn)
    .await
    })?;
    rows.into_iter().map(TokenInfo::try_from).collect()
}

/// Returns a token of the user, revoked or not.
pub async fn get(tx: &mut Tx, user: UserId, id: TokenId) -> Result<Option<TokenInfo>, Error> {
    let row: Option<Row> = on!(tx, |conn| sqlx::query_as(
        "SELECT id, label, kind, scopes, budget, created_at, revoked_at FROM tokens WHERE user_id = $1 AND id = $2"
    )
    .bind(user)
    .bind(id)
    .fetch_optional(conn)
    .await)?;
    row.map(TokenInfo::try_from).transpose()
}

/// Returns the owner of the token.
pub async fn owner_of(tx: &mut Tx, id: TokenId) -> Result<Option<UserId>, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar("SELECT user_id FROM tokens WHERE id = $1")
        .bind(id)
        .fetch_optional(conn)
        .await)?)
}

/// Revokes a token. Returns false if there is no valid one with this id.
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

/// Revokes all tokens of the user and returns those that were valid.
pub async fn revoke_all(tx: &mut Tx, user: UserId, at: &Timestamp) -> Result<Vec<TokenId>, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar(
        "UPDATE tokens SET revoked_at = $2 WHERE user_id = $1 AND revoked_at IS NULL RETURNING id"
    )
    .bind(user)
    .bind(at)
    .fetch_all(conn)
    .await)?)
}

/// Stores the time of the token's last use.
pub async fn see(tx: &mut Tx, user: UserId, hash: &[u8], at: &Timestamp) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("UPDATE tokens SET seen_at = $3 WHERE user_id = $1 AND hash = $2")
        .bind(user)
        .bind(hash)
        .bind(at)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

#[derive(FromRow)]
struct Row {
    id: TokenId,
    label: String,
    kind: String,
    scopes: String,
    budget: i64,
    created_at: Timestamp,
    revoked_at: Option<Timestamp>,
}

impl TryFrom<Row> for TokenInfo {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self, Error> {
        Ok(Self {
            token_id: row.id,
            label: row.label,
            kind: kind(&row.kind)?,
            scopes: scopes(&row.scopes)?,
            budget: row.budget,
            created_at: row.created_at,
            revoked_at: row.revoked_at,
        })
    }
}

fn kind(text: &str) -> Result<TokenKind, Error> {
    TokenKind::parse(text).map_err(|_| Error::Corrupt("a token of no known kind".into()))
}

fn scopes(text: &str) -> Result<Vec<Scope>, Error> {
    Scope::parse_list(text).map_err(|_| Error::Corrupt("a token with a bad scope".into()))
}
