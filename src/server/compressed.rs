//! Compression of long pages and JSON answers. Static files are compressed at build time, and streams are not compressed.
//!
//! The length of an answer that mixes secrets with an attacker's text leaks the secrets (BREACH), if the attacker can make a browser
//! repeat requests. Requests caused by another site are therefore not compressed. Browsers mark them over HTTPS only.

use axum::extract::Request;
use axum::http::{Extensions, HeaderMap, StatusCode, Version, header};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{Predicate, SizeAbove};

/// Minimum size in bytes: shorter answers fit into three network packets uncompressed.
const SHORT: u16 = 4096;

/// Brotli quality for dynamic content: a higher one doubles the time and saves hardly any bytes.
const QUALITY: i32 = 4;

/// Creates the compression layer.
pub fn layer() -> CompressionLayer<impl Predicate> {
    CompressionLayer::new()
        .quality(CompressionLevel::Precise(QUALITY))
        .compress_when(SizeAbove::new(SHORT).and(is_text))
}

/// Returns true for pages and JSON answers.
fn is_text(_: StatusCode, _: Version, headers: &HeaderMap, _: &Extensions) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    matches!(kind.split(';').next(), Some("text/html" | "application/json"))
}

/// Disables compression for requests that another site caused.
pub fn led_here(mut request: Request) -> Request {
    let from = request.headers().get("sec-fetch-site").map(|site| site.as_bytes());
    if matches!(from, Some(b"cross-site" | b"same-site")) {
        request.headers_mut().remove(header::ACCEPT_ENCODING);
    }
    request
}
