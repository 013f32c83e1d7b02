//! Forms with a file: converts the file's text to a field, so that handlers parse one kind of form only.

use std::borrow::Cow;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{DefaultBodyLimit, FromRequest as _, Multipart, Request};
use axum::http::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use leptos::server_fn::ServerFn as _;

use super::{errors, inputs};
use crate::api::ApiError;
use crate::api::error::Code;
use crate::api::import::{PreviewImport, RunImport};
use crate::api::packed::unpack;
use crate::messages::errors as messages;
use crate::usecases::import::{LARGEST, decoded};

/// Maximum size of a file in bytes, for 5,000 tasks of a few hundred bytes each.
pub const LIMIT: usize = LARGEST;
/// Maximum size of a request with a file: a form encodes a byte as up to three, and has other fields.
pub const REQUEST: usize = 3 * LIMIT + 64 * 1024;
/// Name of the file's field.
const FILE: &str = "file";
/// Name of the field with a text that a page packed.
const PACKED: &str = "packed";
/// Name of the field that both are converted to.
const TEXT: &str = "text";

/// The error of a form that could not be parsed, for the page of the form.
#[derive(Debug, Clone)]
pub struct Refused(pub ApiError);

/// Returns true if the path accepts files.
pub fn takes_files(path: &str) -> bool {
    [PreviewImport::PATH, RunImport::PATH].contains(&path)
}

/// Returns true for the content type of a form with a file.
pub fn has_file(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.starts_with("multipart/form-data")
}

/// Returns true if the client expects a page.
pub fn wants_page(headers: &HeaderMap) -> bool {
    headers.get(ACCEPT).is_some_and(|accept| accept.to_str().is_ok_and(|accept| accept.contains("text/html")))
}

/// Converts forms with files to plain ones. A form that cannot be parsed becomes empty if a page is expected, which shows why.
pub async fn as_form(request: Request, next: Next) -> Response {
    // A form that was too large has no body.
    let refused = request.extensions().get::<Refused>().is_some();
    if refused || !(takes_files(request.uri().path()) && has_file(request.headers())) {
        return next.run(request).await;
    }
    // Boxed: the future is large, and few requests need it.
    Box::pin(without_file(request, next)).await
}

async fn without_file(request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    // An outer layer limits the size of bodies.
    let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let form = match read(&parts.headers, body).await {
        Ok(fields) => encoded(&fields),
        Err(refused) if wants_page(&parts.headers) => {
            parts.extensions.insert(Refused(refused));
            Vec::new()
        }
        Err(refused) => return errors::of(&refused),
    };
    parts.headers.remove(CONTENT_LENGTH);
    parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
    next.run(Request::from_parts(parts, Body::from(form))).await
}

/// Parses the fields; a chosen file replaces the text.
async fn read(headers: &HeaderMap, body: Bytes) -> Result<Vec<(String, String)>, ApiError> {
    let unread = |_| ApiError::new(Code::Malformed, messages::FORM_NOT_WHOLE);
    let mut whole = Request::new(Body::from(body));
    whole.headers_mut().extend(headers.get(CONTENT_TYPE).map(|kind| (CONTENT_TYPE, kind.clone())));
    // The route limits the size instead.
    DefaultBodyLimit::disable().apply(&mut whole);
    let none = |_| ApiError::new(Code::Malformed, messages::FORM_UNREAD);
    let mut parts = Multipart::from_request(whole, &()).await.map_err(none)?;
    let (mut fields, mut file, mut parts_read) = (vec![], None, 0);
    while let Some(part) = parts.next_field().await.map_err(unread)? {
        let name = part.name().unwrap_or_default().to_owned();
        parts_read += 1;
        inputs::field(parts_read, name.as_bytes())?;
        let bytes = part.bytes().await.map_err(unread)?;
        // Browsers send an empty file if none was chosen.
        if name == FILE && bytes.is_empty() {
            continue;
        }
        let packed = name == PACKED;
        // Each could unpack to the limit, so only one is accepted.
        if packed && file.is_some() {
            return Err(ApiError::new(Code::Malformed, messages::FORM_UNREAD));
        }
        let bytes = if packed { unpacked(&bytes)? } else { bytes.into() };
        if bytes.len() > LIMIT {
            return Err(ApiError::new(Code::TooLarge, messages::request_too_large(LIMIT / 1024)));
        }
        let text = match name == FILE {
            true => decoded(&bytes).map(Cow::into_owned).map_err(|why| ApiError::new(Code::Invalid, why.0))?,
            false => String::from_utf8(bytes).map_err(|_| ApiError::new(Code::Invalid, messages::FILE_NOT_UTF_8))?,
        };
        inputs::storable(text.as_bytes())?;
        if packed || name == FILE {
            file = Some(text);
        } else {
            fields.push((name, text));
        }
    }
    if let Some(text) = file {
        fields.retain(|(name, _)| name != TEXT);
        fields.push((TEXT.to_owned(), text));
    }
    Ok(fields)
}

fn unpacked(packed: &[u8]) -> Result<Vec<u8>, ApiError> {
    let text = std::str::from_utf8(packed).ok().and_then(|packed| unpack(packed, LIMIT));
    text.ok_or_else(|| ApiError::new(Code::Malformed, messages::FORM_NOT_WHOLE))
}

/// Encodes the fields as `application/x-www-form-urlencoded`.
fn encoded(fields: &[(String, String)]) -> Vec<u8> {
    let mut form = Vec::with_capacity(fields.iter().map(|(name, text)| name.len() + text.len() + 2).sum());
    for (name, text) in fields {
        if !form.is_empty() {
            form.push(b'&');
        }
        write(&mut form, name);
        form.push(b'=');
        write(&mut form, text);
    }
    form
}

fn write(form: &mut Vec<u8>, text: &str) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'*' => form.push(byte),
            b' ' => form.push(b'+'),
            _ => form.extend([b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn uploaded_file_replaces_the_text_field() {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("multipart/form-data; boundary=x"));
        let part = |head: &str, body: &str| format!("--x\r\nContent-Disposition: form-data; {head}\r\n\r\n{body}\r\n");
        let text = part("name=\"text\"", "title\nold");
        let none = part("name=\"file\"; filename=\"\"", "");
        let some = part("name=\"file\"; filename=\"a.csv\"", "title\nCafé & co");
        let form = async |parts: &[&str]| {
            let body = format!("{}--x--\r\n", parts.concat());
            let fields = read(&headers, body.into()).await.unwrap();
            String::from_utf8(encoded(&fields)).unwrap()
        };
        assert_eq!(form(&[&text, &none]).await, "text=title%0Aold");
        assert_eq!(form(&[&text, &some]).await, "text=title%0ACaf%C3%A9+%26+co");
        let packed = part("name=\"packed\"", &crate::api::packed::pack("title\nmilk"));
        assert_eq!(form(&[&text, &packed]).await, "text=title%0Amilk");
        let twice = format!("{packed}{packed}--x--\r\n");
        assert_eq!(read(&headers, twice.into()).await.unwrap_err().code, Code::Malformed);
        for broken in ["", "--x\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\nhalf"] {
            assert_eq!(read(&headers, broken.into()).await.unwrap_err().code, Code::Malformed, "{broken:?}");
        }
    }
}
