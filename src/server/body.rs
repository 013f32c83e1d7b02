//! How much a request may carry. Read whole before anything else sees it, so that too much is refused with nothing done by half.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::Response;
use futures::StreamExt;

use super::errors;
use crate::api::error::Code;

/// Bytes of a request's body; the longest message, form-encoded in an alphabet of four-byte letters, has 96 KB.
pub const LIMIT: usize = 256 * 1024;
/// Bytes read and thrown away so that a client which is still sending hears the refusal.
const DRAIN: usize = 8 * 1024 * 1024;
/// How long a body may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// Refuses bodies above [`LIMIT`], announced or not.
pub async fn limit(request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let announced = parts.headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    match tokio::time::timeout(PATIENCE, read(body, announced.unwrap_or(0))).await {
        Ok(Ok(bytes)) if !bytes.is_empty() && parts.uri.path().starts_with("/api/v1/") && !is_form(&parts.headers) => {
            errors::response(Code::Malformed, "Send form fields, as application/x-www-form-urlencoded.")
        }
        Ok(Ok(bytes)) if is_form(&parts.headers) && !is_text(&bytes) => {
            errors::response(Code::Malformed, "The form is not UTF-8 text.")
        }
        Ok(Ok(bytes)) => next.run(Request::from_parts(parts, Body::from(bytes))).await,
        Ok(Err(Unread::TooLarge)) => {
            errors::response(Code::TooLarge, &format!("The request is too large; the limit is {} KB.", LIMIT / 1024))
        }
        Ok(Err(Unread::Broken)) | Err(_) => errors::response(Code::Malformed, "The request did not arrive whole."),
    }
}

fn is_form(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.starts_with("application/x-www-form-urlencoded")
}

/// Whether a form's fields are UTF-8 once `%XX` is undone. What decodes them later would put replacement characters in place of
/// what it cannot read, and store those.
fn is_text(form: &[u8]) -> bool {
    let mut plain = Vec::with_capacity(form.len());
    let mut rest = form;
    while let [first, tail @ ..] = rest {
        let digit = |at: usize| tail.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        rest = match (first, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                plain.extend(u8::try_from(high * 16 + low));
                &tail[2..]
            }
            _ => {
                plain.push(*first);
                tail
            }
        };
    }
    std::str::from_utf8(&plain).is_ok()
}

enum Unread {
    TooLarge,
    Broken,
}

async fn read(body: Body, announced: usize) -> Result<Bytes, Unread> {
    let mut pieces = body.into_data_stream();
    let mut whole = Vec::with_capacity(announced.min(LIMIT));
    let mut seen = 0;
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|_| Unread::Broken)?;
        seen += piece.len();
        if seen > DRAIN {
            break;
        }
        if seen <= LIMIT {
            whole.extend_from_slice(&piece);
        }
    }
    if seen > LIMIT { Err(Unread::TooLarge) } else { Ok(whole.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_text_once_decoded() {
        for (form, text) in [
            ("message=add+buy+milk", true),
            ("message=%F0%9F%A6%80", true),
            ("message=🦀", true),
            ("message=100%", true),
            ("message=%zz", true),
            ("message=%ff%fe", false),
            ("message=%F0%9F", false),
        ] {
            assert_eq!(is_text(form.as_bytes()), text, "{form}");
        }
        assert!(!is_text(b"message=\xff"));
    }
}
