//! Long pages and long answers on their way: compressed as the reader takes it. Files of the site were compressed when they were
//! built, and streams leave as they are.
//!
//! What is compressed beside somebody's own words can be guessed by its length (BREACH), by who can make a browser ask again and
//! again: what another site leads a browser to leaves uncompressed. Browsers say so over https; without it there is nothing to guess.

use axum::extract::Request;
use axum::http::{Extensions, HeaderMap, StatusCode, Version, header};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{Predicate, SizeAbove};

/// Bytes below which a network packet or three carry it as it is.
const SHORT: u16 = 4096;

/// Brotli's quality for what is made anew each time: above it, time doubles and length hardly falls.
const QUALITY: i32 = 4;

/// The layer.
pub fn layer() -> CompressionLayer<impl Predicate> {
    CompressionLayer::new()
        .quality(CompressionLevel::Precise(QUALITY))
        .compress_when(SizeAbove::new(SHORT).and(is_text))
}

/// Whether it is a page, or an answer in JSON.
fn is_text(_: StatusCode, _: Version, headers: &HeaderMap, _: &Extensions) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    matches!(kind.split(';').next(), Some("text/html" | "application/json"))
}

/// Has requests that another site led to ask for no compression.
pub fn led_here(mut request: Request) -> Request {
    let from = request.headers().get("sec-fetch-site").map(|site| site.as_bytes());
    if matches!(from, Some(b"cross-site" | b"same-site")) {
        request.headers_mut().remove(header::ACCEPT_ENCODING);
    }
    request
}
