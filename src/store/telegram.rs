//! Links between Telegram chats and accounts, and hashes of the one-time codes that create them.

use sqlx::FromRow;

use super::users::Row as UserRow;
use super::{Error, Tx, on};
use crate::domain::channel::ChatId;
use crate::domain::id::{ConversationId, TokenId, UserId};
use crate::domain::time::Timestamp;
use crate::domain::user::User;

mod relinks;

pub use relinks::{Relink, insert_relink, pending_relink, relink, take_relink, void_relinks};

/// A user's linked chat.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct Link {
    #[sqlx(rename = "chat_id")]
    pub chat: ChatId,
    /// The person's display name on Telegram.
    pub name: String,
    /// Conversation for the next message; `None` begins a new one.
    #[sqlx(rename = "conversation_id")]
    pub conversation: Option<ConversationId>,
    pub linked_at: Timestamp,
    /// API token that requested the code.
    #[sqlx(rename = "token_id")]
    pub token: Option<TokenId>,
}

/// A valid code.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct Code {
    #[sqlx(rename = "user_id")]
    pub user: UserId,
    pub expires_at: Timestamp,
    /// API token that requested it.
    #[sqlx(rename = "token_id")]
    pub token: Option<TokenId>,
}

/// Stores a code, which replaces the user's previous one.
pub async fn set_code(
    tx: &mut Tx,
    user: UserId,
    hash: &[u8],
    expires_at: &Timestamp,
    token: Option<TokenId>,
) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query(
        "INSERT INTO telegram_codes (user_id, hash, expires_at, token_id) VALUES ($1, $2, $3, $4)
         ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at,
             token_id = excluded.token_id"
    )
    .bind(user)
    .bind(hash)
    .bind(expires_at)
    .bind(token)
    .execute(conn)
    .await
    .map(drop))?;
    Ok(())
}

/// Returns the owner of a valid code without consuming it.
pub async fn code_owner(tx: &mut Tx, hash: &[u8], now: &Timestamp) -> Result<Option<UserId>, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar("SELECT user_id FROM telegram_codes WHERE hash = $1 AND expires_at > $2")
        .bind(hash)
        .bind(now)
        .fetch_optional(conn)
        .await)?)
}

/// Revokes the user's code.
pub async fn void_code(tx: &mut Tx, user: UserId) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("DELETE FROM telegram_codes WHERE user_id = $1")
        .bind(user)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

/// Revokes the user's code if that API token requested it.
pub async fn void_code_of_token(tx: &mut Tx, user: UserId, token: TokenId) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("DELETE FROM telegram_codes WHERE user_id = $1 AND token_id = $2")
        .bind(user)
        .bind(token)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

/// Consumes a code and returns it if valid.
pub async fn take_code(tx: &mut Tx, hash: &[u8], now: &Timestamp) -> Result<Option<Code>, Error> {
    Ok(on!(tx, |conn| sqlx::query_as(
        "DELETE FROM telegram_codes WHERE hash = $1 AND expires_at > $2 RETURNING user_id, expires_at, token_id"
    )
    .bind(hash)
    .bind(now)
    .fetch_optional(conn)
    .await)?)
}

/// Links the chat to the user, replacing any other link of either. `token` requested the code. Returns the chat's previous user,
/// if different.
pub async fn link(
    tx: &mut Tx,
    user: UserId,
    chat: ChatId,
    name: &str,
    at: &Timestamp,
    token: Option<TokenId>,
) -> Result<Option<UserId>, Error> {
    let before: Option<UserId> = on!(tx, |conn| sqlx::query_scalar(
        "DELETE FROM telegram_links WHERE chat_id = $1 AND user_id <> $2 RETURNING user_id"
    )
    .bind(chat)
    .bind(user)
    .fetch_optional(conn)
    .await)?;
    on!(tx, |conn| sqlx::query(
        "INSERT INTO telegram_links (user_id, chat_id, name, linked_at, token_id) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (user_id) DO UPDATE SET chat_id = excluded.chat_id, name = excluded.name,
             linked_at = excluded.linked_at, token_id = excluded.token_id"
    )
    .bind(user)
    .bind(chat)
    .bind(name)
    .bind(at)
    .bind(token)
    .execute(conn)
    .await
    .map(drop))?;
    Ok(before)
}

pub async fn of_user(tx: &mut Tx, user: UserId) -> Result<Option<Link>, Error> {
    Ok(on!(tx, |conn| sqlx::query_as(
        "SELECT chat_id, name, conversation_id, linked_at, token_id FROM telegram_links WHERE user_id = $1"
    )
    .bind(user)
    .fetch_optional(conn)
    .await)?)
}

/// Returns the chat's user, including disabled ones.
pub async fn user_of(tx: &mut Tx, chat: ChatId) -> Result<Option<UserId>, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar("SELECT user_id FROM telegram_links WHERE chat_id = $1")
        .bind(chat)
        .fetch_optional(conn)
        .await)?)
}

/// Returns the chat's user and conversation, unless the user is disabled.
pub async fn owner(tx: &mut Tx, chat: ChatId) -> Result<Option<(User, Option<ConversationId>)>, Error> {
    #[derive(FromRow)]
    struct Owner {
        #[sqlx(flatten)]
        user: UserRow,
        conversation_id: Option<ConversationId>,
    }
    let row: Option<Owner> = on!(tx, |conn| sqlx::query_as(
        "SELECT u.*, l.conversation_id FROM telegram_links l JOIN users u ON u.id = l.user_id
         WHERE l.chat_id = $1 AND u.disabled = $2"
    )
    .bind(chat)
    .bind(false)
    .fetch_optional(conn)
    .await)?;
    row.map(|row| Ok((row.user.try_into()?, row.conversation_id))).transpose()
}

/// Sets the conversation for the next message of the user's chat.
pub async fn set_conversation(tx: &mut Tx, user: UserId, conversation: Option<ConversationId>) -> Result<(), Error> {
    on!(tx, |conn| sqlx::query("UPDATE telegram_links SET conversation_id = $2 WHERE user_id = $1")
        .bind(user)
        .bind(conversation)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

/// Unlinks the user's chat and returns it.
pub async fn unlink(tx: &mut Tx, user: UserId) -> Result<Option<ChatId>, Error> {
    Ok(on!(tx, |conn| sqlx::query_scalar("DELETE FROM telegram_links WHERE user_id = $1 RETURNING chat_id")
        .bind(user)
        .fetch_optional(conn)
        .await)?)
}
