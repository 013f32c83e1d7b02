//! Linking an account with a chat on Telegram by a one-time code.

use rand::Rng as _;
use serde::Serialize;
use serde_json::json;

use super::accounts::{digest, full};
use super::{Commit, Ctx, Error, require};
use crate::domain::channel::{Card, ChatId};
use crate::domain::id::{ConversationId, TokenId, UserId};
use crate::domain::load::Dropped;
use crate::domain::time::Timestamp;
use crate::domain::user::{Caller, Door, Scope};
use crate::store::records::{self, Kind};
use crate::store::{self, Tx};

/// Codes in chats: links, and questions where a chat has an account already.
mod linking;

pub use linking::{CodeOutcome, RelinkAnswer, answer_relink, link};

/// How long a code is good, in seconds.
const CODE_S: i64 = 600;
/// Letters of a code: none that reads like another.
const LETTERS: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
/// How many it has: 60 bits, more than can be tried in ten minutes.
const LENGTH: usize = 12;
/// A code that links whoever sends it, once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LinkCode {
    pub code: String,
    pub expires_at: Timestamp,
}

/// A user's chat, as they see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linked {
    pub chat: ChatId,
    pub name: String,
    pub since: Timestamp,
}

/// Makes a code; the one before is void, and so is a question that it asked. Whoever asks must be allowed all that a linked chat
/// is. A code that a token requests ends with the token, and so does what it linked.
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

/// Who writes in the chat and where that goes, if it is linked and its user is let in.
pub async fn caller_of_chat(ctx: &Ctx, chat: ChatId) -> Result<Option<(Caller, Option<ConversationId>)>, Error> {
    let owner = store::telegram::owner(&mut ctx.peek().await?, chat).await?;
    Ok(owner.map(|(user, conversation)| (full(user, Door::Telegram), conversation)))
}

/// The caller's chat.
pub async fn linked(ctx: &Ctx, caller: &Caller) -> Result<Option<Linked>, Error> {
    let link = store::telegram::of_user(&mut ctx.peek().await?, caller.id()).await?;
    Ok(link.map(|link| Linked { chat: link.chat, name: link.name, since: link.linked_at }))
}

/// Parts the caller from their chat: nothing more is sent there. The chat, if there was one.
pub async fn unlink(ctx: &Ctx, tx: &mut Tx, caller: &Caller) -> Result<Option<ChatId>, Error> {
    may_link(caller)?;
    separate(tx, caller.id(), caller.door.as_str(), &ctx.now()).await
}

/// Unlinks an account's chat and voids its codes: neither comes back by itself.
pub(super) async fn shut_out(tx: &mut Tx, user: UserId, by: &str, at: &Timestamp) -> Result<(), Error> {
    separate(tx, user, by, at).await?;
    void_codes(tx, user).await
}

/// Voids the account's code, and the question that one asked: what was requested with an old password links nothing.
pub(super) async fn void_codes(tx: &mut Tx, user: UserId) -> Result<(), Error> {
    store::telegram::void_code(tx, user).await?;
    close_questions(tx, user, None).await
}

/// Voids the question whether the account takes a chat over, and has it shown without buttons; with a token, only if its code asked.
async fn close_questions(tx: &mut Tx, user: UserId, token: Option<TokenId>) -> Result<(), Error> {
    for relink in store::telegram::void_relinks(tx, user, token).await? {
        store::outbox::refresh_alike(tx, user, &Card::Relink { relink }).await?;
    }
    Ok(())
}

/// Ends what a revoked token requested: its code, and the chat that a code of its linked.
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
    // Its head first, as for every change of an account.
    store::tasks::lock(tx, user).await?;
    let chat = store::telegram::unlink(tx, user).await?;
    if chat.is_some() {
        store::outbox::stop(tx, user).await?;
        record(tx, user, at, json!({ "event": "telegram_unlinked", "by": by, "at": at })).await?;
    }
    Ok(chat)
}

/// The same in a transaction of its own.
pub async fn part(ctx: &Ctx, caller: &Caller) -> Result<(), Error> {
    let mut tx = ctx.write().await?;
    unlink(ctx, &mut tx, caller).await?;
    ctx.commit_at(tx, Commit::Chat).await
}

/// Where the next message of the caller's chat goes; `None` begins a conversation.
pub async fn go_on_in(tx: &mut Tx, caller: &Caller, conversation: Option<ConversationId>) -> Result<(), Error> {
    Ok(store::telegram::set_conversation(tx, caller.id(), conversation).await?)
}

/// Counts an update of which nothing else is kept.
pub async fn count(ctx: &Ctx, what: Dropped) -> Result<(), Error> {
    let mut tx = ctx.write().await?;
    store::users::count(&mut tx, what.counter()).await?;
    ctx.commit_at(tx, Commit::Chat).await
}

/// Records that a card could not be sent and will not be.
pub async fn record_undelivered(tx: &mut Tx, user: UserId, at: &Timestamp, why: &str) -> Result<(), Error> {
    record(tx, user, at, json!({ "event": "telegram_undelivered", "why": why, "at": at })).await
}

/// Whether the caller may link or part a chat: whoever writes there may do all that the chat can.
///
/// # Errors
/// `Forbidden` naming the scope that is missing.
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
