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

/// Prefix of every token, so that scanners recognise a leaked one.
const PREFIX: &str = "dkt_";

/// Reply to an agent's token outside `/mcp`.
const AGENTS_DOOR: &str =
    "This is an agent token, which is valid at /mcp only. Create a personal token for your own scripts.";

/// Creates a token for a program of the user; its secret is returned only once. `budget` limits an agent's changes an hour, 0 = unlimited.
pub async fn create_token(
    ctx: &Ctx,
    user: &str,
    label: &str,
    scopes: &[Scope],
    budget: i64,
) -> Result<(TokenId, String), Error> {
    create_token_for(ctx, TokenKind::Personal, user, label, scopes, budget).await
}

/// Creates a token of the given kind, as [`create_token`] does.
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
        return Err(Invalid::because("A token name must have 1 to 60 characters.").into());
    }
    if scopes.is_empty() {
        return Err(Invalid::because("Select at least one scope for the token.").into());
    }
    if let Some(scope) = scopes.iter().find(|scope| !kind.takes(**scope)) {
        let name = scope.as_str();
        return Err(Invalid::because(format!(
            "An agent token cannot have the scope {name}, because agents have access to the tools only."
        ))
        .into());
    }
    let most = TokenInfo::MOST_BUDGET;
    if !(0..=most).contains(&budget) {
        return Err(
            Invalid::because(format!("The budget must be from 0 (unlimited) to {most} changes per hour.")).into()
        );
    }
    let mut tx = ctx.write().await?;
    let user = held(&mut tx, user).await?;
    if user.disabled {
        return Err(Error::Conflict(format!("{} is disabled; enable the account first.", user.name)));
    }
    if scopes.contains(&Scope::Admin) && user.role != Role::Admin {
        return Err(Invalid::because(format!(
            "{} is not an admin, so the token cannot have the scope admin.",
            user.name
        ))
        .into());
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

/// Lists the user's tokens, revoked ones included, oldest first.
pub async fn list_tokens(ctx: &Ctx, user: &str) -> Result<Vec<TokenInfo>, Error> {
    let mut tx = ctx.read().await?;
    let user = named(&mut tx, user).await?;
    Ok(store::tokens::list(&mut tx, user.user_id).await?)
}

/// Revokes one of the caller's tokens. Another user's token reads as absent.
pub async fn revoke_own_token(ctx: &Ctx, caller: &Caller, id: TokenId) -> Result<(), Error> {
    revoke(ctx, caller.id(), id, || "There is no such token.".into()).await
}

/// Revokes a token of any user.
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
        return Err(Error::Conflict("This token is already revoked.".into()));
    }
    let body = json!({ "event": "revoked", "token_id": id, "at": at });
    records::append(&mut tx, user, Kind::Token, &at, &body).await?;
    telegram::end_with_token(&mut tx, user, id, &at).await?;
    ctx.commit(tx).await
}

/// Revokes every token of a locked account, with the link codes and the chat that were requested with it.
pub(super) async fn revoke_all(tx: &mut Tx, user: UserId, by: &str, at: &Timestamp) -> Result<(), Error> {
    for token_id in store::tokens::revoke_all(tx, user, at).await? {
        let body = json!({ "event": "revoked", "token_id": token_id, "by": by, "at": at });
        records::append(tx, user, Kind::Token, at, &body).await?;
        telegram::end_with_token(tx, user, token_id, at).await?;
    }
    Ok(())
}

/// Returns the API caller of a bearer token, with the token's scopes.
///
/// # Errors
/// `Forbidden` for an agent's token: calls outside MCP would bypass the approval gate.
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

/// An authenticated MCP agent with the limits of its token.
#[derive(Debug, Clone)]
pub struct Outsider {
    /// Contains `agent` too.
    pub caller: Caller,
    pub agent: Agent,
    /// Changes an hour; 0 = unlimited.
    pub budget: i64,
    /// IP address of the client, if known.
    pub address: Option<IpAddr>,
    /// Trace of the call; `None` if tracing is off too.
    pub trace: Option<Traceparent>,
}

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
