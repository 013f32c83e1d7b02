//! Other people's accounts, as the command line manages them.

use serde_json::json;

use super::{create, new_user, replace_password};
use crate::domain::user::{Password, Role, User, UserName};
use crate::store::records::{self, Kind};
use crate::store::{self, Tx};
use crate::usecases::{Ctx, Error};

/// How the records name this door.
const BY: &str = "command line";

/// Lets somebody in.
pub async fn add_user(ctx: &Ctx, name: &str, password: &str, role: Role, zone: &str) -> Result<User, Error> {
    let user = new_user(name, role, zone, &ctx.now())?;
    let hash = ctx.hashing.hash(&Password::parse(password)?).await;
    let mut tx = ctx.write().await?;
    create(&mut tx, &user, &hash, BY).await?;
    ctx.commit(tx).await?;
    Ok(user)
}

/// Every account, by name.
pub async fn list_users(ctx: &Ctx) -> Result<Vec<User>, Error> {
    Ok(store::users::list(&mut ctx.read().await?).await?)
}

/// Shuts an account out at once, with its sessions and tokens. The last admin stays.
pub async fn disable(ctx: &Ctx, name: &str) -> Result<User, Error> {
    let mut tx = ctx.write().await?;
    let user = named(&mut tx, name).await?;
    if user.role == Role::Admin && !user.disabled && store::users::admins(&mut tx).await? == 1 {
        return Err(Error::Conflict(format!("{} is the only admin; make another one first.", user.name)));
    }
    store::sessions::delete_all(&mut tx, user.user_id).await?;
    admit(ctx, tx, user, false).await
}

/// Lets a disabled account in again. Its tokens are good again, its sessions are gone.
pub async fn enable(ctx: &Ctx, name: &str) -> Result<User, Error> {
    let mut tx = ctx.write().await?;
    let user = named(&mut tx, name).await?;
    admit(ctx, tx, user, true).await
}

async fn admit(ctx: &Ctx, mut tx: Tx, user: User, welcome: bool) -> Result<User, Error> {
    if user.disabled != welcome {
        return Ok(user);
    }
    store::users::set_disabled(&mut tx, user.user_id, !welcome).await?;
    let (event, at) = (if welcome { "enabled" } else { "disabled" }, ctx.now());
    let body = json!({ "event": event, "by": BY, "at": at });
    records::append(&mut tx, user.user_id, Kind::Account, &at, &body).await?;
    ctx.commit(tx).await?;
    Ok(User { disabled: !welcome, ..user })
}

/// Sets somebody's password and ends their sessions.
pub async fn set_password(ctx: &Ctx, name: &str, password: &str) -> Result<(), Error> {
    let password = Password::parse(password)?;
    let user = named(&mut ctx.read().await?, name).await?;
    let hash = ctx.hashing.hash(&password).await;
    let mut tx = ctx.write().await?;
    replace_password(&mut tx, user.user_id, &hash, BY, &ctx.now()).await?;
    ctx.commit(tx).await
}

/// The account of that name, disabled or not.
pub(super) async fn named(tx: &mut Tx, name: &str) -> Result<User, Error> {
    let found = store::users::by_name(tx, &UserName::parse(name)?).await?;
    found.map(|(user, _)| user).ok_or_else(|| Error::NotFound(format!("There is no user called {}.", name.trim())))
}
