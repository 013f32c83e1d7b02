//! Codes that are sent in chats: one links a chat that has no account, and asks first where the chat has another account.

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

/// Most characters of a person's name on Telegram that are stored.
const NAME: usize = 64;

/// The effect of a good code.
#[derive(Debug, Clone)]
pub enum CodeOutcome {
    /// The chat is linked with the account of the code.
    Linked(Caller),
    /// The chat was linked with that account before.
    AlreadyLinked(Caller),
    /// The chat is linked with another account: the person in the chat is asked.
    Asks {
        relink: RelinkId,
        /// The account of the code.
        user: UserId,
        /// The account that the chat is linked with.
        linked: UserId,
    },
}

/// The effect of an answer to the question whether another account takes a chat over.
#[derive(Debug, Clone)]
pub enum RelinkAnswer {
    /// The chat is linked with the account of the code.
    Moved(Box<Caller>),
    /// The chat stays linked as it was.
    Kept,
    /// The question is answered, expired or void; nothing changed.
    Closed,
}

/// Spends a code that was sent in the chat of the person called `name`; returns `None` if it is not good.
///
/// # Errors
/// `Conflict` if the chat changed hands at the same moment; the code is still good then.
pub async fn link(ctx: &Ctx, tx: &mut Tx, code: &str, chat: ChatId, name: &str) -> Result<Option<CodeOutcome>, Error> {
    let (at, hash) = (ctx.now(), digest(&code.trim().to_ascii_uppercase()));
    let Some(owner) = store::telegram::code_owner(tx, &hash, &at).await? else {
        // The code asks already; whoever sends it again is shown the question again.
        let asked = store::telegram::pending_relink(tx, &hash, chat, &at).await?;
        return Ok(asked.map(|asked| asks(&asked)));
    };
    let linked = lock_accounts(tx, chat, &[owner]).await?;
    // Somebody else may have used it meanwhile.
    let Some(code) = store::telegram::take_code(tx, &hash, &at).await? else { return Ok(None) };
    let Some(user) = enabled(tx, code.user).await? else { return Ok(None) };
    let name: String = name.chars().take(NAME).collect();
    match linked {
        Some(linked) if linked == user.user_id => Ok(Some(CodeOutcome::AlreadyLinked(full(user, Door::Telegram)))),
        // A disabled account gets nothing in the chat: the chat is as good as unlinked.
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

/// Takes the answer of the person in the chat to a question there. The first answer wins, and spends the code either way.
///
/// # Errors
/// `Conflict` if the chat changed hands at the same moment; the question is still open then.
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
    // A third account was not part of the question. A chat without an account, as when the first was disabled, was.
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
    // Last, since linking stops what else was to be said.
    store::outbox::refresh_alike(tx, asked.user, &Card::Relink { relink: id }).await?;
    Ok(answer)
}

fn asks(asked: &Relink) -> CodeOutcome {
    CodeOutcome::Asks { relink: asked.id, user: asked.user, linked: asked.linked }
}

/// Locks these accounts and the one that the chat is linked with, in one order so that two links never wait for each other. Returns
/// the account that the chat is linked with.
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
        return Err(Error::Conflict("This chat was linked with another account this very moment; try again.".into()));
    }
    Ok(linked)
}

/// The account, unless it is disabled.
async fn enabled(tx: &mut Tx, user: UserId) -> Result<Option<User>, Error> {
    Ok(store::users::get(tx, user).await?.filter(|user| !user.disabled))
}

/// Links the chat with the account. The account that had the chat is told so.
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
