//! Linking of an account with a Telegram chat by a one-time code.

use rand::Rng as _;
use serde::Serialize;
use serde_json::json;

use super::accounts::{digest, full};
use super::{Commit, Ctx, Error, require};
use crate::domain::channel::{Card, ChatId};
use crate::domain::id::{ConversationId, TokenId, UserId};
use crate::domain::queue_depth::Dropped;
use crate::domain::time::Timestamp;
use crate::domain::user::{Caller, Door, Scope};
use crate::store::records::{self, Kind};
use crate::store::{self, Tx};

mod linking;

pub use linking::{CodeOutcome, RelinkAnswer, answer_relink, link};

/// Lifetime of a code, in seconds.
const CODE_S: i64 = 600;
/// Characters of a code, without similar ones.
const LETTERS: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
/// Length of a code: 60 bits, too many to guess within its lifetime.
const LENGTH: usize = 12;
/// A one-time code that links the chat in which it is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LinkCode {
    pub code: String,
    pub expires_at: Timestamp,
}

/// The chat linked with a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linked {
    pub chat: ChatId,
    pub name: String,
    pub since: Timestamp,
}

/// Creates a code and voids the earlier one with its relink confirmation. The caller needs all scopes of a linked chat. A code requested
/// with a token ends with the token, as does the chat that it linked.
pub async fn code(ctx: &Ctx, caller: &Caller) -> Result<LinkCode, Error> {
    may_link(caller)?;
    let code: String = (0..LENGTH).map(|_| char::from(LETTERS[rand::rng().random_range(0..LETTERS.len())])).collect();
    let expires_at = ctx.now().plus_seconds(CODE_S);
    let token = caller.program.as_ref().map(|program| program.token_id);
    let mut tx = ctx.write().await?;
    store::tasks::lock(&mut tx, caller.id()).await?;
    close_questions(&mut tx, caller.id(), None).await?;
    store::telegram::set_code(&mut tx, caller.id(), &digest(&code), &expires_at, token).await?;
    ctx.commit_at(tx, Commit::Chat).await?;
    ctx.live.wake_senders();
    Ok(LinkCode { code, expires_at })
}

/// Returns the caller and the conversation of a linked chat; `None` if it is not linked or its user is disabled.
pub async fn caller_of_chat(ctx: &Ctx, chat: ChatId) -> Result<Option<(Caller, Option<ConversationId>)>, Error> {
    let owner = store::telegram::owner(&mut ctx.peek().await?, chat).await?;
    Ok(owner.map(|(user, conversation)| (full(user, Door::Telegram), conversation)))
}

pub async fn linked(ctx: &Ctx, caller: &Caller) -> Result<Option<Linked>, Error> {
    let link = store::telegram::of_user(&mut ctx.peek().await?, caller.id()).await?;
    Ok(link.map(|link| Linked { chat: link.chat, name: link.name, since: link.linked_at }))
}

/// Unlinks the caller's chat, which stops all sending; returns the chat if there was one.
pub async fn unlink(ctx: &Ctx, tx: &mut Tx, caller: &Caller) -> Result<Option<ChatId>, Error> {
    may_link(caller)?;
    separate(tx, caller.id(), caller.door.as_str(), &ctx.now()).await
}

/// Unlinks the chat of a disabled account and voids its codes. Enabling the account does not restore them.
pub(super) async fn shut_out(tx: &mut Tx, user: UserId, by: &str, at: &Timestamp) -> Result<(), Error> {
    separate(tx, user, by, at).await?;
    void_codes(tx, user).await
}

/// Voids the account's code and its relink confirmation, which may have been requested with an old password.
pub(super) async fn void_codes(tx: &mut Tx, user: UserId) -> Result<(), Error> {
    store::telegram::void_code(tx, user).await?;
    close_questions(tx, user, None).await
}

/// Voids the account's relink confirmation and removes its buttons; a token restricts this to the confirmation of its code.
async fn close_questions(tx: &mut Tx, user: UserId, token: Option<TokenId>) -> Result<(), Error> {
    for relink in store::telegram::void_relinks(tx, user, token).await? {
        store::outbox::refresh_alike(tx, user, &Card::Relink { relink }).await?;
    }
    Ok(())
}

/// Ends the effects of a revoked token: its code, and the chat that its code linked.
pub(super) async fn end_with_token(tx: &mut Tx, user: UserId, token: TokenId, at: &Timestamp) -> Result<(), Error> {
    store::telegram::void_code_of_token(tx, user, token).await?;
    close_questions(tx, user, Some(token)).await?;
    let link = store::telegram::of_user(tx, user).await?;
    if link.is_some_and(|link| link.token == Some(token)) {
        separate(tx, user, "revoked token", at).await?;
    }
    Ok(())
}

async fn separate(tx: &mut Tx, user: UserId, by: &str, at: &Timestamp) -> Result<Option<ChatId>, Error> {
    // Locks the head first, as for every change of an account.
    store::tasks::lock(tx, user).await?;
    let chat = store::telegram::unlink(tx, user).await?;
    if chat.is_some() {
        store::outbox::stop(tx, user).await?;
        record(tx, user, at, json!({ "event": "telegram_unlinked", "by": by, "at": at })).await?;
    }
    Ok(chat)
}

/// Unlinks the caller's chat in a separate transaction.
pub async fn part(ctx: &Ctx, caller: &Caller) -> Result<(), Error> {
    let mut tx = ctx.write().await?;
    unlink(ctx, &mut tx, caller).await?;
    ctx.commit_at(tx, Commit::Chat).await
}

/// Sets the conversation of the next message in the caller's chat; `None` starts a new one.
pub async fn go_on_in(tx: &mut Tx, caller: &Caller, conversation: Option<ConversationId>) -> Result<(), Error> {
    Ok(store::telegram::set_conversation(tx, caller.id(), conversation).await?)
}

/// Counts an update that is not stored.
pub async fn count(ctx: &Ctx, what: Dropped) -> Result<(), Error> {
    let mut tx = ctx.write().await?;
    store::users::count(&mut tx, what.counter()).await?;
    ctx.commit_at(tx, Commit::Chat).await
}

/// Records that a card was given up.
pub async fn record_undelivered(tx: &mut Tx, user: UserId, at: &Timestamp, why: &str) -> Result<(), Error> {
    record(tx, user, at, json!({ "event": "telegram_undelivered", "why": why, "at": at })).await
}

/// Checks that the caller may link or unlink a chat, which requires all scopes that a chat has.
///
/// # Errors
/// `Forbidden` naming the missing scope.
pub fn may_link(caller: &Caller) -> Result<(), Error> {
    for scope in [Scope::Chat, Scope::TasksRead, Scope::TasksWrite, Scope::TasksDelete] {
        require(caller, scope)?;
    }
    Ok(())
}

async fn record(tx: &mut Tx, user: UserId, at: &Timestamp, body: serde_json::Value) -> Result<(), Error> {
    records::append(tx, user, Kind::Account, at, &body).await?;
    Ok(())
}
