//! Plain forms: without scripts, a form's answer is a page instead of JSON (Post/Redirect/Get).
//!
//! The server functions are unaware of it. After a success, a flash cookie shows the result on the page that the form came from.
//! After a failure, that page itself is the answer, with the error's status and the submitted fields. Only the settings redirect
//! to the failed form.

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION, REFERER, SET_COOKIE};
use axum::http::{Extensions, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use leptos::server_fn::ServerFn as _;

use super::security::Policy;
use super::session::PageOf;
use super::upload::{Refused, wants_page};
use crate::api::flash::Flash;
use crate::api::import::PreviewImport;
use crate::api::session::SignOut;
use crate::api::{ApiError, context};
use crate::messages::errors as messages;

/// Maximum size of a server function's answer that is parsed, in bytes.
const ANSWER: usize = 4 << 20;
const IMPORT: &str = "/tasks/import";
const SIGN_IN: &str = "/sign-in";
/// Fields that are never shown again.
const SECRET: [&str; 4] = ["password", "current", "new", "token"];

/// Handles plain forms that call a server function; passes all other requests. Placed outside authentication and routing, and
/// inside the layers that limit and reject.
pub async fn plain_forms(State(policy): State<Policy>, mut request: Request, next: Next) -> Response {
    if !request.uri().path().starts_with("/api/v1/") || !wants_page(request.headers()) {
        return next.run(request).await;
    }
    if request.method() != Method::POST {
        // With HTML accepted, the framework would redirect to the referer, with the result in the URL.
        request.headers_mut().insert(ACCEPT, HeaderValue::from_static("application/json"));
        return next.run(request).await;
    }
    // Boxed: the future is large, and few requests need it.
    Box::pin(answered_by_page(policy, request, next)).await
}

async fn answered_by_page(policy: Policy, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let from = (request.headers().clone(), request.extensions().clone());
    let (parts, body) = request.into_parts();
    if let Some(Refused(refused)) = parts.extensions.get::<Refused>() {
        let error = Some(refused.message.clone());
        let status = StatusCode::from_u16(refused.status()).unwrap_or(StatusCode::BAD_REQUEST);
        return page_again(IMPORT, from, Flash { path, error, ..Flash::default() }, status, next).await;
    }
    // An outer layer limits the size of bodies.
    let Ok(body) = to_bytes(body, usize::MAX).await else { return StatusCode::PAYLOAD_TOO_LARGE.into_response() };
    let fields = fields(&body);
    if path == PreviewImport::PATH {
        // A preview is too large for a cookie: the page computes it itself.
        return page_again(IMPORT, from, Flash { path, typed: fields, ..Flash::default() }, StatusCode::OK, next).await;
    }
    let back = back(&fields, "return_to", &from.0);

    let mut call = Request::from_parts(parts, Body::from(body));
    call.headers_mut().insert(ACCEPT, HeaderValue::from_static("application/json"));
    let (answer, json) = read(next.clone().run(call).await).await;
    if answer.status().is_success() {
        let mut onward = see(&back, answer.headers(), Flash::of_answer(&path, &json), policy);
        if path == SignOut::PATH {
            // Drafts must not remain for the browser's next user. With scripts, the page deletes them itself.
            onward.headers_mut().insert("clear-site-data", HeaderValue::from_static("\"storage\""));
        }
        return onward;
    }
    let error = serde_json::from_value::<ApiError>(json);
    let rest = error.as_ref().is_ok_and(|error| error.rest).then(|| Flash::rest_of(fields.clone())).flatten();
    if answer.status() == StatusCode::UNAUTHORIZED && !path.starts_with("/api/v1/session/") {
        return see(SIGN_IN, answer.headers(), None, policy);
    }
    let page = back_to_form(&fields, &from.0);
    let mut typed: Vec<_> = fields.into_iter().filter(|(name, _)| !SECRET.contains(&name.as_str())).collect();
    if answer.status() == StatusCode::NOT_FOUND {
        // The form's subject is gone, and the form with it.
        typed.clear();
    }
    let error = error.map_or_else(|_| messages::DID_NOT_WORK.to_owned(), |error| error.message);
    let section = path.strip_prefix("/api/v1/settings/").and_then(|rest| rest.split('/').next());
    let bare = page.split('#').next().unwrap_or_default();
    let section = section.map(|section| format!("{bare}#{section}"));
    let section = section.or_else(|| path.starts_with("/api/v1/admin/").then(|| page.clone()));
    let flash = Flash { path, error: Some(error), rest, typed, ..Flash::default() };
    if let Some(section) = section {
        // A long page with several forms and few fields: redirect to the position of the failed form.
        return see(&section, answer.headers(), Some(flash), policy);
    }
    page_again(&page, from, flash, answer.status(), next).await
}

/// Renders the page that the form came from, with the error on it.
async fn page_again(
    path: &str,
    (mut headers, extensions): (HeaderMap, Extensions),
    flash: Flash,
    status: StatusCode,
    next: Next,
) -> Response {
    headers.remove(CONTENT_TYPE);
    headers.remove(CONTENT_LENGTH);
    let mut page = Request::new(Body::empty());
    *page.uri_mut() = path.parse().unwrap_or_else(|_| Uri::from_static("/"));
    *page.headers_mut() = headers;
    *page.extensions_mut() = extensions;
    // The page is rendered for the account that is signed in now.
    page.extensions_mut().remove::<PageOf>();
    page.extensions_mut().insert(flash);
    let mut page = next.run(page).await;
    if page.status() == StatusCode::OK {
        *page.status_mut() = status;
    }
    page
}

/// Redirects the browser to `path`, with the answer's cookies and the flash.
fn see(path: &str, answer: &HeaderMap, flash: Option<Flash>, policy: Policy) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    let headers = response.headers_mut();
    headers.insert(LOCATION, HeaderValue::from_str(path).unwrap_or(HeaderValue::from_static("/")));
    for cookie in answer.get_all(SET_COOKIE) {
        headers.append(SET_COOKIE, cookie.clone());
    }
    if let Some(cookie) =
        flash.and_then(|flash| HeaderValue::from_str(&context::flash_cookie(&flash, policy.secure)).ok())
    {
        headers.append(SET_COOKIE, cookie);
    }
    response
}

/// Redirects a browser whose session has ended to the sign-in page.
pub fn to_sign_in() -> Response {
    (StatusCode::SEE_OTHER, [(LOCATION, SIGN_IN)]).into_response()
}

/// Splits off the body, parsed as JSON; null if it is not JSON.
async fn read(answer: Response) -> (Response, serde_json::Value) {
    let (parts, body) = answer.into_parts();
    let body = to_bytes(body, ANSWER).await.unwrap_or_default();
    let json = serde_json::from_slice(&body).unwrap_or_default();
    (Response::from_parts(parts, Body::empty()), json)
}

/// Returns the path of the form: its field `page` if present, otherwise `return_to`.
fn back_to_form(fields: &[(String, String)], headers: &HeaderMap) -> String {
    let named = fields.iter().any(|(name, _)| name == "page");
    back(fields, if named { "page" } else { "return_to" }, headers)
}

/// Returns the path in a field, otherwise that of the referer, otherwise `/`. Only ever a local path.
fn back(fields: &[(String, String)], field: &str, headers: &HeaderMap) -> String {
    let asked = fields.iter().find(|(name, _)| name == field).map(|(_, path)| path.clone());
    let referer = || {
        let referer = headers.get(REFERER)?.to_str().ok()?.parse::<Uri>().ok()?;
        referer.path_and_query().map(ToString::to_string)
    };
    asked.or_else(referer).filter(|path| is_ours(path)).unwrap_or_else(|| "/".to_owned())
}

/// Returns true for a local path that no browser could read as another host.
fn is_ours(path: &str) -> bool {
    path.starts_with('/')
        && !path.starts_with("//")
        && !path.starts_with("/api/")
        && path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
}

fn fields(body: &Bytes) -> Vec<(String, String)> {
    let pairs = body.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_at(pair.iter().position(|byte| *byte == b'=').unwrap_or(pair.len()));
            (decoded(name), decoded(value.get(1..).unwrap_or_default()))
        })
        .collect()
}

/// Decodes `+` and `%XX`; invalid UTF-8 becomes a replacement character.
fn decoded(text: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        let hex = |at: usize| tail.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        let (byte, used) = match (first, hex(0), hex(1)) {
            (b'%', Some(high), Some(low)) => (u8::try_from(high * 16 + low).unwrap_or_default(), 2),
            (b'+', _, _) => (b' ', 0),
            (byte, _, _) => (*byte, 0),
        };
        bytes.push(byte);
        rest = &tail[used..];
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_read_as_a_browser_writes_it() {
        let body = Bytes::from_static("text=call+mum+%26+dad%21&x&y=%zz&z=caf%C3%A9".as_bytes());
        let read = fields(&body);
        let expected = [("text", "call mum & dad!"), ("x", ""), ("y", "%zz"), ("z", "café")];
        assert_eq!(read, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }

    #[test]
    fn a_form_comes_back_to_our_own_pages_only() {
        let asks = |path: &str| back(&[("return_to".to_owned(), path.to_owned())], "return_to", &HeaderMap::new());
        assert_eq!(asks("/tasks?view=today"), "/tasks?view=today");
        for bad in
            ["//evil.example", "https://evil.example", "/\\evil.example", "", "/a b", "/api/v1/chat", "/a\r\nX: y"]
        {
            assert_eq!(asks(bad), "/", "{bad:?}");
        }
        let mut headers = HeaderMap::new();
        headers.insert(REFERER, HeaderValue::from_static("http://127.0.0.1:3000/tasks?view=bin"));
        assert_eq!(back(&[], "return_to", &headers), "/tasks?view=bin");
    }
}
