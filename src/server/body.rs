//! How much a request may carry. Read whole before anything else sees it, so that too much is refused with nothing done by half.

use axum::body::{Body, Bytes, HttpBody as _};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::Response;
use hyper_util::rt::TokioTimer;
use tokio::sync::Semaphore;

use super::reading::{Unread, read};
use super::timeouts::BodyRate;
use super::{errors, forms, inputs, session, telegram, upload};
use crate::api::ApiError;
use crate::api::error::Code;
use crate::state::AppState;
use crate::words::errors as words;

/// Bytes of a request's body; the longest message, form-encoded in an alphabet of four-byte letters, has 96 KB.
pub const LIMIT: usize = 256 * 1024;
/// Where server functions are, and those of them that strangers may call.
const API: &str = "/api/v1/";
const SESSION: &str = "/api/v1/session/";
const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";

/// How much of a body is read, and how fast it has to come.
#[derive(Debug, Clone, Copy)]
struct Allowance {
    bytes: usize,
    rate: BodyRate,
}

/// For a sender who is known.
const KNOWN: Allowance = Allowance { bytes: LIMIT, rate: BodyRate::FORM };
/// For a form with a file.
const FILES: Allowance = Allowance { bytes: upload::LIMIT, rate: BodyRate::FILE };
/// For a sender who is not known yet: who signs in, sets up or joins, and Telegram.
const STRANGER: Allowance = Allowance { bytes: 64 * 1024, rate: BodyRate::FORM };
/// Forms with files that are read and answered at the same time; others wait.
static UPLOADS: Semaphore = Semaphore::const_new(8);

/// Refuses bodies of strangers where only people who are known may do something, and bodies that are too large, announced or not.
/// The sender is looked up before a byte of the body is read.
pub async fn limit(State(state): State<AppState>, request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return read_whole(request, next, STRANGER).await;
    }
    let (mut parts, body) = request.into_parts();
    let path = parts.uri.path();
    let (ours, open) = (path.starts_with(API), path.starts_with(SESSION));
    if !ours || open {
        return read_whole(Request::from_parts(parts, body), next, STRANGER).await;
    }
    let files = upload::takes_files(path);
    match Box::pin(session::caller(&state, &parts.headers)).await {
        Ok(Some(caller)) => {
            parts.extensions.insert(session::Known(caller));
            let _one = if files { UPLOADS.acquire().await.ok() } else { None };
            read_whole(Request::from_parts(parts, body), next, if files { FILES } else { KNOWN }).await
        }
        Ok(None) if upload::wants_page(&parts.headers) => forms::to_sign_in(),
        Ok(None) => errors::response(Code::Unauthenticated, words::SIGN_IN_FIRST),
        Err(refused) => errors::of(&refused),
    }
}

/// Refuses bodies that are too large for a sender whom a layer outside this one has let in.
pub async fn limit_of_known(request: Request, next: Next) -> Response {
    read_whole(request, next, KNOWN).await
}

/// Refuses bodies that are too large for anybody who has nothing to send.
pub async fn limit_of_strangers(request: Request, next: Next) -> Response {
    read_whole(request, next, STRANGER).await
}

/// Reads the body whole and checks it, before anything else sees it.
async fn read_whole(request: Request, next: Next, allowance: Allowance) -> Response {
    if let Err(refused) = inputs::address(request.uri()) {
        return errors::of(&refused);
    }
    let (mut parts, body) = request.into_parts();
    let announced = parts.headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    let files = upload::takes_files(parts.uri.path());
    let form = is_form(&parts.headers) || files && upload::has_file(&parts.headers);
    match read(body, announced.unwrap_or(0), allowance.bytes, allowance.rate, &TokioTimer::new()).await {
        Ok(bytes) if !bytes.is_empty() && parts.uri.path().starts_with(API) && !form => {
            errors::response(Code::Malformed, words::SEND_FORM_FIELDS)
        }
        Ok(bytes) => match checked(&parts, bytes) {
            Ok(bytes) => {
                if let Some(account) = form.then(|| inputs::value(&bytes, session::PAGE_OF)).flatten() {
                    parts.extensions.insert(session::PageOf(account));
                }
                next.run(Request::from_parts(parts, Body::from(bytes))).await
            }
            Err(refused) => errors::of(&refused),
        },
        Err(Unread::TooLarge) => {
            let sentence = words::request_too_large(allowance.bytes / 1024);
            if files && upload::wants_page(&parts.headers) {
                parts.extensions.insert(upload::Refused(ApiError::new(Code::TooLarge, sentence)));
                return next.run(Request::from_parts(parts, Body::empty())).await;
            }
            errors::response(Code::TooLarge, &sentence)
        }
        Err(Unread::TooSlow | Unread::Broken) => errors::response(Code::Malformed, words::REQUEST_NOT_WHOLE),
    }
}

/// The body of a form or of JSON once it is checked; another one as it is. Telegram is told nothing: it would send the same again.
fn checked(parts: &Parts, body: Bytes) -> Result<Bytes, ApiError> {
    match kind(&parts.headers) {
        kind if kind.starts_with(FORM) => inputs::form(&body),
        kind if kind.starts_with(JSON) && parts.uri.path() != telegram::WEBHOOK => inputs::json(&body).map(|()| body),
        _ => Ok(body),
    }
}

fn is_form(headers: &HeaderMap) -> bool {
    kind(headers).starts_with(FORM)
}

fn kind(headers: &HeaderMap) -> &str {
    headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
}
