//! Limits on request bodies. A body is read whole before any handler runs, so that an oversized request has no partial effect.

use std::sync::LazyLock;

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
use crate::domain::id::UserId;
use crate::messages::errors as messages;
use crate::state::AppState;
use crate::usecases::Lanes;

/// Maximum size of a request body in bytes. The longest message takes 96 KB, form-encoded in an alphabet of four-byte letters.
pub const LIMIT: usize = 256 * 1024;
/// Prefix of the server functions, then of those that need no sign-in.
const API: &str = "/api/v1/";
const SESSION: &str = "/api/v1/session/";
const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";

/// Maximum size of a body, and the rate at which it must arrive.
#[derive(Debug, Clone, Copy)]
struct Allowance {
    bytes: usize,
    rate: BodyRate,
}

/// For an authenticated sender.
const KNOWN: Allowance = Allowance { bytes: LIMIT, rate: BodyRate::FORM };
const FILES: Allowance = Allowance { bytes: upload::REQUEST, rate: BodyRate::FILE };
/// For an unauthenticated sender: sign-in, set-up and joining.
const STRANGER: Allowance = Allowance { bytes: 16 * 1024, rate: BodyRate::FORM };
const TELEGRAM: Allowance = Allowance { bytes: 64 * 1024, rate: BodyRate::FORM };
/// Limits the forms with files that are received and processed at the same time, of all accounts; others wait.
static UPLOADS: Semaphore = Semaphore::const_new(8);
/// Limits the forms with files of one account, so that its slow uploads do not keep others waiting.
static ACCOUNTS: LazyLock<Lanes> = LazyLock::new(|| Lanes::new(2));

/// Rejects bodies of unauthenticated senders where authentication is required, and bodies that are too large, announced or not.
/// The sender is looked up before any byte of the body is read.
pub async fn limit(State(state): State<AppState>, request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return read_whole(request, next, STRANGER).await;
    }
    let (mut parts, body) = request.into_parts();
    let path = parts.uri.path();
    let (ours, open) = (path.starts_with(API), path.starts_with(SESSION));
    if !ours || open {
        let allowance = if path == telegram::WEBHOOK { TELEGRAM } else { STRANGER };
        return read_whole(Request::from_parts(parts, body), next, allowance).await;
    }
    let files = upload::takes_files(path);
    match Box::pin(session::caller(&state, &parts.headers)).await {
        Ok(Some(caller)) => {
            let user = caller.id();
            parts.extensions.insert(session::Known(caller));
            let _upload = if files { Some(upload_of(user).await) } else { None };
            read_whole(Request::from_parts(parts, body), next, if files { FILES } else { KNOWN }).await
        }
        Ok(None) if upload::wants_page(&parts.headers) => forms::to_sign_in(),
        Ok(None) => errors::response(Code::Unauthenticated, messages::SIGN_IN_FIRST),
        Err(refused) => errors::of(&refused),
    }
}

/// Waits until the account may send a file. The upload ends when the result is dropped.
async fn upload_of(user: UserId) -> impl Sized {
    (ACCOUNTS.place(user).await, UPLOADS.acquire().await.ok())
}

/// Rejects bodies that are too large for a sender whom an outer layer has authenticated.
pub async fn limit_of_known(request: Request, next: Next) -> Response {
    read_whole(request, next, KNOWN).await
}

/// Reads the whole body and checks it before any handler runs.
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
            errors::response(Code::Malformed, messages::SEND_FORM_FIELDS)
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
            let limit = if files { upload::LIMIT } else { allowance.bytes };
            let sentence = messages::request_too_large(limit / 1024);
            if files && upload::wants_page(&parts.headers) {
                parts.extensions.insert(upload::Refused(ApiError::new(Code::TooLarge, sentence)));
                return next.run(Request::from_parts(parts, Body::empty())).await;
            }
            errors::response(Code::TooLarge, &sentence)
        }
        Err(Unread::TooSlow | Unread::Broken) => errors::response(Code::Malformed, messages::REQUEST_NOT_WHOLE),
    }
}

/// Checks the body of a form or JSON request; passes others unchanged. Exempts Telegram, which would resend a rejected update.
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
