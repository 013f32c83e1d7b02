//! `/mcp`: the tools for agent clients, over streamable HTTP without sessions (R-305; MCP 2026-07-28 and before).
//!
//! An agent client sends a token of its user. There is no sign-in for agents, so no discovery document (RFC 9728) is served. One
//! without an authorization server would violate the protocol, and a client that finds one stops sending its token.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::uri::{Authority, Uri};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{body, session, visitor};
use crate::domain::user::Visitor;
use crate::state::AppState;
use crate::usecases::{self, accounts, events};

mod accept;
mod agent;
mod listen;
mod offers;
mod round;
pub mod stdio;

pub use agent::{Door, Outside};
use listen::Since;

/// Path of the MCP endpoint.
pub const PATH: &str = "/mcp";
/// The path as some clients write it.
const PATH_WITH_SLASH: &str = "/mcp/";

/// The header with a request's method, and the method that keeps a stream open.
const METHOD: &str = "mcp-method";
const LISTEN: &str = "subscriptions/listen";
/// JSON-RPC error codes: invalid JSON, JSON that is no request, and a code left to servers.
const PARSE_ERROR: i32 = -32_700;
const INVALID_REQUEST: i32 = -32_600;
const REFUSED: i32 = -32_000;
/// Prefix of rmcp's error for a body that it cannot parse.
const UNREAD: &str = "fail to deserialize";
/// Fragments of that error if the body is not JSON; other such bodies are JSON but no request of the protocol.
const NO_JSON: [&str; 9] = [
    "EOF while",
    "expected value",
    "expected ident",
    "expected `",
    "trailing",
    "control character",
    "invalid escape",
    "recursion limit",
    "invalid unicode",
];
/// Maximum size of an error from rmcp, in bytes.
const ERROR_BODY: usize = 64 * 1024;

/// Creates the routes with their own guards, since the site's guards are made for browsers.
///
/// Streams end when `stopping` is cancelled, with a final answer.
pub fn routes(state: &AppState, stopping: &CancellationToken) -> Router {
    // `guard` checks the host: it knows this server's names.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(body::LIMIT)
        .disable_allowed_hosts();
    let outside = Outside::new(state.clone(), Door::Http, stopping.clone());
    let service =
        StreamableHttpService::new(move || Ok(outside.clone()), Arc::new(NeverSessionManager::default()), config);
    Router::new().route_service(PATH, service.clone()).route_service(PATH_WITH_SLASH, service).layer((
        from_fn_with_state(state.clone(), guard),
        from_fn(in_json),
        visitor::layer(state.clone()),
        from_fn_with_state(state.clone(), admit),
        from_fn(body::limit_of_known),
        from_fn(accept::spell_out),
    ))
}

/// Rejects unknown hosts, which prevents DNS rebinding, and pages of other origins.
async fn guard(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let refuse = |what: &str| error(StatusCode::FORBIDDEN, REFUSED, &format!("{what} does not belong to this server."));
    let Some(host) = host(&request) else {
        return error(StatusCode::BAD_REQUEST, INVALID_REQUEST, "The request has no valid Host header.");
    };
    let public = state.config.public_url.parse::<Uri>().ok();
    if !(is_loopback(&host) || public.as_ref().and_then(Uri::authority).is_some_and(|own| same(own, &host))) {
        return refuse("The host");
    }
    if let Some(origin) = request.headers().get(header::ORIGIN) {
        let origin = origin.to_str().ok().and_then(|origin| origin.parse::<Uri>().ok());
        let own = origin.as_ref().and_then(|origin| {
            let here = origin.authority()?;
            let port = here.port_u16() == Some(state.config.addr.port());
            // Under the public name, a page must have the public URL's scheme: no plain HTTP if that is HTTPS.
            let way = is_loopback(here) || public.as_ref().and_then(Uri::scheme) == origin.scheme();
            Some(way && here == &host || is_loopback(here) && port || public.as_ref() == Some(origin))
        });
        if own != Some(true) {
            return refuse("The origin");
        }
    }
    next.run(request).await
}

fn host(request: &Request) -> Option<Authority> {
    match request.headers().get(header::HOST) {
        Some(host) => host.to_str().ok()?.parse().ok(),
        None => request.uri().authority().cloned(),
    }
}

/// Returns true if both name one host and, if `own` has a port, that port.
fn same(own: &Authority, other: &Authority) -> bool {
    own.host().eq_ignore_ascii_case(other.host()) && (own.port_u16().is_none() || own.port_u16() == other.port_u16())
}

fn is_loopback(host: &Authority) -> bool {
    ["localhost", "127.0.0.1", "[::1]"].iter().any(|name| host.host().eq_ignore_ascii_case(name))
}

/// Adds the agent to the request, or rejects it without a valid token.
async fn admit(State(state): State<AppState>, mut request: Request, next: Next) -> Response {
    let Some(token) = session::bearer(request.headers()) else {
        return challenge("Authenticate with your token: Authorization: Bearer dkt_….", "Bearer");
    };
    let address = request.extensions().get::<Visitor>().and_then(|visitor| visitor.address);
    // The header repeats the body's method (MCP 2026-07-28, standard headers); a request without it is rejected later.
    let listens = request.headers().get(METHOD).is_some_and(|method| method == LISTEN);
    let found = async {
        let visitor = accounts::agent_of_token(&state.ctx, token, address).await?;
        let since = match visitor.as_ref().filter(|_| listens) {
            Some(visitor) => Some(Since(events::head(&state.ctx, &visitor.caller).await?)),
            None => None,
        };
        Ok::<_, usecases::Error>(visitor.map(|visitor| (visitor, since)))
    };
    match found.await {
        Ok(Some((visitor, since))) => {
            request.extensions_mut().insert(visitor);
            if let Some(since) = since {
                request.extensions_mut().insert(since);
            }
            next.run(request).await
        }
        Ok(None) => challenge("This token is unknown or no longer valid.", "Bearer error=\"invalid_token\""),
        Err(failed) => {
            tracing::error!(error = ?failed, "an agent could not be looked up");
            error(StatusCode::SERVICE_UNAVAILABLE, REFUSED, "The database did not answer. Try again in a moment.")
        }
    }
}

/// Builds a 401 with the bare scheme (RFC 6750): clients cannot obtain a token by themselves.
fn challenge(message: &str, scheme: &'static str) -> Response {
    let mut response = error(StatusCode::UNAUTHORIZED, REFUSED, message);
    response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(scheme));
    response
}

/// Converts every error to JSON-RPC, including rmcp's plain-text errors and those of the router.
async fn in_json(request: Request, next: Next) -> Response {
    let method = request.method().clone();
    let response = next.run(request).await;
    let status = response.status();
    if !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, ERROR_BODY).await.unwrap_or_default();
    let json = serde_json::from_slice::<Value>(&body).unwrap_or_default();
    if json.get("jsonrpc").is_some() {
        return Response::from_parts(parts, body.into());
    }
    let text = json["error"]["message"].as_str().map_or_else(|| String::from_utf8_lossy(&body), Into::into);
    let (status, code, message) = match status {
        StatusCode::METHOD_NOT_ALLOWED => (status, INVALID_REQUEST, allowed(&method)),
        StatusCode::UNSUPPORTED_MEDIA_TYPE if !text.starts_with(UNREAD) => (status, INVALID_REQUEST, text.into_owned()),
        StatusCode::UNSUPPORTED_MEDIA_TYPE if NO_JSON.iter().any(|what| text.contains(what)) => {
            (StatusCode::BAD_REQUEST, PARSE_ERROR, "The body is not JSON.".to_owned())
        }
        StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            let message = "The body is JSON, but not a request of the Model Context Protocol. Batches of requests are not supported.";
            (StatusCode::BAD_REQUEST, INVALID_REQUEST, message.to_owned())
        }
        _ => (status, INVALID_REQUEST, text.into_owned()),
    };
    let mut told = error(status, code, &message);
    if let Some(methods) = parts.headers.get(header::ALLOW) {
        told.headers_mut().insert(header::ALLOW, methods.clone());
    }
    told
}

fn allowed(method: &Method) -> String {
    format!("{PATH} supports POST, not {method}: there are no sessions and no streams to resume.")
}

fn error(status: StatusCode, code: i32, message: &str) -> Response {
    let body = json!({ "jsonrpc": "2.0", "id": null, "error": { "code": code, "message": message } });
    (status, [(header::CONTENT_TYPE, "application/json")], Body::from(body.to_string())).into_response()
}
