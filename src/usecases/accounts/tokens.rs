//! Personal API tokens: hashed, scoped, revocable.

use std::net::IpAddr;

use serde_json::json;

use super::sessions::is_old;
use super::users::named;
use super::{alone, digest, held, secret};
use crate::domain::Invalid;
use crate::domain::id::{TokenId, UserId};
use crate::domain::time::Timestamp;
use crate::domain::trace::Traceparent;
use crate::domain::user::{Agent, Caller, Door, Role, Scope, TokenInfo, TokenKind};
use crate::store::records::{self, Kind};
use crate::store::tokens::Holder;
use crate::store::{self, Tx};
use crate::usecases::{Ctx, Error, telegram};

/// What every token begins with, so that one that leaked is recognised.
const PREFIX: &str = "dkt_";

/// What an agent hears at any other door than its own.
const AGENTS_DOOR: &str =
    "This token is an agent's and works at /mcp only; make a personal token for a program of your own.";

/// Makes a token for a program of the user's own; its secret is told this once. `budget` is how many changes an agent with it may
/// make in an hour, 0 any number.
pub async fn create_token(
    ctx: &Ctx,
    user: &str,
    label: &str,
    scopes: &[Scope],
    budget: i64,
) -> Result<(TokenId, String), Error> {
    create_token_for(ctx, TokenKind::Personal, user, label, scopes, budget).await
}

/// The same for a program of the user's own or for an outside agent.
pub async fn create_token_for(
    ctx: &Ctx,
    kind: TokenKind,
    user: &str,
    label: &str,
    scopes: &[Scope],
    budget: i64,
) -> Result<(TokenId, String), Error> {
    let label = label.trim();
    if !(1..=60).contains(&label.chars().count()) || label.chars().any(char::is_control) {
        return Err(Invalid::because("A token's name has 1 to 60 characters.").into());
    }
    if scopes.is_empty() {
        return Err(Invalid::because("A token needs a scope.").into());
    }
    if let Some(scope) = scopes.iter().find(|scope| !kind.takes(**scope)) {
        let name = scope.as_str();
        return Err(Invalid::because(format!(
            "An agent has no use for the scope {name}: it gets the tools and nothing else."
        ))
        .into());
    }
    let most = TokenInfo::MOST_BUDGET;
    if !(0..=most).contains(&budget) {
        return Err(Invalid::because(format!("A budget is 0 (off) to {most} changes in an hour.")).into());
    }
    let mut tx = ctx.write().await?;
    let user = held(&mut tx, user).await?;
    if user.disabled {
        return Err(Error::Conflict(format!("{} is disabled; enable the account first.", user.name)));
    }
    if scopes.contains(&Scope::Admin) && user.role != Role::Admin {
        return Err(Invalid::because(format!("{} is no admin, so no token of theirs can be.", user.name)).into());
    }
    let (secret, at) = (format!("{PREFIX}{}", secret()), ctx.now());
    let scopes = Scope::ALL.into_iter().filter(|scope| scopes.contains(scope)).collect();
    let (token_id, label) = (TokenId::new(), label.to_owned());
    let token = TokenInfo { token_id, label, kind, scopes, budget, created_at: at, revoked_at: None };
    store::tokens::insert(&mut tx, user.user_id, &token, &digest(&secret)).await?;
    store::agents::set_terms(&mut tx, user.user_id, token.token_id, kind, token.budget).await?;
    let at = &token.created_at;
    let body = json!({
        "event": "created", "token_id": token.token_id, "label": token.label, "kind": token.kind,
        "scopes": token.scopes, "budget": token.budget, "at": at,
    });
    records::append(&mut tx, user.user_id, Kind::Token, at, &body).await?;
    ctx.commit(tx).await?;
    Ok((token.token_id, secret))
}

/// The user's tokens, revoked ones too, oldest first.
pub async fn list_tokens(ctx: &Ctx, user: &str) -> Result<Vec<TokenInfo>, Error> {
    let mut tx = ctx.read().await?;
    let user = named(&mut tx, user).await?;
    Ok(store::tokens::list(&mut tx, user.user_id).await?)
}

/// Makes one of the caller's tokens good for nothing from now on; another's reads as absent.
pub async fn revoke_own_token(ctx: &Ctx, caller: &Caller, id: TokenId) -> Result<(), Error> {
    revoke(ctx, caller.id(), id, || "You have no such token.".into()).await
}

/// Makes a token good for nothing from now on.
pub async fn revoke_token(ctx: &Ctx, id: TokenId) -> Result<(), Error> {
    let absent = || format!("There is no token {id}.");
    let owner = store::tokens::owner_of(&mut ctx.peek().await?, id).await?;
    revoke(ctx, owner.ok_or_else(|| Error::NotFound(absent()))?, id, absent).await
}

async fn revoke(ctx: &Ctx, user: UserId, id: TokenId, absent: impl Fn() -> String) -> Result<(), Error> {
    let at = ctx.now();
    let mut tx = alone(ctx, user).await?;
    if !store::tokens::list(&mut tx, user).await?.iter().any(|token| token.token_id == id) {
        return Err(Error::NotFound(absent()));
    }
    if !store::tokens::revoke(&mut tx, user, id, &at).await? {
        return Err(Error::Conflict("That token was revoked already.".into()));
    }
    let body = json!({ "event": "revoked", "token_id": id, "at": at });
    records::append(&mut tx, user, Kind::Token, &at, &body).await?;
    telegram::end_with_token(&mut tx, user, id, &at).await?;
    ctx.commit(tx).await
}

/// Revokes every token of an account that is locked, with the codes and the chat that they requested.
pub(super) async fn revoke_all(tx: &mut Tx, user: UserId, by: &str, at: &Timestamp) -> Result<(), Error> {
    for token_id in store::tokens::revoke_all(tx, user, at).await? {
        let body = json!({ "event": "revoked", "token_id": token_id, "by": by, "at": at });
        records::append(tx, user, Kind::Token, at, &body).await?;
        telegram::end_with_token(tx, user, token_id, at).await?;
    }
    Ok(())
}

/// Who comes with that token to the API, allowed what it was made for.
///
/// # Errors
/// `Forbidden` for an agent's token: nothing that it did here would meet the gate.
pub async fn caller_of_token(ctx: &Ctx, bearer: &str) -> Result<Option<Caller>, Error> {
    let Some(held) = holder(ctx, bearer).await? else { return Ok(None) };
    match held.kind {
        TokenKind::Agent => Err(Error::Forbidden(AGENTS_DOOR.into())),
        TokenKind::Personal => {
            let program = Some(held.agent);
            Ok(Some(Caller { program, ..Caller::new(held.user, Door::Api, held.scopes) }))
        }
    }
}

/// An outside agent at the door: a caller, and what its token allows.
#[derive(Debug, Clone)]
pub struct Outsider {
    /// With the agent in it.
    pub caller: Caller,
    pub agent: Agent,
    /// Changes in an hour; 0 is any number.
    pub budget: i64,
    /// From where it calls, where that is known.
    pub address: Option<IpAddr>,
    /// The trace that the call belongs to; `None` also where nobody collects spans.
    pub trace: Option<Traceparent>,
}

/// The agent that comes with that token over MCP, from that address.
pub async fn agent_of_token(ctx: &Ctx, bearer: &str, address: Option<IpAddr>) -> Result<Option<Outsider>, Error> {
    Ok(holder(ctx, bearer).await?.map(|held| {
        let agent = held.agent;
        let caller = Caller { agent: Some(agent.clone()), ..Caller::new(held.user, Door::Mcp, held.scopes) };
        Outsider { caller, agent, budget: held.budget, address, trace: None }
    }))
}

async fn holder(ctx: &Ctx, bearer: &str) -> Result<Option<Holder>, Error> {
    if !bearer.starts_with(PREFIX) {
        return Ok(None);
    }
    let (hash, now) = (digest(bearer), ctx.now());
    let Some(held) = store::tokens::holder(&mut ctx.peek().await?, &hash).await? else { return Ok(None) };
    if is_old(held.seen_at.as_ref(), &now) {
        let mut tx = alone(ctx, held.user.user_id).await?;
        store::tokens::see(&mut tx, held.user.user_id, &hash, &now).await?;
        store::users::see(&mut tx, held.user.user_id, &now).await?;
        ctx.commit(tx).await?;
    }
    Ok(Some(held))
}
