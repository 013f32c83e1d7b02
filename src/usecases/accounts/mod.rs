//! Accounts: the first admin, sign-in and sign-out, callers, passwords and settings of an account.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use rand::RngCore as _;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::{Ctx, Error, telegram};
use crate::domain::Invalid;
use crate::domain::id::UserId;
use crate::domain::password::Password;
use crate::domain::time::Timestamp;
use crate::domain::user::{Caller, Door, Role, Scope, User, UserName, Visitor};
use crate::store::records::{self, Kind};
use crate::store::{self, Tx};

mod links;
mod notices;
mod reauthentication;
mod sessions;
mod tokens;
mod tries;
mod users;

pub use links::{NewLink, invite, join, link, look};
pub use notices::{dismiss_notice, list_notices, notify};
pub use reauthentication::{Proof, Protected, has_recent_password, require_password};
pub use sessions::{caller_of_session, end_others, end_session, is_here, list_sessions, sign_out};
pub use tokens::{
    Outsider, agent_of_token, caller_of_token, create_token, create_token_for, list_tokens, revoke_own_token,
    revoke_token,
};
pub use users::{Manager, add_user, disable, enable, list_users, named, set_password, set_role};

/// Lifetime of a session since it was last seen, in seconds: 30 days.
pub const SESSION_S: i64 = 30 * 86_400;
/// Minimum interval between two updates of a session's `seen_at`, in seconds.
const SEEN_S: i64 = 600;

/// A new session. The token goes into the cookie; only its digest is stored.
#[derive(Clone)]
pub struct NewSession {
    pub token: String,
    pub user: User,
}

impl std::fmt::Debug for NewSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewSession").field("user", &self.user).finish_non_exhaustive()
    }
}

/// Creates a one-time token for the setup of the first admin and voids earlier ones. `None` if there is an admin.
pub async fn first_link(ctx: &Ctx) -> Result<Option<String>, Error> {
    let mut tx = ctx.write().await?;
    let needed = store::users::admins(&mut tx).await?.is_empty();
    let token = secret();
    let (hash, at) = (digest(&token), ctx.now());
    store::users::set_link(&mut tx, needed.then_some((hash.as_slice(), &at))).await?;
    ctx.commit(tx).await?;
    Ok(needed.then_some(token))
}

/// True if the token can still create the first admin.
pub async fn is_good_link(ctx: &Ctx, token: &str) -> Result<bool, Error> {
    Ok(store::users::link_is_good(&mut ctx.read().await?, &digest(token)).await?)
}

/// Creates the first admin and signs them in.
pub async fn set_up(
    ctx: &Ctx,
    token: &str,
    name: &str,
    password: &str,
    zone: &str,
    from: &Visitor,
) -> Result<NewSession, Error> {
    let void = || {
        Error::Forbidden("This setup link is no longer valid. Restart Docket and use the link that it prints.".into())
    };
    let (link, at) = (digest(token), ctx.now());
    let mut tx = ctx.read().await?;
    // Checked first, so that only the holder of a valid link makes the server hash a password.
    if !store::users::link_is_good(&mut tx, &link).await? {
        return Err(void());
    }
    drop(tx);
    let user = new_user(name, Role::Admin, zone, &at)?;
    let hash = ctx.hashing.hash(&Password::parse(password)?).await;
    let mut tx = ctx.write().await?;
    if !store::users::take_link(&mut tx, &link).await? || !store::users::admins(&mut tx).await?.is_empty() {
        return Err(void());
    }
    create(&mut tx, &user, Some(&hash), "setup link").await?;
    let session = begin(&mut tx, user, from, &at).await?;
    ctx.commit(tx).await?;
    Ok(session)
}

/// Starts a session and ends `old`, the browser's earlier one. Neither the answer nor its time reveals whether the account exists.
///
/// # Errors
/// `Unauthenticated`, and `RateLimited` after too many attempts.
pub async fn sign_in(
    ctx: &Ctx,
    name: &str,
    password: &str,
    from: &Visitor,
    old: Option<&str>,
) -> Result<NewSession, Error> {
    let counted = tries::begin(ctx, name, from).await?;
    let found = match UserName::parse(name) {
        Ok(name) => store::users::by_name(&mut ctx.read().await?, &name).await?,
        Err(_) => None,
    };
    let (user, hash) = found.unzip();
    let hash = hash.flatten();
    let right = ctx.hashing.verify(password, hash.clone()).await;
    let Some(user) = user.filter(|_| right) else {
        let mut tx = ctx.write().await?;
        store::users::count(&mut tx, "failed_sign_ins").await?;
        ctx.commit(tx).await?;
        return Err(Error::Unauthenticated("The name or the password is wrong.".into()));
    };
    if user.disabled {
        return Err(Error::Unauthenticated("This account is disabled; ask an admin.".into()));
    }
    let at = ctx.now();
    let mut tx = alone(ctx, user.user_id).await?;
    still(&mut tx, &user, hash.as_deref()).await?;
    counted.succeed(&mut tx, &at).await?;
    store::sessions::delete_expired(&mut tx, &at).await?;
    if let Some(old) = old {
        sessions::forget(&mut tx, old, &at).await?;
    }
    let session = begin(&mut tx, user, from, &at).await?;
    ctx.commit(tx).await?;
    Ok(session)
}

/// Returns the user with all scopes of their role, or `None` if they are disabled. For work that outlives its request.
pub async fn caller_of_user(ctx: &Ctx, user: UserId, door: Door) -> Result<Option<Caller>, Error> {
    let mut tx = ctx.peek().await?;
    let user = store::users::get(&mut tx, user).await?;
    Ok(user.filter(|user| !user.disabled).map(|user| full(user, door)))
}

/// Returns the user of that name with all scopes of their role, even if disabled. For the command line.
pub async fn caller_of_name(ctx: &Ctx, name: &str) -> Result<Caller, Error> {
    Ok(full(users::named(&mut ctx.read().await?, name).await?, Door::Cli))
}

/// Access that ends with the old password on request. Sessions, one-time links and codes always end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AlsoEnd {
    /// Revoke every API token.
    pub tokens: bool,
    /// Unlink the Telegram chat.
    pub chats: bool,
}

/// Changes the caller's password. Ends every session and returns a new one for the caller.
pub async fn change_password(
    ctx: &Ctx,
    caller: &Caller,
    current: &str,
    new: &str,
    also: AlsoEnd,
    from: &Visitor,
) -> Result<NewSession, Error> {
    if caller.door != Door::Web {
        return Err(Error::Forbidden("Passwords can be changed only in the browser, not with a token.".into()));
    }
    let name = &caller.user.name;
    // An invalid new password is no attempt to guess the current one.
    let new = Password::parse(new)?;
    // Throttled: somebody else may be using an unattended browser.
    let counted = tries::begin(ctx, name.as_str(), from).await?;
    let before = store::users::by_name(&mut ctx.read().await?, name).await?.and_then(|(_, hash)| hash);
    if !ctx.hashing.verify(current, before.clone()).await {
        return Err(Invalid::because("The current password is wrong.").into());
    }
    let hash = ctx.hashing.hash(&new).await;
    let at = ctx.now();
    let mut tx = alone(ctx, caller.id()).await?;
    still(&mut tx, &caller.user, before.as_deref()).await?;
    counted.succeed(&mut tx, &at).await?;
    replace_password(&mut tx, caller.id(), &hash, "owner", also, &at).await?;
    let session = begin(&mut tx, caller.user.clone(), from, &at).await?;
    ctx.commit(tx).await?;
    Ok(session)
}

/// Changes the caller's time zone; returns the updated account.
pub async fn set_zone(ctx: &Ctx, caller: &Caller, zone: &str) -> Result<User, Error> {
    let user = User { zone: known_zone(zone)?, ..caller.user.clone() };
    let at = ctx.now();
    let mut tx = alone(ctx, user.user_id).await?;
    store::users::set_zone(&mut tx, user.user_id, &user.zone).await?;
    let body = json!({ "event": "zone_changed", "before": caller.user.zone, "after": user.zone, "at": at });
    records::append(&mut tx, user.user_id, Kind::Account, &at, &body).await?;
    ctx.commit(tx).await?;
    Ok(user)
}

/// Sets whether the model may answer the caller. The choice applies to waiting turns too.
pub async fn set_uses_model(ctx: &Ctx, caller: &Caller, uses_model: bool) -> Result<(), Error> {
    let at = ctx.now();
    let mut tx = alone(ctx, caller.id()).await?;
    store::users::set_uses_model(&mut tx, caller.id(), uses_model).await?;
    let before = caller.user.uses_model;
    let body = json!({ "event": "model_choice_changed", "before": before, "after": uses_model, "at": at });
    records::append(&mut tx, caller.id(), Kind::Account, &at, &body).await?;
    ctx.commit(tx).await
}

/// Starts a write transaction on one account. Locks its head first, in the order of a turn, which avoids deadlocks.
async fn alone(ctx: &Ctx, user: UserId) -> Result<Tx, Error> {
    let mut tx = ctx.write().await?;
    store::tasks::lock(&mut tx, user).await?;
    Ok(tx)
}

/// Returns the account of that name, locked until the transaction ends.
async fn held(tx: &mut Tx, name: &str) -> Result<User, Error> {
    let user = named(tx, name).await?;
    store::tasks::lock(tx, user.user_id).await?;
    named(tx, name).await
}

/// Checks that the account was neither disabled nor given another password while the password was hashed.
async fn still(tx: &mut Tx, user: &User, hash: Option<&str>) -> Result<(), Error> {
    match store::users::by_name(tx, &user.name).await? {
        Some((now, now_hash)) if !now.disabled && now_hash.as_deref() == hash => Ok(()),
        _ => Err(Error::Unauthenticated("This account was changed at the same moment. Try again.".into())),
    }
}

fn new_user(name: &str, role: Role, zone: &str, at: &Timestamp) -> Result<User, Invalid> {
    let (name, zone) = (UserName::parse(name)?, known_zone(zone)?);
    Ok(User { user_id: UserId::new(), name, role, zone, uses_model: true, disabled: false, created_at: at.clone() })
}

async fn create(tx: &mut Tx, user: &User, hash: Option<&str>, by: &str) -> Result<(), Error> {
    if !store::users::insert(tx, user, hash).await? {
        return Err(Error::Conflict(format!("There is already a user called {}.", user.name)));
    }
    let at = &user.created_at;
    let body = json!({
        "event": "created", "name": user.name, "role": user.role, "zone": user.zone, "by": by, "at": at,
    });
    records::append(tx, user.user_id, Kind::Account, at, &body).await?;
    Ok(())
}

/// Starts a session for a user who has just entered or chosen their password, and records the sign-in.
async fn begin(tx: &mut Tx, user: User, from: &Visitor, at: &Timestamp) -> Result<NewSession, Error> {
    let token = secret();
    let hash = digest(&token);
    store::sessions::insert(tx, user.user_id, &hash, at, &at.plus_seconds(SESSION_S)).await?;
    store::sessions::name(tx, user.user_id, &hash, &from.device).await?;
    store::sessions::authenticate(tx, user.user_id, &hash, at).await?;
    records::append(tx, user.user_id, Kind::SignIn, at, &json!({ "event": "signed_in", "at": at })).await?;
    Ok(NewSession { token, user })
}

/// Replaces the password hash and ends every session, link and code, and the links that the account made as an admin. `also` names further access to end.
async fn replace_password(
    tx: &mut Tx,
    user: UserId,
    hash: &str,
    by: &str,
    also: AlsoEnd,
    at: &Timestamp,
) -> Result<(), Error> {
    store::users::set_password(tx, user, hash).await?;
    store::sessions::delete_all(tx, user).await?;
    store::links::delete(tx, user).await?;
    store::links::delete_made_by(tx, user).await?;
    telegram::void_codes(tx, user).await?;
    let body = json!({ "event": "password_changed", "by": by, "at": at });
    records::append(tx, user, Kind::Account, at, &body).await?;
    if also.chats {
        telegram::shut_out(tx, user, by, at).await?;
    }
    if also.tokens {
        tokens::revoke_all(tx, user, by, at).await?;
    }
    Ok(())
}

pub(super) fn full(user: User, door: Door) -> Caller {
    let admin = user.role == Role::Admin;
    let scopes = Scope::ALL.into_iter().filter(|scope| admin || *scope != Scope::Admin).collect();
    Caller::new(user, door, scopes)
}

/// Returns the canonical name of a time zone in the IANA database.
pub(super) fn known_zone(zone: &str) -> Result<String, Invalid> {
    let unknown = || Invalid::because(format!("“{zone}” is not a time zone; use a name like Europe/London."));
    let found = jiff::tz::TimeZone::get(zone.trim()).map_err(|_| unknown())?;
    found.iana_name().map(str::to_owned).ok_or_else(unknown)
}

/// Returns 32 random bytes in URL-safe Base64.
fn secret() -> String {
    let mut bytes = [0_u8; 32];
    rand::rng().fill_bytes(&mut bytes);
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

/// Returns the stored form of a secret. A plain hash suffices for 256 random bits.
pub(super) fn digest(secret: &str) -> [u8; 32] {
    Sha256::digest(secret).into()
}
