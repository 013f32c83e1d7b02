//! Personal API tokens: hashed, scoped, revocable.

use serde_json::json;

use super::users::named;
use super::{digest, secret};
use crate::domain::Invalid;
use crate::domain::id::TokenId;
use crate::domain::user::{Caller, Door, Role, Scope, TokenInfo};
use crate::store;
use crate::store::records::{self, Kind};
use crate::usecases::{Ctx, Error};

/// What every token begins with, so that one that leaked is recognised.
const PREFIX: &str = "dkt_";

/// Makes a token of the user; its secret is told this once.
pub async fn create_token(ctx: &Ctx, user: &str, label: &str, scopes: &[Scope]) -> Result<(TokenId, String), Error> {
    let label = label.trim();
    if !(1..=60).contains(&label.chars().count()) || label.chars().any(char::is_control) {
        return Err(Invalid::because("A token's name has 1 to 60 characters.").into());
    }
    if scopes.is_empty() {
        return Err(Invalid::because("A token needs a scope.").into());
    }
    let mut tx = ctx.write().await?;
    let user = named(&mut tx, user).await?;
    if scopes.contains(&Scope::Admin) && user.role != Role::Admin {
        return Err(Invalid::because(format!("{} is no admin, so no token of theirs can be.", user.name)).into());
    }
    let (secret, at) = (format!("{PREFIX}{}", secret()), ctx.now());
    let scopes = Scope::ALL.into_iter().filter(|scope| scopes.contains(scope)).collect();
    let token = TokenInfo { token_id: TokenId::new(), label: label.into(), scopes, created_at: at, revoked_at: None };
    store::tokens::insert(&mut tx, user.user_id, &token, &digest(&secret)).await?;
    let at = &token.created_at;
    let body = json!({
        "event": "created", "token_id": token.token_id, "label": token.label, "scopes": token.scopes, "at": at,
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

/// Makes a token good for nothing from now on.
pub async fn revoke_token(ctx: &Ctx, id: TokenId) -> Result<(), Error> {
    let at = ctx.now();
    let mut tx = ctx.write().await?;
    let Some(user) = store::tokens::owner_of(&mut tx, id).await? else {
        return Err(Error::NotFound(format!("There is no token {id}.")));
    };
    if !store::tokens::revoke(&mut tx, user, id, &at).await? {
        return Err(Error::Conflict("That token was revoked already.".into()));
    }
    let body = json!({ "event": "revoked", "token_id": id, "at": at });
    records::append(&mut tx, user, Kind::Token, &at, &body).await?;
    ctx.commit(tx).await
}

/// Who comes with that token, allowed what it was made for.
pub async fn caller_of_token(ctx: &Ctx, bearer: &str) -> Result<Option<Caller>, Error> {
    if !bearer.starts_with(PREFIX) {
        return Ok(None);
    }
    let mut tx = ctx.peek().await?;
    let owner = store::tokens::owner(&mut tx, &digest(bearer)).await?;
    Ok(owner.map(|(user, scopes)| Caller { user, door: Door::Api, scopes }))
}
