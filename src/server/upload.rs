//! Forms with a file: the file's text becomes a field, so that what is behind reads one kind of form only.

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
use crate::words::errors as words;

/// Bytes of a request that brings a file; tasks of its 5,000 rows have some hundred bytes each.
pub const LIMIT: usize = 4 * 1024 * 1024;
/// The field of the file.
const FILE: &str = "file";
/// The field of a text that a page packed.
const PACKED: &str = "packed";
/// The field that both become.
const TEXT: &str = "text";

/// Why a form could not be read, on its way to the page that the form stands on.
#[derive(Debug, Clone)]
pub struct Refused(pub ApiError);

/// Whether files may be sent there.
pub fn takes_files(path: &str) -> bool {
    [PreviewImport::PATH, RunImport::PATH].contains(&path)
}

/// Whether that is a form as browsers send it where there is a file in it.
pub fn has_file(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.starts_with("multipart/form-data")
}

/// Whether a page is to be the answer.
pub fn wants_page(headers: &HeaderMap) -> bool {
    headers.get(ACCEPT).is_some_and(|accept| accept.to_str().is_ok_and(|accept| accept.contains("text/html")))
}

/// Makes forms with files into forms without. One that cannot be read goes on empty where a page is to say why.
pub async fn as_form(request: Request, next: Next) -> Response {
    // One that was too large has no body left to be read.
    let refused = request.extensions().get::<Refused>().is_some();
    if refused || !(takes_files(request.uri().path()) && has_file(request.headers())) {
        return next.run(request).await;
    }
    // Elsewhere: it is large, and few requests need it.
    Box::pin(without_file(request, next)).await
}

async fn without_file(request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    // The limit on bodies is a layer outside this one.
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

/// The fields; a file that was chosen stands in place of the text.
async fn read(headers: &HeaderMap, body: Bytes) -> Result<Vec<(String, String)>, ApiError> {
    let unread = |_| ApiError::new(Code::Malformed, words::FORM_NOT_WHOLE);
    let mut whole = Request::new(Body::from(body));
    whole.headers_mut().extend(headers.get(CONTENT_TYPE).map(|kind| (CONTENT_TYPE, kind.clone())));
    // The limit of this kind of form is that of the route.
    DefaultBodyLimit::disable().apply(&mut whole);
    let none = |_| ApiError::new(Code::Malformed, words::FORM_UNREAD);
    let mut parts = Multipart::from_request(whole, &()).await.map_err(none)?;
    let (mut fields, mut file, mut parts_read) = (vec![], None, 0);
    while let Some(part) = parts.next_field().await.map_err(unread)? {
        let name = part.name().unwrap_or_default().to_owned();
        parts_read += 1;
        inputs::field(parts_read, name.as_bytes())?;
        let bytes = part.bytes().await.map_err(unread)?;
        // What a browser sends where no file was chosen.
        if name == FILE && bytes.is_empty() {
            continue;
        }
        let packed = name == PACKED;
        // Each could unpack to the limit.
        if packed && file.is_some() {
            return Err(ApiError::new(Code::Malformed, words::FORM_UNREAD));
        }
        let bytes = if packed { unpacked(&bytes)? } else { bytes.into() };
        let text = String::from_utf8(bytes).map_err(|_| ApiError::new(Code::Invalid, words::FILE_NOT_UTF_8))?;
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
    text.ok_or_else(|| ApiError::new(Code::Malformed, words::FORM_NOT_WHOLE))
}

/// As `application/x-www-form-urlencoded`.
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
    async fn a_file_that_was_chosen_stands_in_place_of_the_text() {
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
