//! Security headers and CSRF protection: against foreign scripts, frames, sniffing, and forms from other sites.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::Response;
use leptos::nonce::Nonce;

use super::errors;
use crate::api::error::Code;
use crate::messages::errors as messages;

/// The configuration that the headers depend on.
#[derive(Debug, Clone, Copy)]
pub struct Policy {
    /// True if clients connect by HTTPS.
    pub secure: bool,
}

/// Creates the page's nonce, adds it to the request, and sets the security headers of every response.
pub async fn headers(State(policy): State<Policy>, mut request: Request, next: Next) -> Response {
    let nonce = Nonce::new();
    request.extensions_mut().insert(nonce.clone());
    let mut response = next.run(request).await;
    let html =
        response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    let csp = if html {
        // 'strict-dynamic' lets the script with the nonce import the wasm's JavaScript, and nothing else.
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
    // Pages and answers belong to one user; static files have set their own cache policy.
    all.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Rejects state-changing browser requests from another site, by the rules of Go's `http.CrossOriginProtection`. Programs send
/// neither `Origin` nor `Sec-Fetch-Site` and pass; their token decides what they may do.
pub async fn csrf(State(public_url): State<Arc<str>>, request: Request, next: Next) -> Response {
    if is_same_site(&request, &public_url) {
        next.run(request).await
    } else {
        errors::response(Code::Forbidden, messages::FROM_ANOTHER_SITE)
    }
}

fn is_same_site(request: &Request, public_url: &str) -> bool {
    if matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS) {
        return true;
    }
    let header = |name: HeaderName| request.headers().get(name).map(HeaderValue::as_bytes).filter(|it| !it.is_empty());
    let origin = header(header::ORIGIN);
    let is_trusted = origin == Some(public_url.as_bytes());
    match (header(HeaderName::from_static("sec-fetch-site")), origin) {
        (Some(b"same-origin" | b"none"), _) | (None, None) => true,
        (Some(_), _) => is_trusted,
        (None, Some(origin)) => {
            is_trusted || {
                // An old browser. The scheme is not compared, since a proxy may terminate TLS.
                let host = origin.strip_prefix(b"http://").or_else(|| origin.strip_prefix(b"https://"));
                let asked = request.uri().authority().map(|authority| authority.as_str().as_bytes());
                host.is_some() && host == asked.or_else(|| header(header::HOST))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    #[test]
    fn a_change_comes_from_the_same_site_or_a_program() {
        let own = "https://docket.example";
        for (method, headers, passes) in [
            ("POST", &[][..], true),
            ("POST", &[("origin", own)], true),
            ("POST", &[("origin", own), ("sec-fetch-site", "same-origin")], true),
            ("POST", &[("sec-fetch-site", "none")], true),
            // Another name of the server, and a browser that sends no Sec-Fetch-Site.
            ("POST", &[("origin", "http://box.lan:3000"), ("host", "box.lan:3000")], true),
            ("POST", &[("origin", own), ("sec-fetch-site", "cross-site")], true),
            ("POST", &[("origin", "http://box.lan:3000"), ("host", "box.lan")], false),
            ("POST", &[("origin", "ftp://box.lan"), ("host", "box.lan")], false),
            ("POST", &[("origin", "https://evil.example")], false),
            ("POST", &[("origin", "https://docket.example.evil.example"), ("host", "docket.example")], false),
            ("POST", &[("origin", "null"), ("host", "null")], false),
            ("POST", &[("sec-fetch-site", "cross-site")], false),
            ("POST", &[("sec-fetch-site", "same-site")], false),
            ("POST", &[("sec-fetch-site", "Same-Origin")], false),
            ("PUT", &[("sec-fetch-site", "cross-site")], false),
            ("TRACE", &[("sec-fetch-site", "cross-site")], false),
            ("GET", &[("origin", "https://evil.example"), ("sec-fetch-site", "cross-site")], true),
        ] {
            let mut request = Request::builder().method(method).uri("/api/v1/tasks/add");
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            assert_eq!(is_same_site(&request.body(Body::empty()).unwrap(), own), passes, "{method} {headers:?}");
        }
    }
}
