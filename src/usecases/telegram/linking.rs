//! Codes sent in chats. A code links a chat without an account, and asks for confirmation if the chat has another one.

use serde_json::json;

use super::{record, store};
use crate::domain::account_notice::NoticeBody;
use crate::domain::approval::Verdict;
use crate::domain::channel::{Card, ChatId};
use crate::domain::id::{RelinkId, TokenId, UserId};
use crate::domain::time::Timestamp;
use crate::domain::user::{Caller, Door, User};
use crate::store::Tx;
use crate::store::telegram::Relink;
use crate::usecases::accounts::{self, digest, full};
use crate::usecases::{Ctx, Error};

/// Maximum stored length of a person's Telegram name, in characters.
const NAME: usize = 64;

/// The effect of a valid code.
#[derive(Debug, Clone)]
pub enum CodeOutcome {
    /// The chat is now linked with the code's account.
    Linked(Caller),
    /// The chat was already linked with that account.
    AlreadyLinked(Caller),
    /// The chat has another account: the person in the chat must confirm.
    Asks {
        relink: RelinkId,
        /// The account of the code.
        user: UserId,
        /// The account that the chat is linked with.
        linked: UserId,
    },
}

/// The effect of an answer to a relink confirmation.
#[derive(Debug, Clone)]
pub enum RelinkAnswer {
    /// The chat is now linked with the code's account.
    Moved(Box<Caller>),
    /// The chat stays linked as it was.
    Kept,
    /// The confirmation was answered, has expired or is void; nothing changed.
    Closed,
}

/// Redeems a code sent in the chat of the person called `name`; returns `None` if it is invalid.
///
/// # Errors
/// `Conflict` if the chat's account changed at the same time; the code remains valid.
pub async fn link(ctx: &Ctx, tx: &mut Tx, code: &str, chat: ChatId, name: &str) -> Result<Option<CodeOutcome>, Error> {
    let (at, hash) = (ctx.now(), digest(&code.trim().to_ascii_uppercase()));
    let Some(owner) = store::telegram::code_owner(tx, &hash, &at).await? else {
        // The code has asked for confirmation already: sending it again shows that once more.
        let asked = store::telegram::pending_relink(tx, &hash, chat, &at).await?;
        return Ok(asked.map(|asked| asks(&asked)));
    };
    let linked = lock_accounts(tx, chat, &[owner]).await?;
    // Another process may have redeemed it in the meantime.
    let Some(code) = store::telegram::take_code(tx, &hash, &at).await? else { return Ok(None) };
    let Some(user) = enabled(tx, code.user).await? else { return Ok(None) };
    let name: String = name.chars().take(NAME).collect();
    match linked {
        Some(linked) if linked == user.user_id => Ok(Some(CodeOutcome::AlreadyLinked(full(user, Door::Telegram)))),
        // A chat of a disabled account counts as unlinked.
        Some(linked) if enabled(tx, linked).await?.is_some() => {
            let (id, token, expires_at) = (RelinkId::new(), code.token, code.expires_at);
            let asked = Relink { id, user: user.user_id, linked, chat, name, hash: hash.to_vec(), token, expires_at };
            store::telegram::insert_relink(tx, user.user_id, &asked).await?;
            Ok(Some(asks(&asked)))
        }
        _ => {
            assign(tx, &user, chat, &name, code.token, &at).await?;
            Ok(Some(CodeOutcome::Linked(full(user, Door::Telegram))))
        }
    }
}

/// Answers a relink confirmation. The first answer wins, and redeems the code either way.
///
/// # Errors
/// `Conflict` if the chat's account changed at the same time; the confirmation stays open.
pub async fn answer_relink(
    ctx: &Ctx,
    tx: &mut Tx,
    id: RelinkId,
    chat: ChatId,
    verdict: Verdict,
) -> Result<RelinkAnswer, Error> {
    let Some(asked) = store::telegram::relink(tx, id, chat).await? else { return Ok(RelinkAnswer::Closed) };
    let linked = lock_accounts(tx, chat, &[asked.user, asked.linked]).await?;
    if !store::telegram::take_relink(tx, asked.user, id).await? {
        return Ok(RelinkAnswer::Closed);
    }
    let at = ctx.now();
    // The confirmation covers a chat without an account, such as one whose account was disabled, but not a third account.
    let holds = asked.expires_at > at && linked.is_none_or(|linked| linked == asked.linked);
    let user = enabled(tx, asked.user).await?.filter(|_| holds);
    let answer = match (user, verdict) {
        (None, _) => RelinkAnswer::Closed,
        (Some(user), Verdict::Approve) => {
            assign(tx, &user, chat, &asked.name, asked.token, &at).await?;
            RelinkAnswer::Moved(Box::new(full(user, Door::Telegram)))
        }
        (Some(user), Verdict::Reject) => {
            let body = json!({ "event": "telegram_link_declined", "account": user.name, "at": at });
            record(tx, asked.linked, &at, body).await?;
            RelinkAnswer::Kept
        }
    };
    // Comes last, because linking drops the chat's queued cards.
    store::outbox::refresh_alike(tx, asked.user, &Card::Relink { relink: id }).await?;
    Ok(answer)
}

fn asks(asked: &Relink) -> CodeOutcome {
    CodeOutcome::Asks { relink: asked.id, user: asked.user, linked: asked.linked }
}

/// Locks these accounts and the chat's account in one order, which avoids deadlocks; returns the chat's account.
async fn lock_accounts(tx: &mut Tx, chat: ChatId, users: &[UserId]) -> Result<Option<UserId>, Error> {
    let linked = store::telegram::user_of(tx, chat).await?;
    let mut locked: Vec<UserId> = linked.into_iter().chain(users.iter().copied()).collect();
    locked.sort();
    locked.dedup();
    for user in &locked {
        store::tasks::lock(tx, *user).await?;
    }
    let linked = store::telegram::user_of(tx, chat).await?;
    if linked.is_some_and(|linked| !locked.contains(&linked)) {
        return Err(Error::Conflict("This chat was linked to another account at the same moment. Try again.".into()));
    }
    Ok(linked)
}

/// Returns the account unless it is disabled.
async fn enabled(tx: &mut Tx, user: UserId) -> Result<Option<User>, Error> {
    Ok(store::users::get(tx, user).await?.filter(|user| !user.disabled))
}

/// Links the chat with the account and notifies the account that had the chat.
async fn assign(
    tx: &mut Tx,
    user: &User,
    chat: ChatId,
    name: &str,
    token: Option<TokenId>,
    at: &Timestamp,
) -> Result<(), Error> {
    let own = store::telegram::of_user(tx, user.user_id).await?;
    if own.is_some_and(|own| own.chat != chat) {
        store::outbox::stop(tx, user.user_id).await?;
    }
    if let Some(other) = store::telegram::link(tx, user.user_id, chat, name, at, token).await? {
        store::outbox::stop(tx, other).await?;
        let body = json!({ "event": "telegram_unlinked", "by": "another account", "to": user.name, "at": at });
        record(tx, other, at, body).await?;
        let notice = NoticeBody::ChatMoved { chat: name.to_owned(), to: user.name.clone() };
        accounts::notify(tx, other, notice, at).await?;
    }
    let body = json!({ "event": "telegram_linked", "chat": chat, "name": name, "at": at });
    record(tx, user.user_id, at, body).await
}
