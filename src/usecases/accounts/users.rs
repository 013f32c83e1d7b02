//! Account management by admins and the command line.

use serde_json::json;

use super::{AlsoEnd, alone, create, held, new_user, replace_password, tokens};
use crate::domain::id::UserId;
use crate::domain::password::Password;
use crate::domain::user::{Account, Admin, Role, User, UserName};
use crate::store::records::{self, Kind};
use crate::store::{self, Tx};
use crate::usecases::{Ctx, Error, telegram};

/// The actor that manages an account.
#[derive(Debug, Clone, Copy)]
pub enum Manager<'a> {
    /// A person with shell access to the server.
    CommandLine,
    Admin(&'a Admin),
}

impl Manager<'_> {
    /// Returns the actor's name in audit records.
    pub(in crate::usecases) fn name(&self) -> String {
        match self {
            Self::CommandLine => "command line".to_owned(),
            Self::Admin(admin) => admin.caller().user.name.to_string(),
        }
    }

    /// Returns the admin's account.
    pub(super) fn user(&self) -> Option<UserId> {
        match self {
            Self::CommandLine => None,
            Self::Admin(admin) => Some(admin.caller().id()),
        }
    }
}

pub async fn add_user(ctx: &Ctx, name: &str, password: &str, role: Role, zone: &str) -> Result<User, Error> {
    let user = new_user(name, role, zone, &ctx.now())?;
    let hash = ctx.hashing.hash(&Password::of_operator(password)?).await;
    let mut tx = ctx.write().await?;
    create(&mut tx, &user, Some(&hash), &Manager::CommandLine.name()).await?;
    ctx.commit(tx).await?;
    Ok(user)
}

/// Lists all accounts by name.
pub async fn list_users(ctx: &Ctx) -> Result<Vec<Account>, Error> {
    Ok(store::users::list(&mut ctx.read().await?).await?)
}

/// Disables an account; ends its sessions, its links and those that it made, its tokens and Telegram chat. Refused for the only admin. The caller ends its running
/// work in the same transaction.
pub async fn disable(ctx: &Ctx, tx: &mut Tx, by: &Manager<'_>, user: User) -> Result<User, Error> {
    let user = held(tx, user.name.as_str()).await?;
    if user.disabled {
        return Ok(user);
    }
    keep_an_admin(tx, &user).await?;
    let at = ctx.now();
    store::sessions::delete_all(tx, user.user_id).await?;
    store::links::delete(tx, user.user_id).await?;
    store::links::delete_made_by(tx, user.user_id).await?;
    telegram::shut_out(tx, user.user_id, &by.name(), &at).await?;
    tokens::revoke_all(tx, user.user_id, &by.name(), &at).await?;
    admit(ctx, tx, by, user, false).await
}

/// Enables a disabled account. Its sessions, tokens and chat stay ended.
pub async fn enable(ctx: &Ctx, by: &Manager<'_>, name: &str) -> Result<User, Error> {
    let mut tx = ctx.write().await?;
    let user = held(&mut tx, name).await?;
    let user = if user.disabled { admit(ctx, &mut tx, by, user, true).await? } else { user };
    ctx.commit(tx).await?;
    Ok(user)
}

async fn admit(ctx: &Ctx, tx: &mut Tx, by: &Manager<'_>, user: User, welcome: bool) -> Result<User, Error> {
    store::users::set_disabled(tx, user.user_id, !welcome).await?;
    let (event, at) = (if welcome { "enabled" } else { "disabled" }, ctx.now());
    let body = json!({ "event": event, "by": by.name(), "at": at });
    records::append(tx, user.user_id, Kind::Account, &at, &body).await?;
    Ok(User { disabled: !welcome, ..user })
}

/// Changes an account's role; ends the links that it made as an admin. Refused for the only admin.
pub async fn set_role(ctx: &Ctx, by: &Manager<'_>, name: &str, role: Role) -> Result<User, Error> {
    let mut tx = ctx.write().await?;
    let user = held(&mut tx, name).await?;
    if user.role == role {
        ctx.commit(tx).await?;
        return Ok(user);
    }
    keep_an_admin(&mut tx, &user).await?;
    let at = ctx.now();
    store::links::delete_made_by(&mut tx, user.user_id).await?;
    store::users::set_role(&mut tx, user.user_id, role).await?;
    let body = json!({ "event": "role_changed", "before": user.role, "after": role, "by": by.name(), "at": at });
    records::append(&mut tx, user.user_id, Kind::Account, &at, &body).await?;
    ctx.commit(tx).await?;
    Ok(User { role, ..user })
}

/// Returns `Conflict` if the user is the only admin.
async fn keep_an_admin(tx: &mut Tx, user: &User) -> Result<(), Error> {
    if user.role == Role::Admin && store::users::admins(tx).await? == [user.user_id] {
        return Err(Error::Conflict(format!("{} is the only admin. Make another user an admin first.", user.name)));
    }
    Ok(())
}

/// Sets an account's password; ends its sessions and the access that `also` names.
pub async fn set_password(ctx: &Ctx, name: &str, password: &str, also: AlsoEnd) -> Result<(), Error> {
    let password = Password::of_operator(password)?;
    let user = named(&mut ctx.read().await?, name).await?;
    let hash = ctx.hashing.hash(&password).await;
    let mut tx = alone(ctx, user.user_id).await?;
    replace_password(&mut tx, user.user_id, &hash, &Manager::CommandLine.name(), also, &ctx.now()).await?;
    ctx.commit(tx).await
}

/// Returns the account of that name, disabled or not.
pub async fn named(tx: &mut Tx, name: &str) -> Result<User, Error> {
    let found = store::users::by_name(tx, &UserName::parse(name)?).await?;
    found.map(|(user, _)| user).ok_or_else(|| Error::NotFound(format!("There is no user called {}.", name.trim())))
}
