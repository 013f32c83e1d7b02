//! `/metrics`: what operators watch, for whoever scrapes it (R-1005); and the counting of requests.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use subtle::ConstantTimeEq as _;

use super::router::Served;
use super::{errors, session};
use crate::api::error::Code;
use crate::state::AppState;
use crate::usecases::load;

/// OpenMetrics, which Prometheus reads as well as its own.
const TEXT: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// By these a proxy says that somebody else is asking.
const FORWARDED: [HeaderName; 3] = [
    HeaderName::from_static("x-forwarded-for"),
    HeaderName::from_static("x-real-ip"),
    HeaderName::from_static("forwarded"),
];
/// What is no route of the server: the site's files, addresses at which there is nothing, requests that were refused before.
const OTHER: &str = "other";

/// Numbers about this process and its database. With DOCKET_METRICS_TOKEN for whoever shows it, else for this machine alone.
pub async fn metrics(State(served): State<Served>, request: Request) -> Response {
    let state = &served.state;
    if let Some(refused) = refusal(state, &request) {
        return refused;
    }
    match load::now(&state.ctx).await {
        Ok(load) => {
            let text = state.telemetry.metrics.render(&load, state.rests());
            ([(header::CONTENT_TYPE, TEXT), (header::CACHE_CONTROL, "no-store")], text).into_response()
        }
        Err(error) => {
            tracing::error!(error = ?error, "the database did not answer");
            errors::response(Code::Unavailable, "The database did not answer. Try again in a moment.")
        }
    }
}

/// The answer to whoever may not read them.
fn refusal(state: &AppState, request: &Request) -> Option<Response> {
    let headers = request.headers();
    if let Some(token) = &state.config.metrics_token {
        let shown = session::bearer(headers).unwrap_or_default();
        if bool::from(shown.as_bytes().ct_eq(token.reveal().as_bytes())) {
            return None;
        }
        let why = "Send the metrics token, which is in DOCKET_METRICS_TOKEN: Authorization: Bearer ….";
        let mut refused = errors::response(Code::Unauthenticated, why);
        refused.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        return Some(refused);
    }
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    if peer.is_some_and(|peer| peer.0.ip().to_canonical().is_loopback()) && !forwarded(headers) {
        return None;
    }
    let why = "The metrics are only for this machine; to read them from another, set DOCKET_METRICS_TOKEN and send it.";
    Some(errors::response(Code::Forbidden, why))
}

/// Whether a proxy on this machine, or a page under a name that was made to lead here, passes on somebody else's request.
fn forwarded(headers: &HeaderMap) -> bool {
    let here = |host: &str| {
        let name = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|digit| digit.is_ascii_digit()));
        let name = name.map_or(host, |(name, _)| name).trim_matches(['[', ']']);
        name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    };
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    FORWARDED.iter().any(|name| headers.contains_key(name)) || !host.is_none_or(here)
}

/// The pattern of the route that answered; of the first, where a form's call is followed by its page.
#[derive(Clone, Default)]
struct Route(Arc<OnceLock<MatchedPath>>);

/// Tells the layer around by which route a request was answered: only within the routes is that known.
pub fn name(request: Request) -> Request {
    let extensions = request.extensions();
    if let (Some(route), Some(path)) = (extensions.get::<Route>(), extensions.get::<MatchedPath>()) {
        route.0.get_or_init(|| path.clone());
    }
    request
}

/// Counts every request, by route and class of status.
pub async fn count(State(state): State<AppState>, mut request: Request, next: Next) -> Response {
    let (begun, own) = (Instant::now(), request.extensions().get::<MatchedPath>().cloned());
    let route = Route::default();
    request.extensions_mut().insert(route.clone());
    let response = next.run(request).await;
    let route = route.0.get().or(own.as_ref());
    let found = response.status() != StatusCode::NOT_FOUND;
    let named = route.map(MatchedPath::as_str).filter(|path| found || !path.contains("{*"));
    state.telemetry.metrics.request(named.unwrap_or(OTHER), response.status().as_u16(), begun.elapsed());
    response
}
