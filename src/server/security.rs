//! What browsers are told to refuse: foreign scripts, frames, sniffing, forms from elsewhere.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Response as HttpResponse, header};
use axum::middleware::Next;
use axum::response::Response;
use leptos::nonce::Nonce;
use tower_http_csrf::csrf::{ConfigError, CsrfLayer, ProtectionError};

use super::errors;
use crate::api::error::Code;
use crate::words::errors as words;

/// What the headers depend on.
#[derive(Debug, Clone, Copy)]
pub struct Policy {
    /// Whether people come by https.
    pub secure: bool,
}

/// Mints the page's nonce, hands it on in the request, and sets every response's security headers.
pub async fn headers(State(policy): State<Policy>, mut request: Request, next: Next) -> Response {
    let nonce = Nonce::new();
    request.extensions_mut().insert(nonce.clone());
    let mut response = next.run(request).await;
    let html =
        response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    let csp = if html {
        // 'strict-dynamic' lets the script with the nonce import the wasm's JavaScript, and nothing else runs.
        format!(
            "default-src 'none'; script-src 'nonce-{nonce}' 'strict-dynamic' 'wasm-unsafe-eval'; style-src 'self' 'nonce-{nonce}'; \
             img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; \
             frame-ancestors 'none'"
        )
    } else {
        "default-src 'none'; frame-ancestors 'none'".to_owned()
    };
    let all = response.headers_mut();
    all.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_str(&csp).expect("a nonce is base64"));
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        all.insert(name, HeaderValue::from_static(value));
    }
    if policy.secure {
        all.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    }
    // Pages and answers belong to one person; files have said how long they keep.
    all.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Refuses a browser's request that changes something and comes from another site. Programs send neither `Origin` nor
/// `Sec-Fetch-Site` and pass; what they may do is decided by their token.
pub fn csrf(
    public_url: &str,
) -> Result<CsrfLayer<impl FnMut(ProtectionError) -> HttpResponse<Body> + Clone + use<>>, ConfigError> {
    let refuse = |_| errors::response(Code::Forbidden, words::FROM_ANOTHER_SITE);
    Ok(CsrfLayer::new().add_trusted_origin(public_url)?.with_rejection_response(refuse))
}
