//! How much a request may carry. Read whole before anything else sees it, so that too much is refused with nothing done by half.

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::Response;
use hyper_util::rt::TokioTimer;

use super::reading::{Unread, read};
use super::timeouts::BodyRate;
use super::{errors, upload};
use crate::api::ApiError;
use crate::api::error::Code;
use crate::words::errors as words;

/// Bytes of a request's body; the longest message, form-encoded in an alphabet of four-byte letters, has 96 KB.
pub const LIMIT: usize = 256 * 1024;
/// Above so many fields a form is not searched for lists; none of ours comes near.
const MOST_FIELDS: usize = 500;

/// Refuses bodies above [`LIMIT`], announced or not; where files may be sent, above [`upload::LIMIT`].
pub async fn limit(request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let announced = parts.headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    let files = upload::takes_files(parts.uri.path());
    let (limit, rate) = if files { (upload::LIMIT, BodyRate::FILE) } else { (LIMIT, BodyRate::FORM) };
    let form = is_form(&parts.headers) || files && upload::has_file(&parts.headers);
    match read(body, announced.unwrap_or(0), limit, rate, &TokioTimer::new()).await {
        Ok(bytes) if !bytes.is_empty() && parts.uri.path().starts_with("/api/v1/") && !form => {
            errors::response(Code::Malformed, words::SEND_FORM_FIELDS)
        }
        Ok(bytes) if is_form(&parts.headers) && !is_text(&bytes) => {
            errors::response(Code::Malformed, words::FORM_NOT_UTF_8)
        }
        Ok(bytes) if is_form(&parts.headers) => {
            next.run(Request::from_parts(parts, Body::from(with_lists(&bytes)))).await
        }
        Ok(bytes) => next.run(Request::from_parts(parts, Body::from(bytes))).await,
        Err(Unread::TooLarge) => {
            let sentence = words::request_too_large(limit / 1024);
            if files && upload::wants_page(&parts.headers) {
                parts.extensions.insert(upload::Refused(ApiError::new(Code::TooLarge, sentence)));
                return next.run(Request::from_parts(parts, Body::empty())).await;
            }
            errors::response(Code::TooLarge, &sentence)
        }
        Err(Unread::TooSlow | Unread::Broken) => errors::response(Code::Malformed, words::REQUEST_NOT_WHOLE),
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

/// A field that is repeated is a list (INTERFACE, HTTP): `tags=a&tags=b` becomes `tags[0]=a&tags[1]=b`, as server functions read it.
fn with_lists(form: &Bytes) -> Bytes {
    let pairs: Vec<&[u8]> = form.split(|byte| *byte == b'&').collect();
    let name = |pair: &'_ [u8]| pair.iter().position(|byte| *byte == b'=').unwrap_or(pair.len());
    let same = |one: &[u8], other: &[u8]| one[..name(one)] == other[..name(other)];
    let repeated = |pair: &[u8]| pairs.iter().filter(|other| same(pair, other)).nth(1).is_some();
    if pairs.len() > MOST_FIELDS || !pairs.iter().any(|pair| !pair.is_empty() && repeated(pair)) {
        return form.clone();
    }
    let mut listed = Vec::with_capacity(form.len() + 4 * pairs.len());
    for (at, pair) in pairs.iter().enumerate() {
        let (name, value) = pair.split_at(name(pair));
        listed.extend_from_slice(name);
        if repeated(pair) {
            let before = pairs[..at].iter().filter(|other| same(pair, other)).count();
            listed.extend_from_slice(format!("[{before}]").as_bytes());
        }
        listed.extend_from_slice(value);
        listed.push(b'&');
    }
    listed.pop();
    listed.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_field_is_a_list() {
        for (form, read) in [
            ("title=a&tags=x&tags=y", "title=a&tags[0]=x&tags[1]=y"),
            ("tags=x&title=a&tags=y", "tags[0]=x&title=a&tags[1]=y"),
            ("title=a&tags[0]=x&tags[1]=y", "title=a&tags[0]=x&tags[1]=y"),
            ("title=a&tags=x", "title=a&tags=x"),
            ("", ""),
        ] {
            assert_eq!(with_lists(&Bytes::from(form)), read, "{form}");
        }
    }

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
