//! One-time links, made by an admin: invitations and password resets.

use serde_json::json;

use super::users::Manager;
use super::{AlsoEnd, NewSession, alone, begin, digest, held, known_zone, new_user, secret};
use crate::domain::password::Password;
use crate::domain::time::Timestamp;
use crate::domain::user::{LinkPurpose, Role, User, Visitor};
use crate::store::records::{self, Kind};
use crate::store::{self, Tx};
use crate::usecases::{Ctx, Error};

/// Lifetime of an invitation, in seconds: 7 days.
const INVITE_S: i64 = 7 * 86_400;
/// Lifetime of a password-reset link, in seconds: 1 day.
const RESET_S: i64 = 86_400;

/// A new link. Only the digest of its token is stored.
#[derive(Clone)]
pub struct NewLink {
    pub token: String,
    pub user: User,
    pub purpose: LinkPurpose,
    pub expires_at: Timestamp,
}

/// Creates an account without a password, and an invitation link with which its owner chooses one.
pub async fn invite(ctx: &Ctx, by: &Manager<'_>, name: &str, role: Role) -> Result<NewLink, Error> {
    let user = new_user(name, role, "UTC", &ctx.now())?;
    let mut tx = ctx.write().await?;
    super::create(&mut tx, &user, None, &by.name()).await?;
    let link = make(ctx, &mut tx, by, user, LinkPurpose::Invite).await?;
    ctx.commit(tx).await?;
    Ok(link)
}

/// Creates a link with which the account's owner chooses a password. Voids earlier links; the old password and its sessions stay until
/// the link is used.
pub async fn link(ctx: &Ctx, by: &Manager<'_>, name: &str) -> Result<NewLink, Error> {
    let mut tx = ctx.write().await?;
    let user = held(&mut tx, name).await?;
    if user.disabled {
        return Err(Error::Conflict(format!("{} is disabled; enable the account first.", user.name)));
    }
    let has_password = store::users::by_name(&mut tx, &user.name).await?.is_some_and(|(_, hash)| hash.is_some());
    let purpose = if has_password { LinkPurpose::Reset } else { LinkPurpose::Invite };
    let link = make(ctx, &mut tx, by, user, purpose).await?;
    ctx.commit(tx).await?;
    Ok(link)
}

async fn make(ctx: &Ctx, tx: &mut Tx, by: &Manager<'_>, user: User, purpose: LinkPurpose) -> Result<NewLink, Error> {
    let (token, at) = (secret(), ctx.now());
    let expires_at = at.plus_seconds(match purpose {
        LinkPurpose::Invite => INVITE_S,
        LinkPurpose::Reset => RESET_S,
    });
    let link =
        store::links::NewLink { hash: &digest(&token), purpose, made_by: by.user(), at: &at, expires_at: &expires_at };
    store::links::set(tx, user.user_id, &link).await?;
    let body = json!({
        "event": "link_made", "purpose": purpose, "expires_at": expires_at, "by": by.name(), "at": at,
    });
    records::append(tx, user.user_id, Kind::Account, &at, &body).await?;
    Ok(NewLink { token, user, purpose, expires_at })
}

/// Returns the owner and the purpose of a valid link.
pub async fn look(ctx: &Ctx, token: &str) -> Result<Option<(User, LinkPurpose)>, Error> {
    Ok(store::links::owner(&mut ctx.read().await?, &digest(token), &ctx.now()).await?)
}

/// Redeems a link: sets the password, and the time zone if one is given. Ends every other session, and the access that `also` names.
pub async fn join(
    ctx: &Ctx,
    token: &str,
    password: &str,
    zone: Option<&str>,
    also: AlsoEnd,
    from: &Visitor,
) -> Result<NewSession, Error> {
    let void = || Error::Forbidden("This link was already used or has expired; ask an admin for a new one.".into());
    // Checked first, so that only holders of a valid link make the server hash a password.
    let (user, _) = look(ctx, token).await?.ok_or_else(void)?;
    let zone = zone.map(known_zone).transpose()?;
    let hash = ctx.hashing.hash(&Password::parse(password)?).await;
    let mut tx = alone(ctx, user.user_id).await?;
    let at = ctx.now_in(&mut tx).await?;
    // Checked again: the account may have been disabled while the password was hashed.
    let still = store::links::owner(&mut tx, &digest(token), &at).await?;
    let (mut user, purpose) = still.filter(|(owner, _)| owner.user_id == user.user_id).ok_or_else(void)?;
    if !store::links::take(&mut tx, user.user_id, &digest(token)).await? {
        return Err(void());
    }
    let by = match purpose {
        LinkPurpose::Invite => "invitation",
        LinkPurpose::Reset => "reset link",
    };
    super::replace_password(&mut tx, user.user_id, &hash, by, also, &at).await?;
    if let Some(zone) = zone.filter(|zone| *zone != user.zone) {
        store::users::set_zone(&mut tx, user.user_id, &zone).await?;
        let body = json!({ "event": "zone_changed", "before": user.zone, "after": zone, "at": at });
        records::append(&mut tx, user.user_id, Kind::Account, &at, &body).await?;
        user.zone = zone;
    }
    let session = begin(&mut tx, user, from, &at).await?;
    ctx.commit(tx).await?;
    Ok(session)
}
