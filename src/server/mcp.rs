//! `/mcp`: the tools for outside agents, over streamable HTTP without sessions, and where such an agent learns how to get in
//! (R-305; MCP 2026-07-28 and before; RFC 9728).

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::uri::{Authority, Uri};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{body, session, visitor};
use crate::domain::user::Visitor;
use crate::state::AppState;
use crate::usecases::{self, accounts, events};

/// What an agent may ask for.
mod agent;
/// What has changed.
mod listen;
/// Prompts and resources.
mod offers;
/// Asking the person through the agent's client.
mod round;

pub use agent::{Door, Outside};
use listen::Since;

/// Where the tools are.
pub const PATH: &str = "/mcp";
/// What tells of them (RFC 9728, section 3.1): for the whole site, and for the path.
pub const METADATA: [&str; 2] = ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"];

/// The header that names a request's method, and the method that keeps a stream open.
const METHOD: &str = "mcp-method";
const LISTEN: &str = "subscriptions/listen";
/// JSON-RPC: the body is no JSON, is JSON but no request, and what the protocol leaves to servers.
const PARSE_ERROR: i32 = -32_700;
const INVALID_REQUEST: i32 = -32_600;
const REFUSED: i32 = -32_000;
/// How the library tells of a body that it cannot read.
const UNREAD: &str = "fail to deserialize";
/// Then, how it tells of one that is no JSON; other bodies are JSON that is no request of the protocol.
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
/// Bytes of an error of the protocol's library.
const ERROR_BODY: usize = 64 * 1024;

/// The routes; each refuses on its own, since what guards the site is made for browsers.
///
/// Streams end when `stopping` is cancelled, with an answer that says so.
pub fn routes(state: &AppState, stopping: &CancellationToken) -> Router {
    // Where requests come from is looked at in `guard`, which knows this server's names.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(body::LIMIT)
        .disable_allowed_hosts();
    let outside = Outside::new(state.clone(), Door::Http, stopping.clone());
    let service =
        StreamableHttpService::new(move || Ok(outside.clone()), Arc::new(NeverSessionManager::default()), config);
    let [site, path] = METADATA;
    let public_url = state.config.public_url.clone();
    let metadata = move || async move { axum::Json(metadata(&public_url)) };
    let described = Router::new()
        .route(site, get(metadata.clone()))
        .route(path, get(metadata))
        .layer(from_fn(body::limit_of_strangers));
    Router::new()
        .route_service(PATH, service)
        .layer((
            from_fn_with_state(state.clone(), guard),
            from_fn(in_json),
            visitor::layer(state.clone()),
            from_fn_with_state(state.clone(), admit),
            from_fn(body::limit_of_known),
        ))
        .merge(described)
}

fn metadata(public_url: &str) -> Value {
    json!({
        "resource": format!("{public_url}{PATH}"),
        "resource_name": "Docket",
        "bearer_methods_supported": ["header"],
        "scopes_supported": ["tasks:read", "tasks:write", "tasks:delete"],
        "resource_documentation": format!("{public_url}/api"),
    })
}

/// Refuses hosts that are not ours, so that no page gets here under a name of its own, and pages of other origins.
async fn guard(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let refuse = |what: &str| error(StatusCode::FORBIDDEN, REFUSED, &format!("{what} is not of this server."));
    let Some(host) = host(&request) else {
        return error(StatusCode::BAD_REQUEST, INVALID_REQUEST, "The request names no host that can be read.");
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
            // By the name that people know this server by, a page comes as they do: not over plain HTTP where that is https.
            let way = is_loopback(here) || public.as_ref().and_then(Uri::scheme) == origin.scheme();
            Some(way && here == &host || is_loopback(here) && port || public.as_ref() == Some(origin))
        });
        if own != Some(true) {
            return refuse("The page that sent this");
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

/// Whether both name one host and, where the first one names a port, that port.
fn same(own: &Authority, other: &Authority) -> bool {
    own.host().eq_ignore_ascii_case(other.host()) && (own.port_u16().is_none() || own.port_u16() == other.port_u16())
}

fn is_loopback(host: &Authority) -> bool {
    ["localhost", "127.0.0.1", "[::1]"].iter().any(|name| host.host().eq_ignore_ascii_case(name))
}

/// Puts the agent into the request; without a good token it is told where to learn what one is.
async fn admit(State(state): State<AppState>, mut request: Request, next: Next) -> Response {
    let Some(token) = session::bearer(request.headers()) else {
        return challenge(&state, "Send a token of yours: Authorization: Bearer dkt_….", "");
    };
    let address = request.extensions().get::<Visitor>().and_then(|visitor| visitor.address);
    // The header says what the body does (MCP 2026-07-28, standard headers); who leaves it out is refused later.
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
        Ok(None) => challenge(&state, "That token is unknown or no longer valid.", ", error=\"invalid_token\""),
        Err(failed) => {
            tracing::error!(error = ?failed, "an agent could not be looked up");
            error(StatusCode::SERVICE_UNAVAILABLE, REFUSED, "The database did not answer. Try again in a moment.")
        }
    }
}

fn challenge(state: &AppState, message: &str, more: &str) -> Response {
    let mut response = error(StatusCode::UNAUTHORIZED, REFUSED, message);
    let [_, path] = METADATA;
    let told = format!("Bearer resource_metadata=\"{}{path}\"{more}", state.config.public_url);
    if let Ok(told) = HeaderValue::from_str(&told) {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, told);
    }
    response
}

/// Errors in JSON-RPC's form, also those that the library tells in plain text and those that any route may give.
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
            let message =
                "The body is JSON, but no request of the Model Context Protocol; a list of requests is none either.";
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
    format!("{PATH} takes POST, not {method}: there are no sessions and no streams to come back to.")
}

fn error(status: StatusCode, code: i32, message: &str) -> Response {
    let body = json!({ "jsonrpc": "2.0", "id": null, "error": { "code": code, "message": message } });
    (status, [(header::CONTENT_TYPE, "application/json")], Body::from(body.to_string())).into_response()
}
