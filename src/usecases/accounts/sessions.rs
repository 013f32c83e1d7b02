//! Browser sessions: the caller of a cookie, the list of sessions, and their end.

use serde_json::json;

use super::{SEEN_S, SESSION_S, alone, digest, full};
use crate::domain::id::{SessionId, UserId};
use crate::domain::time::Timestamp;
use crate::domain::user::{Caller, Door, SessionInfo};
use crate::domain::window::Window;
use crate::store::records::{self, Kind};
use crate::store::sessions::Holder;
use crate::store::{self, Tx};
use crate::usecases::{Ctx, Error};

/// Delay within which an open tab makes its next request after [`SEEN_S`], in seconds.
const RECHECK_S: i64 = 60;

/// Returns the caller of a session token, with all scopes of their role. Updates `seen_at` at most once per `SEEN_S`.
pub async fn caller_of_session(ctx: &Ctx, token: &str) -> Result<Option<Caller>, Error> {
    let (hash, now) = (digest(token), ctx.now());
    let found = store::sessions::holder(&mut ctx.peek().await?, &hash, &now).await?;
    let Some(Holder { user, session, seen_at }) = found else { return Ok(None) };
    if is_old(seen_at.as_ref(), &now) {
        let mut tx = alone(ctx, user.user_id).await?;
        store::sessions::see(&mut tx, user.user_id, &hash, (&now, &Window::seconds(SESSION_S).end(&now))).await?;
        store::users::see(&mut tx, user.user_id, &now).await?;
        ctx.commit(tx).await?;
    }
    Ok(Some(Caller { session: Some(session), ..full(user, Door::Web) }))
}

/// True if `seen_at` is due for an update.
pub(super) fn is_old(seen_at: Option<&Timestamp>, now: &Timestamp) -> bool {
    seen_at.is_none_or(|seen_at| !Window::seconds(SEEN_S).holds(seen_at, now))
}

/// Ends the session of a token; an invalid token is no error.
pub async fn sign_out(ctx: &Ctx, token: &str) -> Result<(), Error> {
    let mut tx = ctx.write().await?;
    forget(&mut tx, token, &ctx.now()).await?;
    ctx.commit(tx).await
}

/// Ends the session of a token within the caller's transaction.
pub(super) async fn forget(tx: &mut Tx, token: &str, at: &Timestamp) -> Result<(), Error> {
    let hash = digest(token);
    let Some(Holder { user, .. }) = store::sessions::holder(tx, &hash, at).await? else { return Ok(()) };
    store::tasks::lock(tx, user.user_id).await?;
    store::sessions::delete(tx, user.user_id, &hash).await?;
    records::append(tx, user.user_id, Kind::SignIn, at, &json!({ "event": "signed_out", "at": at })).await?;
    Ok(())
}

/// Lists the caller's sessions, last seen first. `own` is the token of the current one.
pub async fn list_sessions(ctx: &Ctx, caller: &Caller, own: Option<&str>) -> Result<Vec<SessionInfo>, Error> {
    let own = own.map(digest);
    let rows = store::sessions::list(&mut ctx.read().await?, caller.id(), &ctx.now()).await?;
    let info = |row: store::sessions::SessionRow| SessionInfo {
        session_id: row.id,
        current: own.is_some_and(|own| own == row.hash[..]),
        device: row.device,
        created_at: row.created_at,
        seen_at: row.seen_at,
    };
    Ok(rows.into_iter().map(info).collect())
}

/// True if the user has a tab open. An open tab updates `seen_at` regularly.
pub async fn is_here(tx: &mut Tx, user: UserId, now: &Timestamp) -> Result<bool, Error> {
    let last = store::sessions::list(tx, user, now).await?.into_iter().next();
    let seen_at = last.map(|session| session.seen_at.unwrap_or(session.created_at));
    Ok(seen_at.is_some_and(|seen_at| Window::seconds(SEEN_S + RECHECK_S).holds(&seen_at, now)))
}

pub async fn end_session(ctx: &Ctx, caller: &Caller, session: SessionId) -> Result<(), Error> {
    let (mut tx, now) = (alone(ctx, caller.id()).await?, ctx.now());
    let all = store::sessions::list(&mut tx, caller.id(), &now).await?;
    let found = all.iter().find(|row| row.id == session);
    let found = found.ok_or_else(|| Error::NotFound("There is no such session. It may have ended.".into()))?;
    end(&mut tx, caller.id(), &found.hash, &now).await?;
    ctx.commit(tx).await
}

/// Ends all of the caller's sessions but `own`; returns their number.
pub async fn end_others(ctx: &Ctx, caller: &Caller, own: Option<&str>) -> Result<usize, Error> {
    let (mut tx, now, own) = (alone(ctx, caller.id()).await?, ctx.now(), own.map(digest));
    let mut all = store::sessions::list(&mut tx, caller.id(), &now).await?;
    all.retain(|row| own.is_none_or(|own| own != row.hash[..]));
    for row in &all {
        end(&mut tx, caller.id(), &row.hash, &now).await?;
    }
    ctx.commit(tx).await?;
    Ok(all.len())
}

async fn end(tx: &mut Tx, user: UserId, hash: &[u8], now: &Timestamp) -> Result<(), Error> {
    store::sessions::delete(tx, user, hash).await?;
    records::append(tx, user, Kind::SignIn, now, &json!({ "event": "session_ended", "at": now })).await?;
    Ok(())
}
