//! Link codes sent in a chat that is linked to another account. The code is consumed, and the person in the chat has to confirm
//! before it expires.

use sqlx::FromRow;

use crate::domain::channel::ChatId;
use crate::domain::id::{RelinkId, TokenId, UserId};
use crate::domain::time::Timestamp;
use crate::store::{Error, Tx, on};

/// A pending confirmation that another account takes over a chat.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct Relink {
    pub id: RelinkId,
    /// The account of the code.
    #[sqlx(rename = "user_id")]
    pub user: UserId,
    /// The account that the chat was linked to when the code was sent.
    #[sqlx(rename = "linked_user_id")]
    pub linked: UserId,
    #[sqlx(rename = "chat_id")]
    pub chat: ChatId,
    /// The person's display name on Telegram.
    pub name: String,
    /// Hash of the code.
    pub hash: Vec<u8>,
    /// API token that requested the code.
    #[sqlx(rename = "token_id")]
    pub token: Option<TokenId>,
    pub expires_at: Timestamp,
}

macro_rules! columns {
    () => {
        "id, user_id, linked_user_id, chat_id, name, hash, token_id, expires_at"
    };
}

/// Stores a confirmation, which replaces an earlier one for the account.
pub async fn insert_relink(tx: &mut Tx, user: UserId, new: &Relink) -> Result<(), Error> {
    void_relinks(tx, user, None).await?;
    on!(tx, |conn| sqlx::query(concat!(
        "INSERT INTO telegram_relinks (",
        columns!(),
        ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"
    ))
    .bind(new.id)
    .bind(user)
    .bind(new.linked)
    .bind(new.chat)
    .bind(&new.name)
    .bind(&new.hash)
    .bind(new.token)
    .bind(&new.expires_at)
    .execute(conn)
    .await
    .map(drop))?;
    Ok(())
}

/// Returns the confirmation with that id in the chat, expired or not.
pub async fn relink(tx: &mut Tx, id: RelinkId, chat: ChatId) -> Result<Option<Relink>, Error> {
    Ok(on!(tx, |conn| sqlx::query_as(concat!(
        "SELECT ",
        columns!(),
        " FROM telegram_relinks WHERE id = $1 AND chat_id = $2"
    ))
    .bind(id)
    .bind(chat)
    .fetch_optional(conn)
    .await)?)
}

/// Returns the pending confirmation for the code with that hash in the chat.
pub async fn pending_relink(tx: &mut Tx, hash: &[u8], chat: ChatId, now: &Timestamp) -> Result<Option<Relink>, Error> {
    Ok(on!(tx, |conn| sqlx::query_as(concat!(
        "SELECT ",
        columns!(),
        " FROM telegram_relinks WHERE hash = $1 AND chat_id = $2 AND expires_at > $3"
    ))
    .bind(hash)
    .bind(chat)
    .bind(now)
    .fetch_optional(conn)
    .await)?)
}

/// Deletes a confirmation. Returns false if another answer came first.
pub async fn take_relink(tx: &mut Tx, user: UserId, id: RelinkId) -> Result<bool, Error> {
    let rows = on!(tx, |conn| sqlx::query("DELETE FROM telegram_relinks WHERE user_id = $1 AND id = $2")
        .bind(user)
        .bind(id)
        .execute(conn)
        .await
        .map(|done| done.rows_affected()))?;
    Ok(rows == 1)
}

/// Deletes the confirmation for the user's account and returns it. With a token, only if it requested the code.
pub async fn void_relinks(tx: &mut Tx, user: UserId, token: Option<TokenId>) -> Result<Vec<RelinkId>, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar(
        "DELETE FROM telegram_relinks WHERE user_id = $1 AND ($2 IS NULL OR token_id = $2) RETURNING id"
    )
    .bind(user)
    .bind(token)
    .fetch_all(conn)
    .await)?)
}
