//! Correct statuses and one format for every error below /api: `{"error":{"code":"…","message":"…"}}`.

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use leptos::server_fn::error::SERVER_FN_ERROR_HEADER;

use crate::api::ApiError;
use crate::api::error::Code;
use crate::messages::errors as messages;

/// Maximum size of an error's body in bytes; typical ones have a few hundred.
const ERROR_BODY: usize = 64 * 1024;

pub fn response(code: Code, message: &str) -> Response {
    of(&ApiError::new(code, message))
}

/// Builds the response for `error`, with `Retry-After` if the error has one.
pub fn of(error: &ApiError) -> Response {
    let body = serde_json::to_vec(error).expect("an error is plain text");
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(error.status()).expect("a code has a status");
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(seconds) = error.retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds.max(1)));
    }
    response
}

/// Gives each failed API answer its status and format. Server functions fail with 500 and the error as body, and the router's own
/// rejections have no body.
pub async fn honest(request: Request, next: Next) -> Response {
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let response = next.run(request).await;
    let status = response.status();
    let failed = status.is_client_error() || status.is_server_error();
    if !failed || !path.starts_with("/api/") {
        return response;
    }
    if response.headers().contains_key(SERVER_FN_ERROR_HEADER) {
        let (parts, body) = response.into_parts();
        let bytes = to_bytes(body, ERROR_BODY).await.unwrap_or_default();
        let mut honest = match serde_json::from_slice::<ApiError>(&bytes) {
            Ok(error) => of(&error),
            Err(_) => self::response(Code::Unavailable, messages::COULD_NOT_ANSWER),
        };
        // Keeps other headers, such as cookies that the server function set.
        for (name, value) in &parts.headers {
            if name != header::CONTENT_TYPE && name != header::CONTENT_LENGTH && name != SERVER_FN_ERROR_HEADER {
                honest.headers_mut().append(name, value.clone());
            }
        }
        return honest;
    }
    let json = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    match status {
        _ if json => response,
        StatusCode::METHOD_NOT_ALLOWED => {
            let mut refused = self::response(Code::Malformed, &messages::does_not_take(&path, method.as_str()));
            *refused.status_mut() = status;
            if let Some(allowed) = response.headers().get(header::ALLOW) {
                refused.headers_mut().insert(header::ALLOW, allowed.clone());
            }
            refused
        }
        StatusCode::NOT_FOUND => self::response(Code::NotFound, &messages::nothing_at(&path)),
        StatusCode::PAYLOAD_TOO_LARGE => self::response(Code::TooLarge, messages::REQUEST_TOO_LARGE),
        _ if status.is_client_error() => self::response(Code::Malformed, messages::REQUEST_UNREAD),
        _ => self::response(Code::Unavailable, messages::COULD_NOT_ANSWER),
    }
}
