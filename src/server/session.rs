//! Authentication: looks up a browser's session cookie or a program's bearer token, and adds the caller to the request.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::Response;

use super::errors;
use crate::api::ApiError;
use crate::api::context::session_cookie;
use crate::api::error::Code;
use crate::domain::user::{Caller, Door};
use crate::messages::errors as messages;
use crate::state::AppState;
use crate::usecases::{self, accounts};

/// The caller, if looked up before the request's body was read.
#[derive(Debug, Clone)]
pub struct Known(pub Caller);

/// The account for which the page behind a request was rendered, as the page states it.
#[derive(Debug, Clone)]
pub struct PageOf(pub String);

/// Name of the form or query field with that account.
pub const PAGE_OF: &str = "account";

/// Rejects requests from a page of another account: somebody else has since signed in with the same browser.
fn of_this_account(caller: &Caller, request: &Request) -> Result<(), ApiError> {
    if caller.door != Door::Web {
        return Ok(());
    }
    let in_query = || {
        let mut pairs = request.uri().query()?.split('&').filter_map(|pair| pair.split_once('='));
        pairs.find(|(name, _)| *name == PAGE_OF).map(|(_, account)| account)
    };
    let said = request.extensions().get::<PageOf>().map(|PageOf(account)| account.as_str()).or_else(in_query);
    match said {
        Some(account) if account != caller.id().to_string() => {
            Err(ApiError::new(Code::SessionChanged, messages::signed_in_as(caller.user.name.as_str())))
        }
        _ => Ok(()),
    }
}

/// Adds an `Option<Caller>` to the request. An invalid bearer token is an error instead of an anonymous request.
pub async fn identify(State(state): State<AppState>, mut request: Request, next: Next) -> Response {
    let found = match request.extensions_mut().remove() {
        Some(Known(caller)) => Ok(Some(caller)),
        // Boxed: the future would otherwise take space until the answer is sent.
        None => Box::pin(caller(&state, request.headers())).await,
    };
    let of_page = |caller: Option<Caller>| match &caller {
        Some(known) => of_this_account(known, &request).map(|()| caller),
        None => Ok(None),
    };
    match found.and_then(of_page) {
        Ok(caller) => {
            request.extensions_mut().insert::<Option<Caller>>(caller);
            next.run(request).await
        }
        Err(error) => errors::of(&error),
    }
}

/// Returns the caller whom the headers identify; `None` without credentials or with an ended session.
pub async fn caller(state: &AppState, headers: &HeaderMap) -> Result<Option<Caller>, ApiError> {
    let found = if let Some(token) = bearer(headers) {
        let known = accounts::caller_of_token(&state.ctx, token).await.map_err(failed)?;
        let refused = || ApiError::new(Code::Unauthenticated, messages::TOKEN_NOT_VALID);
        Some(known.ok_or_else(refused)?)
    } else if let Some(token) = cookie(headers, session_cookie(state.config.secure())) {
        accounts::caller_of_session(&state.ctx, token).await.map_err(failed)?
    } else {
        None
    };
    Ok(found)
}

fn failed(error: usecases::Error) -> ApiError {
    if let usecases::Error::Forbidden(_) = &error {
        return error.into();
    }
    tracing::error!(error = ?error, "a caller could not be looked up");
    ApiError::new(Code::Unavailable, messages::DATABASE_DID_NOT_ANSWER)
}

/// Returns the token of `Authorization: Bearer …`.
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

pub fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(key, value)| *key == name && !value.is_empty()).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COOKIE: &str = "docket_session";

    #[test]
    fn credentials_are_read_from_their_headers() {
        let mut headers = HeaderMap::new();
        assert_eq!((bearer(&headers), cookie(&headers, COOKIE)), (None, None));
        headers.insert(header::AUTHORIZATION, "bearer abc".parse().unwrap());
        headers.insert(header::COOKIE, "theme=dark; docket_session=xyz".parse().unwrap());
        assert_eq!((bearer(&headers), cookie(&headers, COOKIE)), (Some("abc"), Some("xyz")));
        headers.insert(header::AUTHORIZATION, "Basic abc".parse().unwrap());
        assert_eq!(bearer(&headers), None);
    }
}
